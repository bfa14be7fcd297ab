// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tw::cli {

/// What is wrong with a file's bytes, and where.
class Fault : public std::runtime_error {
public:
    Fault(std::int64_t offset, const std::string& what_is_wrong) : std::runtime_error(what_is_wrong), offset_(offset) {}
    std::int64_t offset() const noexcept { return offset_; }

private:
    std::int64_t offset_;
};

}  // namespace tw::cli
