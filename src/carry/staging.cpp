// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/staging.hpp"

#include <algorithm>

#include "carry/arena.hpp"
#include "carry/conveyor.hpp"
#include "carry/cut.hpp"
#include "carry/panels.hpp"
#include "epilogue/finish.hpp"
#include "plan/operands.hpp"

namespace tw {
namespace {

/// Bytes of a matrix's copy on the device; 0 for an absent matrix.
std::size_t staged_bytes(const Matrix& m) noexcept { return m.data ? matrix_bytes(m.type, m.rows, m.cols) : 0; }

/// A dense copy's shape, by rows or columns as the original is, so that the plan's Problem holds for the copy too.
Matrix staged(Arena& arena, const Matrix& m) noexcept {
    if (!m.data) return m;
    Matrix copy = form_of(m) == Form::col_major ? arena.row_major(m.type, m.cols, m.rows).transposed()
                                                : arena.row_major(m.type, m.rows, m.cols);
    copy.is_conj = m.is_conj;  // elements are copied as they lie
    return copy;
}

Matrix bias_row(const Epilogue& epilogue) noexcept {
    return {const_cast<void*>(epilogue.bias), epilogue.bias_type, 1, epilogue.bias_size, epilogue.bias_size};
}

std::size_t whole_bytes(const Plan& plan, const Call& call) noexcept {
    return staged_bytes(call.a) + staged_bytes(call.b) + staged_bytes(call.c) + staged_bytes(bias_row(call.epilogue)) +
           staged_bytes(call.epilogue.residual) + aligned_scratch_bytes(plan);
}

constexpr std::int64_t worth_overlapping = std::int64_t{16} << 20;

/// True when the product should go in panels: that is faster, or it does not fit in one piece.
bool is_cut(const Plan& plan, const Call& call, Cut& cut) noexcept {
    const AsyncCopies* async_copies = plan.backend->async_copies;
    if (!async_copies) return false;
    const std::size_t memory = async_copies->free_bytes(call.stream), whole = whole_bytes(plan, call);
    return (whole >= std::size_t{worth_overlapping} || whole > memory) && cut_for(plan, call, memory, cut) &&
           !async_copies->page_locked_buffer(Conveyor::buffer_bytes).empty();
}

constexpr Status too_large{Code::out_of_memory, Argument::none,
                           "the operands and their copies do not fit the device's memory"};

}  // namespace

bool needs_staging(const Plan& plan, const Matrix& c) noexcept {
    return plan.backend->place != Place::host && plan.backend->copy && place_of(c.data) == Place::host;
}

namespace {

/// Copies of host matrices in the device's memory.
class Copies {
public:
    Copies(const Backend& device, std::span<std::byte> memory, void* stream) noexcept
        : device_(device), arena_(memory), stream_(stream) {}

    Matrix of(const Matrix& m, bool with_elements = true) noexcept {
        const Matrix copy = staged(arena_, m);
        if (m.data && with_elements && status) status = device_.copy(copy, m, stream_);
        return copy;
    }
    void of(Epilogue& epilogue) noexcept {
        epilogue.bias = of(bias_row(epilogue)).data;
        epilogue.residual = of(epilogue.residual);
    }
    /// Copies the result back if nothing has failed, and waits for everything that is under way.
    Status finish(const Matrix& c, const Matrix& copy) noexcept {
        if (status) status = device_.copy(c, copy, stream_);
        const Status waited = device_.wait(stream_);
        return status ? waited : status;
    }
    std::span<std::byte> rest() const noexcept { return arena_.rest(); }

    Status status;

private:
    const Backend& device_;
    Arena arena_;
    void* stream_;
};

Status run_in_turns(const Plan& plan, Call call) noexcept {
    const Matrix c = call.c;
    const std::size_t needed = whole_bytes(plan, call);
    const std::span<std::byte> memory = plan.backend->scratch(needed, call.stream);
    if (memory.size() < needed) return too_large;

    Copies copies(*plan.backend, memory, call.stream);
    call.a = copies.of(call.a);
    call.b = copies.of(call.b);
    call.c = copies.of(c, call.beta != 0 || call.beta_imag != 0);
    copies.of(call.epilogue);
    call.scratch = copies.rest();
    if (copies.status) copies.status = run_in_place(plan, call);
    return copies.finish(c, call.c);
}

Status finish_staged(const Backend& device, const Matrix& c, Epilogue epilogue, void* stream) noexcept {
    const std::size_t needed = staged_bytes(c) + staged_bytes(bias_row(epilogue)) + staged_bytes(epilogue.residual);
    const std::span<std::byte> memory = device.scratch(needed, stream);
    if (memory.size() < needed) return too_large;

    Copies copies(device, memory, stream);
    const Matrix copy = copies.of(c);
    copies.of(epilogue);
    if (copies.status) copies.status = device.finish(copy, 1, 0, epilogue, stream);
    return copies.finish(c, copy);
}

}  // namespace

Status finish_as_planned(const Plan& plan, const Matrix& c, const Epilogue& epilogue, void* stream) noexcept {
    if (epilogue.is_empty()) return {};
    if (plan.problem.place != Place::host) return plan.backend->finish(c, 1, 0, epilogue, stream);
    if (!plan.backend->finish || !needs_staging(plan, c)) {
        finish(c, 1, epilogue);
        return {};
    }
    // Some rows at a time, since the whole of C may not fit the device.
    const std::int64_t of_a_row = std::max<std::int64_t>(1, static_cast<std::int64_t>(size_of(c.type)) * c.cols);
    const std::int64_t at_once = std::clamp<std::int64_t>(worth_overlapping / of_a_row, 1, c.rows);
    for (std::int64_t first = 0; first < c.rows; first += at_once) {
        const std::int64_t rows = std::min(at_once, c.rows - first);
        Epilogue of_these = epilogue;
        if (epilogue.residual.data) of_these.residual = epilogue.residual.block(first, 0, rows, c.cols);
        const Status status = finish_staged(*plan.backend, c.block(first, 0, rows, c.cols), of_these, stream);
        if (!status) return status;
    }
    return {};
}

Status run_staged(const Plan& plan, const Call& call, const Sharing& sharing) noexcept {
    Cut cut;
    if (is_cut(plan, call, cut)) return run_in_panels(plan, call, cut, sharing);
    sharing.leave();
    return run_in_turns(plan, call);
}

}  // namespace tw
