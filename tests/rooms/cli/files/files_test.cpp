// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is no file, files that change while they are read, outputs that can't be written: a sentence, the exit code that
// fits, the old output as it was and nothing left beside it.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/ending/exit.hpp"
#include "cli/files/npy_file.hpp"
#include "cli/files/output_file.hpp"
#include "cli/verbs/verbs.hpp"
#include "rooms/cli/failing_calls.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

using tw::cli::Exit;
using tw::cli::NpyFile;
using tw::cli::Stop;
using tw::test::Call;
using tw::test::FailingCall;
using tw::test::Folder;
using tw::test::read_file;
using tw::test::run_tw;
using tw::test::write_file;

const std::string small = tw::test::npy_file<float>("<f4", "(2, 2)", {1, 2, 3, 4});
const std::string squared = tw::test::npy_file<float>("<f4", "(2, 2)", {7, 10, 15, 22});

class Files : public testing::Test {
protected:
    Folder folder;
    const std::string a = folder.path("a.npy"), c = folder.path("c.npy");

    void SetUp() override {
        write_file(a, small);
        write_file(c, "old");
    }

    void expect_untouched() const {
        EXPECT_EQ(read_file(c), "old");
        for (const std::string& name : folder.names()) EXPECT_EQ(name.find(".part"), std::string::npos) << name;
    }

    void expect_input_refused(const std::string& path, const std::string& sentence) const {
        const auto ran = run_tw({"multiply", a, path, "-o", c});
        EXPECT_EQ(ran.code, 2) << path;
        EXPECT_NE(ran.error.find("tw: '" + path + "': " + sentence), std::string::npos) << ran.error;
        EXPECT_TRUE(tw::test::keeps_within(ran, 0)) << ran.peak_bytes;
        expect_untouched();
    }

    void expect_output_refused(const std::string& path, int code, const std::string& sentence) const {
        const auto ran = run_tw({"multiply", a, a, "-o", path});
        EXPECT_EQ(ran.code, code) << path;
        EXPECT_NE(ran.error.find("tw: '" + path + "': "), std::string::npos) << ran.error;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
        expect_untouched();
    }
};

TEST_F(Files, Fault11_WhatIsNoRegularFileIsRefused) {
    expect_input_refused(folder.root(), "it is a folder;");
    expect_input_refused("/dev/zero", "it is a device;");
    expect_input_refused("/dev/null", "it is a device;");
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    expect_input_refused(folder.path("pipe"), "it is a pipe;");  // and never waits for a writer
    ASSERT_EQ(symlink("loop", folder.path("loop").c_str()), 0);
    expect_input_refused(folder.path("loop"), "it can't be opened: ");
    ASSERT_EQ(symlink("/dev/zero", folder.path("zero").c_str()), 0);
    expect_input_refused(folder.path("zero"), "it is a device;");
    expect_input_refused(a + "/a.npy", "it can't be opened: Not a directory");
    expect_input_refused(folder.path(std::string(300, 'x')), "it can't be opened: File name too long");
    expect_input_refused("/proc/self/cmdline", "at byte 0: the file ends");  // regular, of size 0, with content
}

TEST_F(Files, ALinkToAnInputIsFollowed) {
    ASSERT_EQ(symlink("a.npy", folder.path("link").c_str()), 0);
    EXPECT_EQ(run_tw({"multiply", folder.path("link"), a, "-o", c}).code, 0);
    EXPECT_EQ(read_file(c), squared);
}

template <class Work>
void expect_stop(Exit code, const std::string& sentence, const Work& work) {
    try {
        work();
        ADD_FAILURE() << "nothing stopped it: " << sentence;
    } catch (const Stop& stop) {
        EXPECT_EQ(stop.code(), code) << stop.what();
        EXPECT_NE(std::string(stop.what()).find(sentence), std::string::npos) << stop.what();
    }
}

TEST_F(Files, Fault11_AFileThatShrinksWhileItIsReadIsRefused) {
    const NpyFile file(a, tw::cli::Vector::row);
    ASSERT_EQ(truncate(a.c_str(), 136), 0);
    float memory[4];
    expect_stop(Exit::bad_input, "'" + a + "': at byte 136: the file ended while it was read; it had 144 bytes before",
                [&] { static_cast<void>(file.read(0, 0, 2, 2, memory)); });
    expect_stop(Exit::bad_input, "at byte 136: the file had 144 bytes when it was opened and has 136 now",
                [&] { file.check_unchanged(); });
}

