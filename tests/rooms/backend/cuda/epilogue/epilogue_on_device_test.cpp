// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An epilogue in the pass that completes C: of an f32 C the bits of a pass of its own, of a narrower one what that pass
// makes of the sums before they are rounded.
#include <algorithm>
#include <cmath>

#include "epilogue/finish.hpp"
#include "plan/names.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class Epilogues : public OnDevice {};

constexpr Activation activations[] = {Activation::none, Activation::relu, Activation::gelu, Activation::silu};

/// One product of one shape, by one row, with what an epilogue may ask for.
struct Case {
    std::int64_t m, n, k;
    bool by_columns;  ///< C's
    Type bias_type;
    bool biased, added;  ///< a bias, a residual
    Activation activation;
    double beta;
};

Matrix c_of(const Values& values, const Case& w) {
    return w.by_columns ? values.columns(w.m, w.n) : values.rows(w.m, w.n);
}

/// The row that has the same sums in f32: the kernel itself, or its sister.
const Kernel& with_f32(const Kernel& kernel) {
    const auto& ladder = cuda().ladder;
    return **std::find_if(ladder.begin(), ladder.end(), [&](const Kernel* one) {
        return one->in == kernel.in && one->out == Type::f32 && one->order == kernel.order &&
               file_of(*one) == file_of(kernel);
    });
}

void compare(const Kernel& kernel, const Case& w) {
    const Values a(kernel.in, w.m * w.k, 1), b(kernel.in, w.k * w.n, 2);
    Values bias(w.bias_type, w.n, 3), residual(kernel.out, w.m * w.n, 4), fused(kernel.out, w.m * w.n, 5),
        apart(Type::f32, w.m * w.n, 5);
    for (std::int64_t i = 0; i < w.m * w.n; ++i) store_element(apart.on_host(), 0, i, fused[i]);
    apart.send();
    Epilogue epilogue{.scale = 0.75, .activation = w.activation};
    if (w.biased) epilogue.bias = bias.data(), epilogue.bias_type = w.bias_type, epilogue.bias_size = w.n;
    if (w.added) epilogue.residual = c_of(residual, w);
    Options options{.alpha = 0.25, .beta = w.beta, .epilogue = epilogue, .kernel = kernel.name};
    const auto multiply_into = [&](const Values& c, const Options& how) {
        return try_multiply(a.rows(w.m, w.k), b.columns(w.k, w.n), c_of(c, w), how);
    };
    ASSERT_TRUE(multiply_into(fused, options).is_ok());
    options.epilogue = {};
    options.kernel = with_f32(kernel).name;
    ASSERT_TRUE(multiply_into(apart, options).is_ok());
    ASSERT_TRUE(cuda().finish(c_of(apart, w), 1, 0, epilogue, nullptr).is_ok());
    fused.bring(), apart.bring();
    const bool by_a_pass =
        w.biased && w.bias_type != Type::f32 && w.bias_type != kernel.in;  // of a C that was rounded before
    const double once = kernel.out == Type::f32 ? 0 : kernel.out == Type::bf16 ? 0x1.01p-8 : 0x1.01p-11;
    const double unit = kernel.in == Type::f32 ? 0
                        : by_a_pass            ? 20 * once
                                               : once,
                 least = kernel.in == Type::f32 ? 0 : 4e-6 + 20 * (unit - once);
    for (std::int64_t i = 0; i < w.m * w.n; ++i)
        ASSERT_LE(std::abs(fused[i] - apart[i]), unit * std::abs(apart[i]) + least)
            << kernel.name << ' ' << w.m << 'x' << w.n << 'x' << w.k << " activation " << static_cast<int>(w.activation)
            << " at " << i;
}

// It was added in a pass of its own by r9, to a C that had been rounded.
TEST_F(Epilogues, RoundANarrowCOnceHoweverTheResidualLies) {
    constexpr std::int64_t m = 16, n = 24, k = 64;
    int rows = 0;
    for (const Kernel* kernel : cuda().ladder) {
        if (!kernel->fuses_epilogue || kernel->out == Type::f32 || !runs(*kernel)) continue;
        const Values a(kernel->in, m * k, 1), b(kernel->in, k * n, 2);
        Values residual(kernel->out, m * n, 4), across(kernel->out, m * n, 4), c(kernel->out, m * n, 5),
            again(kernel->out, m * n, 5);
        for (std::int64_t i = 0; i < m * n; ++i) store_element(across.on_host(), 0, i % n * m + i / n, residual[i]);
        across.send();
        Options options{.epilogue = {.scale = 0.75}, .kernel = kernel->name};
        options.epilogue.residual = residual.rows(m, n);
        if (!try_multiply(a.rows(m, k), b.columns(k, n), c.rows(m, n), options)) continue;
        options.epilogue.residual = across.columns(m, n);
        ASSERT_TRUE(try_multiply(a.rows(m, k), b.columns(k, n), again.rows(m, n), options).is_ok()) << kernel->name;
        c.bring(), again.bring();
        for (std::int64_t i = 0; i < m * n; ++i) ASSERT_EQ(c[i], again[i]) << kernel->name << " at " << i;
        ++rows;
    }
    EXPECT_GT(rows, 0);
}

