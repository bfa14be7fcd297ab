// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_mac/roofs.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "backend/metal/on_mac/device.hpp"

namespace tw::metal {
namespace {

/// Bandwidths are Apple's figures. Clocks are those by which 256 flops a clock and core give Apple's TFLOP/s, which it
/// stopped naming with M3.
constexpr Chip chips[] = {
    {"Apple M1", 1.278, 68.25},     {"Apple M1 Pro", 1.296, 200},   {"Apple M1 Max", 1.296, 400},
    {"Apple M1 Ultra", 1.296, 800}, {"Apple M2", 1.398, 100},       {"Apple M2 Pro", 1.398, 200},
    {"Apple M2 Max", 1.398, 400},   {"Apple M2 Ultra", 1.398, 800}, {"Apple M3", 0, 100},
    {"Apple M3 Pro", 0, 150},       {"Apple M3 Ultra", 0, 819},     {"Apple M4", 0, 120},
    {"Apple M4 Pro", 0, 273},
};

/// Functions of two frameworks, looked up when they are first wanted, so that neither is linked.
class Frameworks {
public:
    template <class Function>
    static Function find(const char* name) noexcept {
        static void* const io = dlopen("/System/Library/Frameworks/IOKit.framework/IOKit", RTLD_NOW | RTLD_LOCAL);
        return io ? reinterpret_cast<Function>(dlsym(io, name)) : nullptr;
    }
};

double fma_of_this() {
    static const double gflops = fma_gflops(Device::only().name(), gpu_cores());
    return gflops;
}

double bandwidth_of_this() { return chip_of(Device::only().name()).gigabytes_per_second; }

}  // namespace

Chip chip_of(std::string_view name) noexcept {
    const auto found = std::find_if(std::begin(chips), std::end(chips), [&](const Chip& c) { return c.name == name; });
    return found != std::end(chips) ? *found : Chip{name, 0, 0};
}

double fma_gflops(std::string_view name, int cores) noexcept { return 256 * chip_of(name).clock_ghz * cores; }

int gpu_cores() noexcept {
    constexpr unsigned main_port = 0, ascii = 0x0600;  // kIOMainPortDefault, kCFStringEncodingASCII
    constexpr long int_type = 9;                       // kCFNumberIntType
    const auto matching = Frameworks::find<void* (*)(const char*)>("IOServiceMatching");
    const auto service = Frameworks::find<unsigned (*)(unsigned, void*)>("IOServiceGetMatchingService");
    const auto property =
        Frameworks::find<void* (*)(unsigned, void*, void*, unsigned)>("IORegistryEntryCreateCFProperty");
    const auto free_service = Frameworks::find<int (*)(unsigned)>("IOObjectRelease");
    const auto string = Frameworks::find<void* (*)(void*, const char*, unsigned)>("CFStringCreateWithCString");
    const auto value_of = Frameworks::find<bool (*)(void*, long, void*)>("CFNumberGetValue");
    const auto release = Frameworks::find<void (*)(void*)>("CFRelease");
    if (!matching || !service || !property || !free_service || !string || !value_of || !release) return 0;

    const unsigned gpu = service(main_port, matching("AGXAccelerator"));  // which takes the description
    if (!gpu) return 0;
    void* const key = string(nullptr, "gpu-core-count", ascii);
    void* const number = key ? property(gpu, key, nullptr, 0) : nullptr;
    int cores = 0;
    if (number && !value_of(number, int_type, &cores)) cores = 0;
    if (number) release(number);
    if (key) release(key);
    free_service(gpu);
    return std::max(cores, 0);
}

const Roof roofs[roof_count] = {
    {"FMA", "f32", 0, fma_of_this, nullptr},
    {"memory", "bytes", 0, bandwidth_of_this, nullptr},
};

}  // namespace tw::metal
