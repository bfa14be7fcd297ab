// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Converts the C interface's values to C++, and keeps a thread's last failure as a sentence.
#pragma once

#include "tilewright/plan.hpp"
#include "tilewright/tilewright.h"

namespace tw::c_face {

Matrix from_c(const tw_matrix* m) noexcept;

/// A caller built against an older, shorter struct leaves the newer fields at their defaults; so does a null one all of
/// them. `executor` is where the options' own is kept: it must live as long as they do.
Status from_c(const tw_options* given, Executor& executor, Options& options) noexcept;

/// The code to return. A failure's sentence is kept for tw_last_error().
tw_code report(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c,
               const Options& options) noexcept;
tw_code report_null() noexcept;
const char* last_error() noexcept;

}  // namespace tw::c_face
