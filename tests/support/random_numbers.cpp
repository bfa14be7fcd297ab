// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "support/random_numbers.hpp"

#if defined(__GLIBCXX__)
TW_RANDOM()
#endif
