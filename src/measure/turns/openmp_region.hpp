// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A parallel region of OpenMP, as a caller's program may have one: by the runtime that is found, since nothing here
// needs it.
#pragma once

namespace tw::measure {

bool has_openmp();

/// Calls call(context, i) for each i in [0, threads), each by a thread of its own of one region; false where there is
/// no runtime or the region got fewer threads.
bool run_in_region(int threads, void (*call)(void* context, int thread), void* context);

}  // namespace tw::measure