TEST_F(Files, Fault11_AFileThatIsWrittenToWhileItIsReadIsRefused) {
    const auto written_at = [&](const timespec& time) {
        const timespec times[2] = {time, time};
        return utimensat(AT_FDCWD, a.c_str(), times, 0) == 0;
    };
    ASSERT_TRUE(written_at({1, 0}));
    const NpyFile file(a, tw::cli::Vector::row);
    file.check_unchanged();
    for (const timespec& time : {timespec{1, 1000}, {2, 0}}) {
        ASSERT_TRUE(written_at(time));
        expect_stop(Exit::bad_input, "was written to while it was read", [&] { file.check_unchanged(); });
    }
    ASSERT_EQ(truncate(a.c_str(), 1000), 0);
    expect_stop(Exit::bad_input, "had 144 bytes when it was opened and has 1000 now", [&] { file.check_unchanged(); });
}

TEST_F(Files, AnOutputThatIsNoFileIsRefused) {
    expect_output_refused("/dev/full", 2, "is not a regular file");
    expect_output_refused("/dev/null", 2, "is not a regular file");
    expect_output_refused(folder.root(), 2, "is not a regular file");
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    expect_output_refused(folder.path("pipe"), 2, "is not a regular file");
    ASSERT_EQ(symlink("nowhere", folder.path("dangling").c_str()), 0);
    expect_output_refused(folder.path("dangling"), 2, "leads nowhere");
    expect_output_refused(folder.path("none/c.npy"), 2, "No such file or directory");
    expect_output_refused(a + "/c.npy", 2, "Not a directory");
    expect_output_refused("/proc/c.npy", 2, "failed");
    const auto unnamed = run_tw({"multiply", a, a, "-o", ""});
    EXPECT_EQ(unnamed.code, 2);
    EXPECT_NE(unnamed.error.find("tw: -o takes a value; got ''"), std::string::npos) << unnamed.error;
    expect_output_refused("-", 2, "can't go to standard output");
}

TEST_F(Files, AnOutputBehindALinkIsReplacedWhereItIs) {
    ASSERT_EQ(symlink("c.npy", folder.path("link").c_str()), 0);
    ASSERT_EQ(chmod(c.c_str(), 0640), 0);
    EXPECT_EQ(run_tw({"multiply", a, a, "-o", folder.path("link")}).code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
    EXPECT_EQ(read_file(c), squared);
    struct stat status{};
    ASSERT_EQ(stat(c.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0640u) << "who may read it must not change";
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npy", "c.npy", "link"}));
}

TEST_F(Files, AFileTooLargeForItsLimitIsAFailure) {
    const auto ran = run_tw({"multiply", a, a, "-o", c}, {.file_bytes = 140});
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.error.find("File too large; what was there before is unchanged"), std::string::npos) << ran.error;
    expect_untouched();
}

TEST_F(Files, ClosedStreamsNeverLendTheirNumbersToTheOutput) {
    EXPECT_EQ(run_tw({"multiply", a, a, "-o", c}, {.closed = {0, 2}}).code, 0);
    EXPECT_EQ(read_file(c), squared);
    EXPECT_EQ(run_tw({"multiply", a, a, "-o", c}, {.closed = {0, 1, 2}}).code, 1) << "its line of figures is lost";
    EXPECT_EQ(read_file(c), squared);
    EXPECT_EQ(run_tw({"multiply", a, a, "-o", c, "--alpha", "x"}, {.closed = {0, 1, 2}}).code, 2);
    EXPECT_EQ(read_file(c), squared);
}

TEST_F(Files, TooLittleMemoryIsAFailureOrEnough) {
    if (tw::test::is_sanitized) GTEST_SKIP() << "a sanitizer takes addresses of its own";
    write_file(a, tw::test::npy_file<float>("<f4", "(700, 700)", std::vector<float>(700 * 700, 1)));
    const std::string expected = tw::test::npy_file<float>("<f4", "(700, 700)", std::vector<float>(700 * 700, 700));
    int failures = 0;
    for (long mebibytes = 12; mebibytes <= 60; mebibytes += 3) {
        write_file(c, "old");
        const auto ran = run_tw({"multiply", a, a, "-o", c}, {.address_bytes = mebibytes << 20});
        if (ran.code == 0) {
            EXPECT_TRUE(read_file(c) == expected);
            continue;
        }
        ++failures;
        EXPECT_TRUE(ran.code == 1 || ran.code == 127) << ran.code << ran.error;  // 127: not even the loader had enough
        expect_untouched();
    }
    EXPECT_GE(failures, 1);
}

TEST_F(Files, Fault12_AFullDiskIsAFailure) {
    const std::string disk = folder.path("disk");
    ASSERT_EQ(mkdir(disk.c_str(), 0700), 0);
    if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting takes root";
    const std::string output = disk + "/c.npy";
    write_file(output, "old");
    write_file(folder.path("column.npy"), tw::test::npy_file<float>("<f4", "(200, 1)", std::vector<float>(200)));
    const auto ran =
        run_tw({"multiply", folder.path("column.npy"), folder.path("column.npy"), "--transpose-b", "-o", output});
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.error.find("making room for it failed: No space left on device"), std::string::npos) << ran.error;
    expect_stop(Exit::failed, "No space left on device", [&] {
        tw::cli::OutputFile unreserved(output);
        unreserved.write(0, std::string(100000, 'x'));
        unreserved.keep();
    });
    EXPECT_EQ(read_file(output), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(disk), {}), 1);
    umount(disk.c_str());
}

