// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A batch on the device has the bits of its products one at a time, however they are told and by whatever it is done.
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class Batches : public OnDevice {};

enum class Told { by_steps, by_pointers, by_pointers_out_of_order, sharing_b };

struct Shape {
    std::int64_t m, n, k;
    std::int64_t gap = 0;  ///< elements between products
    bool b_by_columns = true, c_by_columns = false;
};

/// Pointers to `count` products, `step` elements apart, forwards or by turns from both ends.
std::vector<char*> pointers(const Values& values, Type type, std::int64_t count, std::int64_t step, bool mixed) {
    std::vector<char*> all;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = mixed ? (i % 2 ? count - 1 - i / 2 : i / 2) : i;
        all.push_back(values.data() + at * step * static_cast<std::int64_t>(size_of(type)));
    }
    return all;
}

void compare(Type in, Type out, const Shape& s, std::int64_t count, Told told, Options options, bool with_epilogue) {
    const std::int64_t a_step = s.m * s.k + s.gap, b_step = s.k * s.n + s.gap, c_step = s.m * s.n + s.gap;
    const Values a(in, count * a_step, 1), b(in, count * b_step, 2), bias(Type::f32, s.n, 3),
        residual(out, count * c_step, 4);
    Values together(out, count * c_step, 5), alone(out, count * c_step, 5);
    const auto am = a.rows(s.m, s.k), bm = s.b_by_columns ? b.columns(s.k, s.n) : b.rows(s.k, s.n);
    const auto c_of = [&](const Values& c, std::int64_t from) {
        return s.c_by_columns ? c.columns(s.m, s.n, from) : c.rows(s.m, s.n, from);
    };
    Batch batch{.size = count,
                .a_step = a_step,
                .b_step = told == Told::sharing_b ? 0 : b_step,
                .c_step = c_step,
                .residual_step = c_step};
    const bool mixed = told == Told::by_pointers_out_of_order;
    const auto ap = pointers(a, in, count, a_step, mixed), bp = pointers(b, in, count, b_step, !mixed),
               cp = pointers(together, out, count, c_step, mixed), sp = pointers(alone, out, count, c_step, mixed);
    if (told == Told::by_pointers || mixed) {
        batch.a = reinterpret_cast<const void* const*>(ap.data());
        batch.b = reinterpret_cast<const void* const*>(bp.data());
        batch.c = reinterpret_cast<void* const*>(cp.data());
    }
    if (with_epilogue) {
        options.epilogue.scale = 0.5;
        if (!is_complex(in))
            options.epilogue = {.scale = 0.5, .bias = bias.data(), .bias_size = s.n, .activation = Activation::silu};
        options.epilogue.residual = c_of(residual, 0);
    }
    const Status status = try_multiply_batch(am, bm, c_of(together, 0), batch, options);
    ASSERT_TRUE(status.is_ok()) << status.text;
    for (std::int64_t i = 0; i < count; ++i) {
        Matrix ai = am, bi = bm, ci = c_of(alone, i * c_step);
        ai.data = batch.a ? ap[static_cast<std::size_t>(i)] : a.rows(1, 1, i * a_step).data;
        bi.data = batch.b ? bp[static_cast<std::size_t>(i)] : b.rows(1, 1, i * batch.b_step).data;
        if (batch.c) ci.data = sp[static_cast<std::size_t>(i)];
        if (with_epilogue) options.epilogue.residual = c_of(residual, i * c_step);
        ASSERT_TRUE(try_multiply(ai, bi, ci, options).is_ok());
    }
    EXPECT_TRUE(together.bring() == alone.bring())
        << name_of(in) << '>' << name_of(out) << ' ' << s.m << 'x' << s.n << 'x' << s.k << " gap " << s.gap << " told "
        << static_cast<int>(told) << (with_epilogue ? " with an epilogue" : "");
}

constexpr Shape shapes[] = {{1, 1, 1},
                            {5, 7, 9, 3},
                            {64, 64, 64},
                            {64, 64, 64, 8, false},
                            {100, 136, 72, 8},
                            {33, 70, 41, 1, false},
                            {48, 40, 64, 0, true, true},
                            {3, 72, 64, 8},
                            {12, 72, 64, 8, false},
                            {80, 8, 64, 8, false},
                            {256, 256, 256},
                            {130, 264, 300, 4, false},
                            {200, 72, 50, 0, false},
                            {256, 130, 100, 2}};

class BatchesOf : public OnDevice, public testing::WithParamInterface<std::pair<Type, Type>> {};

TEST_P(BatchesOf, GiveTheBitsOfOneProductAtATime) {
    const auto [in, out] = GetParam();
    for (const Shape& shape : shapes)
        for (const Told told : {Told::by_steps, Told::by_pointers, Told::by_pointers_out_of_order, Told::sharing_b}) {
            if (!has_its_turn(5)) continue;
            compare(in, out, shape, 7, told, {.beta = 0.5}, false);
            compare(in, out, shape, 7, told, {}, true);
            if (in == Type::f32) compare(in, out, shape, 7, told, {.beta = 0.5, .accuracy = tf32}, true);
        }
}

INSTANTIATE_TEST_SUITE_P(Types, BatchesOf,
                         testing::Values(std::pair{Type::f32, Type::f32}, std::pair{Type::bf16, Type::bf16},
                                         std::pair{Type::bf16, Type::f32}, std::pair{Type::f16, Type::f16},
                                         std::pair{Type::f64, Type::f64}),
                         [](const auto& named) {
                             return std::string(name_of(named.param.first)) + "_" + name_of(named.param.second);
                         });

TEST_F(Batches, OfDoublesAreSeenFromCsOtherSide) {
    for (const Told told : {Told::by_steps, Told::by_pointers, Told::by_pointers_out_of_order, Told::sharing_b})
        for (const Shape& flat_is_quicker : {Shape{520, 70, 64, 2, false}, {1000, 90, 48, 0, true, true}})
            if (has_its_turn(8))
                compare(Type::f64, Type::f64, flat_is_quicker, test::is_thinned() ? 6 : 60, told, {.beta = 0.5}, false);
}

TEST_F(Batches, OfThousandsGoInPieces) {
    const int fewer = test::is_thinned() ? 200 : 1;
    compare(Type::f32, Type::f32, {3, 5, 4}, 33'000 / fewer, Told::by_steps, {}, false);
    compare(Type::f32, Type::f32, {3, 5, 4}, 5'000 / fewer, Told::by_pointers_out_of_order, {}, true);
    compare(Type::bf16, Type::bf16, {16, 24, 32}, 3'000 / fewer, Told::by_pointers_out_of_order, {.reproducible = true},
            true);
    for (const std::int64_t n : {64, 128})  // a block's next tile begins while its last one is still being stored
        for (const Type out : {Type::bf16, Type::f32})
            compare(Type::bf16, out, {n, n, 64}, 400 / fewer, Told::by_steps, {}, false);
}

TEST_F(Batches, ByEveryRowAreItsProducts) {
    for (const Kernel* kernel : cuda().ladder) {
        const Problem problem{.m = 16,
                              .n = 64,
                              .k = 64,
                              .in = kernel->in,
                              .out = kernel->out,
                              .place = Place::cuda,
                              .b = Form::col_major};
        if (!runs(*kernel) || (kernel->takes && !kernel->takes(problem)) || !has_its_turn(4)) continue;
        for (const Told told : {Told::by_steps, Told::by_pointers})
            compare(kernel->in, kernel->out, {16, 64, 64}, 5, told, {.kernel = kernel->name}, true);
    }
}

}  // namespace
}  // namespace on_device
