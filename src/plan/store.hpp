// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What tuning found, remembered: a text file with one record a line, each with its checksum. A record can only pick
// among kernels and tiles that the ladder has, never what they promise; whatever is wrong with the file, the default
// rules give the same product without it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/contract.hpp"

namespace tw {

/// For this problem, within so many threads: this kernel, tile and number of threads.
struct Tuned {
    std::int64_t m = 0, n = 0, k = 0;
    Type in = Type::f32, out = Type::f32;
    Form a = Form::row_major, b = Form::row_major, c = Form::row_major;
    Accuracy accuracy{};      ///< resolved: never automatic
    int allowed_threads = 1;  ///< that the caller allows
    std::string kernel{};
    Tile tile{};
    int threads = 1;  ///< that it is best run with

    /// What a record is found by; a new one replaces the old one with the same.
    bool answers(const Problem& problem, int allowed) const noexcept;
};

/// Which machine, which of its features, which version of this library: a record counts only where all three agree.
std::string store_key();

struct Store {
    std::vector<Tuned> records{};       ///< for this key
    std::vector<std::string> others{};  ///< whole lines of other machines and versions: kept, not read
    std::string trouble{};              ///< one sentence when something is wrong with the file; empty: all is well
    bool is_foreign = false;            ///< of a later format, or no store at all: not ours to replace
};

/// Reads a file; one that is not there is an empty store without trouble.
Store read_store(const std::string& path, const std::string& key);

/// Adds records to the file, or replaces those with the same problem: read, merged and renamed under a lock, so that
/// writers at the same time lose nothing. A damaged store is kept beside as "PATH.damaged"; a file that is not a tuning
/// store is not touched. Without records nothing is written: it is only seen whether they could be. A sentence when it
/// fails, "" when not.
std::string add_to_store(const std::string& path, const std::string& key, std::span<const Tuned> records);

/// TW_STORE, else tilewright/tuning in XDG_CACHE_HOME or ~/.cache; "" when there is no such place.
std::string store_path();

/// This process's store, read once; null when there is no file, or no memory for what it says.
const Store* tuning_store() noexcept;

/// The record for a problem; null when there is none.
const Tuned* find_tuned(const Store& store, const Problem& problem, int allowed_threads) noexcept;

}  // namespace tw
