// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw multiply: C = alpha A B + beta C0, from .npy or .safetensors files to an .npy file.
#include <algorithm>
#include <chrono>
#include <complex>
#include <memory>
#include <string>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/ending/exit.hpp"
#include "cli/files/open_matrix.hpp"
#include "cli/files/quoted.hpp"
#include "cli/product/product.hpp"
#include "cli/verbs/verbs.hpp"
#include "plan/registry.hpp"
#include "plan/slabs.hpp"
#include "tilewright/plan.hpp"

namespace tw::cli {
namespace {

/// Unless --memory says otherwise, tw uses at most the files' size and this much more; a part of it is for scratch.
constexpr std::int64_t beyond_files = std::int64_t{64} << 20, for_scratch = std::int64_t{40} << 20;

/// Smaller panels would take longer to read than to multiply.
constexpr std::int64_t least_for_panels = std::int64_t{4} << 20;

struct Arguments {
    std::string a, b, output, c0;
    std::string accuracy, alpha = "1", beta = "1", threads, memory, kernel, device, slabs, verify;
    bool transpose_a = false, transpose_b = false, conjugate_a = false, conjugate_b = false, no_verify = false;
};

std::string described(const Operand& operand) {
    return fmt::format("{} is {} x {}{}", quoted_path(operand.file.path()), operand.rows(), operand.cols(),
                       operand.transposed ? " when transposed" : "");
}

void check_same_type(const MatrixFile& a, const MatrixFile& other) {
    if (other.type() != a.type())
        refuse("{} holds {} and {} holds {}; a product takes one type", quoted_path(a.path()), name_of(a.type()),
               quoted_path(other.path()), name_of(other.type()));
}

void check_shapes(const Product& p) {
    check_same_type(p.a.file, p.b.file);
    if (p.a.cols() != p.b.rows())
        refuse("A's columns must be as many as B's rows: {}, {}", described(p.a), described(p.b));
    std::int64_t elements = 0, bytes = 0;
    if (__builtin_mul_overflow(p.m(), p.n(), &elements) || __builtin_mul_overflow(elements, std::int64_t{16}, &bytes))
        refuse("a result of {} x {} elements is beyond any file", p.m(), p.n());
    if (!p.c0) return;
    check_same_type(p.a.file, *p.c0);
    if (p.c0->rows() != p.m() || p.c0->cols() != p.n())
        refuse("--c must have the product's shape, {} x {}; {} is {} x {}", p.m(), p.n(), quoted_path(p.c0->path()),
               p.c0->rows(), p.c0->cols());
}

/// From 512 x 512 x 512 on, where the check takes a few percent of the product's time.
Verify verify_of(const Arguments& asked, const Product& p) {
    constexpr double worth_it = 2.0 * 512 * 512 * 512;
    if (!asked.verify.empty()) return asked.verify == "correct" ? Verify::correct : Verify::check;
    return !asked.no_verify && !is_complex(p.a.file.type()) && p.flops() >= worth_it;
}

Options options_of(const Arguments& asked) {
    Options options;
    const std::complex<double> alpha = parse_complex("--alpha", asked.alpha);
    options.alpha = alpha.real(), options.alpha_imag = alpha.imag();
    if (!asked.c0.empty()) {
        const std::complex<double> beta = parse_complex("--beta", asked.beta);
        options.beta = beta.real(), options.beta_imag = beta.imag();
    }
    if (!asked.accuracy.empty()) options.accuracy = parse_accuracy_word("--accuracy", asked.accuracy);
    if (!asked.device.empty()) check_one_or_all_devices(asked.device);  // refuses with the reason
    if (!asked.kernel.empty()) check_kernel_name(asked.kernel, every_backend());
    if (!asked.threads.empty())
        options.threads = static_cast<int>(parse_whole("--threads", asked.threads, 0, most_threads));
    if (!asked.slabs.empty()) options.slabs = static_cast<int>(parse_whole("--slabs", asked.slabs, 1, most_slabs));
    if (!may_be_slabs(options.slabs))
        refuse("--slabs is {}; expected a power of two up to {}: k is halved again and again", asked.slabs, most_slabs);
    options.kernel = asked.kernel;
    options.device = asked.device;
    return options;
}

Product open_product(const Arguments& asked) {
    if (asked.output.ends_with(".safetensors"))
        refuse("{}: the result is written as .npy, so the file's name must end in .npy", quoted_path(asked.output));
    const Options options = options_of(asked);
    Product p{{open_matrix(asked.a, Vector::row), asked.transpose_a, asked.conjugate_a},
              {open_matrix(asked.b, Vector::column), asked.transpose_b, asked.conjugate_b},
              std::nullopt,
              options};
    // A vector is a row of the product when the product is one, else a column.
    if (!asked.c0.empty()) p.c0.emplace(open_matrix(asked.c0, p.m() == 1 ? Vector::row : Vector::column));
    check_shapes(p);
    p.options.verify = verify_of(asked, p);
    return p;
}

std::int64_t memory_asked_for(const std::string& word) {
    constexpr std::int64_t least = for_scratch + least_for_panels;
    const std::int64_t bytes = parse_bytes("--memory", word);
    if (bytes < least) refuse("--memory takes at least {}M; '{}' is less", least >> 20, word);
    return bytes;
}

Panels panels_for(const Arguments& asked, const Product& p) {
    const PanelProblem problem{
        .m = p.m(),
        .n = p.n(),
        .k = p.k(),
        .type = p.a.file.type(),
        .a_by_rows = p.a.is_row_major(),
        .b_by_rows = p.b.is_row_major(),
        .copies_c = p.options.verify && p.options.beta != 0,
        .may_split_k = p.options.accuracy.rule != Accuracy::Rule::number && p.options.slabs == 0};
    const auto result =
        static_cast<double>(p.m()) * static_cast<double>(p.n()) * static_cast<double>(size_of(problem.type));
    const double files = static_cast<double>(p.a.file.data_bytes() + p.b.file.data_bytes()) + result +
                         static_cast<double>(p.c0 ? p.c0->data_bytes() : 0);
    const double most = asked.memory.empty() ? std::min(files + static_cast<double>(beyond_files),
                                                        0.75 * static_cast<double>(available_memory()))
                                             : static_cast<double>(memory_asked_for(asked.memory));
    const double for_panels = std::max(static_cast<double>(least_for_panels), most - static_cast<double>(for_scratch));
    const auto panels = choose_panels(problem, static_cast<std::int64_t>(for_panels));
    if (!panels)
        refuse(
            "{:.0f} MiB of memory are too few: {} MiB are for the kernels, and one row of A and one column of B take "
            "{:.1f} MiB",
            most / 0x1p20, for_scratch >> 20, panel_bytes(problem, {1, 1, std::max<std::int64_t>(1, p.k())}) / 0x1p20);
    return *panels;
}

/// The kernel's name for the closing message, from the plan of the first call, made once more.
std::string kernel_of(const Product& p) {
    Problem problem{.m = p.m(),
                    .n = p.n(),
                    .k = p.k(),
                    .in = p.a.file.type(),
                    .out = size_of(p.a.file.type()) == 2 ? Type::f32 : p.a.file.type(),
                    .accuracy = p.options.accuracy,
                    .a = p.a.is_row_major() ? Form::row_major : Form::col_major,
                    .b = p.b.is_row_major() ? Form::row_major : Form::col_major};
    Options options = p.options;
    if (options.device.ends_with(":*")) options.device = backend_part(options.device);  // each device's is the same
    Plan plan;
    return try_plan(problem, options, plan) ? plan.kernel_name() : "no kernel needed";
}

void run(const Arguments& asked) {
    const auto start = std::chrono::steady_clock::now();
    const Product product = open_product(asked);
    OutputFile output(asked.output);
    multiply_files(product, panels_for(asked, product), output);
    output.keep();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}: {} x {} {}, {:.3g} s with its files, {:.3g} GFLOP/s, {}{}\n", quoted_path(asked.output),
               product.m(), product.n(), name_of(product.a.file.type()), seconds, product.flops() / seconds / 1e9,
               kernel_of(product), product.options.verify ? ", verified" : "");
}

