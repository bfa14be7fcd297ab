// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The history under every fault that a file can have: one sentence, and the results go on.
#include "measure/rows/history.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tw::measure {
namespace {

class History : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/tilewright-history-XXXXXX";
        folder_ = mkdtemp(name);
        path_ = folder_ + "/below/history.sqlite";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void execute(const char* text) const {
        sqlite3* file = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &file), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(file, text, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(file);
    }
    std::string folder_, path_;
};

measure::Run one_row(const std::string& kernel) {
    measure::Run run{.command = "bench", .machine = this_machine(), .clock_hz = 1e9};
    Row row;
    row.provider = "tilewright";
    row.device = "cpu";
    row.kernel = kernel;
    row.type = "f32";
    row.m = row.n = row.k = 4;
    row.seconds = {1e-6, 2e-6, 3e-6};
    row.gflops = 0.064;
    row.ok = true;
    run.rows.push_back(row);
    return run;
}

TEST_F(History, TheLastRunIsFound) {
    ASSERT_EQ(add_to_history(path_, one_row("first")), "");
    ASSERT_EQ(add_to_history(path_, one_row("second")), "");
    const auto rows = last_from_history(path_, "bench", this_machine());
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].kernel, "second");
    EXPECT_EQ(rows[0].seconds.size(), 3u);
    EXPECT_TRUE(last_from_history(path_, "ladder", this_machine()).empty());
    Machine other = this_machine();
    other.processor = "another";
    EXPECT_TRUE(last_from_history(path_, "bench", other).empty());
}

TEST_F(History, CorruptIsASentence) {
    std::filesystem::create_directories(folder_ + "/below");
    std::ofstream(path_) << std::string(10000, 'x');
    EXPECT_NE(add_to_history(path_, one_row("x")).find("the history is not kept"), std::string::npos);
    EXPECT_TRUE(last_from_history(path_, "bench", this_machine()).empty());
}

TEST_F(History, ALaterSchemaIsLeftAlone) {
    ASSERT_EQ(add_to_history(path_, one_row("x")), "");
    execute("PRAGMA user_version=9");
    EXPECT_NE(add_to_history(path_, one_row("y")).find("schema 9"), std::string::npos);
}

TEST_F(History, LockedIsASentence) {
    ASSERT_EQ(add_to_history(path_, one_row("x")), "");
    sqlite3* holder = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &holder), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(holder, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_NE(add_to_history(path_, one_row("y")).find("locked"), std::string::npos);
    sqlite3_close(holder);
}

TEST_F(History, ReadOnlyIsASentence) {
    if (geteuid() == 0) GTEST_SKIP() << "nothing is read-only to root";
    ASSERT_EQ(add_to_history(path_, one_row("x")), "");
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
    EXPECT_NE(add_to_history(path_, one_row("y")).find("readonly"), std::string::npos);
}

TEST_F(History, NoPlaceIsASentence) {
    EXPECT_NE(add_to_history("", one_row("x")), "");
    EXPECT_NE(add_to_history("/proc/tilewright/history", one_row("x")), "");
}

}  // namespace
}  // namespace tw::measure
