// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/roofs.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"

namespace tw::cuda {
namespace {

constexpr Rates known[] = {
    {8, 0, 128, 64, 2048, 1024, 128},  {8, 6, 256, 4, 0, 0, 0},    {8, 9, 256, 4, 0, 0, 0},
    {9, 0, 256, 128, 4096, 2048, 256}, {10, 0, 256, 128, 0, 0, 0}, {12, 0, 256, 4, 0, 0, 0},
};

constexpr double kilohertz = 1e-6;  // in GHz

double attribute(cudaDeviceAttr which) noexcept {
    int device = 0, value = 0;
    if (calls().get_device(&device) != cudaSuccess) return 0;
    return calls().device_attribute(&value, which, device) == cudaSuccess ? value : 0;
}

/// Flops of a multiprocessor in a clock, by the multiprocessors and their highest clock.
template <int Rates::* flops>
double by_formula() noexcept {
    const Rates rates = rates_of(static_cast<int>(attribute(cudaDevAttrComputeCapabilityMajor)),
                                 static_cast<int>(attribute(cudaDevAttrComputeCapabilityMinor)));
    return rates.*flops * attribute(cudaDevAttrClockRate) * kilohertz * attribute(cudaDevAttrMultiProcessorCount);
}

/// Two transfers a clock over the whole bus.
double bandwidth_by_formula() noexcept {
    return 2 * attribute(cudaDevAttrMemoryClockRate) * kilohertz * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
}

double now() noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that what `enqueue` enqueues takes; 0 when the device fails.
template <class Enqueue>
double timed(Enqueue enqueue) noexcept {
    if (!wait(nullptr)) return 0;
    const double start = now();
    if (!enqueue() || !wait(nullptr)) return 0;
    return now() - start;
}

/// As many steps as take about half of the time: so many again are timed, and starting is a small part of it.
template <bool is_f64>
double measured_fma(double seconds) noexcept {
    constexpr int first = 256, most = 1 << 20;
    double flops = 0, taken = 0;
    for (int steps = first; steps <= most && taken < seconds / 4; steps *= 2) {
        taken = timed([&] { return launch_fma(is_f64, steps, flops); });
        if (taken <= 0) return 0;
    }
    return flops / taken * 1e-9;
}

/// The best of a few passes.
double measured_bandwidth(double seconds) noexcept {
    constexpr double bytes = sizeof(float) * static_cast<double>(roof_floats);
    void* const memory = allocate(static_cast<std::size_t>(bytes));
    if (!memory) return 0;
    double least = timed([&] { return launch_reading(static_cast<const float*>(memory)); });
    for (double end = now() + seconds; least > 0 && now() < end;) {
        const double taken = timed([&] { return launch_reading(static_cast<const float*>(memory)); });
        least = taken > 0 ? std::min(least, taken) : 0;
    }
    release(memory);
    return least > 0 ? bytes / least * 1e-9 : 0;
}

}  // namespace

const Roof roofs[roof_count] = {
    {"FMA", "f32", 0, by_formula<&Rates::fma_f32>, measured_fma<false>},
    {"FMA", "f64", 0, by_formula<&Rates::fma_f64>, measured_fma<true>},
    {"tensor core", "tf32", feature::sm80, by_formula<&Rates::tensor_tf32>, nullptr},
    {"tensor core", "bf16", feature::sm80, by_formula<&Rates::tensor_f16>, nullptr},
    {"tensor core", "f16", feature::sm80, by_formula<&Rates::tensor_f16>, nullptr},
    {"tensor core", "f64", feature::sm80, by_formula<&Rates::tensor_f64>, nullptr},
    {"memory", "bytes", 0, bandwidth_by_formula, measured_bandwidth},
};

Rates rates_of(int major, int minor) noexcept {
    const auto found = std::find_if(std::begin(known), std::end(known),
                                    [&](const Rates& rates) { return rates.major == major && rates.minor == minor; });
    return found != std::end(known) ? *found : Rates{major, minor, 0, 0, 0, 0, 0};
}

}  // namespace tw::cuda
