// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tuning store under every fault that a file can have: the product stays right, nothing is lost.
#include "plan/store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/threads.hpp"
#include "plan/names.hpp"
#include "plan/registry.hpp"
#include "plan/store_line.hpp"
#include "support/own_program.hpp"
#include "tilewright/plan.hpp"

namespace tw {
namespace {

constexpr const char* key = "here-3-0.1.0";

class StoreFile : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/tilewright-store-XXXXXX";
        folder_ = mkdtemp(name);
        path_ = folder_ + "/below/tuning";
    }
    void TearDown() override {
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
        std::filesystem::remove_all(folder_);
    }
    std::string text() const {
        std::ostringstream all;
        all << std::ifstream(path_).rdbuf();
        return all.str();
    }
    void write(const std::string& bytes) const {
        std::filesystem::create_directories(folder_ + "/below");
        std::ofstream(path_) << bytes;
    }
    std::string folder_, path_;
};

Tuned record_of(std::int64_t m, int threads = 2) {
    return {.m = m,
            .n = 20,
            .k = 30,
            .accuracy = fp32,
            .allowed_threads = 4,
            .kernel = "cpu.r7_hierarchical.f32.portable",
            .tile = {96, 1024, -4},
            .threads = threads};
}

TEST_F(StoreFile, ChecksumIsTheUsualCrc32) { EXPECT_EQ(checksum("123456789"), 0xcbf43926u); }

TEST_F(StoreFile, WhatIsWrittenIsRead) {
    const Tuned both[] = {record_of(10), record_of(11)};
    ASSERT_EQ(add_to_store(path_, key, both), "");
    const Store store = read_store(path_, key);
    EXPECT_EQ(store.trouble, "");
    ASSERT_EQ(store.records.size(), 2u);
    const Problem problem{.m = 11, .n = 20, .k = 30};
    const Tuned* found = find_tuned(store, problem, 4);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernel, both[1].kernel);
    EXPECT_EQ(found->tile, both[1].tile);
    EXPECT_FALSE(find_tuned(store, problem, 8)) << "another number of threads is another question";
    EXPECT_FALSE(find_tuned(store, {.m = 11, .n = 20, .k = 30, .in = Type::f64, .out = Type::f64}, 4));
}

TEST_F(StoreFile, ALaterRecordReplacesTheOneBefore) {
    const Tuned first[] = {record_of(10, 1)}, second[] = {record_of(10, 3)};
    ASSERT_EQ(add_to_store(path_, key, first), "");
    ASSERT_EQ(add_to_store(path_, key, second), "");
    const Store store = read_store(path_, key);
    ASSERT_EQ(store.records.size(), 1u);
    EXPECT_EQ(store.records[0].threads, 3);
}

TEST_F(StoreFile, NoFileIsNoTrouble) {
    const Store store = read_store(path_, key);
    EXPECT_TRUE(store.records.empty());
    EXPECT_EQ(store.trouble, "");
}

TEST_F(StoreFile, OtherMachinesAndVersionsAreKeptAndNotRead) {
    const Tuned one[] = {record_of(10)};
    ASSERT_EQ(add_to_store(path_, "there-3-0.1.0", one), "");
    ASSERT_EQ(add_to_store(path_, "here-3-0.0.9", one), "");
    ASSERT_EQ(add_to_store(path_, key, one), "");
    for (const char* each : {"there-3-0.1.0", "here-3-0.0.9", key})
        EXPECT_EQ(read_store(path_, each).records.size(), 1u) << each;
    EXPECT_EQ(read_store(path_, key).others.size(), 2u);
}

TEST_F(StoreFile, EveryByteThatIsWrongIsNoticed) {
    const Tuned two[] = {record_of(10), record_of(11)};
    ASSERT_EQ(add_to_store(path_, key, two), "");
    const std::string whole = text();
    const std::size_t first_record = whole.find('\n') + 1;
    for (std::size_t at = first_record; at + 1 < whole.size(); ++at) {
        std::string wrong = whole;
        wrong[at] = static_cast<char>(wrong[at] ^ 1);
        write(wrong);
        const Store store = read_store(path_, key);
        EXPECT_LE(store.records.size(), 1u) << "byte " << at;
        EXPECT_NE(store.trouble, "") << "byte " << at;
    }
    write(whole.substr(0, whole.size() - 5));
    EXPECT_EQ(read_store(path_, key).records.size(), 1u);
}

