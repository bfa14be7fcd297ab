// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A device with roofs that nobody has: which row stands under which, and what a table then says.
#include "measure/roofs/device_roofs.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "measure/rows/run_roofs.hpp"

namespace tw::measure {
namespace {

constexpr Roof roofs[] = {
    {"FMA", "f32", 0, [] { return 60.0; }, [](double) { return 50.0; }},
    {"tensor core", "f16", 1, [] { return 800.0; }, nullptr},
    {"tensor core", "tf32", 1, [] { return 400.0; }, [](double) { return 0.0; }},
    {"tensor core", "f64", 1, [] { return 0.0; }, nullptr},
    {"memory", "bytes", 0, [] { return 5000.0; }, nullptr},
};

constexpr Backend device{.name = "toy",
                         .place = Place::cuda,
                         .ladder = {},
                         .feature_names = {},
                         .features = nullptr,
                         .devices = nullptr,
                         .absence = nullptr,
                         .roofs = roofs};
constexpr Backend plain{.name = "toy",
                        .place = Place::cuda,
                        .ladder = {},
                        .feature_names = {},
                        .features = nullptr,
                        .devices = nullptr,
                        .absence = nullptr};

constexpr Kernel row(Rung rung, Type in, const Scheme* scheme) {
    return {.name = "toy.row", .rung = rung, .in = in, .out = in, .sum = Type::f32, .scheme = scheme};
}

const Kernel by_fma = row(Rung::register_block, Type::f32, &plain_f32);
const Kernel by_tf32 = row(Rung::matrix_unit, Type::f32, &tf32x1);
const Kernel by_f16 = row(Rung::split, Type::f32, &fp16x3);
const Kernel by_one_f16 = row(Rung::matrix_unit, Type::f32, &fp16x1);
const Kernel of_f64 = row(Rung::matrix_unit, Type::f64, &plain_f64);
const Kernel of_f16 = row(Rung::async_pipeline, Type::f16, &plain_f32);
const Kernel by_bf16 = row(Rung::split, Type::f32, &bf16x6);

TEST(DeviceRoofs, ARowStandsUnderTheUnitAndTheTypeThatItMultiplies) {
    const auto name = [](const Kernel& kernel) { return name_of(*roof_of(device, kernel)); };
    EXPECT_EQ(name(by_fma), "FMA f32");
    EXPECT_EQ(name(by_tf32), "tensor core tf32");
    EXPECT_EQ(name(by_f16), "tensor core f16, by formula");
    EXPECT_EQ(name(by_one_f16), "tensor core f16, by formula") << "one part, which is rounded";
    EXPECT_EQ(name(of_f16), "tensor core f16, by formula");
    EXPECT_EQ(name(by_bf16), "FMA f32") << "the toy has no unit for bf16";
    EXPECT_EQ(roof_of(plain, by_fma), nullptr);
    EXPECT_EQ(memory_roof(plain), nullptr);
}

TEST(DeviceRoofs, ARateIsTheLoopsOrTheFormulas) {
    EXPECT_EQ(rate_of(*fma_roof(device, "f32"), 0), 50);
    EXPECT_EQ(rate_of(*roof_of(device, by_tf32), 0), 400) << "its loop fails";
    EXPECT_EQ(rate_of(*memory_roof(device), 0), 5000);
    EXPECT_EQ(in_a_table(400), "400.0");
    EXPECT_EQ(in_a_table(0), "-");
}

/// An entrant that is a row, and nothing else.
class Standing : public Entrant {
public:
    explicit Standing(const Kernel* kernel) { provider = "tilewright", device = "toy", row = kernel; }
    Judgement judge(const Task&) override { return {.ok = true}; }
    double seconds(int) override { return 1e-3; }
};

TEST(DeviceRoofs, ARunHoldsEachRowAgainstItsOwnRoof) {
    RunRoofs run_roofs(device, "f32", 1);
    const Standing plainest(&by_fma), split(&by_f16), stranger(nullptr);
    for (const Standing* one : {&plainest, &split, &stranger}) run_roofs.add(*one);
    for (Calibration& calibration : run_roofs.calibrations()) calibration.values = {calibration.measure()};
    EXPECT_EQ(run_roofs.peaks_for(plainest).fma, 50);
    EXPECT_EQ(run_roofs.peaks_for(plainest).unit, 50);
    EXPECT_EQ(run_roofs.peaks_for(split).fma, 50) << "a table has one 100 %";
    EXPECT_EQ(run_roofs.peaks_for(split).unit, 800);
    EXPECT_EQ(run_roofs.peaks_for(stranger).unit, 0) << "nobody knows a peer's unit";
    measure::Run run{.command = "ladder", .machine = {}};
    run_roofs.record(run);
    ASSERT_EQ(run.calibrations.size(), 2u);
    EXPECT_EQ(run.calibrations[0].name, "FMA f32");
    EXPECT_EQ(run.calibrations[1].name, "tensor core f16, by formula");
}

TEST(DeviceRoofs, ARoofWhoseRateNobodyKnowsIsNone) {
    RunRoofs run_roofs(device, "f32", 1);
    const Standing unknown(&of_f64), failing(&by_tf32);
    for (const Standing* one : {&unknown, &failing}) run_roofs.add(*one);
    ASSERT_EQ(run_roofs.calibrations().size(), 2u);
    EXPECT_EQ(run_roofs.calibrations()[1].name, "tensor core tf32") << "a loop that fails has its formula";
    for (Calibration& calibration : run_roofs.calibrations()) calibration.values = {calibration.measure()};
    EXPECT_EQ(run_roofs.peaks_for(unknown).unit, 0);
    EXPECT_EQ(run_roofs.peaks_for(failing).unit, 400);
}

TEST(DeviceRoofs, ADeviceWithoutRoofsHasNoPeak) {
    RunRoofs run_roofs(plain, "f32", 1);
    const Standing one(&by_fma);
    run_roofs.add(one);
    EXPECT_TRUE(run_roofs.calibrations().empty());
    EXPECT_EQ(run_roofs.peaks_for(one).fma, 0);
    EXPECT_EQ(run_roofs.peaks_for(one).unit, 0);
}

TEST(DeviceRoofs, WhatIsChosenWhenTheRoundsAreOverStandsUnderItsFormula) {
    RunRoofs run_roofs(device, "f32", 1);
    const Standing chosen(&by_f16);
    run_roofs.add(chosen);
    EXPECT_EQ(run_roofs.peaks_for(chosen).unit, 800);
}

}  // namespace
}  // namespace tw::measure
