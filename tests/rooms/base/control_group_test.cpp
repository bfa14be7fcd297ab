// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/control_group.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/cores.hpp"

namespace {

/// A folder with the files that a kernel would show.
class ControlGroup : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/tilewright-groups-XXXXXX";
        folder_ = mkdtemp(name);
        memberships_ = folder_ + "/memberships", mount_ = folder_ + "/mount";
        groups_ = {memberships_.c_str(), mount_.c_str()};
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& path, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path) << text << '\n';
    }
    void member_of(const std::string& text) const { write(memberships_, text); }
    void has(const std::string& file, const std::string& text) const { write(mount_ + file, text); }

    double processors() const { return tw::processors_granted(groups_); }
    double memory() const { return tw::memory_left(groups_); }

    std::string folder_, memberships_, mount_;
    tw::ControlGroups groups_;
};

TEST_F(ControlGroup, WithoutFilesSetsNoLimit) {
    EXPECT_EQ(processors(), 0);
    EXPECT_EQ(memory(), -1);
    member_of("0::/");
    EXPECT_EQ(processors(), 0);
    EXPECT_EQ(memory(), -1);
}

TEST_F(ControlGroup, ItsOwnQuotaIsSeen) {
    member_of("0::/system.slice/server.service");
    has("/system.slice/server.service/cpu.max", "50000 100000");
    EXPECT_EQ(processors(), 0.5);
    has("/system.slice/server.service/cpu.max", "max 100000");
    EXPECT_EQ(processors(), 0);
}

TEST_F(ControlGroup, TheTightestOfThoseAroundItCounts) {
    member_of("0::/a/b/c");
    has("/cpu.max", "800000 100000");
    has("/a/cpu.max", "150000 100000");
    has("/a/b/cpu.max", "max 100000");
    has("/a/b/c/cpu.max", "400000 100000");
    EXPECT_EQ(processors(), 1.5);
    has("/a/memory.max", "1000000"), has("/a/memory.current", "400000");
    has("/a/b/memory.max", "900000"), has("/a/b/memory.current", "100000");
    has("/a/b/c/memory.max", "max"), has("/a/b/c/memory.current", "100000");
    EXPECT_EQ(memory(), 600000);
    has("/a/b/memory.current", "950000");
    EXPECT_EQ(memory(), 0) << "more than the limit";
}

TEST_F(ControlGroup, TheFirstVersionHasAFolderForEachController) {
    member_of("9:name=systemd:/\n4:memory:/jobs/7\n3:cpuset:/x\n2:cpu,cpuacct:/jobs/8\n0::/");
    has("/cpu/jobs/8/cpu.cfs_quota_us", "50000"), has("/cpu/jobs/8/cpu.cfs_period_us", "100000");
    has("/cpu/cpu.cfs_quota_us", "-1"), has("/cpu/cpu.cfs_period_us", "100000");
    has("/memory/jobs/7/memory.limit_in_bytes", "5000"), has("/memory/jobs/7/memory.usage_in_bytes", "2000");
    has("/memory/memory.limit_in_bytes", "9223372036854771712"), has("/memory/memory.usage_in_bytes", "1");
    EXPECT_EQ(processors(), 0.5);
    EXPECT_EQ(memory(), 3000);
}

TEST_F(ControlGroup, InAContainerOnlyTheRootIsThere) {
    member_of("0::/docker/0123456789abcdef");
    has("/cpu.max", "250000 100000");
    EXPECT_EQ(processors(), 2.5);
}

TEST_F(ControlGroup, APathIsAsLongAsItsOwnLine) {
    has("/cpu.max", "250000 100000");
    member_of("0::\n" + std::string(5000, 'x'));
    EXPECT_EQ(processors(), 2.5) << "the root, which has no name here";
    member_of("0::/" + std::string(5000, 'x'));
    EXPECT_EQ(processors(), 0) << "there is no room for such a path";
}

TEST_F(ControlGroup, HalfAProcessorIsOneThread) {
    EXPECT_EQ(tw::whole_processors(0.5), 1);
    EXPECT_EQ(tw::whole_processors(1), 1);
    EXPECT_EQ(tw::whole_processors(2.5), 3);
    EXPECT_EQ(tw::whole_processors(0), 0) << "no quota";
}

}  // namespace
