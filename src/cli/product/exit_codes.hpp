// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "cli/product/product.hpp"
#include "tilewright/error.hpp"
#include "tilewright/status.hpp"

namespace tw::cli {

/// Turns an exception of the library into an exit code of tw.
template <class Work>
auto with_exit_codes(Work work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Stop(exit_for(error.status().code), error.what());
    }
}

}  // namespace tw::cli
