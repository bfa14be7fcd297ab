// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/roofs/row_paces.hpp"

#include <algorithm>
#include <vector>

#include "measure/basis/clock.hpp"
#include "tilewright/multiply.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t elements = std::size_t{64} << 18;  // 64 MiB, of which each product takes the next ones
constexpr int turns = 8;

struct Timed {
    std::int64_t rows, cols, k;
    bool along_k;
    double nanoseconds = 0;

    double of_b() const { return 4.0 * static_cast<double>(cols * k); }
    double of_c() const { return 4.0 * static_cast<double>(rows * cols); }
    double products() const { return static_cast<double>(rows * cols * k); }
};

/// Two of few and of more rows for each way that B lies, and one with a short k, which is most of all C's. None fills
/// whole tiles, as most products do not.
struct Way {
    const char* kernel;
    RowPace Pace::* pace;
    Timed few{11, 2005, 300, false}, more{53, 1003, 300, false}, flat{37, 3001, 40, false},
        few_along{11, 2005, 300, true}, more_along{53, 1003, 300, true};
};

double run(const char* kernel, const Timed& shape, std::vector<float>& memory, std::size_t& at) {
    const auto of_a = static_cast<std::size_t>(shape.rows * shape.k),
               of_b = static_cast<std::size_t>(shape.cols * shape.k),
               of_c = static_cast<std::size_t>(shape.rows * shape.cols);
    if (at + of_a + of_b + of_c > memory.size()) at = 0;
    const Matrix a{memory.data() + at, Type::f32, shape.rows, shape.k, shape.k},
        b = shape.along_k ? Matrix{memory.data() + at + of_a, Type::f32, shape.cols, shape.k, shape.k}.transposed()
                          : Matrix{memory.data() + at + of_a, Type::f32, shape.k, shape.cols, shape.cols},
        c{memory.data() + at + of_a + of_b, Type::f32, shape.rows, shape.cols, shape.cols};
    at += of_a + of_b + of_c;
    const double begin = now();
    const Status status = try_multiply(a, b, c, {.threads = 1, .kernel = kernel});
    return status ? (now() - begin) * 1e9 : 0;
}

/// product x + byte y = what two products take but for their C's.
void solve(const Timed& one, const Timed& two, double result_byte, double& product, double& byte) {
    const double first = one.nanoseconds - result_byte * one.of_c(),
                 second = two.nanoseconds - result_byte * two.of_c();
    const double both = one.products() * two.of_b() - two.products() * one.of_b();
    product = (first * two.of_b() - second * one.of_b()) / both;
    byte = (second * one.products() - first * two.products()) / both;
}

RowPace pace_of(const Way& way) {
    RowPace found;
    // What is left of the flat product grows by a line with what a byte of C is thought to take.
    const auto left = [&](double result_byte) {
        solve(way.few, way.more, result_byte, found.product, found.byte);
        return way.flat.nanoseconds - found.product * way.flat.products() - found.byte * way.flat.of_b() -
               result_byte * way.flat.of_c();
    };
    const double at_none = left(0), at_one = left(1);
    found.result_byte = std::clamp(at_none / (at_none - at_one), 0.0, 1.0);
    left(found.result_byte);
    solve(way.few_along, way.more_along, found.result_byte, found.product_along_k, found.byte_along_k);
    found.byte = std::max(found.byte, 0.0), found.byte_along_k = std::max(found.byte_along_k, 0.0);
    return found.product_along_k > 0 ? found : RowPace{};
}

}  // namespace

void measure_rows(Pace& pace) {
    std::vector<float> memory(elements, 1.0f / 64);
    std::size_t at = 0;
    Way ways[] = {{"r6_vectorized", &Pace::strips}, {"r7_hierarchical", &Pace::panels}, {"few_rows", &Pace::passing}};
    for (int turn = 0; turn <= turns; ++turn)
        for (Way& way : ways)
            for (Timed* shape : {&way.few, &way.more, &way.flat, &way.few_along, &way.more_along}) {
                const double took = run(way.kernel, *shape, memory, at);
                if (turn > 0 && (turn == 1 || took < shape->nanoseconds)) shape->nanoseconds = took;
            }
    Pace found;
    bool makes_sense = true;
    for (const Way& way : ways) {
        found.*way.pace = pace_of(way);
        // The peak has two flops a product; no way takes five times as long.
        const double flops = (found.*way.pace).product * pace.gflops;
        makes_sense = makes_sense && flops > 1.5 && flops < 10;
    }
    if (makes_sense) pace.strips = found.strips, pace.panels = found.panels, pace.passing = found.passing;
}

}  // namespace tw::measure
