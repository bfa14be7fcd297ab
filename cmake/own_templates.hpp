// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Read before everything else where the memory sanitizer is on: it takes what uninstrumented code wrote for
// uninitialised, and strings and streams of the C++ library are such code. Here they are compiled anew, with ours. (A
// -D of this macro does nothing: the library's own definition comes later.)
#pragma once

#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
