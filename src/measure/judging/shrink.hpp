// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From a case that fails to the plainest one that does.
#pragma once

#include <functional>

#include "measure/judging/case.hpp"

namespace tw::judging {

/// Takes what is odd back and halves what is large as long as it fails; `fails` is asked at most `most` times.
Case shrink(Case one, const std::function<bool(const Case&)>& fails, int most = 2000);

}  // namespace tw::judging
