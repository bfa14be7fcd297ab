// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 cut into two parts of tf32, where a part of a number near the least or the largest has fewer bits: every element
// keeps the certificate, without a term for what a part flushes.
#include <cmath>
#include <limits>
#include <string_view>

#include "reference/judge.hpp"
#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

/// How A (rows along k) and B (columns along k) are changed.
struct Kind {
    const char* name;
    float (*of_a)(std::int64_t row, std::int64_t k, float x);
    float (*of_b)(std::int64_t column, std::int64_t k, float x);
};
float same(std::int64_t, std::int64_t, float x) { return x; }
float larger(std::int64_t, std::int64_t, float x) { return x * 0x1p60f; }
constexpr float infinite = std::numeric_limits<float>::infinity();

constexpr Kind kinds[] = {
    {"nothing", same, same},
    {"a row of 2^-110", [](std::int64_t i, std::int64_t, float x) { return i == 3 ? x * 0x1p-110f : x; }, larger},
    {"a row of subnormal numbers", [](std::int64_t i, std::int64_t, float x) { return i == 1 ? x * 0x1p-135f : x; },
     larger},
    {"all of one side subnormal", larger, [](std::int64_t, std::int64_t, float x) { return x * 0x1p-130f; }},
    {"an element of each of 2^-120",
     [](std::int64_t i, std::int64_t k, float x) { return i == 2 && k == 9 ? x * 0x1p-120f : x; },
     [](std::int64_t j, std::int64_t k, float x) { return j == 13 && k == 41 ? x * 0x1p-120f : x; }},
    {"products of 2^-130", [](std::int64_t, std::int64_t, float x) { return x * 0x1p-65f; },
     [](std::int64_t, std::int64_t, float x) { return x * 0x1p-65f; }},
    {"products of 2^-144", [](std::int64_t, std::int64_t, float x) { return x * 0x1p-72f; },
     [](std::int64_t, std::int64_t, float x) { return x * 0x1p-72f; }},
    {"zeros", [](std::int64_t i, std::int64_t k, float x) { return i == 4 || (i + k) % 3 == 0 ? 0 : x; },
     [](std::int64_t j, std::int64_t k, float x) { return j == 7 || (j + k) % 5 == 0 ? -0.0f : x; }},
    {"the largest", [](std::int64_t i, std::int64_t k, float x) { return i == 2 && k == 5 ? 0x1.fffffep127f : x; },
     [](std::int64_t, std::int64_t, float x) { return x * 0x1p-30f; }},
    {"an Inf and a NaN", [](std::int64_t i, std::int64_t k, float x) { return i == 0 && k == 11 ? infinite : x; },
     [](std::int64_t j, std::int64_t k, float x) { return j == 20 && k == 3 ? std::nanf("") : x; }},
};

struct Shape {
    std::int64_t m, n, k;
};

class LeastNumbers : public OnDevice {};

TEST_F(LeastNumbers, KeepTheCertificateOfTwoPartsOfTf32) {
    int judged = 0;
    for (const auto& [m, n, k] : {Shape{5, 300, 1000},
                                  {16, 530, 516},
                                  {40, 300, 1000},
                                  {523, 37, 770},
                                  {100, 130, 700},
                                  {150, 200, 100},
                                  {70, 300, 61}})
        for (const Kind& kind : kinds)
            for (const bool by_columns : {true, false}) {
                if (!has_its_turn(17)) continue;
                Values a(Type::f32, m * k, 1), b(Type::f32, k * n, 2), c(Type::f32, m * n, 3);
                float *const of_a = static_cast<float*>(a.on_host().data), *const of_b =
                                                                               static_cast<float*>(b.on_host().data);
                for (std::int64_t i = 0; i < m * k; ++i) of_a[i] = kind.of_a(i / k, i % k, of_a[i]);
                for (std::int64_t i = 0; i < k * n; ++i)
                    of_b[i] = by_columns ? kind.of_b(i / k, i % k, of_b[i]) : kind.of_b(i % n, i / n, of_b[i]);
                a.send(), b.send();
                std::vector<float> old(static_cast<std::size_t>(m * n));
                const reference::Question question{{of_a, Type::f32, m, k, k, 1},
                                                   {of_b, Type::f32, k, n, by_columns ? 1 : n, by_columns ? k : 1},
                                                   {old.data(), Type::f32, m, n, n, 1},
                                                   1,
                                                   0};
                for (const Kernel* kernel : cuda().ladder) {
                    if (std::string_view(kernel->scheme->name) != "tf32x3" || kernel->scheme->flush_loss > 0 ||
                        !runs(*kernel))
                        continue;
                    const Status status = try_multiply(a.rows(m, k), by_columns ? b.columns(k, n) : b.rows(k, n),
                                                       c.rows(m, n), {.kernel = kernel->name});
                    if (!status.is_ok()) continue;  // a row of other shapes
                    c.bring();
                    const reference::Verdict verdict =
                        judge(question, {c.on_host().data, Type::f32, m, n, n, 1}, {.bound = certificate(*kernel, k)});
                    EXPECT_TRUE(verdict.ok)
                        << kernel->name << ", " << m << 'x' << n << 'x' << k << (by_columns ? " NT, " : " NN, ")
                        << kind.name << ": " << verdict.sentence();
                    ++judged;
                }
            }
    EXPECT_GT(judged, 0);
}

}  // namespace
}  // namespace on_device
