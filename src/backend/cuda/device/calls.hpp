// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every call of the CUDA runtime that this backend makes passes this one table, so that a test can stand in for a
// device that fails: it replaces an entry, and no kernel needs to know.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tw::cuda {

struct Calls {
    cudaError_t (*driver_version)(int*);
    cudaError_t (*device_count)(int*);
    cudaError_t (*get_device)(int*);
    cudaError_t (*set_device)(int);
    cudaError_t (*device_attribute)(int*, cudaDeviceAttr, int);
    cudaError_t (*last_error)();
    cudaError_t (*alloc)(void**, std::size_t);
    cudaError_t (*free)(void*);
    cudaError_t (*copy)(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
    cudaError_t (*copy_rows)(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind,
                             cudaStream_t);
    cudaError_t (*clear)(void*, int, std::size_t, cudaStream_t);
    cudaError_t (*memory_left)(std::size_t*, std::size_t*);
    cudaError_t (*pointer_attributes)(cudaPointerAttributes*, const void*);
    cudaError_t (*wait_stream)(cudaStream_t);
    cudaError_t (*is_capturing)(cudaStream_t, cudaStreamCaptureStatus*);
    cudaError_t (*capture_info)(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*, cudaGraph_t*);
    cudaError_t (*exchange_capture_mode)(cudaStreamCaptureMode*);
    cudaError_t (*create_user_object)(cudaUserObject_t*, void*, cudaHostFn_t, unsigned, unsigned);
    cudaError_t (*release_user_object)(cudaUserObject_t, unsigned);
    cudaError_t (*retain_user_object)(cudaGraph_t, cudaUserObject_t, unsigned, unsigned);
    cudaError_t (*create_stream)(cudaStream_t*, unsigned);
    cudaError_t (*destroy_stream)(cudaStream_t);
    cudaError_t (*follow)(cudaStream_t, cudaEvent_t, unsigned);
    cudaError_t (*create_event)(cudaEvent_t*, unsigned);
    cudaError_t (*destroy_event)(cudaEvent_t);
    cudaError_t (*mark)(cudaEvent_t, cudaStream_t);
    cudaError_t (*ask_event)(cudaEvent_t);
    cudaError_t (*wait_event)(cudaEvent_t);
    cudaError_t (*alloc_locked)(void**, std::size_t, unsigned);
    cudaError_t (*free_locked)(void*);
    cudaError_t (*kernel_attribute)(const void*, cudaFuncAttribute, int);
    cudaError_t (*clusters_that_fit)(int*, const void*, const cudaLaunchConfig_t*);
    cudaError_t (*launch)(const cudaLaunchConfig_t*, const void*, void**);
    cudaError_t (*driver_entry)(const char*, void**, unsigned, unsigned long long, cudaDriverEntryPointQueryResult*);
};

/// The table in force: the CUDA runtime's own functions unless a test has replaced it.
const Calls& calls() noexcept;

/// Null puts the runtime's own back.
void replace_calls(const Calls* table) noexcept;
extern const Calls runtime_calls;

}  // namespace tw::cuda
