// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "doubles.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "samples.hpp"
#include "tilewright/multiply.hpp"
#include "tilewright/packed.hpp"
#include "tilewright/plan.hpp"
#include "timing.hpp"

namespace bench {
namespace {

using tw::Type;

struct Kind {
    const char *row, *peer;
    Type type;
    Compute compute;
    double bars[4];  ///< of the peer's speed: the floor at 2048, 4096, 8192 and 16384
};
constexpr Kind kinds[] = {
    {"D", "DGEMM", Type::f64, Compute::f64, {0.97, 1.3, 1.5, 1.5}},
    {"Z", "ZGEMM", Type::c128, Compute::f64, {1.7, 2.65, 3.1, 3.1}},
    {"C", "CGEMM", Type::c64, Compute::f32, {3.5, 5.2, 6.0, 6.0}},
};
constexpr int sizes[] = {2048, 4096, 8192, 16384};

struct Operands {
    int n;
    Type type;
    std::size_t count = std::size_t(n) * n;
    Buffer a{count * size_of(type)}, b{count * size_of(type)}, c{count * size_of(type)};

    void fill(Values values, std::uint64_t seed) {
        fill_wide(a.get(), count, type, values, 2 * seed);
        fill_wide(b.get(), count, type, values, 2 * seed + 1);
        poison(c.get(), count * size_of(type));
    }
    SampledError error() const { return sampled_error(a.get(), b.get(), c.get(), n, type); }
    void multiply() const {
        const auto matrix = [&](const Buffer& of) { return tw::Matrix{of.get(), type, n, n, n}; };
        const tw::Status done = tw::try_multiply(matrix(a), matrix(b), matrix(c), {.device = "cuda"});
        if (!done) std::printf("%s\n", done.text);
    }
    /// B converted once, before.
    tw::Packed kept() const {
        tw::Packed made;
        const tw::Status done = tw::try_pack({b.get(), type, n, n, n}, made, {.device = "cuda"});
        if (!done) std::printf("%s\n", done.text);
        return made;
    }
    void multiply(const tw::Packed& by) const {
        const auto matrix = [&](const Buffer& of) { return tw::Matrix{of.get(), type, n, n, n}; };
        const tw::Status done = tw::try_multiply(matrix(a), by, matrix(c), {.device = "cuda"});
        if (!done) std::printf("%s\n", done.text);
    }
    void multiply(const Cublas& cublas, Compute compute) const {
        cublas.product(n, n, n, a.get(), b.get(), false, c.get(), type, type, compute);
    }
};

/// What the library chooses for it.
const char* kernel_of(int n, Type type) {
    tw::Plan plan;
    const tw::Problem problem{.m = n, .n = n, .k = n, .in = type, .out = type, .place = tw::Place::cuda};
    return tw::try_plan(problem, {.device = "cuda"}, plan) ? plan.kernel_name() : "none";
}

/// In turns; of one size alone with B kept as a third, which leaves the chip no rest, else with cuBLAS's emulation
/// behind them.
void speed(const Cublas& cublas, const Kind& kind, int n, double bar, bool is_alone) {
    std::vector<Operands> sets;
    // One set of such operands is more than L2.
    for (int s = 0; s < (n > 4096 ? 1 : 2); ++s) {
        sets.push_back({n, kind.type});
        sets.back().fill(Values::normal, static_cast<std::uint64_t>(s) + 1);
    }
    const auto of = [&](int i) -> Operands& { return sets[static_cast<std::size_t>(i) % sets.size()]; };
    std::vector<std::function<void(int)>> sides{[&](int i) { of(i).multiply(cublas, kind.compute); },
                                                [&](int i) { of(i).multiply(); }};
    std::vector<tw::Packed> kept;
    if (is_alone) {
        for (const Operands& set : sets) kept.push_back(set.kept());
        sides.push_back([&](int i) { of(i).multiply(kept[static_cast<std::size_t>(i) % sets.size()]); });
    }
    const std::vector<double> ms = sustained(sides, 300);
    const double flops = (is_complex(kind.type) ? 8e-9 : 2e-9) * n * n * static_cast<double>(n);
    std::printf("%s   %5d: %6.1f TF, %s %5.1f TF: %.2f of it (bar %.2f), %s\n", kind.row, n, flops / ms[1], kind.peer,
                flops / ms[0], ms[0] / ms[1], bar, kernel_of(n, kind.type));
    if (is_alone) std::printf("%s   %5d, B kept: %.1f TF, %.2f of it\n", kind.row, n, flops / ms[2], ms[0] / ms[2]);
    std::fflush(stdout);
    if (is_alone || kind.compute != Compute::f64 || n > 8192) return;
    const Cublas::Emulation emulates(cublas);
    if (!emulates) return;
    sides.pop_back();
    const double emulated = sustained(sides, 200, 1)[0];
    std::printf("%s   %5d: cuBLAS's emulation, eager, 55 bits: %5.1f TF, we have %.2f of it\n", kind.row, n,
                flops / emulated, emulated / ms[1]);
    std::fflush(stdout);
}

void errors(const Cublas& cublas, const Kind& kind, int n, Values values) {
    Operands operands{n, kind.type};
    SampledError ours, peer, ratio;
    const auto keep = [](double& most, double one) { most = std::max(most, one); };
    for (unsigned seed = 11; seed < 16; ++seed) {
        operands.fill(values, seed);
        operands.multiply();
        const SampledError mine = operands.error();
        operands.multiply(cublas, kind.compute);
        const SampledError other = operands.error();
        keep(ours.largest, mine.largest), keep(ours.root_mean_square, mine.root_mean_square);
        keep(peer.largest, other.largest), keep(peer.root_mean_square, other.root_mean_square);
        keep(ratio.largest, mine.largest / other.largest);
        keep(ratio.root_mean_square, mine.root_mean_square / other.root_mean_square);
    }
    std::printf("%s   %5d %-13s max %.2e RMS %.2e, %s %.2e %.2e; the worst seed's ratios %.2f %.2f\n", kind.row, n,
                values == Values::spread ? "N*2^U(-10,10)" : name_of(values), ours.largest, ours.root_mean_square,
                kind.peer, peer.largest, peer.root_mean_square, ratio.largest, ratio.root_mean_square);
    std::fflush(stdout);
}

}  // namespace

void double_speeds(const Cublas& cublas, int only) {
    for (int s = 0; s < 4; ++s)
        for (const Kind& kind : kinds)
            if (only == 0 || only == sizes[s]) speed(cublas, kind, sizes[s], kind.bars[s], only != 0);
}

void double_errors(const Cublas& cublas) {
    for (const int n : sizes)
        for (const Kind& kind : kinds)
            for (const Values values : {Values::normal, Values::symmetric, Values::spread})
                if (n < 16384 || values == Values::normal) errors(cublas, kind, n, values);
}

}  // namespace bench
