// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Who looks at what is called in torch. A call that nobody looks at goes past its dispatcher.
#pragma once

#include <nanobind/nanobind.h>

namespace tw::python {

/// Once, when torch is there.
void find_watchers(PyObject* torch);

/// True where torch wants to see what is called: autocast, a mode of its dispatcher, a transform of functions, a trace,
/// a profile, or a torch that can't be asked. The answer counts once a tensor has been taken.
bool is_watched();

}  // namespace tw::python
