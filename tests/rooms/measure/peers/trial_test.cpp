// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which of several libraries is taken, for how many threads, and that it does not work below what the processor can do.
#include "measure/peers/trial.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "base/cpu_features.hpp"
#include "measure/peers/core_type.hpp"
#include "measure/peers/entrant.hpp"
#include "measure/peers/library.hpp"

namespace tw::measure {
namespace {

namespace fs = std::filesystem;

/// Of a library that lies beside the played peer.
std::string beside_the_peer(const std::string& name) {
    const fs::path peer = FAKE_PEER;
    return (peer.parent_path() / (name + peer.extension().string())).string();
}

/// Variables that hold for one test.
class PeerTrials : public testing::Test {
protected:
    void set(const char* name, const std::string& value) {
        const char* was = std::getenv(name);
        before_.emplace(name, was ? std::optional<std::string>(was) : std::nullopt);
        setenv(name, value.c_str(), 1);
    }
    void clear(const char* name) { set(name, ""), unsetenv(name); }
    void TearDown() override {
        for (const auto& [name, value] : before_)
            value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }

private:
    std::map<std::string, std::optional<std::string>> before_;
};

/// What a variable is after the choice, "" when it is not set.
std::string chosen(const char* kind, const std::string& file, const char* variable) {
    correct_core_type(*find_peer_kind(kind), file);
    const char* value = std::getenv(variable);
    return value ? value : "";
}

TEST_F(PeerTrials, ACoreBelowTheProcessorsIsCorrectedUnlessThatMultipliesWrongly) {
    clear("OPENBLAS_CORETYPE"), clear("FAKE_PEER_CORE_IS_WRONG"), set("FAKE_PEER_CORE", "Prescott");
    const std::string better = better_core_type("openblas", "Prescott", cpu_features_unmasked());
    EXPECT_EQ(chosen("openblas", FAKE_PEER, "OPENBLAS_CORETYPE"), better);
    set("OPENBLAS_CORETYPE", "Nehalem");
    EXPECT_EQ(chosen("openblas", FAKE_PEER, "OPENBLAS_CORETYPE"), "Nehalem") << "what a user has set is kept";
    clear("OPENBLAS_CORETYPE"), set("FAKE_PEER_CORE", "A core from the future");
    EXPECT_EQ(chosen("openblas", FAKE_PEER, "OPENBLAS_CORETYPE"), "");
    set("FAKE_PEER_CORE", "Prescott"), set("FAKE_PEER_CORE_IS_WRONG", "1");
    EXPECT_EQ(chosen("openblas", FAKE_PEER, "OPENBLAS_CORETYPE"), "");
    EXPECT_EQ(chosen("openblas", "/dev/null", "OPENBLAS_CORETYPE"), "");
    EXPECT_EQ(chosen("mkl", FAKE_PEER, "OPENBLAS_CORETYPE"), "") << "it has no such variable";
}

TEST_F(PeerTrials, BlisIsToldTheNumberOfTheBetterConfiguration) {
    clear("BLIS_ARCH_TYPE");
    const std::string better = better_core_type("blis", "penryn", cpu_features_unmasked());
    const std::string number = better == "skx" ? "0" : better == "haswell" ? "1" : "";
    EXPECT_EQ(chosen("blis", beside_the_peer("libfake_blis"), "BLIS_ARCH_TYPE"), number);
    clear("BLIS_ARCH_TYPE");
    EXPECT_EQ(chosen("blis", beside_the_peer("libfake_blis_without_query"), "BLIS_ARCH_TYPE"), "");
}

TEST_F(PeerTrials, TheNewestComeFirstAndThoseThatTellNoVersionLast) {
    const std::string first = beside_the_peer("libfake_blis"), second = beside_the_peer("libfake_blis_without_query");
    const auto order = newest_first(*find_peer_kind("blis"), {{"/dev/null", "a"}, {first, "b"}, {second, "c"}});
    ASSERT_EQ(order.size(), 3u);
    EXPECT_EQ(order[0].file, second) << "0.2, though it does not tell its configuration";
    EXPECT_EQ(order[0].found_by, "c");
    EXPECT_EQ(order[1].file, first);
    EXPECT_EQ(order[2].file, "/dev/null");
}

// Two beside each other: an OpenBLAS, and what bears its name and can't multiply.
TEST_F(PeerTrials, TheOneThatIsTakenIsTheFirstOfThem) {
    const fs::path home = fs::temp_directory_path() / ("tw_peer_trials_" + std::to_string(getpid())),
                   folder = home / "lib/python3.9/site-packages/scipy_openblas32/lib";
    fs::create_directories(folder);
    fs::copy_file(FAKE_PEER, folder / "libscipy_openblas_new.so");
    fs::copy_file(beside_the_peer("libfake_neighbour"),
                  folder / fs::path(beside_the_peer("libfake_neighbour")).filename());
    fs::copy_file(beside_the_peer("libfake_neighbour"), folder / "libscipy_openblas.so");
    set("VIRTUAL_ENV", home.string()), clear("TW_PEER_OPENBLAS");
    const auto peer = PeerProcess::start(*find_peer_kind("openblas"), 1);
    ASSERT_TRUE(peer);
    EXPECT_EQ(peer->description().file, (folder / "libscipy_openblas_new.so").string());
    EXPECT_STREQ(peer->description().trouble, "");
    fs::remove(folder / "libscipy_openblas_new.so");
    set("TW_PEER_OPENBLAS", (folder / "libscipy_openblas.so").string());
    const auto other = PeerProcess::start(*find_peer_kind("openblas"), 1);
    EXPECT_STREQ(other->description().trouble, "it opens, but has no function that multiplies");
    fs::remove_all(home);
}

#if defined(__linux__)
// Of the processors that this process may use the last so many, as one thread each.
TEST_F(PeerTrials, OneDnnHasAsManyProcessorsAsThreads) {
    set("TW_PEER_ONEDNN", "/nowhere");
    cpu_set_t before{};
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &before)) --last;
    for (const char* kind : {"onednn", "mkl"}) {
        const pid_t child = fork();
        if (child == 0) {
            open_peer(*find_peer_kind(kind), 1);
            cpu_set_t now{};
            const bool is_told = sched_getaffinity(0, sizeof now, &now) == 0;
            _exit(!is_told ? 3 : CPU_EQUAL(&now, &before) ? 1 : CPU_COUNT(&now) == 1 && CPU_ISSET(last, &now) ? 0 : 2);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status));
        const bool is_kept = kind == std::string("mkl") || CPU_COUNT(&before) == 1;
        EXPECT_EQ(WEXITSTATUS(status), is_kept ? 1 : 0) << kind;
    }
}
#endif

