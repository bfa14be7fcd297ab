// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tuning store: a text file with one record a line, each with its checksum. A record only picks among the ladder's
// kernels and tiles and changes no promise. If anything is wrong with the file, the default rules work without it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/contract.hpp"

namespace tw {

/// One record: for this problem and at most so many threads, the fastest kernel, tile and number of threads.
struct Tuned {
    std::int64_t m = 0, n = 0, k = 0;
    Type in = Type::f32, out = Type::f32;
    Form a = Form::row_major, b = Form::row_major, c = Form::row_major;
    Accuracy accuracy{};      ///< resolved: never automatic
    int allowed_threads = 1;  ///< by the caller
    std::string kernel{};
    Tile tile{};
    int threads = 1;  ///< the fastest number

    /// True when the record is for this problem; a new record replaces an old one for the same problem.
    bool answers(const Problem& problem, int allowed) const noexcept;
};

/// Machine, its features and this library's version: a record is used only where all three match.
std::string store_key();

struct Store {
    std::vector<Tuned> records{};       ///< for this key
    std::vector<std::string> others{};  ///< lines of other machines and versions: kept as they are
    std::string trouble{};              ///< one sentence when something is wrong with the file, else empty
    bool is_foreign = false;            ///< of a later format, or not a store: must not be replaced
};

/// Reads a file; a missing file is an empty store without trouble.
Store read_store(const std::string& path, const std::string& key);

/// Adds records to the file, or replaces those for the same problem. It reads, merges and renames under a lock, so
/// writers at the same time lose nothing. A damaged store is kept as "PATH.damaged"; a file that is not a tuning store
/// is not touched. Without records it only tests whether the file can be written. Returns a sentence when it fails,
/// else "".
std::string add_to_store(const std::string& path, const std::string& key, std::span<const Tuned> records);

/// TW_STORE, else tilewright/tuning in XDG_CACHE_HOME or ~/.cache; "" when none of them is set.
std::string store_path();

/// This process's store, read once; null when there is no file, or not enough memory to read it.
const Store* tuning_store() noexcept;

/// The record for a problem; null when there is none.
const Tuned* find_tuned(const Store& store, const Problem& problem, int allowed_threads) noexcept;

}  // namespace tw
