// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/panels.hpp"

#include <algorithm>

#include "carry/arena.hpp"
#include "carry/conveyor.hpp"
#include "carry/staging.hpp"

namespace tw {
namespace {

constexpr Status too_large{Code::out_of_memory, Argument::none,
                           "the panels of the operands do not fit the device's memory"};

/// A dense copy's shape, by rows or columns as the original is, so that the plan's Problem holds for the copy too.
Matrix dense_like(std::byte* memory, const Matrix& m) noexcept {
    const bool by_columns = form_of(m) == Form::col_major;
    return {memory, m.type, m.rows, m.cols, by_columns ? 1 : m.cols, by_columns ? m.rows : 1, m.is_conj};
}

/// Memory for one panel on the device.
struct Slot {
    std::byte* memory = nullptr;
    std::int64_t panel = -1;    ///< the panel it holds; -1: none
    std::int64_t used_at = -1;  ///< number of the tile that used it last
    int arrived = 0, used = 0;  ///< events
};

/// The panels of one operand on the device; the least recently used one is replaced.
struct Slots {
    Slot slots[Cut::most_slots];
    int count = 0;

    Slot& holding(std::int64_t panel) noexcept {
        const auto end = slots + count;
        const auto found = std::find_if(slots, end, [=](const Slot& slot) { return slot.panel == panel; });
        if (found != end) return *found;
        return *std::min_element(slots, end, [](const Slot& x, const Slot& y) { return x.used_at < y.used_at; });
    }
};

/// Memory for a tile of C, and for the residual that is added to it.
struct Target {
    std::byte *c = nullptr, *residual = nullptr;
    int arrived = 0, computed = 0, fetched = 0;
};

class PanelProduct {
public:
    PanelProduct(const Plan& plan, const Call& call, const Cut& cut, const Sharing& sharing) noexcept
        : plan_(plan), call_(call), cut_(cut), sharing_(sharing), device_(*plan.backend), conveyor_(device_, call_, 0) {
        if (sharing_.operand) shared_ = sharing_.operand->is_b() ? &b_ : &a_;
    }

    Status run() noexcept {
        Status status = prepare();
        TileOrder order(cut_);
        for (std::int64_t i = 0, j = 0, number = 0; status && order.next(i, j); ++number)
            status = tile(shared_ == &a_ ? in_turn(i, cut_.m) : i, shared_ == &b_ ? in_turn(j, cut_.n) : j, number);
        if (status) status = conveyor_.drain();
        if (!status) conveyor_.stop();
        const Status waited = device_.wait(call_.stream);
        const Status ended = shared_ ? end_sharing() : Status{};
        if (!status) return status;
        return waited ? ended : waited;
    }

private:
    std::int64_t in_turn(std::int64_t step, const Pieces& panels) const noexcept {
        return sharing_.operand->in_turn(step, panels.count, sharing_.index);
    }
    Status end_sharing() noexcept;
    bool is_elsewhere(std::int64_t panel, SharedPanel& there) const noexcept;
    Status copy_across(const SharedPanel& theirs, const Matrix& there, const Slot& slot) noexcept;
    Status prepare() noexcept;
    void lay_out(std::span<std::byte> memory) noexcept;
    Status tile(std::int64_t i, std::int64_t j, std::int64_t number) noexcept;
    Status bring_target(const Target& target, const Matrix& c, const Matrix& residual) noexcept;
    Status bring(Slots& slots, std::int64_t panel, std::int64_t number, const Matrix& from, Matrix& there,
                 Slot*& slot) noexcept;
    Status compute(Call& part, std::int64_t slab) noexcept;

    const AsyncCopies& async_copies() const noexcept { return *device_.async_copies; }
    bool needs_c() const noexcept { return call_.beta != 0 || call_.beta_imag != 0; }