TEST_F(PeerTrials, AProcessTellsTimesOfWhatItCanMultiplyAndNoneElse) {
    set("TW_PEER_OPENBLAS", FAKE_PEER);
    const std::shared_ptr<PeerProcess> peer = PeerProcess::start(*find_peer_kind("openblas"), 1);
    Task task{.m = 5, .n = 6, .k = 7, .type = Type::f32, .accuracy = fp32, .threads = 1};
    task.products = 3;
    for (const bool is_cold : {false, true}) {
        task.is_cold = is_cold;
        PeerEntrant entrant(peer, task);
        EXPECT_EQ(entrant.kernel, std::string("openblas 99.1.2") + batch_mark);
        EXPECT_TRUE(entrant.judge(task).ok);
        entrant.begin_turn();
        EXPECT_GT(entrant.seconds(2), 0) << is_cold;
        entrant.end_turn();
        EXPECT_GT(entrant.seconds(1), 0) << "asleep, it is woken";
    }
    Task larger = task;
    larger.m = 50, larger.k = 70;
    EXPECT_TRUE(peer->judge(larger).ok) << "its own operands are multiplied, and none of the task before";
    Task wide = task;
    wide.type = Type::f64;
    EXPECT_FALSE(peer->is_usable(Type::f64));
    EXPECT_TRUE(peer->is_usable(Type::f32));
    EXPECT_EQ(peer->judge(wide).trouble, "its call fails");
    EXPECT_TRUE(std::isnan(peer->seconds(1)));
    EXPECT_TRUE(peer->judge(task).ok) << "and goes on";
    EXPECT_GT(peer->seconds(1), 0);
}

TEST_F(PeerTrials, ATimeIsOfAsManyPassesAsAreAskedFor) {
    const fs::path calls = fs::temp_directory_path() / ("tw_peer_calls_" + std::to_string(getpid()));
    set("TW_PEER_OPENBLAS", FAKE_PEER), set("FAKE_PEER_CALLS", calls.string());
    const std::shared_ptr<PeerProcess> peer = PeerProcess::start(*find_peer_kind("openblas"), 1);
    ASSERT_TRUE(peer->is_usable(Type::f32));
    Task task{.m = 5, .n = 6, .k = 7, .type = Type::f32, .accuracy = fp32, .threads = 1};
    for (const bool is_cold : {false, true}) {
        task.is_cold = is_cold;
        ASSERT_TRUE(peer->judge(task).ok);
        const auto before = fs::file_size(calls);
        EXPECT_GT(peer->seconds(3), 0);
        EXPECT_EQ(fs::file_size(calls) - before, 3u) << is_cold;
    }
    fs::remove(calls);
}

}  // namespace
}  // namespace tw::measure
