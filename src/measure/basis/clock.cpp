// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace tw::measure {
namespace {

double read(clockid_t id) noexcept {
    timespec t{};
    clock_gettime(id, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr int multiplications_per_pass = 10;
constexpr int latency = 3;

/// Multiplications, because some cores fold chained additions of a constant.
std::uint64_t multiply_chain(int passes, std::uint64_t x) noexcept {
    for (int pass = 0; pass < passes; ++pass) {
#if defined(__x86_64__)
        asm volatile(
            "imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
            "imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n imul %0, %0\n"
            : "+r"(x));
#elif defined(__aarch64__)
        asm volatile(
            "mul %0, %0, %0\n mul %0, %0, %0\n mul %0, %0, %0\n mul %0, %0, %0\n mul %0, %0, %0\n"
            "mul %0, %0, %0\n mul %0, %0, %0\n mul %0, %0, %0\n mul %0, %0, %0\n mul %0, %0, %0\n"
            : "+r"(x));
#endif
    }
    return x;
}

}  // namespace

double now() noexcept { return read(CLOCK_MONOTONIC); }
double thread_time() noexcept { return read(CLOCK_THREAD_CPUTIME_ID); }

Clock clock_of(Place place, int threads) noexcept { return place == Place::host && threads == 1 ? &thread_time : &now; }

double process_time() noexcept { return read(CLOCK_PROCESS_CPUTIME_ID); }

double core_clock() noexcept {
    constexpr int passes = 40000, samples = 5;
    volatile std::uint64_t kept = 3;
    double rates[samples];
    for (double& rate : rates) {
        const double start = thread_time();
        kept = multiply_chain(passes, kept);
        rate = passes * multiplications_per_pass * latency / (thread_time() - start);
    }
    std::sort(rates, rates + samples);
    return rates[samples - 1];  // a preempted sample counts cycles of others
}

}  // namespace tw::measure
