// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The kernels of the matrix unit, executed on emulated tiles: the arithmetic of the tiles, what becomes of operands
// that parts cannot hold, certificates on long sums, and wrong kernels that the judge must find.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/unit/matrix_rows.hpp"
#include "backend/cpu/unit/tiles_emulated.hpp"
#include "base/element.hpp"
#include "support/sanitized.hpp"
#include "support/trial.hpp"
#include "tilewright/plan.hpp"

namespace {

using namespace tw;
using namespace tw::cpu;

/// a(0, p) * b(p, 0) for two terms, onto a sum of two others.
float dot(std::array<float, 2> a, std::array<float, 2> b, std::array<float, 2> a0 = {}, std::array<float, 2> b0 = {}) {
    std::byte tile_a[2048] = {}, tile_b[2048] = {};
    float sums[unit_side * unit_side];
    const auto put = [](std::byte* to, std::array<float, 2> values) {
        for (int i = 0; i < 2; ++i) {
            const bfloat16 narrow = to_bfloat16(values[static_cast<std::size_t>(i)]);
            std::memcpy(to + 2 * i, &narrow, 2);
        }
    };
    EmulatedTiles::configure();
    EmulatedTiles::zero_sums();
    for (const auto& [x, y] : {std::pair{a0, b0}, {a, b}}) {
        put(tile_a, x), put(tile_b, y);
        EmulatedTiles::load_a<false>(tile_a), EmulatedTiles::load_b<true>(tile_b), EmulatedTiles::dot_bf16();
    }
    EmulatedTiles::store_sums(sums);
    EmulatedTiles::release();
    return sums[0];
}

TEST(EmulatedTiles, AddThePairBeforeTheSum) {
    EXPECT_EQ(dot({0x1p-24f, 0x1p-24f}, {1, 1}, {1, 0}, {1, 0}), 1 + 0x1p-23f);
    EXPECT_EQ(dot({0x1p-24f, 0}, {1, 0}, {1, 0}, {1, 0}), 1.0f) << "a tie goes to the even neighbour";
}

TEST(EmulatedTiles, TakeSubnormalsForZeros) {
    EXPECT_EQ(dot({0x1p-130f, 0}, {0x1p100f, 0}), 0.0f);
    EXPECT_EQ(dot({0x1p-70f, 0}, {0x1p-60f, 0}), 0.0f);
    EXPECT_EQ(dot({0x1p-66f, 0}, {0x1p-60f, 0}), 0x1p-126f);
    EXPECT_FALSE(std::signbit(dot({-0.0f, -0.0f}, {1, 1}, {-0.0f, -0.0f}, {1, 1})));
}

TEST(EmulatedTiles, HandOnInfinitiesAndNaNs) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(dot({inf, 1}, {1, 1}), inf);
    EXPECT_TRUE(std::isnan(dot({inf, 1}, {0, 1})));
    EXPECT_TRUE(std::isnan(dot({inf, inf}, {1, -1})));
}

std::vector<const Kernel*> rows_for(Type in) {
    std::vector<const Kernel*> rows;
    for (const Kernel* kernel : check_backend().ladder)
        if (kernel->in == in && kernel->order != 0) rows.push_back(kernel);
    return rows;
}

test::Outcome judged(const Kernel& kernel, test::Trial trial) {
    trial.tile = kernel.tiles.front();
    return test::run(trial, kernel, Place::host, test::run_on_host);
}

/// Rows of A and columns of B that no part can hold, side by side with others in one panel.
TEST(MatrixUnit, HostileRowsGoByFmaAndTheirNeighboursDoNotNotice) {
    constexpr float inf = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN(), least = std::numeric_limits<float>::denorm_min();
    constexpr double hostile[] = {inf,   -inf,         nan,      most,    -most,   0.25 * most,
                                  least, -300 * least, 0x1p-120, 0x1p120, 0x1p-41, 0x1p58};
    for (const Kernel* kernel : rows_for(Type::f32)) {
        test::Trial plain{.m = 40, .n = 37, .k = 100, .seed = 5}, mixed = plain;
        mixed.alter = [&](const Matrix& a, const Matrix& b, const Matrix&) {
            std::int64_t at = 1;
            for (const double x : hostile) {
                store_element(a, 3 * at, 7 * at, x);
                ++at;
            }
            store_element(b, 50, 11, least);
            store_element(b, 9, 20, 0x1p-100);
        };
        const auto before = judged(*kernel, plain), after = judged(*kernel, mixed);
        ASSERT_EQ(after.failure, "") << kernel->name;
        for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < 37; ++j) {
                const bool is_touched = (i % 3 == 0 && i > 0 && i <= 36) || j == 11 || j == 20;
                const bool is_same =
                    std::memcmp(&before.result[4 * (i * 37 + j)], &after.result[4 * (i * 37 + j)], 4) == 0;
                ASSERT_TRUE(is_same || is_touched) << kernel->name << " at " << i << ", " << j;
            }
    }
}

