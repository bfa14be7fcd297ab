// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

#include "backend/contract.hpp"

namespace tw::measure {

/// The driver's name for the calling thread's device, "NVIDIA H200"; the backend's name where there is no driver.
std::string device_name(const Backend& backend);

}  // namespace tw::measure
