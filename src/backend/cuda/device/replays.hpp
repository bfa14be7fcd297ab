// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Work that a queue is told once and the device then does again and again, without the host in between: a CUDA graph.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

/// What libtilewright_cuda brings for it. A queue is one of AsyncCopies::open(): the default stream can't be recorded.
struct Replays {
    Status (*record)(void* queue);  ///< what the calling thread gives the queue from now on is kept, not done
    Status (*end)(void* queue, void*& recorded);  ///< no more of it; null when that failed, else to be dropped
    Status (*replay)(void* recorded, void* queue);
    void (*drop)(void* recorded);
};

/// Null where there is no libtilewright_cuda.
const Replays* replays() noexcept;

}  // namespace tw::cuda
