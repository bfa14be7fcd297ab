// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/shared_operand.hpp"

namespace tw {

std::int64_t SharedOperand::in_turn(std::int64_t step, std::int64_t panels, int index) const noexcept {
    const std::int64_t first = step / devices_ * devices_;
    return first + devices_ <= panels ? first + (step - first + index) % devices_ : step;
}

void SharedOperand::publish(std::int64_t panel, const SharedPanel& there) noexcept {
    const std::lock_guard hold(lock_);
    panels_[panel] = there;
    changed_.notify_all();
}

bool SharedOperand::await(std::int64_t panel, SharedPanel& there) noexcept {
    std::unique_lock hold(lock_);
    const SharedPanel& wanted = panels_[panel];
    changed_.wait(hold, [&] { return wanted.memory || left_[owner_of(panel)]; });
    there = wanted;
    return there.memory;
}

void SharedOperand::leave(int index) noexcept {
    const std::lock_guard hold(lock_);
    if (!left_[index]) --here_;
    left_[index] = true;
    changed_.notify_all();
}

void SharedOperand::await_all() noexcept {
    std::unique_lock hold(lock_);
    changed_.wait(hold, [&] { return here_ == 0; });
}

}  // namespace tw
