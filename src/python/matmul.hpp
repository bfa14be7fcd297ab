// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <nanobind/nanobind.h>

namespace tw {
class Error;
}

namespace tw::python {

/// What a Python caller gets instead of a Status.
void set_error(const Error& error);

void bind_errors(nanobind::module_& module);
void bind_matmul(nanobind::module_& module);
void bind_entrance(nanobind::module_& module);
void bind_affine(nanobind::module_& module);
void bind_layout(nanobind::module_& module);
void bind_effort(nanobind::module_& module);
void bind_turned(nanobind::module_& module);

}  // namespace tw::python
