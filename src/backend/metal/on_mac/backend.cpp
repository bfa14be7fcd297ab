// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The row of the GPU of a Mac.
#include "backend/metal/backend.hpp"

#include <map>

#include "backend/metal/effort/rows.hpp"
#include "backend/metal/on_mac/device.hpp"
#include "backend/metal/on_mac/roofs.hpp"
#include "backend/metal/on_mac/shared_memory.hpp"
#include "backend/metal/on_mac/sources.hpp"
#include "backend/metal/rows.hpp"
#include "epilogue/finish.hpp"

namespace tw::metal {
namespace {

struct Gpu {
    static constexpr const char* name = "metal";
    static Status launch(const Dispatch& dispatch) { return Device::only().launch({&dispatch, 1}); }
    static Status launch_all(std::span<const Dispatch> dispatches) { return Device::only().launch(dispatches); }
};

constexpr Status only_one{Code::no_device, Argument::options, "only Metal's default GPU can be used: metal or metal:0"};

/// Scratch that this thread keeps between calls.
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
    .finish =
        [](const Matrix& c, double beta, double beta_imag, const Epilogue& epilogue, void*) {
            if (is_complex(c.type)) finish_complex(c, {beta, beta_imag}, epilogue);
            else finish(c, beta, epilogue);
            return Status{};
        },
    .wait = [](void*) { return Status{}; },  // every launch has waited
    .effort = effort_rows_of<Gpu>,
    .roofs = roofs,
};

}  // namespace

const Backend& backend() noexcept { return row; }
bool owns(const void* memory) noexcept { return Device::only().owns(memory); }
bool may_own() noexcept { return true; }
Status launch(std::span<const Dispatch> dispatches) { return Device::only().launch(dispatches); }
double last_gpu_seconds() { return Device::only().last_gpu_seconds(); }
Status multiply_by_mps(const Matrix& a, const Matrix& b, const Matrix& c) {
    return Device::only().multiply_by_mps(a, b, c);
}
const char* why_no_mps() { return Device::only().why_no_mps(); }

std::string device_name() { return Device::only().name(); }

std::vector<FamilyState> family_states() {
    std::vector<FamilyState> states;
    if (!Device::only().is_there()) return states;
    for (const SourceFile* file = source_files; file->name; ++file) {
        const std::string_view name = file->name;
        const std::size_t end = name.find(".metal");
        if (end == std::string_view::npos) continue;  // a header
        const std::string family(name.substr(0, end));
        const char* instead = family == "r9_async_pipeline" ? "r9_plain_loads"
                              : family == "loaders_async"   ? "loaders_plain"
                                                            : "";
        states.push_back({family, Device::only().refusal_of(family.c_str()), instead});
    }
    return states;
}

}  // namespace tw::metal
