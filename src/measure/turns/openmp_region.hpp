// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A parallel region of OpenMP, as in a caller's program. The runtime is opened if it is found, since nothing else here
// needs one.
#pragma once

namespace tw::measure {

bool has_openmp();

/// Calls call(context, i) for each i in [0, threads), each on its own thread of one region; false when there is no
/// runtime or the region got fewer threads.
bool run_in_region(int threads, void (*call)(void* context, int thread), void* context);

}  // namespace tw::measure
