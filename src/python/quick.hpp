// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product of arrays that were handed over without Python.
#pragma once

#include "python/handed.hpp"
#include "tilewright/options.hpp"

namespace tw::python {

/// The result's shape; false when the operands' do not fit.
bool shape_of_product(const Handed& a, const Handed& b, std::int64_t (&shape)[most_dims], int& dims);

bool has_shape(const Handed& array, const std::int64_t* shape, int dims);

/// On the stream that c's library is working on; `residual` may be null. False with an exception when it failed.
bool multiply_handed(const Handed& a, const Handed& b, const Handed& c, const Handed* residual, Options& options);

}  // namespace tw::python