constexpr const char* examples = R"text(Examples:
  tw multiply a.npy b.npy -o c.npy
  tw multiply a.npy b.npy -o c.npy --accuracy tf32 --transpose-b
  tw multiply a.npy b.npy -o c.npy --alpha 2 --c c0.npy --beta -1
  tw multiply model.safetensors:layer.weight b.npy -o c.npy
  tw multiply a.npy b.npy -o c.npy --memory 2G --threads 2 --verify

Files hold f32, f64, f16, bf16 (<V2, as ml_dtypes writes it), c64 or c128, in C or Fortran order; the result has
their type, in C order. A file of one dimension is a row as A and a column as B. What does not fit in memory is done
in panels.
)text";

}  // namespace

void add_multiply(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = tw.add_verb("multiply", "Multiplies two .npy or .safetensors files into an .npy file");
    verb.add_option("A", asked->a, "The left operand").required();
    verb.add_option("B", asked->b, "The right operand").required();
    verb.add_option("-o,--output", asked->output, "The file for the product; replaced only if all succeeds").required();
    verb.add_option("--accuracy", asked->accuracy,
                    "fp64, fp32, fp32_elementwise, tf32, bf16, fp16, or the largest |C - AB| / (|A||B|) as a number");
    verb.add_option("--alpha", asked->alpha, "The factor of A times B; of complex files also 2i or 1-0.5i")
        .shows_default();
    const Option c0 = verb.add_option("--c", asked->c0, "A file to add, of the product's shape and type");
    verb.add_option("--beta", asked->beta, "The factor of --c").needs(c0).shows_default();
    verb.add_flag("--transpose-a", asked->transpose_a, "Takes A's transpose");
    verb.add_flag("--transpose-b", asked->transpose_b, "Takes B's transpose");
    verb.add_flag("--conjugate-a", asked->conjugate_a, "Takes A's conjugate, or with --transpose-a its adjoint");
    verb.add_flag("--conjugate-b", asked->conjugate_b, "Takes B's conjugate, or with --transpose-b its adjoint");
    verb.add_option("--threads", asked->threads, "How many threads; default, and 0: all cores");
    verb.add_option("--memory", asked->memory, "The most memory to use: 512M, 2.5G");
    verb.add_option("--slabs", asked->slabs,
                    "A power of two: k is summed in so many parts, and these in a tree, so that machines that share k "
                    "get the same bits");
    verb.add_option("--kernel", asked->kernel, "A kernel or rung by name, such as r3_tiled");
    verb.add_option("--device", asked->device, "cpu, cuda, cuda:1, metal; cuda:* cuts the product over all GPUs");
    const Option verify = verb.add_flag("--verify", asked->verify, {"check", "correct"},
                                        "Checks the result in O(n^2), the default from 512 x 512 x 512 on; "
                                        "--verify=correct also corrects what is wrong");
    verb.add_flag("--no-verify", asked->no_verify, "Never checks it").excludes(verify);
    verb.ends_help_with(examples);
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