    const Plan& plan_;
    const Call& call_;
    const Cut& cut_;
    const Sharing sharing_;
    const Backend& device_;
    Conveyor conveyor_;
    Slots a_, b_;
    const Slots* shared_ = nullptr;
    void* across_ = nullptr;
    Target targets_[Cut::most_tiles];
    Matrix bias_{};
    std::span<std::byte> scratch_{};
};

Status PanelProduct::prepare() noexcept {
    // Threads read the operands from here on, and no stream orders them after what writes the operands.
    if (const Status bad = device_.wait(call_.stream); !bad) return bad;
    if (const Status bad = conveyor_.open(); !bad) return bad;
    if (shared_)
        if (const Status bad = sharing_.operand->links().open(across_); !bad) return bad;
    const std::size_t needed = device_bytes(cut_, plan_, call_);
    const std::span<std::byte> memory = device_.scratch(needed, call_.stream);
    if (memory.size() < needed) return too_large;
    lay_out(memory);
    const Epilogue& epilogue = call_.epilogue;
    if (!epilogue.bias) return {};
    return conveyor_.send(
        bias_, {const_cast<void*>(epilogue.bias), epilogue.bias_type, 1, epilogue.bias_size, epilogue.bias_size});
}

void PanelProduct::lay_out(std::span<std::byte> memory) noexcept {
    Arena arena(memory);
    int event = Conveyor::events_taken;
    const std::int64_t m = cut_.m.largest(), n = cut_.n.largest(), k = cut_.k.largest();
    const auto slots = [&](Slots& of, int count, Type type, std::int64_t rows, std::int64_t cols) {
        of.count = count;
        for (int s = 0; s < count; ++s, event += 2)
            of.slots[s] = {static_cast<std::byte*>(arena.row_major(type, rows, cols).data), -1, -1, event, event + 1};
    };
    slots(a_, cut_.a_slots, call_.a.type, m, k);
    slots(b_, cut_.b_slots, call_.b.type, k, n);
    const Matrix& residual = call_.epilogue.residual;
    for (Target& target : std::span(targets_, static_cast<std::size_t>(cut_.c_slots))) {
        target.c = static_cast<std::byte*>(arena.row_major(call_.c.type, m, n).data);
        if (residual.data) target.residual = static_cast<std::byte*>(arena.row_major(residual.type, m, n).data);
        target.arrived = event, target.computed = event + 1, target.fetched = event + 2;
        event += 3;
    }
    if (call_.epilogue.bias) bias_ = arena.row_major(call_.epilogue.bias_type, 1, call_.epilogue.bias_size);
    scratch_ = arena.rest();
}

/// True when another device uploads the panel, and this one can copy it from there.
bool PanelProduct::is_elsewhere(std::int64_t panel, SharedPanel& there) const noexcept {
    return sharing_.operand->owner_of(panel) != sharing_.index && sharing_.operand->await(panel, there) &&
           sharing_.operand->links().reaches(there.device);
}

/// This device's panels stay until nobody copies them any more.
Status PanelProduct::end_sharing() noexcept {
    const Status waited = across_ ? device_.wait(across_) : Status{};
    sharing_.leave();
    sharing_.operand->await_all();
    return waited;
}

Status PanelProduct::copy_across(const SharedPanel& theirs, const Matrix& there, const Slot& slot) noexcept {
    if (const Status bad = sharing_.operand->links().follow(across_, theirs.arrived); !bad) return bad;
    const Matrix from = dense_like(const_cast<std::byte*>(theirs.memory), there);
    if (const Status bad = device_.copy(there, from, across_); !bad) return bad;
    return async_copies().record(slot.arrived, across_);
}

/// Uploads the panel unless the device has it; the upload waits for the last tile that used the slot.
Status PanelProduct::bring(Slots& slots, std::int64_t panel, std::int64_t number, const Matrix& from, Matrix& there,
                           Slot*& slot) noexcept {
    slot = &slots.holding(panel);
    there = dense_like(slot->memory, from);
    slot->used_at = number;
    if (slot->panel == panel) return {};
    slot->panel = panel;
    const bool is_shared = &slots == shared_;
    SharedPanel theirs;
    if (is_shared && is_elsewhere(panel, theirs)) return copy_across(theirs, there, *slot);
    if (const Status bad = async_copies().wait_for(conveyor_.upload_stream(), slot->used); !bad) return bad;
    if (const Status bad = conveyor_.send(there, from); !bad) return bad;
    if (const Status bad = async_copies().record(slot->arrived, conveyor_.upload_stream()); !bad) return bad;
    if (is_shared && sharing_.operand->owner_of(panel) == sharing_.index) {
        void* const arrived = sharing_.operand->links().handle_of(slot->arrived);
        sharing_.operand->publish(panel, {slot->memory, arrived, plan_.device});
    }
    return {};
}

Status PanelProduct::bring_target(const Target& target, const Matrix& c, const Matrix& residual) noexcept {
    if (needs_c() || residual.data) {
        if (const Status bad = async_copies().wait_for(conveyor_.upload_stream(), target.fetched); !bad) return bad;
        if (needs_c())
            if (const Status bad = conveyor_.send(dense_like(target.c, c), c); !bad) return bad;
        if (residual.data)
            if (const Status bad = conveyor_.send(dense_like(target.residual, residual), residual); !bad) return bad;
        if (const Status bad = async_copies().record(target.arrived, conveyor_.upload_stream()); !bad) return bad;
        return async_copies().wait_for(call_.stream, target.arrived);
    }
    return async_copies().wait_for(call_.stream, target.fetched);
}

/// One slab of k: all but the first add to C, and the last applies the epilogue.
Status PanelProduct::compute(Call& part, std::int64_t slab) noexcept {
    Call one = part;
    if (slab > 0) one.beta = 1, one.beta_imag = 0;
    if (slab + 1 < cut_.k.count) one.epilogue = {};
    const Plan plan = plan_of_tile(plan_, one.m(), one.n(), one.k());
    if (aligned_scratch_bytes(plan) > one.scratch.size()) return too_large;
    return run_in_place(plan, one);
}

Status PanelProduct::tile(std::int64_t i, std::int64_t j, std::int64_t number) noexcept {
    const std::int64_t row = cut_.m.begin(i), col = cut_.n.begin(j), rows = cut_.m.size(i), cols = cut_.n.size(j);
    const Matrix c = call_.c.block(row, col, rows, cols);
    const Matrix& whole_residual = call_.epilogue.residual;
    const Matrix residual = whole_residual.data ? whole_residual.block(row, col, rows, cols) : Matrix{};
    const Target& target = targets_[number % cut_.c_slots];
    if (const Status bad = conveyor_.enqueue_up_to(number - cut_.c_slots); !bad) return bad;

    Call part = call_;
    part.c = dense_like(target.c, c);
    part.scratch = scratch_;
    if (bias_.data) part.epilogue.bias = bias_.at(0, col), part.epilogue.bias_size = cols;
    if (residual.data) part.epilogue.residual = dense_like(target.residual, residual);
    for (std::int64_t slab = 0; slab < cut_.k.count; ++slab) {
        const std::int64_t first = cut_.k.begin(slab), depth = cut_.k.size(slab);
        Slot *a = nullptr, *b = nullptr;
        const auto a_panel = i * cut_.k.count + slab, b_panel = j * cut_.k.count + slab;
        const auto used_at = number * cut_.k.count + slab;
        if (const Status bad = bring(a_, a_panel, used_at, call_.a.block(row, first, rows, depth), part.a, a); !bad)
            return bad;
        if (const Status bad = bring(b_, b_panel, used_at, call_.b.block(first, col, depth, cols), part.b, b); !bad)
            return bad;
        if (slab == 0)
            if (const Status bad = bring_target(target, c, residual); !bad) return bad;
        Status status = async_copies().wait_for(call_.stream, a->arrived);
        if (status) status = async_copies().wait_for(call_.stream, b->arrived);
        if (status) status = compute(part, slab);
        if (status) status = async_copies().record(a->used, call_.stream);
        if (status) status = async_copies().record(b->used, call_.stream);
        if (!status) return status;
    }
    if (const Status bad = async_copies().record(target.computed, call_.stream); !bad) return bad;
    return conveyor_.fetch(c, part.c, target.computed, target.fetched);
}

}  // namespace

Status run_in_panels(const Plan& plan, const Call& call, const Cut& cut, const Sharing& sharing) noexcept {
    if (cut.holds_all()) return PanelProduct(plan, call, cut, sharing).run();
    sharing.leave();  // a panel's place is another's soon
    return PanelProduct(plan, call, cut, {}).run();
}

}  // namespace tw
