// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/door.hpp"

#include <dlfcn.h>

#include "backend/metal/effort/rows.hpp"
#include "backend/metal/on_linux/backend.hpp"
#include "backend/metal/rows.hpp"
#include "base/cpu_features.hpp"
#include "base/own_file.hpp"

namespace tw::metal_check {
namespace {

constexpr const char* file = "libtilewright_metal_check.so";
constexpr const char* not_found =
#ifdef TW_BUILDS_METAL_CHECK
    "libtilewright_metal_check.so was found neither beside this library nor by the dynamic linker: the build's target "
    "tilewright_metal_check makes it";
#else
    "this build does not make libtilewright_metal_check.so: it found no clang of version 14 to 19, or has a sanitizer";
#endif
constexpr const char* too_old =
    "the executed kernels are compiled for AVX2, FMA and F16C, which this processor does not have";
constexpr const char* of_another_version = "libtilewright_metal_check.so is of another version than this library";

struct Opened {
    const Door* door = nullptr;
    const char* absence = "";
};

Opened open() {
#if defined(__x86_64__)
    if (!(cpu_features_unmasked() & cpu_feature::avx2)) return {nullptr, too_old};
#endif
    void* library = nullptr;
    if (const std::string folder = trusted_folder_of(reinterpret_cast<const void*>(&door)); !folder.empty())
        for (const char* below : {"", "../lib/"})  // beside a library, or beside a program's folder
            if (!library) library = dlopen((folder + below + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return {nullptr, not_found};
    const auto entry = reinterpret_cast<DoorEntry*>(dlsym(library, door_name));
    const Door* found = entry ? entry(door_stamp) : nullptr;
    return {found, found ? "" : of_another_version};
}

const Opened& opened() noexcept {
    static const Opened once = open();
    return once;
}

struct Machine {
    static constexpr const char* name = "metal-check";
    static Status launch(const metal::Dispatch& dispatch) { return metal_check::launch({&dispatch, 1}); }
    static Status launch_all(std::span<const metal::Dispatch> dispatches) { return metal_check::launch(dispatches); }
};

constexpr Backend row{
    .name = Machine::name,
    .place = Place::host,
    .ladder = metal::ladder_of<Machine>,
    .feature_names = metal::feature_names,
    .features = [] { return metal::simdgroup_matrices | metal::async_copy | metal::bfloat_type; },
    .devices = [] { return door() ? 1 : 0; },
    .absence = [] { return absence(); },
    .effort = metal::effort_rows_of<Machine>,
    .roofs = {},
    .times_mean_nothing = true,
};

}  // namespace

const Door* door() noexcept { return opened().door; }
const char* absence() noexcept { return opened().absence; }

Status launch(std::span<const metal::Dispatch> dispatches) {
    constexpr Status closed{Code::no_device, Argument::options,
                            "the library that executes Metal kernels was not found"};
    const Door* way = door();
    return way ? way->launch(dispatches) : closed;
}

const Backend& backend() noexcept { return row; }

}  // namespace tw::metal_check
