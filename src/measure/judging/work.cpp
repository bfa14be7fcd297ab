// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/judging/work.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "backend/contract.hpp"
#include "base/element.hpp"
#include "measure/judging/mode.hpp"
#include "plan/losses.hpp"
#include "plan/names.hpp"
#include "plan/slabs.hpp"
#include "reference/random.hpp"
#include "tilewright/packed.hpp"

namespace tw::judging {
namespace {

constexpr std::size_t scratch_bytes = 1 << 18;

/// From the last task to the first; `self` says whether in another mode.
void run_backwards(void* self, int tasks, void (*task)(void*, int), void* context) {
    const OddMode mode(self != nullptr);
    while (tasks-- > 0) task(context, tasks);
}

Accuracy accuracy_of(const Case& one) {
    Accuracy accuracy;
    if (!one.accuracy.empty()) parse_accuracy(one.accuracy, accuracy);
    return accuracy;
}

reference::Fill fill_of_c(reference::Fill operands) {
    using reference::Fill;
    return operands == Fill::integers || operands == Fill::subnormals ? operands : Fill::normal;
}

/// Without a product: a complex beta times C is rounded three times, by no kernel.
double certificate_of_none(const Case& one) {
    return is_complex(one.in) ? gamma(3, part_of(one.in) == Type::f64 ? unit_f64 : unit_f32) : 0;
}

/// Of slabs' sums that are added in their tree; alpha and beta come after it, each with roundings of its own, which a
/// kernel's certificate need not have for both.
double certificate_of_tree(const Case& one) {
    if (one.slabs < 2) return 0;
    const int levels = std::countr_zero(static_cast<unsigned>(one.slabs));
    return gamma(levels + (one.alpha != 1) + 2 * (one.beta != 0), part_of(one.in) == Type::f64 ? unit_f64 : unit_f32);
}

}  // namespace

Work::Work(const Case& one)
    : case_(one),
      a_(one.in, one.m, one.k, one.a, one.shares_a ? 1 : one.products),
      b_(one.in, one.k, one.n, one.b, one.shares_b ? 1 : one.products),
      c_(one.out, one.m, one.n, one.c, one.products),
      residual_(one.out, one.residual ? one.m : 0, one.residual ? one.n : 0,
                one.b.columns ? Placement{.columns = true} : Placement{}, one.products),
      scratch_(one.scratch < 0 ? 0 : scratch_bytes + 128),
      certificate_(certificate_of_none(one)) {
    fill();
    make_special();
    for (Operand* operand : {&a_, &b_, &c_, &residual_}) operand->remember();
    c0_ = elements();
}

void Work::fill() {
    for (std::int64_t p = 0; p < case_.products; ++p) {
        const bool is_shared = case_.shares_a || case_.shares_b;  // A's values and B's are made for each other
        const std::uint64_t seed = case_.seed + static_cast<std::uint64_t>(is_shared ? 0 : p) * 1000;
        const Matrix a = a_.product(case_.shares_a ? 0 : p), b = b_.product(case_.shares_b ? 0 : p);
        reference::fill_operands(a, b, case_.fill, seed);
        if (case_.beta != 0 || case_.beta_imag != 0) reference::fill(c_.product(p), fill_of_c(case_.fill), seed + 2);
        if (case_.residual) reference::fill(residual_.product(p), reference::Fill::normal, seed + 3);
    }
    if (!case_.bias) return;
    bias_.resize(static_cast<std::size_t>(case_.n));
    reference::fill({bias_.data(), Type::f32, 1, case_.n, case_.n}, reference::Fill::normal, case_.seed + 4);
}

Matrix Work::a(std::int64_t index) const {
    Matrix matrix = a_.product(case_.shares_a ? 0 : index);
    matrix.is_conj = case_.conj_a;
    return matrix;
}

Matrix Work::b(std::int64_t index) const {
    Matrix matrix = b_.product(case_.shares_b ? 0 : index);
    matrix.is_conj = case_.conj_b;
    return matrix;
}

void Work::make_special() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double values[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), -0.0, 1e-40, 3e38};
    reference::Random random(case_.seed ^ 0x5bec);
    for (int s = 0; s < case_.specials; ++s) {
        const std::int64_t which = random.whole(0, case_.beta != 0 ? 2 : 1);
        const bool is_shared = (which == 0 && case_.shares_a) || (which == 1 && case_.shares_b);
        const std::int64_t product = is_shared ? 0 : random.whole(0, case_.products - 1);
        const Matrix matrix = (which == 0 ? a_ : which == 1 ? b_ : c_).product(product);
        const double value = values[random.whole(0, 5)];
        if (matrix.rows == 0 || matrix.cols == 0) continue;
        const std::int64_t row = random.whole(0, matrix.rows - 1), col = random.whole(0, matrix.cols - 1);
        const bool is_whole = !is_complex(matrix.type);
        store_element(is_whole || random.whole(0, 1) ? is_whole ? matrix : real_parts(matrix) : imaginary_parts(matrix),
                      row, col, value);
    }
}

