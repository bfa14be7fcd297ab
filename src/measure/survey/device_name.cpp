// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/device_name.hpp"

#include <dlfcn.h>

#include "backend/cuda/backend.hpp"

namespace tw::measure {

std::string device_name(const Backend& backend) {
    if (&backend != &cuda::backend()) return backend.name;
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!driver) return backend.name;
    const auto current = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuCtxGetDevice"));
    const auto name_of = reinterpret_cast<int (*)(char*, int, int)>(dlsym(driver, "cuDeviceGetName"));
    int device = 0;
    char name[128] = "";
    const bool is_told =
        current && name_of && current(&device) == 0 && name_of(name, sizeof name, device) == 0 && *name;
    dlclose(driver);
    return is_told ? name : backend.name;
}

}  // namespace tw::measure
