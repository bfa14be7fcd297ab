// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw effort: builds a matrix with an effort dial and multiplies with it, reading only as much as the budget allows. The
// curve is in effort_curve.cpp.
#include "tilewright/effort.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/files/npy_header.hpp"
#include "cli/files/output_file.hpp"
#include "cli/files/quoted.hpp"
#include "cli/product/exit_codes.hpp"
#include "cli/product/loaded_matrix.hpp"
#include "cli/verbs/verbs.hpp"

namespace tw::cli {
namespace {

struct BuildArguments {
    std::vector<std::string> weights;
    std::string output, layout = "planes", dense = "automatic";
    std::vector<std::string> keep;
    int bucket = 16, threads = 0, planes = 3;
    bool transpose = false, truncating = false, bucket_is_given = false;
};

struct RunArguments {
    std::string matrix, vectors, output, effort, error, device = "cpu";
    int threads = 0, planes = 0;
    bool by_layout = false, each = false, without_dense = false, mapped = false;
};

EffortLayout parse_layout_word(const std::string& word) {
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes})
        if (word == name_of(layout)) return layout;
    refuse("--layout: expected buckets, tiers or planes; got '{}'", word);
}

DenseCopy parse_dense(const std::string& word) {
    if (word == "automatic") return DenseCopy::automatic;
    if (word == "kept") return DenseCopy::kept;
    if (word == "absent") return DenseCopy::absent;
    refuse("--dense: expected automatic, kept or absent; got '{}'", word);
}

Budget parse_budget(const RunArguments& asked) {
    if (asked.effort.empty() == asked.error.empty())
        refuse("a product takes one of --effort and --error: how much to read, or how far off the result may be");
    const bool is_error = asked.effort.empty();
    const char* option = is_error ? "--error" : "--effort";
    const double value = parse_number(option, is_error ? asked.error : asked.effort);
    if (!(value >= 0 && (is_error ? std::isfinite(value) : value <= 1)))
        refuse("{}: expected {}; got {}", option, is_error ? "a number from 0 on" : "a share from 0 to 1", value);
    return is_error ? Budget::error(value) : Budget::effort(value);
}

double megabytes(std::int64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void build(const BuildArguments& asked) {
    if ((asked.bucket_is_given || asked.truncating) && asked.layout != "buckets")
        refuse("--bucket and --truncating are for --layout buckets; the layout is {}", asked.layout);
    std::error_code none;
    const bool is_checkpoint = std::filesystem::is_directory(asked.weights.front(), none);
    if (!is_checkpoint && !asked.keep.empty()) refuse("--keep is for a folder, a whole checkpoint");
    if (!is_checkpoint) check_place_for(asked.output);
    const EffortBuild how{.layout = parse_layout_word(asked.layout),
                          .bucket = asked.bucket,
                          .truncating = asked.truncating,
                          .dense = parse_dense(asked.dense),
                          .threads = asked.threads,
                          .planes = asked.planes};
    if (is_checkpoint) {
        if (asked.weights.size() > 1 || asked.transpose)
            refuse("a folder is converted alone, as its matrices are: without --transpose or other files");
        return build_checkpoint(asked.weights.front(), asked.output,
                                asked.keep.empty() ? std::vector<std::string>{"embed"} : asked.keep, how);
    }
    std::vector<LoadedMatrix> weights;
    std::vector<Matrix> parts;
    for (const std::string& path : asked.weights) {
        weights.push_back(load_matrix(path, Vector::row, "the weights"));
        parts.push_back(asked.transpose ? weights.back().matrix.transposed() : weights.back().matrix);
    }
    with_exit_codes([&] {
        const EffortMatrix m = parts.size() == 1 ? build_effort(parts.front(), how) : build_effort_stack(parts, how);
        m.save(asked.output);
        fmt::print(
            "{}: {} of {} x {} {} weights; effort 1 reads {:.2f} MB, {:.3f} of their 16-bit size; {:.2f} MB in all\n",
            asked.output, asked.layout, m.outputs(), m.inputs(), name_of(m.type()), megabytes(m.bytes()),
            share(m.bytes(), m.fp16_bytes()), megabytes(m.bytes_held()));
    });
}

void print_report(const EffortReport& report, std::int64_t fp16_bytes) {
    fmt::print("{} of {} rows read, {:.3f} MB, {:.3f} of the 16-bit size; expected error {:.3g}{}\n", report.rows_read,
               report.rows, megabytes(report.bytes_read), share(report.bytes_read, fp16_bytes), report.estimated_error,
               report.dense ? "; by the dense copy" : "");
}

void multiply(const RunArguments& asked) {
    check_effort_device(asked.device);
    const Budget budget = parse_budget(asked);
    if (asked.output.ends_with(".safetensors"))
        refuse("{}: y is written as .npy, so the file's name must end in .npy", quoted_path(asked.output));
    const EffortMatrix m = with_exit_codes([&] {
        return load_effort(asked.matrix,
                           {.planes = asked.planes, .keeps_dense = !asked.without_dense, .mapped = asked.mapped});
    });
    const LoadedRows v = load_rows(asked.vectors, "the vectors");
    if (v.cols != m.inputs())
        refuse("{} takes vectors of {} entries; {} is {} x {}", quoted_path(asked.matrix), m.inputs(),
               quoted_path(asked.vectors), v.rows, v.cols);
    std::vector<float> y(static_cast<std::size_t>(v.rows * m.outputs()));
    std::vector<EffortReport> reports(static_cast<std::size_t>(v.rows));
    const EffortOptions options{.dense = asked.by_layout ? DenseSwitch::never : DenseSwitch::at_full,
                                .threads = asked.threads,
                                .device = asked.device};
    if (const Status placed = try_place_effort(m, asked.device); !placed)
        throw Stop(exit_for(placed.code), explain_effort(placed, m));
    const std::int64_t step = asked.each ? 1 : std::max<std::int64_t>(1, v.rows);
    for (std::int64_t row = 0; row < v.rows; row += step) {
        const std::span report(reports.data() + row, static_cast<std::size_t>(step));
        const Status status =
            try_matvec_batch(m, {v.values.data() + row * v.cols, step, v.cols},
                             {y.data() + row * m.outputs(), step, m.outputs()}, budget, options, report);
        if (!status) throw Stop(exit_for(status.code), explain_effort(status, m));
    }

    OutputFile output(asked.output);
    const std::string header = npy_header_text(Type::f32, v.rows, m.outputs());
    output.write(0, header);
    output.write(static_cast<std::int64_t>(header.size()),
                 {reinterpret_cast<const char*>(y.data()), y.size() * sizeof(float)});
    output.keep();
    for (const EffortReport& report : reports) print_report(report, m.fp16_bytes());
}

constexpr const char* build_examples = R"text(Examples:
  tw effort build W.npy -o W.effort
  tw effort build model.safetensors:layer.weight -o W.effort --layout tiers
  tw effort build W.npy -o W.effort --layout buckets --bucket 8
  tw effort build checkpoint/ -o model.effort/ --keep embed --keep router
  tw effort build query.npy key.npy value.npy -o heads.effort
)text";