TEST_F(StoreFile, ADamagedFileIsKeptBesideAndItsGoodLinesGoOn) {
    const Tuned two[] = {record_of(10), record_of(11)}, third[] = {record_of(12)};
    ASSERT_EQ(add_to_store(path_, key, two), "");
    std::string wrong = text();
    wrong[wrong.size() - 3] = '9';
    write(wrong);
    ASSERT_EQ(add_to_store(path_, key, third), "");
    EXPECT_EQ(read_store(path_, key).records.size(), 2u);
    EXPECT_EQ(read_store(path_, key).trouble, "");
    EXPECT_TRUE(std::filesystem::exists(path_ + ".damaged"));
}

TEST_F(StoreFile, AnotherFormatIsIgnoredAndANewerOneIsLeftAlone) {
    write("tilewright tuning store 2\nwhatever the future writes\n");
    const std::string before = text();
    const Store store = read_store(path_, key);
    EXPECT_TRUE(store.records.empty());
    EXPECT_NE(store.trouble.find("format 2"), std::string::npos);
    const Tuned one[] = {record_of(10)};
    EXPECT_NE(add_to_store(path_, key, one), "");
    EXPECT_EQ(text(), before);
}

TEST_F(StoreFile, WhatIsNoStoreAtAllIsIgnored) {
    for (const std::string& bytes :
         {std::string("hello"), std::string(5000, '\0'), std::string("\n\n\n"), std::string(5 << 20, 'x')}) {
        write(bytes);
        const Store store = read_store(path_, key);
        EXPECT_TRUE(store.records.empty());
        EXPECT_NE(store.trouble, "");
    }
    EXPECT_NE(read_store(folder_, key).trouble, "") << "a folder";
    const Tuned one[] = {record_of(10)};
    std::filesystem::remove(path_);
    ASSERT_EQ(add_to_store(path_, key, one), "");
    const std::string good = text();
    ASSERT_EQ(read_store(path_, key).records.size(), 1u);
    for (std::size_t at = 0; at < good.find('\n'); ++at) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ 2);
        write(bytes);
        EXPECT_TRUE(read_store(path_, key).records.empty()) << "byte " << at << " of the title";
    }
}

TEST_F(StoreFile, WhatIsNoStoreIsNeitherReplacedNorMoved) {
    const Tuned one[] = {record_of(10)};
    write("my thesis\n");
    EXPECT_NE(add_to_store(path_, key, one).find("this is not a tuning store; it is ignored; it is left as it is"),
              std::string::npos);
    EXPECT_EQ(text(), "my thesis\n");
    const std::string folder = folder_ + "/mine", pipe = folder_ + "/pipe";
    std::filesystem::create_directories(folder);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& place : {folder, pipe}) {  // a device such as /dev/null is met as a pipe is
        EXPECT_NE(add_to_store(place, key, one).find("it is left as it is"), std::string::npos) << place;
        EXPECT_FALSE(std::filesystem::exists(place + ".damaged"));
        EXPECT_FALSE(std::filesystem::is_regular_file(place));
    }
}

TEST_F(StoreFile, NothingToAddWritesNothingButSaysWhetherItCould) {
    EXPECT_EQ(add_to_store(path_, key, {}), "");
    EXPECT_FALSE(std::filesystem::exists(path_));
    write("my thesis\n");
    EXPECT_NE(add_to_store(path_, key, {}), "");
}

TEST_F(StoreFile, Fault15_HostileRecordsWithRightChecksumsAreNotParsed) {
    const auto line = [](const std::string& rest) {
        char sum[9];
        std::snprintf(sum, sizeof sum, "%08x", checksum(" " + std::string(key) + " " + rest));
        return std::string(sum) + " " + key + " " + rest;
    };
    Tuned record;
    ASSERT_TRUE(parse_line(line("1x2x3 f32 f32 rrr fp32 4 cpu.x 1,2,3 4"), record));
    for (const char* wrong :
         {"0x2x3 f32 f32 rrr fp32 4 cpu.x 1,2,3 4", "1x2x99999999999999999999 f32 f32 rrr fp32 4 cpu.x 1,2,3 4",
          "1x2x3 f31 f32 rrr fp32 4 cpu.x 1,2,3 4", "1x2x3 f32 f32 rr fp32 4 cpu.x 1,2,3 4",
          "1x2x3 f32 f32 rrq fp32 4 cpu.x 1,2,3 4", "1x2x3 f32 f32 rrr auto 4 cpu.x 1,2,3 4",
          "1x2x3 f32 f32 rrr nan 4 cpu.x 1,2,3 4", "1x2x3 f32 f32 rrr fp32 0 cpu.x 1,2,3 4",
          "1x2x3 f32 f32 rrr fp32 4 cpu.x -1,2,3 4", "1x2x3 f32 f32 rrr fp32 4 cpu.x 1,2,3 5",
          "1x2x3 f32 f32 rrr fp32 4 cpu.x 1,2,3 4 more", "1x2x3 f32 f32 rrr fp32 4  1,2,3 4", ""})
        EXPECT_FALSE(parse_line(line(wrong), record)) << wrong;
}

