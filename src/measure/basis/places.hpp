// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a peer's threads run. A thread that shares its processor with another of the same library makes all others wait
// for it, a time slice of some milliseconds; so each has a processor of its own, and a core where there are enough.
#pragma once

#include <vector>

#include "base/cores.hpp"

namespace tw::measure {

/// So many processors of those allowed, the last ones first, each core's second hardware thread after all cores' first.
std::vector<int> places_for(int threads, const Processors& allowed);

/// The calling thread runs on these from now on, and those that it starts. Nothing changes if there are none.
void stay_on(const Processors& few) noexcept;

/// Brings the calling thread to so many processors, and makes an OpenMP that is loaded from now on keep each of its
/// threads on one of them, unless the environment says already where they go.
void take_places(int threads);

/// After a library was opened: GNU's OpenMP binds the thread that loads it, and nobody if another library had loaded it
/// before, so the calling thread goes to the first of its places here.
void take_first_place(void* library, int threads);

}  // namespace tw::measure
