// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "measure/peers/library.hpp"

namespace tw::measure {

/// Fills in the calls of an opened libxsmm, and the processor for which it generates code.
void open_libxsmm(void* handle, PeerLibrary& library);

}  // namespace tw::measure
