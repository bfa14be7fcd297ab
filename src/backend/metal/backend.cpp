// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The row of the GPU of a Mac.
#include "backend/metal/backend.hpp"

#include <map>

#include "backend/metal/device.hpp"
#include "backend/metal/rows.hpp"
#include "backend/metal/shared_memory.hpp"

namespace tw::metal {
namespace {

struct Gpu {
    static constexpr const char* name = "metal";
    static Status launch(const Launch& launch) { return Device::only().launch(launch); }
};

constexpr Status only_one{Code::no_device, Argument::options,
                          "Metal's default GPU is the only one used here: metal or metal:0"};

/// What this thread's products keep between calls.
class Scratch {
public:
    ~Scratch() { Device::only().free(memory_); }
    std::span<std::byte> of(std::size_t bytes) {
        if (bytes > bytes_) {
            Device::only().free(memory_);
            memory_ = Device::only().alloc(bytes);
            bytes_ = memory_ ? bytes : 0;
        }
        return {static_cast<std::byte*>(memory_), bytes_};
    }

private:
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

std::span<std::byte> scratch(std::size_t bytes, void*) {
    static thread_local Scratch kept;
    return kept.of(bytes);
}

constexpr Backend row{
    .name = Gpu::name,
    .place = Place::metal,
    .ladder = ladder_of<Gpu>,
    .feature_names = feature_names,
    .features = [] { return Device::only().features(); },
    .devices = [] { return Device::only().is_there() ? 1 : 0; },
    .absence = [] { return Device::only().why_not(); },
    .select = [](int device) { return device == 0 ? Status{} : only_one; },
    .owns = owns,
    .alloc = [](std::size_t bytes) { return Device::only().alloc(bytes); },
    .free = [](void* memory) { Device::only().free(memory); },
    .scratch = scratch,
    .copy = [](const Matrix& to, const Matrix& from, void*) { return copy_elements(to, from), Status{}; },
    .finish = [](const Matrix& c, double beta, const Epilogue& e,
                 void*) { return finish_elements(c, beta, e), Status{}; },
    .wait = [](void*) { return Status{}; },  // every launch has waited
};

}  // namespace

const Backend& backend() noexcept { return row; }
bool owns(const void* memory) noexcept { return Device::only().owns(memory); }
const char* refusal_of(const char* family) { return Device::only().refusal_of(family).c_str(); }

}  // namespace tw::metal
