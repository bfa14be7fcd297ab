// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/execute_effort.hpp"

#include <algorithm>

#include "base/float_mode.hpp"
#include "base/scratch.hpp"
#include "carry/place_effort.hpp"
#include "plan/operands.hpp"

namespace tw {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "not enough memory of the device"};

constexpr std::size_t lines(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

bool is_apart(const Backend& backend) noexcept { return backend.place != Place::host && backend.copy; }

/// The parts of a call's scratch.
struct Parts {
    std::size_t chosen = 0, entries = 0, own = 0, v = 0, y = 0;
    std::int64_t v_rows;

    Parts(const EffortPlan& plan, const EffortKernel& kernel, const EffortCall& call) noexcept
        : v_rows(call.v_step == 0 ? 1 : call.products) {
        const bool apart = is_apart(*plan.backend);
        const auto products = static_cast<std::size_t>(call.products);
        const auto inputs = static_cast<std::size_t>(call.matrix.inputs),
                   outputs = static_cast<std::size_t>(call.matrix.outputs);
        if (!kernel.is_dense && (apart || !call.is_chosen)) {
            chosen = lines(products * sizeof(EffortChosen));
            entries = lines(products * inputs * sizeof(EffortEntry));
        }
        if (kernel.scratch_bytes) own = lines(kernel.scratch_bytes(call.matrix, call.products));
        if (!apart) return;
        if (place_of(call.v) != plan.backend->place) v = lines(static_cast<std::size_t>(v_rows) * inputs * 4);
        if (place_of(call.y) != plan.backend->place) y = lines(products * outputs * 4);
    }
    std::size_t all() const noexcept { return chosen + entries + own + v + y; }
};

Status copy_bytes(const Backend& backend, void* to, const void* from, std::size_t bytes, void* stream) noexcept {
    return bytes == 0 ? Status{} : backend.copy(bytes_at(to, bytes), bytes_at(from, bytes), stream);
}

/// Copies notes that the host has chosen to where the kernel reads them.
Status bring_notes(const Backend& backend, const EffortCall& call, const EffortNotes& to) noexcept {
    for (int p = 0; p < call.products; ++p) {
        const std::int64_t at = p * std::int64_t{call.matrix.inputs};
        const Status bad = copy_bytes(backend, to.entries + at, call.notes.entries + at,
                                      call.notes.chosen[p].entries * sizeof(EffortEntry), call.stream);
        if (!bad) return bad;
    }
    return copy_bytes(backend, to.chosen, call.notes.chosen,
                      static_cast<std::size_t>(call.products) * sizeof(EffortChosen), call.stream);
}

Status run_staged(const Backend& backend, const EffortKernel& kernel, const Parts& parts, std::byte* at,
                  EffortCall& call) noexcept {
    float* const y = call.y;
    const std::int64_t y_step = call.y_step, inputs = call.matrix.inputs, outputs = call.matrix.outputs;
    if (parts.y > 0) call.y = reinterpret_cast<float*>(at), call.y_step = outputs, at += parts.y;
    if (parts.v > 0) {
        const Matrix to{at, Type::f32, parts.v_rows, inputs, inputs};
        const Matrix from{const_cast<float*>(call.v), Type::f32, parts.v_rows, inputs,
                          call.v_step == 0 ? inputs : call.v_step};
        if (const Status bad = backend.copy(to, from, call.stream); !bad) return bad;
        call.v = reinterpret_cast<float*>(at), call.v_step = call.v_step == 0 ? 0 : inputs;
    }
    if (const Status bad = kernel.run(call); !bad) return bad;
    if (parts.y > 0) {
        const Matrix from{call.y, Type::f32, call.products, outputs, outputs},
            to{y, Type::f32, call.products, outputs, y_step};
        if (const Status bad = backend.copy(to, from, call.stream); !bad) return bad;
    }
    return parts.v > 0 || parts.y > 0 ? backend.wait(call.stream) : Status{};
}

}  // namespace

std::size_t effort_scratch_bytes(const EffortPlan& plan, const EffortKernel& kernel, const EffortCall& call) noexcept {
    return Parts(plan, kernel, call).all();
}

Status execute_effort(const EffortPlan& plan, const EffortKernel& kernel, EffortCall& call) noexcept {
    const IeeeMode mode;
    const Backend& backend = *plan.backend;
    const Parts parts(plan, kernel, call);
    if (backend.scratch) call.scratch = backend.scratch(std::max(parts.all(), lines(1)), call.stream);
    else if (call.scratch.size() < parts.all()) call.scratch = thread_scratch(parts.all());
    if (call.scratch.size() < parts.all()) return no_memory;
    std::byte* at = call.scratch.data();
    if (parts.entries > 0) {
        const EffortNotes notes{reinterpret_cast<EffortChosen*>(at), reinterpret_cast<EffortEntry*>(at + parts.chosen)};
        if (call.is_chosen)
            if (const Status bad = bring_notes(backend, call, notes); !bad) return bad;
        call.notes = notes;
        at += parts.chosen + parts.entries;
    }
    call.scratch = {at, parts.own};
    return is_apart(backend) ? run_staged(backend, kernel, parts, at + parts.own, call) : kernel.run(call);
}

Status fetch_choice(const EffortPlan& plan, const EffortCall& call, int product, EffortChosen& chosen,
                    EffortEntry* entries) noexcept {
    const Backend& backend = *plan.backend;
    const EffortEntry* const from = call.notes.entries + product * std::int64_t{call.matrix.inputs};
    if (!is_apart(backend)) {
        chosen = call.notes.chosen[product];
        std::copy_n(from, chosen.entries, entries);
        return {};
    }
    if (const Status bad = copy_bytes(backend, &chosen, call.notes.chosen + product, sizeof chosen, call.stream); !bad)
        return bad;
    if (const Status bad = backend.wait(call.stream); !bad) return bad;
    if (const Status bad = copy_bytes(backend, entries, from, chosen.entries * sizeof *entries, call.stream); !bad)
        return bad;
    return backend.wait(call.stream);
}

}  // namespace tw
