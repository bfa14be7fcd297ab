// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where this code was loaded from, as the loader and the kernel know it. dladdr() is not asked: for code of the main
// program it answers argv[0], which is whatever the caller of the program wrote there.
#pragma once

#include <string>

namespace tw {

/// The path of the library or program that the code at this address is part of; "" when the system does not tell.
std::string file_of(const void* code);

/// The folder of that file, with a slash at its end, for libraries installed beside it. "" in a program that runs with
/// more rights than its caller: a hard link lets that caller choose the folder.
std::string trusted_folder_of(const void* code);

}  // namespace tw