/// Several blocks of either operand, by who works alone and by some.
TEST(MatrixUnit, AnyBlocksGiveTheSameBits) {
    for (const Kernel* kernel : check_backend().ladder) {
        if (kernel->rung != Rung::matrix_unit && kernel->rung != Rung::split) continue;
        test::Trial trial{.m = 70, .n = 101, .k = 150, .beta = 0.5, .seed = 11};
        const auto whole = judged(*kernel, trial);
        ASSERT_EQ(whole.failure, "") << kernel->name;
        for (const int threads : {1, 2})
            for (const Tile& tile : {Tile{64, 32, 0}, Tile{32, 64, 0}, Tile{4096, 32, 0}}) {
                if (!test::has_its_turn(5)) continue;
                trial.threads = threads;
                trial.tile = tile;
                const auto cut = test::run(trial, *kernel, Place::host, test::run_on_host);
                EXPECT_EQ(cut.failure, "") << kernel->name;
                EXPECT_EQ(cut.result, whole.result)
                    << kernel->name << ", " << threads << " threads, blocks of " << tile.m << " x " << tile.n;
            }
    }
}

/// A bf16 C that several blocks of k meet, in either order: what the row with an f32 C gives, rounded once.
TEST(MatrixUnit, ANarrowCIsRoundedOnceAfterAllBlocks) {
    for (const bool turned : {false, true}) {
        test::Trial trial{.m = 33, .n = 37, .k = 2100, .seed = 3};
        trial.c.columns = turned;
        const auto narrow = judged(r8_matrix_unit_emulated_bf16, trial),
                   wide = judged(r8_matrix_unit_emulated_bf16_f32, trial);
        ASSERT_EQ(narrow.failure, "");
        ASSERT_EQ(wide.failure, "");
        for (std::size_t i = 0; i < 33 * 37; ++i) {
            bfloat16 rounded;
            float sum;
            std::memcpy(&rounded, &narrow.result[2 * i], 2);
            std::memcpy(&sum, &wide.result[4 * i], 4);
            ASSERT_EQ(rounded.bits, to_bfloat16(sum).bits) << i << (turned ? ", by columns" : ", by rows");
        }
    }
}

TEST(MatrixUnit, CertificatesHoldFromOneTermToManyBlocks) {
    using reference::Fill;
    for (const Type type : {Type::f32, Type::bf16})
        for (const Kernel* kernel : rows_for(type))
            for (const std::int64_t k : {1, 2, 31, 32, 33, 64, 65, 513, 1025, 16385})
                for (const Fill how : {Fill::uniform, Fill::cancellation, Fill::exponents_30, Fill::exponents_60,
                                       Fill::huge, Fill::ties}) {
                    if (k > 513 && how != Fill::uniform && how != Fill::cancellation) continue;
                    if (test::is_sanitized && k > 2000) continue;
                    const auto outcome =
                        judged(*kernel, {.m = 2, .n = 3, .k = k, .fill = how, .seed = static_cast<std::uint64_t>(k)});
                    ASSERT_EQ(outcome.failure, "") << kernel->name << ", k " << k << ", " << name_of(how);
                }
}

TEST(MatrixUnit, SplitsKeepWhatTheDialPromises) {
    for (const std::int64_t k : {1, 2, 32, 33, 512, 4096, 65537, 1 << 20}) {
        EXPECT_LE(certificate(r10_split_emulated_bf16x6, k), promise(fp32_elementwise, Type::f32, k)) << k;
        EXPECT_LE(certificate(r10_split_emulated_bf16x3, k), promise(tf32, Type::f32, k)) << k;
        EXPECT_LE(certificate(r8_matrix_unit_emulated_f32, k), promise(bf16, Type::f32, k)) << k;
        EXPECT_LE(certificate(r8_matrix_unit_emulated_bf16_f32, k), promise(fp32, Type::bf16, k)) << k;
    }
}

TEST(MatrixUnit, IsEmulatedForThoseAloneWhoAskForIt) {
    for (const Accuracy accuracy : {fp32, fp32_elementwise, tf32, bf16, fp16, Accuracy(1e-3)})
        for (const std::int64_t size : {8, 300, 4096}) {
            const Problem problem{.m = size, .n = size, .k = size, .accuracy = accuracy};
            EXPECT_EQ(std::string(plan(problem).kernel_name()).find("cpu-check"), std::string::npos);
            EXPECT_EQ(std::string(plan(problem, {.device = "cpu-check"}).kernel_name()).find("cpu-check."), 0u);
        }
}

