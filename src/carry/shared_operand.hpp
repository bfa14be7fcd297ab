// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The operand that every device of one product needs whole. Each of its panels is read from the host once: one device
// uploads it, and the others copy it from there, over the link between devices:
//
//   host panel 0 --> device 0 --link--> device 1
//   host panel 1 --> device 1 --link--> device 0
//
// A device that fails or has no room leaves; the others then upload the panels that it does not bring.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "backend/links.hpp"
#include "carry/cut.hpp"

namespace tw {

/// A panel in another device's memory.
struct SharedPanel {
    const std::byte* memory = nullptr;
    void* arrived = nullptr;  ///< the event that passes when it is there: DeviceLinks::handle_of
    int device = -1;
};

class SharedOperand {
public:
    static constexpr int most_devices = 64;

    SharedOperand(const DeviceLinks& links, int devices, bool is_b) noexcept
        : links_(links), devices_(devices), here_(devices), is_b_(is_b) {}

    const DeviceLinks& links() const noexcept { return links_; }

    bool is_b() const noexcept { return is_b_; }
    int owner_of(std::int64_t panel) const noexcept { return static_cast<int>(panel % devices_); }

    /// The panel that a device takes at a step: of as many panels as there are devices its own first, so that none
    /// waits for what nobody has begun to upload.
    std::int64_t in_turn(std::int64_t step, std::int64_t panels, int index) const noexcept;

    /// The panel's upload has been enqueued. Its memory stays as it is until all have left.
    void publish(std::int64_t panel, const SharedPanel& there) noexcept;

    /// Blocks until the owner has published the panel; false when it has left without.
    bool await(std::int64_t panel, SharedPanel& there) noexcept;

    /// A device reads no panels any more and publishes none. Again: nothing happens.
    void leave(int index) noexcept;

    /// Blocks until all have left.
    void await_all() noexcept;

private:
    std::mutex lock_;
    std::condition_variable changed_;
    const DeviceLinks& links_;
    const int devices_;
    int here_;
    const bool is_b_;
    bool left_[most_devices]{};
    SharedPanel panels_[Cut::most_slots]{};
};

/// One device's part in it; null: it shares nothing.
struct Sharing {
    SharedOperand* operand = nullptr;
    int index = 0;

    void leave() const noexcept {
        if (operand) operand->leave(index);
    }
};

}  // namespace tw
