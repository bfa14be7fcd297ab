// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The arithmetic of a roofline for any chip: min(peak, bandwidth x flop/byte), a line for each block of C that is read
// for at once.
#include "cli/verbs/roofs_of_a_chip.hpp"

#include <cmath>

#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/ending/exit.hpp"
#include "measure/roofs/roofline.hpp"

namespace tw::cli {
namespace {

struct Block {
    int side;
    const char* whose;
};
constexpr Block blocks[] = {{1, "one result at a time: r1, r2"}, {16, "a tile of 16: r3, tile_16"},
                            {32, "a tile of 32: r3, tile_32"},   {64, "a block of 64: r4"},
                            {128, "a block of 128: r5 to r7"},   {256, "a block of 256"}};

/// "19500", or factors as a data sheet has them: "256x1.296x16" is flops a clock and core, GHz and cores.
double parse_rate(const char* option, const std::string& word) {
    double rate = 1;
    for (std::string rest = word;;) {
        const std::size_t cross = rest.find('x');
        double factor = 0;
        if (!read_number(rest.substr(0, cross), factor) || !(factor > 0) || !std::isfinite(factor))
            refuse("{} takes a number above 0, or several with an x between, as 256x1.296x16; got '{}'", option, word);
        rate *= factor;
        if (cross == std::string::npos) return rate;
        rest = rest.substr(cross + 1);
    }
}

}  // namespace

void run_roofs_of_a_chip(const std::string& peak_word, const std::string& bandwidth_word, const std::string& type) {
    const double peak = parse_rate("--peak", peak_word), bandwidth = parse_rate("--bandwidth", bandwidth_word);
    const Type of_element = parse_any_type("--type", type);
    if (is_complex(of_element)) refuse("--type: expected f32, f64, bf16 or f16; got '{}'", type);
    const auto element = static_cast<double>(size_of(of_element));
    fmt::print(
        "A chip of {:.10g} GFLOP/s that reads {:.10g} GB/s: what makes less than {:.4g} flop of a byte waits for "
        "reading.\n\n",
        peak, bandwidth, peak / bandwidth);
    fmt::print("{:<30} {:>9} {:>17}  {}\n", "read once for", "flop/byte", "GFLOP/s at most", "bound by");
    for (const Block& block : blocks) {
        const double intensity = measure::flops_per_byte(block.side, block.side, element);
        const double most = measure::attainable(peak, bandwidth, intensity);
        fmt::print("{:<30} {:>9.4g} {:>17.6g}  {}\n", block.whose, intensity, most,
                   most < peak ? "reading" : "arithmetic");
    }
    fmt::print(
        "\nAt each step of k a block of S x S makes 2 S S flops of S elements of A and S of B: S / {:g} flop a byte "
        "of {}.\nWho counts one of the two operands gets twice that.\n",
        element, type);
}

}  // namespace tw::cli
