// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "support/runner.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "support/guarded_matrix.hpp"

namespace tw::test {
namespace {

constexpr std::size_t line = 64;
constexpr int poison = 0xff;
constexpr std::size_t most_poisoned = std::size_t{1} << 20;  // of a large scratch the front: what small cases use

constexpr Status no_memory{Code::out_of_memory, Argument::scratch, "the test has no memory for the operands"};
constexpr Status wrote_before{Code::device_failed, Argument::none, "the kernel wrote outside: before an operand"};
constexpr Status wrote_after{Code::device_failed, Argument::none, "the kernel wrote outside: after an operand"};

Status about(Status status, Argument argument) {
    if (!status && status.argument == Argument::none) status.argument = argument;
    return status;
}

std::size_t scratch_bytes(const Kernel& kernel, const Call& call, const Tile& tile, Place place) {
    if (!kernel.scratch_bytes) return 0;
    return (kernel.scratch_bytes(problem_of(call, place), tile, call.threads) + line - 1) / line * line;
}

/// One operand on the device, in a buffer that grows and stays from run to run.
class DeviceBuffer {
public:
    explicit DeviceBuffer(const Backend& backend) : backend_(backend) {}
    ~DeviceBuffer() { release(); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    std::byte* hold(std::size_t bytes) {
        if (bytes > held_) {
            release();
            memory_ = backend_.alloc(2 * bytes);
            held_ = memory_ ? 2 * bytes : 0;
        }
        return static_cast<std::byte*>(memory_);
    }

    /// Sends the operand, its padding and the zones around it; `there` is then the operand on the device.
    Status send(const Matrix& host, Matrix& there) {
        const auto extent = extent_of(host);
        before_ = reinterpret_cast<std::uintptr_t>(extent.data()) % zone;
        image_.assign((before_ + extent.size() + 2 * zone - 1) / zone * zone, std::byte{poison});
        std::ranges::copy(extent, image_.begin() + static_cast<std::ptrdiff_t>(before_));
        std::byte* memory = hold(image_.size());
        if (!memory) return no_memory;
        there = host;
        there.data = memory + before_ + (static_cast<std::byte*>(host.data) - extent.data());
        return backend_.copy(raw(memory, image_.size()), raw(image_.data(), image_.size()), nullptr);
    }

    Status bring_back(const Matrix& host) {
        const Matrix here = raw(image_.data(), image_.size()), there = raw(hold(0), image_.size());
        if (const Status bad = backend_.copy(here, there, nullptr); !bad) return bad;
        if (const Status bad = backend_.wait(nullptr); !bad) return bad;
        const auto extent = extent_of(host);
        const auto inside = image_.begin() + static_cast<std::ptrdiff_t>(before_);
        const auto after = inside + static_cast<std::ptrdiff_t>(extent.size());
        std::copy(inside, after, extent.begin());
        const auto untouched = [](std::byte byte) { return byte == std::byte{poison}; };
        if (!std::all_of(image_.begin(), inside, untouched)) return wrote_before;
        return std::all_of(after, image_.end(), untouched) ? Status{} : wrote_after;
    }

private:
    static constexpr std::size_t zone = 256;

    void release() {
        if (memory_) backend_.free(memory_);
    }

    static Matrix raw(std::byte* memory, std::size_t bytes) {
        const auto count = static_cast<std::int64_t>(bytes / sizeof(float));
        return {memory, Type::f32, 1, count, count};
    }

    const Backend& backend_;
    void* memory_ = nullptr;
    std::size_t held_ = 0, before_ = 0;
    std::vector<std::byte> image_;
};

struct Device {
    const Backend& backend;
    DeviceBuffer a, b, c, scratch;

    explicit Device(const Backend& row) : backend(row), a(row), b(row), c(row), scratch(row) {}

    Status run(const Kernel& kernel, Call call, const Tile& tile) {
        const Matrix host_a = call.a, host_b = call.b, host_c = call.c;
        if (const Status bad = a.send(host_a, call.a); !bad) return bad;
        if (const Status bad = b.send(host_b, call.b); !bad) return bad;
        if (const Status bad = c.send(host_c, call.c); !bad) return bad;
        const std::size_t wanted = scratch_bytes(kernel, call, tile, backend.place);
        if (wanted) call.scratch = {scratch.hold(wanted), wanted};
        if (wanted && !call.scratch.data()) return no_memory;
        if (const Status bad = kernel.run(call, tile); !bad) return bad;
        if (const Status bad = a.bring_back(host_a); !bad) return about(bad, Argument::a);
        if (const Status bad = b.bring_back(host_b); !bad) return about(bad, Argument::b);
        return about(c.bring_back(host_c), Argument::c);
    }
};

}  // namespace

Problem problem_of(const Call& call, Place place) noexcept {
    return {.m = call.m(),
            .n = call.n(),
            .k = call.k(),
            .in = call.a.type,
            .out = call.c.type,
            .place = place,
            .accuracy = {},
            .a = form_of(call.a),
            .b = form_of(call.b),
            .c = form_of(call.c)};
}

Status run_on_host(const Kernel& kernel, const Call& call, const Tile& tile) {
    const GuardedPages scratch(scratch_bytes(kernel, call, tile, Place::host));
    Call ready = call;
    ready.scratch = scratch.bytes();
    const std::size_t poisoned = std::min(ready.scratch.size(), most_poisoned);
    std::memset(ready.scratch.data(), poison, poisoned);
    return kernel.run(ready, tile);
}

Runner device_runner(const Backend& backend) {
    return [device = std::make_shared<Device>(backend)](const Kernel& kernel, const Call& call, const Tile& tile) {
        return device->run(kernel, call, tile);
    };
}

Runner runner_for(const Backend& backend) {
    if (backend.copy) return device_runner(backend);
    return run_on_host;
}

}  // namespace tw::test
