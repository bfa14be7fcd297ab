// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "support/trial.hpp"

#include <cstdio>
#include <cstring>
#include <limits>

#include "base/element.hpp"

namespace tw::test {
namespace {

using reference::Fill;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What C holds before: integers and subnormals as the operands do, else numbers of the size of a term.
Fill fill_of_c(Fill operands) {
    return operands == Fill::integers || operands == Fill::subnormals ? operands : Fill::normal;
}

const char* name_of(Argument argument) {
    return argument == Argument::a ? "A: " : argument == Argument::b ? "B: " : argument == Argument::c ? "C: " : "";
}

std::vector<std::byte> elements_of(const Matrix& m) {
    const std::size_t size = size_of(m.type);
    std::vector<std::byte> bytes(static_cast<std::size_t>(m.rows * m.cols) * size);
    std::byte* to = bytes.data();
    const std::int64_t at_once = m.col_step == 1 ? m.cols : 1;
    const std::size_t length = static_cast<std::size_t>(at_once) * size;
    for (std::int64_t i = 0; i < m.rows; ++i)
        for (std::int64_t j = 0; j < m.cols; j += at_once, to += length) std::memcpy(to, m.at(i, j), length);
    return bytes;
}

}  // namespace

std::string Trial::text() const {
    char numbers[200];
    std::snprintf(numbers, sizeof numbers,
                  "%lldx%lldx%lld, tile %dx%dx%d, alpha %g, beta %g, %s, seed %llu, threads %d",
                  static_cast<long long>(m), static_cast<long long>(n), static_cast<long long>(k), tile.m, tile.n,
                  tile.k, alpha, beta, name_of(fill), static_cast<unsigned long long>(seed), threads);
    std::string words = numbers;
    if (alpha_imag != 0 || beta_imag != 0) {
        std::snprintf(numbers, sizeof numbers, ", imaginary parts %g and %g", alpha_imag, beta_imag);
        words += numbers;
    }
    words += ", A " + a.text() + ", B " + b.text() + ", C " + c.text();
    if (!about.empty()) words += ", " + about;
    return words;
}

Outcome run(const Trial& trial, const Kernel& kernel, Place place, const Runner& runner, const Loss& loss) {
    GuardedMatrix a(kernel.in, trial.m, trial.k, trial.a), b(kernel.in, trial.k, trial.n, trial.b);
    GuardedMatrix c(kernel.out, trial.m, trial.n, trial.c);
    Outcome outcome;
    if (!a.exists() || !b.exists() || !c.exists()) return {.refused = true, .failure = {}, .result = {}};

    Call call{.a = a,
              .b = b,
              .c = c,
              .alpha = trial.alpha,
              .beta = trial.beta,
              .alpha_imag = trial.alpha_imag,
              .beta_imag = trial.beta_imag,
              .threads = trial.threads};
    if (kernel.takes && !kernel.takes(problem_of(call, place))) return {.refused = true, .failure = {}, .result = {}};

    fill_operands(a, b, trial.fill, trial.seed);
    const bool reads_c = trial.beta != 0 || trial.beta_imag != 0;
    if (reads_c) reference::fill(c, fill_of_c(trial.fill), trial.seed + 2);
    else reference::fill_with(c, nan);
    if (trial.alter) trial.alter(a, b, c);
    std::vector<std::byte> before;
    if (reads_c && trial.is_judged) before = elements_of(c);

    for (GuardedMatrix* each : {&a, &b, &c}) each->remember();
    const Status status = runner(kernel, call, trial.tile);
    if (status.code == Code::unsupported && c.is_unchanged()) return {.refused = true, .failure = {}, .result = {}};
    outcome.result = elements_of(c);
    if (!status)
        outcome.failure = std::string("it returned a status that is not ok: ") + name_of(status.argument) + status.text;
    else if (!a.is_unchanged()) outcome.failure = "A was written";
    else if (!b.is_unchanged()) outcome.failure = "B was written";
    else if (!c.padding_is_unchanged()) outcome.failure = "memory between the rows of C was written";
    if (!trial.is_judged) return outcome;
    const reference::Question question{.a = a,
                                       .b = b,
                                       .c0 = {before.data(), kernel.out, trial.m, trial.n, trial.n},
                                       .alpha = trial.alpha,
                                       .beta = trial.beta,
                                       .alpha_imag = trial.alpha_imag,
                                       .beta_imag = trial.beta_imag};
    const double bound = trial.exact ? 0 : certificate(kernel, trial.k);
    const double flush = kernel.scheme->flush_loss + loss.flush;
    const reference::Verdict verdict = judge(question, c, {.bound = bound, .flush = flush});

    outcome.worst = verdict.worst;
    if (outcome.failure.empty() && !verdict.ok) outcome.failure = verdict.sentence();
    return outcome;
}

}  // namespace tw::test
