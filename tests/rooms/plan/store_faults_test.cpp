// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tuning store's file when writers are killed, and when links lie where it writes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "plan/store.hpp"

namespace tw {
namespace {

constexpr const char* key = "here-3-0.1.0";

Tuned record_of(std::int64_t m) {
    return {
        .m = m, .n = 20, .k = 30, .accuracy = fp32, .allowed_threads = 4, .kernel = "cpu.r1_naive.f32", .threads = 1};
}

class StoreFaults : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/tilewright-store-XXXXXX";
        folder_ = mkdtemp(name);
        path_ = folder_ + "/tuning";
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string add(std::int64_t m) const {
        const Tuned record = record_of(m);
        return add_to_store(path_, key, {&record, 1});
    }
    std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.insert(entry.path().filename());
        return names;
    }
    std::string folder_, path_;
};

TEST_F(StoreFaults, NothingIsWrittenThroughALinkThatLiesInTheWay) {
    const std::string victim = folder_ + "/victim";
    std::ofstream(victim) << "precious";
    for (const std::string& suffix : {std::string(".part"), ".part" + std::to_string(getpid())})
        std::filesystem::create_symlink(victim, path_ + suffix);
    EXPECT_EQ(add(7), "");
    std::ostringstream text;
    text << std::ifstream(victim).rdbuf();
    EXPECT_EQ(text.str(), "precious");
    EXPECT_FALSE(std::filesystem::is_symlink(path_)) << "the store has become the link";

    std::filesystem::remove(path_ + ".lock");
    std::filesystem::create_symlink(folder_ + "/nowhere", path_ + ".lock");
    EXPECT_NE(add(8), "");
    EXPECT_FALSE(std::filesystem::exists(folder_ + "/nowhere")) << "a file was made where the link leads";
}

TEST_F(StoreFaults, ARecordAnswersForItsOwnAccuracyAlone) {
    ASSERT_EQ(add(5), "");
    const Store store = read_store(path_, key);
    EXPECT_TRUE(find_tuned(store, {.m = 5, .n = 20, .k = 30, .accuracy = fp32}, 4));
    EXPECT_FALSE(find_tuned(store, {.m = 5, .n = 20, .k = 30, .accuracy = tf32}, 4));
    EXPECT_FALSE(find_tuned(store, {.m = 5, .n = 20, .k = 30, .accuracy = Accuracy(1e-3)}, 4));
}

TEST_F(StoreFaults, KilledWritersLeaveNothingAndLoseNothing) {
    ASSERT_EQ(add(1), "");
    for (int i = 0; i < 30; ++i) {
        const pid_t writer = fork();
        if (writer == 0)
            for (std::int64_t m = 1000;; ++m)
                if (!add(m).empty()) _exit(1);
        usleep(2000 + 700 * static_cast<unsigned>(i % 10));
        kill(writer, SIGKILL);
        int status = 0;
        ASSERT_EQ(waitpid(writer, &status, 0), writer);
        EXPECT_TRUE(WIFSIGNALED(status)) << "it could not write";
    }
    ASSERT_EQ(add(2), "");
    EXPECT_EQ(files(), (std::set<std::string>{"tuning", "tuning.lock"}));
    const Store store = read_store(path_, key);
    EXPECT_EQ(store.trouble, "");
    for (const std::int64_t m : {1, 2})
        EXPECT_TRUE(find_tuned(store, {.m = m, .n = 20, .k = 30}, 4)) << "record " << m << " is lost";
}

/// A daemon has closed its standard input, so that the next file is number 0.
TEST(StoreKey, IsTheSameWithoutStandardInput) {
    const std::string with_input = store_key();
    EXPECT_EXIT(
        {
            close(STDIN_FILENO);
            std::_Exit(store_key() == with_input ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tw
