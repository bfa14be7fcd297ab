// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Work one of whose requests for memory or for a thread is refused.
#pragma once

#include <functional>

namespace tw::test {

/// Runs `work` on a thread without scratch of its own, refusing request i; returns how many requests it made.
int refuse_request(int i, const std::function<void()>& work);

}  // namespace tw::test
