// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a rung launches its kernel: every launch passes the table of calls.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/failure.hpp"

namespace tw::cuda {

struct Launch {
    unsigned blocks = 1, threads = 1;
    std::size_t shared = 0;  ///< dynamic shared memory, bytes
    unsigned cluster = 1;    ///< blocks that share their shared memory
    unsigned products = 1;   ///< the grid's second dimension
    bool overlaps = false;   ///< may start before the kernel in front of it has ended (it waits for it by itself)
};

namespace detail {

inline Status launch(const void* kernel, const Launch& how, void* stream, void** arguments) noexcept {
    constexpr std::size_t without_asking = 48 * 1024;
    if (how.shared > without_asking) {
        const auto bytes = static_cast<int>(how.shared);
        const cudaError_t error = calls().kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (const Status bad = status_of(error, Step::prepare); !bad) return bad;
    }
    constexpr unsigned any_device_has = 8;
    if (how.cluster > any_device_has) {
        const cudaError_t error = calls().kernel_attribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (const Status bad = status_of(error, Step::prepare); !bad) return bad;
    }
    cudaLaunchAttribute attributes[2];
    unsigned count = 0;
    if (how.cluster > 1) {
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count++].val.clusterDim = {how.cluster, 1, 1};
    }
    if (how.overlaps) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(how.blocks, how.products);
    config.blockDim = dim3(how.threads);
    config.dynamicSmemBytes = how.shared;
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = attributes;
    config.numAttrs = count;
    return status_of(calls().launch(&config, kernel, arguments), Step::launch);
}

}  // namespace detail

template <class... Parameters, class... Arguments>
Status launch(void (*kernel)(Parameters...), const Launch& how, void* stream, const Arguments&... arguments) noexcept {
    std::tuple<Parameters...> held{static_cast<Parameters>(arguments)...};
    return std::apply(
        [&](auto&... one) {
            void* addresses[] = {&one...};
            return detail::launch(reinterpret_cast<const void*>(kernel), how, stream, addresses);
        },
        held);
}

}  // namespace tw::cuda
