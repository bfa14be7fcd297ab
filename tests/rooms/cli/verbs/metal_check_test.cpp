// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw metal-check reads the numbers of its buffers from words and files, type by type: a kernel stores where they say,
// and a store beyond the end of a buffer is a finding.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>

#include "rooms/cli/run_tw.hpp"

namespace {

using tw::test::Ran;

struct Files {
    tw::test::Folder folder;
    std::string kernel = folder.path("store.metal"), npy = folder.path("numbers.npy");

    Ran run(const std::string& type, const std::string& buffer, const std::string& count = "2") const {
        std::ofstream(kernel) << "#include <metal_stdlib>\nusing namespace metal;\n"
                              << "kernel void store(device const " << type << "* at [[buffer(0)]],\n"
                              << "    device float* out [[buffer(1)]], uint i [[thread_position_in_grid]]) {\n"
                              << "    out[uint(at[i])] = 1;\n}\n";
        return tw::test::run_tw({"metal-check", kernel, "--kernel", "store", "--grid", count, "--threads", "1",
                                 "--buffer", buffer, "--buffer", "f32:8"});
    }
    /// Format 1.0 or, with a longer length, 2.0.
    template <class T>
    void write_npy(const char* type, std::initializer_list<T> numbers, char version = 1) const {
        std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" +
                             std::to_string(numbers.size()) + ",), }";
        header.resize(117, ' '), header += '\n';
        std::ofstream file(npy, std::ios::binary);
        file << "\x93NUMPY" << version << '\0' << static_cast<char>(header.size()) << '\0';
        if (version > 1) file << '\0' << '\0';
        file << header;
        for (const T number : numbers) file.write(reinterpret_cast<const char*>(&number), sizeof number);
    }
};

bool is_absent(const Ran& ran) { return ran.error.find("can't be executed here") != std::string::npos; }
bool found_nothing(const Ran& ran) { return ran.code == 0 && ran.out.find("no findings") != std::string::npos; }

TEST(MetalCheckVerb, ReadsNumbersOfEveryType) {
    const Files files;
    if (const Ran first = files.run("float", "f32:2=0,7"); is_absent(first)) GTEST_SKIP() << first.error;
    for (const auto& [type, word] :
         {std::pair("float", "f32"), {"half", "f16"}, {"bfloat", "bf16"}, {"int", "i32"}, {"uint", "u32"}}) {
        SCOPED_TRACE(type);
        const std::string begin = std::string(word) + ":2=";
        EXPECT_TRUE(found_nothing(files.run(type, begin + "6,7"))) << files.run(type, begin + "6,7").out;
        const Ran beyond = files.run(type, begin + "6,8");
        EXPECT_NE(beyond.out.find("out of bounds"), std::string::npos) << beyond.out << beyond.error;
        EXPECT_NE(beyond.code, 0);
        for (const char* wrong : {"6", "6,7,8", "6,7,", "6,x", ""}) {
            const Ran refused = files.run(type, begin + wrong);
            EXPECT_EQ(refused.code, 2) << wrong;
            EXPECT_NE(refused.error.find("--buffer"), std::string::npos) << refused.error;
        }
    }
    EXPECT_NE(files.run("int", "i32:2=6,-1").code, 0);
}

TEST(MetalCheckVerb, ReadsFilesOfTheRightTypeAlone) {
    const Files files;
    files.write_npy<std::uint32_t>("<u4", {6, 7});
    const std::string named = "=" + files.npy;
    if (const Ran first = files.run("uint", "u32:2" + named); is_absent(first)) GTEST_SKIP() << first.error;
    EXPECT_TRUE(found_nothing(files.run("uint", "u32:2" + named))) << files.run("uint", "u32:2" + named).error;
    EXPECT_TRUE(found_nothing(files.run("uint", "u32:1" + named, "1"))) << "fewer than there are may be asked for";
    files.write_npy<std::uint32_t>("<u4", {6, 8});
    EXPECT_NE(files.run("uint", "u32:2" + named).out.find("out of bounds"), std::string::npos);
    files.write_npy<float>("<f4", {6, 7}, 2);
    EXPECT_TRUE(found_nothing(files.run("float", "f32:2" + named))) << files.run("float", "f32:2" + named).error;
    files.write_npy<float>("<f4", {6, 8}, 2);
    EXPECT_NE(files.run("float", "f32:2" + named).out.find("out of bounds"), std::string::npos);

    const auto refused = [&](const std::string& type, const std::string& buffer, const char* sentence) {
        const Ran ran = files.run(type, buffer);
        EXPECT_EQ(ran.code, 2) << ran.out;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
    };
    refused("uint", "u32:2" + named, "elements of type u32 ('<u4') were expected; its header says");
    refused("float", "f32:3" + named, "holds fewer than the 3 elements asked for");
    std::ofstream(files.npy) << "no numbers, but text";
    refused("float", "f32:2" + named, "expected an .npy file");
    refused("float", "f32:2=" + files.folder.path("none.npy"), "expected an .npy file");
    refused("float", "f64:2", "--buffer takes TYPE:COUNT");
    refused("float", "f32", "--buffer takes TYPE:COUNT");
    refused("float", "f32:0", "--buffer takes a whole number from 1");
}

}  // namespace
