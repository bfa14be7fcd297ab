// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>

namespace tw::measure {

/// dlopen(), locally. A library that comes with Python's packages needs others that lie beside it, where no loader
/// looks: those that are missed are opened from its own folder first. Null: `trouble` has the loader's words.
void* open_with_neighbours(const std::string& file, std::string& trouble);

}  // namespace tw::measure
