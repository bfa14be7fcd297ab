// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/staging.hpp"

#include "plan/carver.hpp"
#include "plan/operands.hpp"

namespace tw {
namespace {

/// The bytes of a matrix's own copy on the device; none of an absent one.
std::size_t staged_bytes(const Matrix& m) noexcept { return m.data ? matrix_bytes(m.type, m.rows, m.cols) : 0; }

/// Dense, with the same step that is 1, so that the plan's Problem describes the copy too.
Matrix staged(Carver& carver, const Matrix& m) noexcept {
    if (!m.data) return m;
    return form_of(m) == Form::col_major ? carver.row_major(m.type, m.cols, m.rows).transposed()
                                         : carver.row_major(m.type, m.rows, m.cols);
}

Matrix bias_row(const Epilogue& epilogue) noexcept {
    return {const_cast<void*>(epilogue.bias), epilogue.bias_type, 1, epilogue.bias_size, epilogue.bias_size};
}

constexpr Status too_large{Code::out_of_memory, Argument::none, "the operands and their copies do not fit the device's memory"};

}  // namespace

bool needs_staging(const Plan& plan, const Matrix& c) noexcept {
    return plan.backend->place != Place::host && plan.backend->copy && place_of(c.data) == Place::host;
}

Status run_staged(const Plan& plan, Call call) noexcept {
    const Backend& device = *plan.backend;
    const Matrix bias = bias_row(call.epilogue), residual = call.epilogue.residual, c = call.c;
    const std::size_t needed = staged_bytes(call.a) + staged_bytes(call.b) + staged_bytes(c) + staged_bytes(bias) +
                               staged_bytes(residual) + plan.scratch_bytes();
    const std::span<std::byte> memory = device.scratch(needed, call.stream);
    if (memory.size() < needed) return too_large;

    Carver carver(memory);
    Status status;
    const auto there = [&](const Matrix& m, bool with_elements) {
        const Matrix copy = staged(carver, m);
        if (m.data && with_elements && status) status = device.copy(copy, m, call.stream);
        return copy;
    };
    call.a = there(call.a, true);
    call.b = there(call.b, true);
    call.c = there(c, call.beta != 0);
    call.epilogue.bias = there(bias, true).data;
    call.epilogue.residual = there(residual, true);
    call.scratch = carver.rest();
    if (status) status = run_in_place(plan, call);
    if (status) status = device.copy(c, call.c, call.stream);
    const Status waited = device.wait(call.stream);
    return status ? waited : status;
}

}  // namespace tw
