// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/c/values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tilewright/multiply.hpp"

namespace tw::c_face {
namespace {

thread_local char sentence_of_last[1024];

std::string_view text(const char* s) noexcept { return s ? std::string_view(s) : std::string_view(); }

Status taken(const tw_options& c, Executor& executor, Options& options) noexcept {
    options.alpha = c.alpha;
    options.beta = c.beta;
    options.alpha_imag = c.alpha_imag;
    options.beta_imag = c.beta_imag;
    if (c.accuracy && !parse_accuracy(c.accuracy, options.accuracy))
        return {Code::bad_argument, Argument::options, "the accuracy is no name of the dial and no positive number"};
    options.device = text(c.device);
    options.kernel = text(c.kernel);
    options.stream = c.stream;
    if (c.executor) executor = {c.executor->self, c.executor->run}, options.executor = &executor;
    options.scratch = {static_cast<std::byte*>(c.scratch), c.scratch ? c.scratch_bytes : 0};
    options.threads = c.threads;
    options.reproducible = c.reproducible != 0;
    options.verify = c.verify == TW_VERIFY_CORRECT ? Verify(Verify::correct) : Verify(c.verify != 0);
    options.slabs = static_cast<int>(std::clamp<std::int64_t>(c.slabs, -1, INT32_MAX));  // beyond: refused as it is
    return {};
}

/// Not inlined: whom it does not concern does not pay for a copy.
[[gnu::noinline]] Status of_an_older_caller(const tw_options& given, Executor& executor, Options& options) noexcept {
    if (given.size < offsetof(tw_options, accuracy))
        return {Code::bad_argument, Argument::options,
                "their size is smaller than in any version: begin with tw_default_options()"};
    tw_options c = tw_default_options();
    std::memcpy(&c, &given, given.size);
    return taken(c, executor, options);
}

}  // namespace

Matrix from_c(const tw_matrix* m) noexcept {
    if (!m) return {};
    unsigned type = 0;  // a caller may have written any number there
    static_assert(sizeof type == sizeof m->type);
    std::memcpy(&type, &m->type, sizeof type);
    const bool is_conj = type == TW_C64_CONJ || type == TW_C128_CONJ;
    if (is_conj) type = type == TW_C64_CONJ ? TW_C64 : TW_C128;
    return {m->data, static_cast<Type>(std::min(type, 255u)), m->rows, m->cols, m->row_step, m->col_step, is_conj};
}

Status from_c(const tw_options* given, Executor& executor, Options& options) noexcept {
    if (!given) return {};
    return given->size >= sizeof *given ? taken(*given, executor, options)
                                        : of_an_older_caller(*given, executor, options);
}

tw_code report(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c,
               const Options& options) noexcept {
    if (status) return TW_OK;
    try {
        const std::string sentence = explain(status, a, b, c, options);
        const std::size_t length = std::min(sentence.size(), sizeof sentence_of_last - 1);
        std::memcpy(sentence_of_last, sentence.data(), length);
        sentence_of_last[length] = '\0';
    } catch (...) {
        std::strncpy(sentence_of_last, status.text, sizeof sentence_of_last - 1);
    }
    return static_cast<tw_code>(status.code);
}

tw_code report_null() noexcept {
    constexpr const char* sentence =
        "multiply: a matrix, plan, batch or packed operand is a null pointer; all of them must be given";
    std::strncpy(sentence_of_last, sentence, sizeof sentence_of_last - 1);
    return TW_BAD_ARGUMENT;
}

const char* last_error() noexcept { return sentence_of_last; }

}  // namespace tw::c_face