TEST_F(StoreFile, ReadOnlyIsASentence) {
    if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
    std::filesystem::create_directories(folder_ + "/below");
    std::filesystem::permissions(folder_ + "/below",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const Tuned one[] = {record_of(10)};
    EXPECT_NE(add_to_store(path_, key, one).find("can't be"), std::string::npos);
}

TEST_F(StoreFile, APlaceThatCanNotBeWrittenIsASentence) {
    const Tuned one[] = {record_of(10)};
    EXPECT_NE(add_to_store("/proc/tilewright/tuning", key, one).find("can't be"), std::string::npos);
    EXPECT_NE(add_to_store("", key, one), "");
}

TEST_F(StoreFile, Fault14_EightWritersAtOnceLoseNothing) {
    constexpr int writers = 8;
    const int each = std::getenv("TW_LONG_TESTS") ? 1000 : 12;
    for (int w = 0; w < writers; ++w)
        if (fork() == 0) {
            int failures = 0;
            for (int i = 0; i < each; ++i) {
                const Tuned one[] = {record_of(1 + w * each + i)};
                failures += !add_to_store(path_, key, one).empty();
            }
            _exit(failures);
        }
    for (int w = 0; w < writers; ++w) {
        int status = 0;
        wait(&status);
        EXPECT_EQ(status, 0);
    }
    const Store store = read_store(path_, key);
    EXPECT_EQ(store.trouble, "");
    EXPECT_EQ(store.records.size(), static_cast<std::size_t>(writers * each));
}

TEST_F(StoreFile, AReaderDoesNotWaitForTheLock) {
    const Tuned one[] = {record_of(10)};
    ASSERT_EQ(add_to_store(path_, key, one), "");
    const int lock = open((path_ + ".lock").c_str(), O_RDWR);
    ASSERT_EQ(flock(lock, LOCK_EX), 0);
    EXPECT_EQ(read_store(path_, key).records.size(), 1u);
    close(lock);
}

/// The plan for 40 x 50 x 60 and whether its product is right.
struct Planned {
    char kernel[64] = "", reason[64] = "";
    int threads = 0;
    int is_right = 0;  // no bool: its padding would be sent unwritten
};
Planned plan_here() {
    Planned told;
    Plan plan;
    const Problem problem{.m = 40, .n = 50, .k = 60};
    if (!try_plan(problem, {.threads = 4}, plan)) return told;
    std::snprintf(told.kernel, sizeof told.kernel, "%s", plan.kernel_name());
    std::snprintf(told.reason, sizeof told.reason, "%s", plan.reason);
    told.threads = plan.threads;
    const std::vector<float> a(40 * 60, 2), b(60 * 50, 3);
    std::vector<float> c(40 * 50, -1);
    const Matrix am{const_cast<float*>(a.data()), Type::f32, 40, 60, 60},
        bm{const_cast<float*>(b.data()), Type::f32, 60, 50, 50};
    told.is_right =
        plan.try_run(am, bm, {c.data(), Type::f32, 40, 50, 50}).is_ok() && c == std::vector<float>(40 * 50, 360);
    return told;
}

/// A process reads its store once, so this program is started anew for each: it answers and ends before any test.
constexpr const char* descriptor_to_answer = "TW_TEST_ANSWER";

class AnswersAParent : public testing::Environment {
    void SetUp() override {
        const char* number = std::getenv(descriptor_to_answer);
        if (!number) return;
        const Planned told = plan_here();
        const ssize_t put = ::write(std::atoi(number), &told, sizeof told);
        _exit(put == sizeof told ? 0 : 1);
    }
};
[[maybe_unused]] const auto* const answers = testing::AddGlobalTestEnvironment(new AnswersAParent);

Planned plan_with(const std::string& store) {
    const std::string program = test::own_program();
    int ends[2];
    if (pipe(ends) != 0) return {};
    if (fork() == 0) {
        setenv("TW_STORE", store.c_str(), 1);
        setenv(descriptor_to_answer, std::to_string(ends[1]).c_str(), 1);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execl(program.c_str(), "test_plan", nullptr);
        _exit(1);
    }
    Planned told;
    close(ends[1]);
    if (read(ends[0], &told, sizeof told) != sizeof told) told = {};
    close(ends[0]);
    wait(nullptr);
    return told;
}

/// A kernel other than the one the rules take, whose bits are the same.
const Kernel* alternative(const char* chosen) {
    const Backend& cpu = *find_backend("cpu");
    const Kernel* is = nullptr;
    for (const Kernel* kernel : cpu.ladder)
        if (std::string(kernel->name) == chosen) is = kernel;
    for (const Kernel* kernel : cpu.ladder)
        if (is && kernel != is && kernel->in == is->in && kernel->order == is->order &&
            (kernel->needs & ~cpu.features()) == 0 && !kernel->takes)
            return kernel;
    return nullptr;
}

TEST_F(StoreFile, ChooseFollowsARecordAndRefusesWhatTheRulesWouldNot) {
    const Planned plain = plan_with(path_);
    ASSERT_TRUE(plain.is_right);
    ASSERT_STREQ(plain.reason, "the cheapest that keeps the promise");
    const Kernel* other = alternative(plain.kernel);
    if (!other) GTEST_SKIP() << "no other kernel sums in the order of " << plain.kernel;
    Tuned record{.m = 40,
                 .n = 50,
                 .k = 60,
                 .accuracy = fp32,
                 .allowed_threads = 4,
                 .kernel = other->name,
                 .tile = other->tiles.front(),
                 .threads = 1};
    ASSERT_EQ(add_to_store(path_, store_key(), std::span(&record, 1)), "");
    const Planned tuned = plan_with(path_);
    EXPECT_STREQ(tuned.kernel, other->name);
    EXPECT_STREQ(tuned.reason, "tuned on this machine");
    EXPECT_EQ(tuned.threads, 1);
    EXPECT_TRUE(tuned.is_right);

    // Hostile: a tile that the kernel does not have, a kernel of another type, one that is none at all.
    for (const auto& [kernel, tile] : {std::pair<const char*, Tile>{other->name, {7, 7, 7}},
                                       {"cpu.r1_naive.f64", {1, 1, 1}},
                                       {"cpu.nonsense", {1, 1, 1}}}) {
        record.kernel = kernel;
        record.tile = tile;
        ASSERT_EQ(add_to_store(path_, store_key(), std::span(&record, 1)), "");
        const Planned refused = plan_with(path_);
        EXPECT_STREQ(refused.kernel, plain.kernel) << kernel;
        EXPECT_TRUE(refused.is_right) << kernel;
    }
}

TEST_F(StoreFile, ARecordUnderAnEarlierNameOfItsKernelIsFollowed) {
    const Planned plain = plan_with(path_);
    const Kernel* const chosen = find_kernel(plain.kernel);
    ASSERT_TRUE(chosen) << plain.kernel;
    const Backend& cpu = *find_backend("cpu");
    const auto suits = [&](const Kernel* kernel) {
        return kernel != chosen && file_of(*kernel) == "few_rows" && kernel->in == chosen->in &&
               kernel->order == chosen->order && (kernel->needs & ~cpu.features()) == 0;
    };
    const auto found = std::find_if(cpu.ladder.begin(), cpu.ladder.end(), suits);
    if (found == cpu.ladder.end()) GTEST_SKIP() << "no kernel for few rows sums in the order of " << plain.kernel;
    std::string earlier = (*found)->name;
    earlier.replace(earlier.find("few_rows"), 8, "r6_skinny");
    const Tuned record{.m = 40,
                       .n = 50,
                       .k = 60,
                       .accuracy = fp32,
                       .allowed_threads = 4,
                       .kernel = earlier,
                       .tile = (*found)->tiles.front()};
    ASSERT_EQ(add_to_store(path_, store_key(), std::span(&record, 1)), "");
    const Planned tuned = plan_with(path_);
    EXPECT_STREQ(tuned.kernel, (*found)->name);
    EXPECT_TRUE(tuned.is_right);
}

TEST_F(StoreFile, Fault14_WhateverTheFileIsTheProductIsRight) {
    for (const std::string& bytes : {std::string("hello"), std::string("tilewright tuning store 7\n"),
                                     std::string(100000, '\xff'), std::string()}) {
        write(bytes);
        const Planned planned = plan_with(path_);
        EXPECT_TRUE(planned.is_right);
        EXPECT_STREQ(planned.reason, "the cheapest that keeps the promise");
    }
    EXPECT_TRUE(plan_with(folder_).is_right);
    EXPECT_TRUE(plan_with("/dev/zero").is_right) << "a file without end";
}

}  // namespace
}  // namespace tw