constexpr const char* run_examples = R"text(Examples:
  tw effort run W.effort v.npy -o y.npy --effort .25
  tw effort run W.effort v.npy -o y.npy --error .05
  tw effort run W.effort many.npy -o y.npy --effort .1 --each
)text";

constexpr const char* examples = R"text(Examples:
  tw effort build W.npy -o W.effort --layout planes
  tw effort run W.effort v.npy -o y.npy --effort .25
  tw effort curve --suite quality
  tw effort build --help
)text";

void add_build(Verb effort) {
    const auto asked = std::make_shared<BuildArguments>();
    const Verb verb = effort.add_verb("build", "Builds a matrix with an effort dial from weights");
    verb.add_option(
            "W", asked->weights,
            "W.npy or W.safetensors[:TENSOR] with a row for each output, f32, f16 or bf16; several files with the "
            "same input are stacked; or a folder of .safetensors files, a whole checkpoint")
        .required();
    verb.add_option("-o,--output", asked->output, "The file to write").required();
    verb.add_option("--layout", asked->layout,
                    "buckets (bucketMul), tiers (weights kept as they are) or planes (of bits)")
        .shows_default();
    const Option bucket =
        verb.add_option("--bucket", asked->bucket, "For buckets: outputs in a bucket, 8, 16 or 32").shows_default();
    verb.add_option("--planes", asked->planes,
                    "For planes: 2 leaves the last one out, 4.5 bits a weight instead of 8.5; on the cpu alone")
        .shows_default();
    verb.add_flag("--truncating", asked->truncating, "For buckets: bucketMul's own format to the bit, with its bias");
    verb.add_option("--dense", asked->dense,
                    "Keep a dense copy for effort 1 and for batches: automatic, kept or absent")
        .shows_default();
    verb.add_option("--keep", asked->keep,
                    "For a folder: tensors with this in their names stay as they are; not given: embed");
    verb.add_flag("--transpose", asked->transpose, "The file has a row for each input");
    verb.add_option("--threads", asked->threads, "0: as many as the library would use").within(0, most_threads);
    verb.ends_help_with(build_examples);
    verb.runs([asked, bucket] {
        asked->bucket_is_given = bucket.is_given();
        build(*asked);
    });
}

void add_run(Verb effort) {
    const auto asked = std::make_shared<RunArguments>();
    const Verb verb = effort.add_verb("run", "Multiplies vectors, reading as much as the budget allows");
    verb.add_option("W", asked->matrix, "A file from tw effort build").required();
    verb.add_option("V", asked->vectors, "v.npy or a tensor of a .safetensors file: one vector, or a row for each")
        .required();
    verb.add_option("-o,--output", asked->output, "The file for y = W v: f32, a row for each vector").required();
    const Option share_read =
        verb.add_option("--effort", asked->effort, "The share of the layout's bytes that may be read, from 0 to 1");
    verb.add_option("--error", asked->error, "Or the predicted relative error that is allowed").excludes(share_read);
    verb.add_option("--device", asked->device, "cpu, cuda, cuda:N, metal or metal-check").shows_default();
    verb.add_option("--threads", asked->threads, "0: as many as the library would use").within(0, most_threads);
    verb.add_flag(
        "--each", asked->each,
        fmt::format("Multiply each vector alone; otherwise {} or more use the dense copy", effort_dense_batch));
    verb.add_option("--planes", asked->planes,
                    "Of planes: 2 leaves the last one on the disk, 3 needs it; 0: as many as the file has")
        .shows_default();
    verb.add_flag("--without-dense", asked->without_dense, "Leave the dense copy on the disk");
    verb.add_flag("--mapped", asked->mapped, "Map the file instead of reading it: no copy of it in memory");
    verb.add_flag("--by-layout", asked->by_layout, "Use the layout at effort 1, too, even when there is a dense copy");
    verb.ends_help_with(run_examples);
    verb.runs([asked] { multiply(*asked); });
}

}  // namespace

void check_effort_device(const std::string& word) {
    if (parse_device(word).effort.empty()) refuse("--device {}: it has no kernels for the effort dial", word);
}

void add_effort(Verb tw) {
    const Verb verb = tw.add_verb("effort", "Products that read only the part of the weights that matters");
    add_build(verb);
    add_run(verb);
    add_effort_curve(verb);
    verb.ends_help_with(examples);
}

}  // namespace tw::cli
