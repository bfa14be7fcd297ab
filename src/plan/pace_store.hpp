// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What `tw tune --machine` measured, in the tuning store. The store's key names the processor, its cores, its features
// and this version: on another machine nothing is found, and the rules go without.
#pragma once

#include <string>

#include "base/pace.hpp"
#include "plan/store.hpp"

namespace tw {

/// The pace has its own key, so that multiply() never takes it for a product.
std::string pace_store_key();

/// From a store read with that key; nothing measured when it has no record.
Pace pace_in(const Store& store) noexcept;

/// Like add_to_store(): returns a sentence when it fails, else "".
std::string store_pace(const std::string& path, const Pace& pace);

/// Hands this process's record, if there is one, to set_pace(). Reads the store once.
void use_stored_pace() noexcept;

}  // namespace tw
