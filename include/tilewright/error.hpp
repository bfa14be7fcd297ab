// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <stdexcept>
#include <string>

#include "tilewright/status.hpp"
#include "tilewright/version.hpp"

namespace tw {

/// Thrown by the C++ face: a Status, and the sentence that says what was expected and what came.
class TW_API Error : public std::runtime_error {
public:
    Error(Status status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
    const Status& status() const noexcept { return status_; }

private:
    Status status_;
};

}  // namespace tw