Options Work::options(std::string_view device) {
    Options options{.alpha = case_.alpha, .beta = case_.beta, .accuracy = accuracy_of(case_)};
    options.alpha_imag = case_.alpha_imag, options.beta_imag = case_.beta_imag;
    options.slabs = case_.slabs;
    options.device = device;
    options.threads = case_.threads;
    options.reproducible = case_.reproducible, options.verify = case_.verify_level();
    options.epilogue.scale = case_.scale, options.epilogue.activation = case_.activation;
    if (case_.bias) options.epilogue.bias = bias_.data(), options.epilogue.bias_size = case_.n;
    if (case_.residual) options.epilogue.residual = residual_.product(0);
    if (case_.runner != Runner::pool) {
        executor_ = {case_.runner == Runner::odd_executor ? this : nullptr, run_backwards};
        options.executor = &executor_;
    }
    if (case_.scratch >= 0) {
        const std::size_t before = 64 - reinterpret_cast<std::uintptr_t>(scratch_.data()) % 64;
        options.scratch = std::span(scratch_).subspan(
            before % 64 + static_cast<std::size_t>(std::min<std::int64_t>(case_.scratch, 64)));
    }
    return options;
}

void Work::note(const Kernel* kernel, std::int64_t terms) {
    if (!kernel) return;
    kernel_ = kernel->name;
    const double own = tw::certificate(*kernel, std::max<std::int64_t>(1, terms)), tree = certificate_of_tree(case_);
    certificate_ = std::max(certificate_, own + tree + own * tree);
    flush_loss_ = std::max(flush_loss_, kernel->scheme->flush_loss);
    rounds_before_epilogue_ = rounds_before_epilogue_ || (!kernel->fuses_epilogue && kernel->out != kernel->sum);
}

void Work::note(const Plan& plan) {
    const int slabs = std::max(1, case_.slabs);
    for (const Kernel* kernel : {plan.kernel, plan.of_shorter})
        if (kernel) least_counted_ = std::max(least_counted_, losses_of(*kernel, plan.backend->place).least);
    note(plan.kernel, longest_slab(case_.k, slabs));
    note(plan.of_shorter, shortest_slab(case_.k, slabs));
}

void Work::note_plans(const Options& options) {
    Options alone = options;
    alone.threads = 1;
    const Problem problem = problem_of(a(0), b(0), c_.product(0), options);
    if (Plan plan; try_plan(problem, options, plan)) note(plan);
    if (Plan plan; try_plan(problem, alone, plan)) note(plan);
}

Status Work::run_packed(const Options& options) {
    const Matrix a = this->a(0), b = this->b(0), c = c_.product(0);
    const bool is_a = case_.door == Door::packed_a;
    Packed packed;
    const Status status = is_a ? try_pack_a(a, packed, options, form_of(c)) : try_pack(b, packed, options, form_of(c));
    if (!status) return status;
    note(find_kernel(packed.kernel_name()), longest_slab(case_.k, std::max(1, case_.slabs)));
    const OddMode mode(case_.odd_mode);
    const Status done = is_a ? try_multiply(packed, b, c, options) : try_multiply(a, packed, c, options);
    keeps_mode_ = mode.is_as_it_was();
    return done;
}

Status Work::run_batch(const Options& options) {
    const Batch batch{.size = case_.products,
                      .a_step = case_.shares_a ? 0 : a_.step(),
                      .b_step = case_.shares_b ? 0 : b_.step(),
                      .c_step = c_.step(),
                      .residual_step = residual_.step()};
    const OddMode mode(case_.odd_mode);
    const Status done = try_multiply_batch(a(0), b(0), c_.product(0), batch, options);
    keeps_mode_ = mode.is_as_it_was();
    return done;
}

Status Work::run_planned(const Options& options) {
    const Matrix a = this->a(0), b = this->b(0), c = c_.product(0);
    Plan plan;
    if (const Status none = try_plan(problem_of(a, b, c, options), options, plan); !none) return none;
    const OddMode mode(case_.odd_mode);
    const Status done = plan.try_run(a, b, c);
    keeps_mode_ = mode.is_as_it_was();
    return done;
}

Status Work::run(std::string_view device, bool one_by_one) {
    Options options = this->options(device);
    if (case_.door == Door::packed_a || case_.door == Door::packed_b) return run_packed(options);
    note_plans(options);
    if (case_.door == Door::plan) return run_planned(options);
    if (case_.door == Door::batch && !one_by_one) return run_batch(options);
    for (std::int64_t p = 0; p < case_.products; ++p) {
        if (case_.residual) options.epilogue.residual = residual_.product(p);
        const OddMode mode(case_.odd_mode);
        const Status done = try_multiply(a(p), b(p), c_.product(p), options);
        keeps_mode_ = keeps_mode_ && mode.is_as_it_was();
        if (!done) return done;
    }
    return {};
}

std::string Work::what_was_touched(bool is_refused) const {
    if (!a_.is_unchanged()) return "A was written to";
    if (!b_.is_unchanged()) return "B was written to";
    if (!residual_.is_unchanged()) return "the residual was written to";
    if (is_refused && !c_.is_unchanged()) return "C was written to, and the product was refused";
    return c_.holes_are_unchanged() ? "" : "memory between C's elements was written to";
}

reference::Question Work::question(std::int64_t index) const {
    const std::int64_t bytes = case_.m * case_.n * static_cast<std::int64_t>(size_of(case_.out));
    Epilogue epilogue;
    epilogue.scale = case_.scale, epilogue.activation = case_.activation;
    if (case_.bias) epilogue.bias = bias_.data(), epilogue.bias_size = case_.n;
    if (case_.residual) epilogue.residual = residual_.product(index);
    return {.a = a(index),
            .b = b(index),
            .c0 = {const_cast<std::byte*>(c0_.data()) + index * bytes, case_.out, case_.m, case_.n, case_.n},
            .alpha = case_.k == 0 ? 0 : case_.alpha,
            .beta = case_.beta,
            .epilogue = epilogue,
            .alpha_imag = case_.k == 0 ? 0 : case_.alpha_imag,
            .beta_imag = case_.beta_imag};
}

}  // namespace tw::judging
