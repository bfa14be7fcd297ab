// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw effort curve: quality and speed against effort, for every layout and for what one would use instead of it.
#include "measure/effort/curve.hpp"

#include <cstdlib>
#include <memory>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/files/quoted.hpp"
#include "cli/product/loaded_matrix.hpp"
#include "cli/product/product.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"
#include "measure/rows/history.hpp"

namespace tw::cli {
namespace {

struct Arguments {
    std::string suite = "quality", device = "cpu", json, shape, weights, vector;
    int threads = 0, matrices = 0, bucket = 16;
    double seconds = 20;
    bool remembers = false;
};

measure::RealWeights load_real(const Arguments& asked) {
    measure::RealWeights real{measure::effort_weights(load_matrix(asked.weights, Vector::row, "the weights").matrix),
                              {}};
    if (asked.vector.empty()) return real;
    LoadedRows v = load_rows(asked.vector, "the vector");
    if (v.rows != 1 || v.cols != real.weights.inputs)
        refuse("--vector: the weights take one vector of {} entries; {} is {} x {}", real.weights.inputs,
               quoted_path(asked.vector), v.rows, v.cols);
    real.v = std::move(v.values);
    return real;
}

/// Elsewhere a product alone is a command of its own, and its time is not the kernels'.
void check_timed_on_cpu_or_cuda(const std::string& word) {
    const std::string_view name = parse_timed_device(word).name;
    if (name != "cpu" && name != "cuda") refuse("--suite speed: it times cpu and cuda; got --device {}", word);
}

measure::EffortCurve curve_of(const Arguments& asked, bool is_speed) {
    constexpr std::int64_t largest_side = 65536;
    const int usual_threads = is_speed ? 1 : default_threads(),
              usual_matrices = asked.device.starts_with("cuda") ? 8 : 2;
    measure::EffortCurve curve{.threads = asked.threads > 0 ? asked.threads : usual_threads,
                               .seconds = asked.seconds,
                               .matrices = asked.matrices > 0 ? asked.matrices : usual_matrices,
                               .device = asked.device,
                               .bucket = asked.bucket};
    if (is_speed) curve.outputs = 14336;
    if (!asked.shape.empty()) {
        const std::size_t x = asked.shape.find('x');
        if (x == std::string::npos)
            refuse("--shape: expected OUTPUTSxINPUTS, such as 14336x4096; got '{}'", asked.shape);
        curve.outputs = parse_whole("--shape", asked.shape.substr(0, x), 1, largest_side);
        curve.inputs = parse_whole("--shape", asked.shape.substr(x + 1), 1, largest_side);
    }
    if (!asked.weights.empty()) curve.real = load_real(asked);
    return curve;
}

void print_rows(const measure::Run& run, bool is_speed) {
    fmt::print("{:<10} {:<8} {:<15} {:>7} {:>7} {:>9} {:>9}", "layout", "data", "point", "effort", "bytes", "error",
               "predicted");
    if (is_speed) fmt::print(" {:>8} {:>8} {:>8} {:>8}", "ms", "spread", "GB/s", "speedup");
    fmt::print("\n");
    for (const measure::Row& row : run.rows) {
        const measure::EffortFigures& dial = *row.effort;
        fmt::print("{:<10} {:<8} {:<15} {:>7.3f} {:>7.3f} {:>9.5f} ", dial.layout, dial.data, dial.point, dial.effort,
                   dial.bytes_fraction, row.relative_error);
        fmt::print("{:>9}", std::isnan(dial.predicted_error) ? "" : fmt::format("{:.5f}", dial.predicted_error));
        if (is_speed)
            fmt::print(" {:>8.3f} {:>6.1f} % {:>8.2f} {:>8.2f}", 1e3 * measure::median(row.seconds), 100 * row.spread,
                       dial.gbps, dial.speedup);
        fmt::print("\n");
    }
}

void remember(const std::string& path, const std::vector<measure::FoundTuning>& found) {
    for (const measure::FoundTuning& one : found) {
        if (const std::string trouble = store_tuning(path, one.matrix, one.tuning); !trouble.empty())
            fail("{}", trouble);
        const std::string threads = one.tuning.bytes_a_thread > 0
                                        ? fmt::format(", a thread for every {} KiB", one.tuning.bytes_a_thread / 1024)
                                        : "";
        fmt::print("{} with {}: a byte takes as long as {:.2f} of the dense product's{}; remembered in {}\n",
                   name_of(one.matrix.layout), one.matrix.kernels, one.tuning.byte_cost, threads, path);
    }
}

void run(const Arguments& asked) {
    const std::string store = store_path();
    check_effort_device(asked.device);
    if (asked.suite != "quality" && asked.suite != "speed")
        refuse("--suite: expected quality or speed; got '{}'", asked.suite);
    if (asked.bucket != 8 && asked.bucket != 16 && asked.bucket != 32)
        refuse("--bucket: expected 8, 16 or 32; got {}", asked.bucket);
    const bool is_speed = asked.suite == "speed";
    if (is_speed) check_timed_on_cpu_or_cuda(asked.device);
    if (!asked.vector.empty() && asked.weights.empty()) refuse("--vector goes with --weights");
    if (is_speed && !asked.weights.empty())
        refuse("--weights is for --suite quality: speed does not depend on the values");
    const measure::EffortCurve curve = curve_of(asked, is_speed);
    if (asked.remembers && !is_speed) refuse("--remember is for --suite speed, because it stores times");
    check_place_for(asked.json);
    if (asked.remembers) check_store(store);
    if (asked.remembers) setenv("TW_STORE", "/dev/null", 1);  // so that the rules are timed without tuning
    note_interrupts();
    measure::Run run{
        .command = "effort " + asked.suite, .machine = measure::this_machine(), .clock_hz = measure::core_clock()};
    std::vector<measure::FoundTuning> found;
    try {
        ProgressLine line;
        if (is_speed) found = measure::measure_effort_speed(curve, watch_with(line), run);
        else measure::measure_effort_quality(curve, watch_with(line), run);
        line.clear();
    } catch (const Error& error) {
        throw Stop(exit_for(error.status().code), error.what());
    }
    run.interrupted = is_interrupted();
    print_rows(run, is_speed);
    if (asked.remembers) remember(store, found);
    if (!asked.json.empty()) write_file(asked.json, measure::to_json(run));
    const std::string trouble =
        run.rows.empty() || run.interrupted ? "" : measure::add_to_history(measure::history_path(), run);
    if (!trouble.empty()) fmt::print(stderr, "tw: warning: {}\n", trouble);
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is kept");
}

constexpr const char* examples = R"text(Examples:
  tw effort curve
  tw effort curve --suite quality --weights model.safetensors:layer.weight --vector v.npy
  tw effort curve --suite quality --bucket 8
  tw effort curve --suite speed --shape 14336x4096 --seconds 60 --json speed.json
  tw effort curve --suite speed --shape 14336x4096 --threads 8 --remember

Rivals in quality: q4_0 and q8_0 as llama.cpp makes them, teal (the largest inputs, in f16), q8_top_k and q4_top_k.
)text";

}  // namespace

