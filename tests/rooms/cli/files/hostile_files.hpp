// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What must hold of every file that was made to break a reader: a sentence that names the file and the byte, exit 2,
// little memory.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cli/files/fault.hpp"
#include "rooms/cli/run_tw.hpp"

namespace tw::test {

struct Hostile {
    const char* name;
    std::string bytes;
    std::int64_t offset;   ///< the byte that the sentence must name
    const char* sentence;  ///< a part of it
};

inline std::vector<Hostile> together(std::initializer_list<std::vector<Hostile>> parts) {
    std::vector<Hostile> all;
    for (const std::vector<Hostile>& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

inline void expect_so_many(const std::vector<Hostile>& all, std::size_t least) {
    std::set<std::string> names;
    for (const Hostile& hostile : all) names.insert(hostile.name);
    EXPECT_EQ(names.size(), all.size());
    EXPECT_GE(names.size(), least);
}

template <class Parse>
void expect_faults(const std::vector<Hostile>& all, const Parse& parse) {
    for (const Hostile& hostile : all) {
        SCOPED_TRACE(hostile.name);
        try {
            parse(hostile.bytes);
            ADD_FAILURE() << "it was accepted";
        } catch (const cli::Fault& fault) {
            EXPECT_EQ(fault.offset(), hostile.offset) << fault.what();
            EXPECT_NE(std::string(fault.what()).find(hostile.sentence), std::string::npos) << fault.what();
        }
    }
}

/// The command was given the file at `bad`.
inline void expect_refused(const Ran& ran, const std::string& bad, const Hostile& hostile) {
    EXPECT_EQ(ran.code, 2);
    const std::string place = "tw: '" + bad + "': at byte " + std::to_string(hostile.offset) + ": ";
    EXPECT_EQ(ran.error.rfind(place, 0), 0u) << ran.error;
    EXPECT_NE(ran.error.find(hostile.sentence), std::string::npos) << ran.error;
    EXPECT_EQ(ran.error.find('\x1b'), std::string::npos) << "control codes reach the terminal";
    EXPECT_TRUE(keeps_within(ran, hostile.bytes.size())) << ran.peak_bytes;
}

}  // namespace tw::test
