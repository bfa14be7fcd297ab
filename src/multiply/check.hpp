// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/multiply.hpp"

namespace tw {

/// Every rule about operands that can be settled without reading an element.
Status check_operands(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

}  // namespace tw