void multiply_here(const std::string& in, const std::string& out) {
    const tw::cli::CommandLine line("tw", "", "");
    tw::cli::add_multiply(line.root());
    const char* const words[] = {"tw", "multiply", in.c_str(), in.c_str(), "-o", out.c_str()};
    line.run(std::size(words), words);
}

// A disk may fail at any call. Whichever it is: a sentence, the old output, nothing beside it.
TEST_F(Files, Fault12_AnyFailingCallLeavesTheOldOutput) {
    const struct {
        Call call;
        int error;
        const char* sentence;
    } cases[] = {
        {Call::pread, EIO, "reading at byte"},
        {Call::pwrite, EIO, "writing it failed"},
        {Call::pwrite, ENOSPC, "writing it failed: No space left on device"},
        {Call::pwrite, EDQUOT, "writing it failed"},
        {Call::fsync, EIO, "flushing it to the disk failed"},
        {Call::rename, EIO, "putting it in its place failed"},
        {Call::fallocate, ENOSPC, "making room for it failed"},
        {Call::fallocate, EIO, "making room for it failed"},
        {Call::linkat, EIO, "giving it a name failed"},
    };
    for (const auto& one : cases) {
        int failures = 0;
        for (int nth = 0; nth < 100; ++nth) {
            write_file(c, "old");
            const FailingCall failing(one.call, nth, one.error);
            std::string said;
            try {
                multiply_here(a, c);
            } catch (const Stop& stop) {
                EXPECT_EQ(stop.code(), Exit::failed);
                said = stop.what();
            }
            if (!failing.happened()) break;
            if (said.empty()) {  // the folder's own fsync: the file is whole and in its place
                EXPECT_EQ(one.call, Call::fsync);
                EXPECT_EQ(read_file(c), squared);
                continue;
            }
            ++failures;
            EXPECT_NE(said.find(one.sentence), std::string::npos) << said;
            EXPECT_NE(said.find(std::strerror(one.error)), std::string::npos) << said;
            expect_untouched();
        }
        EXPECT_TRUE(failures >= 1 || one.call == Call::linkat)
            << one.sentence;  // not every file system makes nameless files
        EXPECT_EQ(read_file(c), squared);
    }
}

TEST_F(Files, HalvedAndInterruptedCallsAreGoneOnWith) {
    for (const Call call : {Call::pread, Call::pwrite})
        for (const int error : {0, EINTR})
            for (int nth = 0; nth < 6; ++nth) {
                write_file(c, "old");
                const FailingCall failing(call, nth, error);
                multiply_here(a, c);
                EXPECT_EQ(read_file(c), squared);
            }
    for (int nth = 0; nth < 3;
         ++nth) {  // whichever asks for /proc: without it the output has a name from the beginning
        write_file(c, "old");
        const FailingCall no_proc(Call::access, nth, ENOENT);
        multiply_here(a, c);
        EXPECT_EQ(read_file(c), squared);
        EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npy", "c.npy"}));
    }
    const FailingCall unsupported(Call::fallocate, 0, EOPNOTSUPP);
    multiply_here(a, c);
    EXPECT_TRUE(unsupported.happened());
    EXPECT_EQ(read_file(c), squared);
}

}  // namespace
