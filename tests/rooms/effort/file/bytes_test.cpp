// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Files are kept for years: the same weights give the same bytes in every version of their format, whatever the
// processor and however many threads build them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

/// Weights by whole numbers alone: the same on every machine. Every seventh column is zero, every fifth row is small.
Weights& known(Weights& weights, double scale) {
    const Matrix& w = weights.matrix;
    for (std::int64_t o = 0; o < w.rows; ++o)
        for (std::int64_t i = 0; i < w.cols; ++i) {
            const double whole = static_cast<double>((o * 7919 + i * i * 31 + i * 104729) % 4001 - 2000);
            store_element(w, o, i, i % 7 == 6 ? 0 : scale * whole / (o % 5 == 4 ? 65536 : 512));
        }
    return weights;
}

/// Length and Fowler, Noll and Vo's hash of what is saved.
std::string digest(const EffortMatrix& matrix) {
    const auto path = std::filesystem::temp_directory_path() / ("tw_bytes_" + std::to_string(getpid()));
    matrix.save(path.string());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::filesystem::remove(path);
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char text[64];
    std::snprintf(text, sizeof text, "%zu %016llx", bytes.size(), static_cast<unsigned long long>(hash));
    return text;
}

struct Known {
    std::int64_t outputs, inputs;
    Type type;
    double scale;
    const char* digests[3];  ///< by layout
};

TEST(EffortBytes, OfTheseWeightsAreThese) {
    int at = 0;
    for (const Known& one :
         {Known{1, 1, Type::f32, 1, {"384 4c5e7408f51591ff", "448 5b228d607ac25e37", "576 4e0106e9ce9e0dae"}},
          Known{150, 77, Type::bf16, 1, {"54656 c82877abb2d44e95", "57216 3e514d07b344cfb6", "23680 a70bc35b791da93b"}},
          Known{300,
                700,
                Type::f32,
                0x1p-60,
                {"1324544 11c368a305e58a67", "1873344 f52786d04e85decb", "308224 8faddd66a8385907"}},
          Known{513,
                257,
                Type::f16,
                1,
                {"560512 4e1b0200bb16a07e", "626304 b64712027a5a24df", "183424 6d32607d0d6cc7a3"}}}) {
        Weights weights(one.outputs, one.inputs, one.type, 1);
        at = 0;
        for (const EffortLayout layout : every_layout) {
            const auto name = std::string(name_of(layout)) + " " + std::to_string(one.outputs);
            for (const int threads : {1, 3})
                EXPECT_EQ(
                    digest(build_effort(known(weights, one.scale).matrix, {.layout = layout, .threads = threads})),
                    one.digests[at])
                    << name;
            ++at;
        }
    }
    EXPECT_EQ(at, 3);
}

}  // namespace
}  // namespace tw::effort_tests