TEST_F(Epilogues, AreThoseOfAPassOfTheirOwnOnEveryRowThatFuses) {
    int rows = 0;
    for (const Kernel* kernel : cuda().ladder) {
        if (!kernel->fuses_epilogue || !runs(*kernel)) continue;
        ++rows;
        for (const Activation activation : activations)
            for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                          {33, 70, 40},
                                          {130, 264, 200},
                                          {300, 512, 64},
                                          {5, 72, 136},
                                          {80, 8, 64}}) {
                const Problem problem{.m = m,
                                      .n = n,
                                      .k = k,
                                      .in = kernel->in,
                                      .out = kernel->out,
                                      .place = Place::cuda,
                                      .b = Form::col_major};
                if ((kernel->takes && !kernel->takes(problem)) || !has_its_turn(23)) continue;
                compare(*kernel, {m, n, k, false, Type::f32, true, false, activation, 0});
                compare(*kernel, {m, n, k, false, kernel->in, true, true, activation, 2});
                compare(*kernel, {m, n, k, true, Type::f32, true, true, activation, 0});
                compare(*kernel, {m, n, k, true, Type::f32, false, true, activation, 0});
                compare(*kernel, {m, n, k, false, Type::f64, true, false, activation, 0});
            }
    }
    EXPECT_GT(rows, 0);
}

/// A sum that a narrow C cannot hold, and that the scale brings into its range.
TEST_F(Epilogues, ScaleTheSumBeforeItIsRounded) {
    for (const Kernel* kernel : cuda().ladder) {
        if (!kernel->fuses_epilogue || kernel->out != Type::f16 || !runs(*kernel)) continue;
        constexpr std::int64_t m = 9, n = 16, k = 64;
        const Problem problem{
            .m = m, .n = n, .k = k, .in = kernel->in, .out = kernel->out, .place = Place::cuda, .b = Form::col_major};
        if (kernel->takes && !kernel->takes(problem)) continue;
        Values a(kernel->in, m * k, 1), b(kernel->in, k * n, 2), c(kernel->out, m * n, 3);
        for (std::int64_t i = 0; i < m * k; ++i) store_element(a.on_host(), 0, i, 64);
        for (std::int64_t i = 0; i < k * n; ++i) store_element(b.on_host(), 0, i, 32);
        a.send(), b.send();
        const Options options{.epilogue = {.scale = 0.125}, .kernel = kernel->name};
        ASSERT_TRUE(try_multiply(a.rows(m, k), b.columns(k, n), c.rows(m, n), options).is_ok()) << kernel->name;
        c.bring();
        for (std::int64_t i = 0; i < m * n; ++i) ASSERT_EQ(c[i], 64 * 32 * 64 * 0.125) << kernel->name;
    }
}

/// The host's finish() works in f64: the device's activations are as near to it as f32 is.
TEST_F(Epilogues, ActivationsAreWithinAFewUnitsOfTheHosts) {
    constexpr std::int64_t count = 200001;
    Values device(Type::f32, count, 1);
    for (const Activation activation : activations) {
        std::vector<float> host(count);
        for (std::int64_t i = 0; i < count; ++i) {
            host[static_cast<std::size_t>(i)] = static_cast<float>(-20 + 40. * static_cast<double>(i) / (count - 1));
            store_element(device.on_host(), 0, i, host[static_cast<std::size_t>(i)]);
        }
        device.send();
        ASSERT_TRUE(cuda().finish(device.there(), 1, 0, with({}, activation), nullptr).is_ok());
        finish({host.data(), Type::f32, 1, count, count}, 1, with({}, activation));
        device.bring();
        double worst = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const double right = host[static_cast<std::size_t>(i)], error = std::abs(device[i] - right);
            if (std::abs(right) > 1e-37) worst = std::max(worst, error / std::abs(right));
            else EXPECT_LE(error, 1e-36);
        }
        EXPECT_LE(worst, 1e-6) << static_cast<int>(activation);
    }
}

TEST_F(Epilogues, NaNsAndInfinitiesGoWhereTheHostSendsThem) {
    const double specials[] = {NAN, INFINITY, -INFINITY, 0., -0., 1e30, -1e30};
    for (const Activation activation : activations) {
        Values device(Type::f32, std::ssize(specials), 1);
        std::vector<float> host(specials, std::end(specials));
        for (std::int64_t i = 0; i < std::ssize(specials); ++i) store_element(device.on_host(), 0, i, specials[i]);
        device.send();
        ASSERT_TRUE(cuda().finish(device.there(), 1, 0, with({}, activation), nullptr).is_ok());
        finish({host.data(), Type::f32, 1, std::ssize(host), std::ssize(host)}, 1, with({}, activation));
        device.bring();
        for (std::int64_t i = 0; i < std::ssize(specials); ++i) {
            const double right = host[static_cast<std::size_t>(i)];
            EXPECT_TRUE(device[i] == right || (std::isnan(right) && std::isnan(device[i])))
                << specials[i] << " by " << static_cast<int>(activation) << ": " << device[i] << ", not " << right;
        }
    }
}

}  // namespace
}  // namespace on_device
