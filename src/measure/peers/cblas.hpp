// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The peers with CBLAS functions: OpenBLAS, BLIS and MKL. Each function here fills in the calls and the version of an
// opened library.
#pragma once

#include "measure/peers/library.hpp"

namespace tw::measure {

void open_openblas(void* handle, PeerLibrary& library);
void open_blis(void* handle, PeerLibrary& library);
void open_mkl(void* handle, PeerLibrary& library);

}  // namespace tw::measure
