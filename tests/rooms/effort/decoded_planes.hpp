// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product of planes by the words of formats/planes.hpp, one weight after the other in f64: of the rows that the CPU
// would read.
#pragma once

#include <cmath>
#include <cstring>

#include "base/element.hpp"
#include "effort/choice/job.hpp"
#include "formats/planes.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {

/// Output o of input i, read to so many planes, times 2^exponent.
inline double decoded_weight(const EffortBody& body, int expert, std::int64_t o, std::int64_t i, unsigned planes) {
    using effort::PlanesTile;
    const effort::Tiling tiling = effort::tiling_of(body);
    const std::int64_t tile = o / PlanesTile::outputs, in_tile = o % PlanesTile::outputs;
    const PlanesTile own{body.inputs, PlanesTile::quarters_for(body.outputs - tile * PlanesTile::outputs)};
    const std::byte* rows = body.rows.data() + expert * tiling.bytes + tile * tiling.bytes_of_tile;
    const std::int64_t block = in_tile / 32, q = block / 4, j = block % 4, n = in_tile % 32, h = n / 16, t = n / 4 % 4,
                       k = n % 4, width = own.quarters;
    const auto byte_at = [&](std::int64_t at) { return std::to_integer<int>(rows[at]); };
    float16 scale;
    std::memcpy(&scale, rows + own.scales_at() + 8 * width * i + 2 * block, sizeof scale);
    const std::int64_t two = 32 * width * i + 16 * width * h + 16 * q + 4 * t + j;
    const int a = byte_at(own.a_at() + two) >> (2 * k) & 3, b = byte_at(own.b_at() + two) >> (2 * k) & 3;
    const auto c = [&] {
        return byte_at(own.c_at() + 64 * width * i + 32 * width * h + 16 * width * (k & 1) + 16 * q + 4 * t + j) >>
                   (k < 2 ? 0 : 4) &
               15;
    };
    const double code = planes == 1 ? 64 * a - 96 : planes == 2 ? 64 * a + 16 * b - 120 : 64 * a + 16 * b + c() - 127.5;
    return static_cast<double>(widen(scale)) * code / 16;
}

inline std::vector<double> decoded_product(const EffortMatrix& m, const std::vector<float>& v, Budget budget,
                                           int expert = 0) {
    const EffortBody& body = *m.body();
    effort::Memory workspace, kept;
    if (!workspace.allocate(effort::workspace_bytes(body)) || !kept.allocate(effort::kept_bytes(body)))
        throw std::bad_alloc();
    effort::Job job{.v = v.data(), .y = nullptr, .expert = expert};
    effort::prepare(body, budget, workspace.bytes(), kept.bytes(), job);
    std::vector<double> y(static_cast<std::size_t>(m.outputs()));
    for (std::int64_t o = 0; o < m.outputs(); ++o) {
        double sum = 0;
        for (std::int64_t e = 0; e < job.count; ++e)
            sum += static_cast<double>(job.entries[e].v) *
                   decoded_weight(body, expert, o, job.entries[e].input, job.entries[e].units);
        y[static_cast<std::size_t>(o)] = sum * job.factor;
    }
    return y;
}

}  // namespace tw::effort_tests
