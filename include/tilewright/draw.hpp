// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

#include "tilewright/layout.hpp"
#include "tilewright/version.hpp"

namespace tw {

/// The grid of offsets as text: what `tw layout` prints.
TW_API std::string draw(const Layout& layout);
TW_API std::string draw(const BlockedLayout& layout);

}  // namespace tw
