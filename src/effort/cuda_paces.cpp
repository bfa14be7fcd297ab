// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/cuda_paces.hpp"

namespace tw::effort {
namespace {

double microseconds(const Pace& pace, std::int64_t inputs, double bytes) noexcept {
    return pace.begin + 1e-3 * pace.of_inputs * static_cast<double>(inputs) + 1e-6 * pace.of_bytes * bytes;
}

}  // namespace

const Paces paces_on_h200 = {{{7, 0.2, 0.256}, {7, 0.17, 0.245}, {5.9, 0.25, 0.2}}, {2.4, 0, 0.222}};

bool dense_is_quicker(const EffortBody& body, const Asked& asked, const Paces& paces) noexcept {
    constexpr int read_together = 4;
    const int reads = asked.of_one_matrix ? (asked.products + read_together - 1) / read_together : asked.products;
    const auto read = static_cast<double>(asked.products) * static_cast<double>(asked.bytes);
    const auto read_densely = static_cast<double>(reads) * static_cast<double>(dense_tiling_of(body).bytes);
    return microseconds(paces.of_layout[static_cast<int>(body.layout())], body.inputs, read) >
           microseconds(paces.of_dense, body.inputs, read_densely);
}

}  // namespace tw::effort