// Wrong kernels: the unit with one piece replaced.
constexpr const UnitPanels& right() { return unit_emulated.bf16[2]; }
std::byte* tile_of(std::byte* panel, std::int64_t step, int part) {
    return panel + sizeof(PanelHeader) + (step * 3 + part) * 2048;
}

void pack_unmarked(const PanelSource& source, std::byte* panel) {
    right().pack_a(source, panel);
    *reinterpret_cast<PanelHeader*>(panel) = {};
}
template <int from, int to>
void pack_part_as_another(const PanelSource& source, std::byte* panel) {
    right().pack_a(source, panel);
    for (std::int64_t step = 0; step < (source.k + 31) / 32; ++step)
        std::memcpy(tile_of(panel, step, to), tile_of(panel, step, from), 2048);
}
void pack_without_last_part(const PanelSource& source, std::byte* panel) {
    right().pack_a(source, panel);
    for (std::int64_t step = 0; step < (source.k + 31) / 32; ++step) std::memset(tile_of(panel, step, 2), 0, 2048);
}
void pack_without_last_term(const PanelSource& source, std::byte* panel) {
    PanelSource shorter = source;
    if (shorter.k > 64) --shorter.k;
    right().pack_b(shorter, panel);
}
void pack_one_tile_only(const PanelSource& source, std::byte* panel) {
    right().pack_b(source, panel);
    for (int part = 0; part < 3; ++part) std::memcpy(tile_of(panel, 0, part) + 1024, tile_of(panel, 0, part), 1024);
}
void multiply_short(const UnitTile& tile) {
    UnitTile shorter = tile;
    if (shorter.to > 32) shorter.to -= 32;
    right().multiply(shorter);
}
void meet_without_beta(const UnitResult& result) {
    UnitResult whole = result;
    if (whole.beta != 0) whole.beta = 1;
    unit_emulated.add_to_c(whole);
}
void nothing() {}

bool fails_somewhere(const Kernel& kernel) {
    for (const reference::Fill how : reference::every_fill)
        for (const std::int64_t k : {2, 33, 100})
            if (!judged(kernel, {.m = 40, .n = 37, .k = k, .beta = 0.5, .fill = how}).failure.empty()) return true;
    return false;
}

TEST(MatrixUnit, TheJudgeFindsWrongOnes) {
    EXPECT_FALSE(fails_somewhere(r10_split_emulated_bf16x6));
    static MatrixUnit unit = unit_emulated;
    const auto is_found = [](const char* what) {
        Kernel kernel = r10_split_emulated_bf16x6;
        kernel.run = [](const Call& call, const Tile& blocks) {
            PanelKernel panels = ByParts<unit_emulated, 3>::kernel();
            panels.pack_a = [](const Matrix& rows, std::byte* to, std::size_t room) {
                unit.bf16[2].pack_a(panel_source(rows, room), to);
            };
            panels.pack_b = [](const Matrix& cols, std::byte* to, std::size_t room) {
                unit.bf16[2].pack_b(panel_source(cols.transposed(), room), to);
            };
            panels.multiply = [](const PanelTile& tile) {
                multiply_guarded(unit.add_to_c, unit.bf16[2].multiply, tile);
            };
            panels.finish_waiting = [](TileState& state) { finish_waiting_guarded(unit.add_to_c, state); };
            panels.begin = unit.begin;
            return run_hierarchy(panels, call, blocks);
        };
        EXPECT_TRUE(fails_somewhere(kernel)) << "not found: " << what;
        unit = unit_emulated;
    };
    unit.bf16[2].pack_a = pack_unmarked, is_found("rows that parts cannot hold are trusted to them");
    unit.bf16[2].pack_a = pack_part_as_another<1, 2>, is_found("mid stands where lo should");
    unit.bf16[2].pack_a = pack_part_as_another<0, 1>, is_found("hi stands where mid should");
    unit.bf16[2].pack_a = pack_without_last_part, is_found("no lo");
    unit.bf16[2].pack_b = pack_without_last_term, is_found("the last term is missing");
    unit.bf16[2].pack_b = pack_one_tile_only, is_found("columns 16 to 31 are those before them");
    unit.bf16[2].multiply = multiply_short, is_found("the last step is missing");
    unit.add_to_c = meet_without_beta, is_found("beta is 1");
    unit.begin = nothing, is_found("the unit is not configured");
}

}  // namespace
