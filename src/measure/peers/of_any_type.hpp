// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// For a function that calls what it found by its name: whoever wrote that gave it a type of his own, to which clang's
// ubsan would object.
#pragma once

#if defined(__clang__)
#define TW_OF_ANY_TYPE __attribute__((no_sanitize("function")))
#else
#define TW_OF_ANY_TYPE
#endif
