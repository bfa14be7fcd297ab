// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tensors that are fine: the right one is found, and a product of it is that of the same values in an .npy file.
#include <gtest/gtest.h>

#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/files/safetensors_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

using tw::test::bytes_of;
using tw::test::elements_of;
using tw::test::Folder;
using tw::test::npy_file;
using tw::test::read_file;
using tw::test::run_tw;
using tw::test::safetensors_entry;
using tw::test::safetensors_file;
using tw::test::write_file;

/// A matrix at an odd byte, a vector, halves, whole numbers, a tensor of three dimensions, an empty one and metadata.
std::string model() {
    const std::string json = "{ \"__metadata__\": {\"format\": \"pt\"},\n" +
                             safetensors_entry("layer.weight", "F32", "[2,3]", "[1, 25]") + "," +
                             safetensors_entry("mask", "BOOL", "[1]", "[0,1]") + "," +
                             safetensors_entry("layer.bias", "F32", "[3]", "[25,37]") + "," +
                             safetensors_entry("narrow", "BF16", "[1,2]", "[37,41]") + "," +
                             safetensors_entry("steps", "I64", "[]", "[41,49]") + "," +
                             safetensors_entry("cube", "F16", "[1,1,1]", "[49,51]") + "," +
                             safetensors_entry("nothing", "F32", "[0,3]", "[25,25]") + "}   ";
    return safetensors_file(json, std::string(1, '\1') + bytes_of<float>({1, 2, 3, 4, 5, 6}) +
                                      bytes_of<float>({7, 8, 9}) + bytes_of<std::uint16_t>({0x3f80, 0x4000}) +
                                      std::string(8, '\0') + bytes_of<std::uint16_t>({0x3c00}));
}

struct Files {
    Folder folder;
    std::string at = folder.path("model.safetensors"), b = folder.path("b.npy"), c = folder.path("c.npy");
    Files() {
        write_file(at, model());
        write_file(b, npy_file<float>("<f4", "(3, 1)", {1, 10, 100}));
    }
    void expect_refused(const std::string& word, const std::string& sentence) const {
        const auto ran = run_tw({"multiply", word, b, "-o", c});
        EXPECT_EQ(ran.code, 2) << word;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
    }
};

TEST(Safetensors, ATensorIsMultiplied) {
    const Files files;
    const auto ran = run_tw({"multiply", files.at + ":layer.weight", files.b, "-o", files.c});
    ASSERT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(elements_of<float>(read_file(files.c)), (std::vector<float>{321, 654}));
}

TEST(Safetensors, AVectorIsARowOnTheLeftAndAColumnOnTheRight) {
    const Files files;
    ASSERT_EQ(run_tw({"multiply", files.at + ":layer.bias", files.b, "-o", files.c}).code, 0);
    EXPECT_EQ(elements_of<float>(read_file(files.c)), (std::vector<float>{987}));
    ASSERT_EQ(run_tw({"multiply", files.at + ":layer.weight", files.at + ":layer.bias", "-o", files.c}).code, 0);
    EXPECT_EQ(elements_of<float>(read_file(files.c)), (std::vector<float>{50, 122}));
}

TEST(Safetensors, ATransposedBf16TensorKeepsItsType) {
    const Files files;
    const auto ran = run_tw({"multiply", files.at + ":narrow", files.at + ":narrow", "--transpose-b", "-o", files.c});
    ASSERT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(elements_of<std::uint16_t>(read_file(files.c)), (std::vector<std::uint16_t>{0x40a0}));  // 1 + 4
}

TEST(Safetensors, AFileWithOneMatrixNeedsNoName) {
    const Files files;
    write_file(files.at, safetensors_file("{" + safetensors_entry("w", "F32", "[1,3]", "[0,12]") + "," +
                                              safetensors_entry("step", "I64", "[]", "[12,20]") + "}",
                                          bytes_of<float>({1, 1, 1}) + std::string(8, '\0')));
    ASSERT_EQ(run_tw({"multiply", files.at, files.b, "-o", files.c}).code, 0);
    EXPECT_EQ(elements_of<float>(read_file(files.c)), (std::vector<float>{111}));
}

TEST(Safetensors, AFileWithoutAMatrixSaysWhatItHas) {
    const Files files;
    write_file(files.at,
               safetensors_file("{" + safetensors_entry("step", "I64", "[]", "[0,8]") + "}", std::string(8, '\0')));
    files.expect_refused(files.at, "it has no matrix and no vector of F32, F16, BF16 or F64; its tensors are: 'step'");
}

TEST(Safetensors, AWordThatNamesNoMatrixGetsTheNames) {
    const Files files;
    files.expect_refused(files.at, "which tensor? Write FILE:NAME; its matrices and vectors are: 'layer.weight', ");
    files.expect_refused(files.at + ":", "the tensor's name is missing after the colon");
    files.expect_refused(files.at + ":layer", "it has no tensor 'layer'; it has: 'mask', 'layer.weight', ");
    files.expect_refused(files.at + ":mask", "the tensor 'mask' holds 'BOOL'; tw multiplies F32, F16, BF16 and F64");
    files.expect_refused(files.at + ":cube", "the tensor 'cube' has 3 dimensions; a matrix has two");
    files.expect_refused(files.folder.path("absent.safetensors") + ":x", "it can't be opened");
    files.expect_refused(files.folder.root() + "/absent.safetensors", "it can't be opened");
}

}  // namespace
