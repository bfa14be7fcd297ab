// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

namespace tw::measure {

/// Until this process's threads have gone to sleep, but no longer than `most` seconds: a library's workers may look for
/// work for tens of milliseconds after a call, on cores that the next contestant wants. False: they have not.
bool wait_until_idle(double most = 0.5) noexcept;

}  // namespace tw::measure
