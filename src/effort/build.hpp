// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <span>

#include "formats/format.hpp"

namespace tw::effort {

/// try_build_effort() for a layout that need not be in the table.
Status build(const Format& format, std::span<const Matrix> experts, const EffortBuild& how,
             EffortMatrix& into) noexcept;

}  // namespace tw::effort
