// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <nanobind/nanobind.h>

#include "python/matmul.hpp"
#include "tilewright/version.hpp"

NB_MODULE(_native, module) {
    module.doc() = "The library behind the package; use `tilewright` itself.";
    module.attr("version") = tw::version();
    tw::python::bind_errors(module);
    tw::python::bind_matmul(module);
    tw::python::bind_entrance(module);
    tw::python::bind_affine(module);
    tw::python::bind_layout(module);
    tw::python::bind_effort(module);
    tw::python::bind_turned(module);
}
