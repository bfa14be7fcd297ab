// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/staging.hpp"

#include "carry/carver.hpp"
#include "carry/conveyor.hpp"
#include "carry/cut.hpp"
#include "carry/panels.hpp"
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

std::size_t whole_bytes(const Plan& plan, const Call& call) noexcept {
    return staged_bytes(call.a) + staged_bytes(call.b) + staged_bytes(call.c) + staged_bytes(bias_row(call.epilogue)) +
           staged_bytes(call.epilogue.residual) + aligned_scratch_bytes(plan);
}

constexpr std::size_t worth_overlapping = std::size_t{16} << 20;

/// True when there is a cut that is better than one piece, or the only way.
bool is_cut(const Plan& plan, const Call& call, Cut& cut) noexcept {
    const Traffic* traffic = plan.backend->traffic;
    if (!traffic) return false;
    const std::size_t memory = traffic->memory(call.stream), whole = whole_bytes(plan, call);
    return (whole >= worth_overlapping || whole > memory) && cut_for(plan, call, memory, cut) &&
           !traffic->buffer(Conveyor::buffer_bytes).empty();
}

constexpr Status too_large{Code::out_of_memory, Argument::none,
                           "the operands and their copies do not fit the device's memory"};

}  // namespace

bool needs_staging(const Plan& plan, const Matrix& c) noexcept {
    return plan.backend->place != Place::host && plan.backend->copy && place_of(c.data) == Place::host;
}

namespace {

Status run_in_turns(const Plan& plan, Call call) noexcept {
    const Backend& device = *plan.backend;
    const Matrix bias = bias_row(call.epilogue), residual = call.epilogue.residual, c = call.c;
    const std::size_t needed = whole_bytes(plan, call);
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

}  // namespace

Status run_staged(const Plan& plan, const Call& call) noexcept {
    Cut cut;
    return is_cut(plan, call, cut) ? run_panelled(plan, call, cut) : run_in_turns(plan, call);
}

}  // namespace tw
