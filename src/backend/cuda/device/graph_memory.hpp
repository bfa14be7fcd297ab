// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Device memory that belongs to a graph while it is captured. The graph and each of its executables hold a CUDA user
// object; when the last of them has been destroyed and has run to its end, the memory is free to go.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tw::cuda {

/// What a stream is being captured into; id 0: it is not captured.
struct Capture {
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
};
Capture capture_of(void* stream) noexcept;

/// Null when there is no memory, or the graph can't be made to hold it.
void* allocate_for(const Capture& capture, std::size_t bytes) noexcept;

/// Frees what belonged to graphs that are gone: asked for before scratch is allocated, in a capture or not.
void free_memory_of_lost_graphs() noexcept;

}  // namespace tw::cuda
