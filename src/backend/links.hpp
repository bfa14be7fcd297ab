// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How devices of one family share what one of them has: beside AsyncCopies, for products on several devices.
#pragma once

#include "tilewright/status.hpp"

namespace tw {

struct DeviceLinks {
    Status (*open)(void*& across);  ///< the calling thread's stream for copies from other devices; AsyncCopies is open
    void* (*handle_of)(int event);  ///< of an event that has been recorded, for other threads' follow()
    Status (*follow)(void* stream, void* handle);  ///< later work of the stream starts after that event
    bool (*reaches)(int device);                   ///< copies from that device need not pass through the host
};

}  // namespace tw