void add_effort_curve(Verb effort) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = effort.add_verb("curve", "Measures quality against effort, or speed against effort");
    verb.add_option("--suite", asked->suite, "quality or speed").shows_default();
    verb.add_option("--device", asked->device, "cpu, cuda or cuda:N; for quality also metal and metal-check")
        .shows_default();
    verb.add_option("--bucket", asked->bucket, "For buckets: outputs in a bucket, 8, 16 or 32").shows_default();
    verb.add_option("--shape", asked->shape, "OUTPUTSxINPUTS; default: 2048x4096 for quality, 14336x4096 for speed");
    verb.add_option("--weights", asked->weights,
                    "Also the quality on these weights, shown as real: .npy or .safetensors[:TENSOR]");
    verb.add_option("--vector", asked->vector, "With --weights: the vectors to multiply by; default: N(0, 1)");
    verb.add_option("--seconds", asked->seconds, "How long to time").shows_default().within(0.01, 86400.0);
    verb.add_option(
            "--matrices", asked->matrices,
            "How many equal matrices are timed in turns; 0: 2, or 8 on a CUDA device because of its larger cache")
        .within(0, 64);
    verb.add_option("--threads", asked->threads, "0: one for speed, the library's default for quality")
        .within(0, most_threads);
    verb.add_option("--json", asked->json, "Also write the results here, in Google Benchmark's schema");
    verb.add_flag("--remember", asked->remembers,
                  "Of speed: from which effort on dense is quicker, and how many bytes are worth a thread, go to the "
                  "tuning store");
    verb.ends_help_with(examples);
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
