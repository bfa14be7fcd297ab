// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "measure/peers/library.hpp"

namespace tw::measure {

/// Fills in the calls and the version of an opened cuBLAS. Its operands are on the device.
void open_cublas(void* handle, PeerLibrary& library);

}  // namespace tw::measure
