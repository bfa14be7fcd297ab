// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#define TILEWRIGHT_VERSION_MAJOR 0
#define TILEWRIGHT_VERSION_MINOR 1
#define TILEWRIGHT_VERSION_PATCH 0
#define TILEWRIGHT_VERSION "0.1.0"

#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

namespace tw {

/// The version of the library that is loaded, "0.1.0": it may differ from the headers' TILEWRIGHT_VERSION_*.
TW_API const char* version() noexcept;

}  // namespace tw
