// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A measured row of any of our tables, and how it is written: as text, JSON, CSV, Markdown, or to the history.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "measure/basis/machine.hpp"
#include "measure/turns/rounds.hpp"

namespace tw::measure {

/// Additional figures of a product with an effort dial: tw effort curve.
struct EffortFigures {
    std::string layout{}, data{};
    std::string point{};           ///< what was set: "effort" or "bytes_fraction"
    double effort = 0;             ///< the share of the layout that was read; for an alternative, of the inputs
    double bytes_fraction = 0;     ///< bytes read over those of 16 bits a weight
    double predicted_error = NAN;  ///< NaN: not predicted
    double gbps = 0, speedup = 0;  ///< 0: not timed; speedup is over the dense product of the same values
};

struct Row {
    std::string provider{}, device{}, kernel{}, rung{}, type{}, accuracy{}, idea{}, trouble{};
    std::int64_t m = 0, n = 0, k = 0;
    std::int64_t products = 1;  ///< more than one: a batch, and seconds are per product
    int threads = 1, passes = 1;
    std::vector<double> seconds{};           ///< of one product, by sample; empty: not timed
    double gflops = 0;                       ///< of the median
    double gflops_low = 0, gflops_high = 0;  ///< 95 % interval of the median
    double spread = 0;                       ///< half the interquartile range over the median
    double fraction_of_peak =
        0;  ///< over the FMA peak of the type (its unit's if FMA has none), measured in the same run, times the threads
    double fraction_of_unit_peak = 0;  ///< over the peak of the unit that the kernel uses
    double relative_error = 0, error_over_bound = 0;
    bool ok = false;
    bool times_mean_nothing = false;
    std::optional<EffortFigures> effort{};

    /// False for peers and for kernels beside the ladder ("few_rows"): no rung is below them.
    bool is_a_step() const { return rung.starts_with('r'); }
    bool is_timed() const { return !seconds.empty() && !times_mean_nothing; }
};

/// The peaks that a row is compared with, in GFLOP/s, for all threads of the task together.
struct RowPeaks {
    double fma = 0, unit = 0;
};

Row make_row(const Timing& timing, const Task& task, const RowPeaks& peaks);

/// A run of `tw`: its rows, the machine and the roofs.
struct Run {
    std::string command;  ///< "ladder", "bench"
    Machine machine;
    double clock_hz = 0;
    std::vector<Row> rows{};
    struct Roofline {
        std::string device, name;  ///< "cpu", "FMA avx2 f32, 1 core"
        double median = 0, spread = 0;
    };
    std::vector<Roofline> calibrations{};
    bool interrupted = false;
};

/// Google Benchmark's schema, with our fields beside its own in each entry. A sample is a repetition.
std::string to_json(const Run& run);

/// Reads what to_json() wrote: rows with their samples. Throws std::runtime_error with a sentence.
std::vector<Row> rows_from_json(const std::string& text);

/// "61.7 %"; "" on a device whose peak was not measured.
std::string share_of_peak(double fraction);

std::string to_csv(const Run& run);
std::string to_markdown(const Run& run);

}  // namespace tw::measure
