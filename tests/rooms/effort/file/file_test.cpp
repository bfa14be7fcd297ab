// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Files of matrices: what comes back is what was saved, and what was not saved is refused with a sentence.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "effort/file/form.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

class Folder {
public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("tw_effort_" + std::to_string(getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    std::string file(const std::string& name) const { return (path_ / name).string(); }
    auto count() const { return std::distance(std::filesystem::directory_iterator(path_), {}); }

private:
    std::filesystem::path path_;
};

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// The sentence that loading ends with; "" when it succeeds.
std::string refusal(const std::string& path) {
    try {
        load_effort(path);
    } catch (const Error& error) {
        EXPECT_EQ(error.status().code, Code::bad_file);
        return error.what();
    }
    return "";
}

/// A header's field changed, and its checksum made right again.
template <class T>
std::string with_field(std::string bytes, std::size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    const std::uint64_t sum = effort::checksum(std::as_bytes(std::span(bytes.data(), 120)));
    std::memcpy(bytes.data() + 120, &sum, 8);
    return bytes;
}

TEST(EffortFile, WhatIsLoadedGivesTheSameBits) {
    const Folder folder;
    const Weights weights(150, 77, Type::bf16, 5);
    const std::vector<float> v = gauss(77, 6);
    for (const EffortLayout layout : every_layout) {
        const EffortMatrix built = build_effort(weights.matrix, {.layout = layout});
        const std::string path = folder.file(name_of(layout));
        built.save(path);
        const EffortMatrix loaded = load_effort(path);
        EXPECT_EQ(loaded.layout(), layout);
        EXPECT_EQ(loaded.bytes_held(), built.bytes_held());
        for (const double effort : {1., .4, 0.})
            EXPECT_EQ(product(loaded, v, Budget::effort(effort)).y, product(built, v, Budget::effort(effort)).y);
        loaded.save(folder.file("again"));
        EXPECT_EQ(bytes_of(path), bytes_of(folder.file("again")));
    }
    EXPECT_EQ(folder.count(), 4) << "nothing is left beside the files";
}

/// The sentence that loading a part ends with; "" when it succeeds.
std::string refusal(const std::string& path, const EffortLoad& how) {
    try {
        load_effort(path, how);
    } catch (const Error& error) {
        EXPECT_EQ(error.status().code, Code::bad_argument);
        return error.what();
    }
    return "";
}

TEST(EffortFile, ThePartThatIsLoadedIsWhatWouldHaveBeenBuilt) {
    const Folder folder;
    const Weights first(700, 77, Type::f16, 5), second(700, 77, Type::f16, 6);  // two tiles, the last with two quarters
    const Matrix experts[] = {first.matrix, second.matrix};
    const auto built = [&](int planes, DenseCopy dense) {
        return build_effort(experts, {.dense = dense, .planes = planes});
    };
    const std::string whole = folder.file("whole"), part = folder.file("part"), wanted = folder.file("wanted");
    built(3, DenseCopy::kept).save(whole);
    for (const int planes : {0, 2, 3})
        for (const bool keeps_dense : {false, true}) {
            load_effort(whole, {.planes = planes, .keeps_dense = keeps_dense}).save(part);
            built(planes == 2 ? 2 : 3, keeps_dense ? DenseCopy::kept : DenseCopy::absent).save(wanted);
            EXPECT_TRUE(bytes_of(part) == bytes_of(wanted)) << planes << ' ' << keeps_dense;
        }
    const EffortMatrix two = load_effort(whole, {.planes = 2, .keeps_dense = false});
    EXPECT_EQ(two.planes(), 2);
    EXPECT_FALSE(two.has_dense());
    two.save(part);
    EXPECT_EQ(load_effort(part).planes(), 2);
    EXPECT_EQ(load_effort(part, {.planes = 2}).bytes_held(), two.bytes_held());
    EXPECT_NE(refusal(part, {.planes = 3}).find("part: it was built without the last plane"), std::string::npos);
    EXPECT_NE(refusal(part, {.planes = 1}).find("got 1"), std::string::npos);
    build_effort(first.matrix, {.layout = EffortLayout::tiers}).save(part);
    EXPECT_NE(refusal(part, {.planes = 2}).find("its layout is tiers"), std::string::npos);
}

TEST(EffortFile, AMappedFileGivesTheBitsOfOneThatIsRead) {
    const Folder folder;
    const Weights first(150, 77, Type::bf16, 5), second(150, 77, Type::bf16, 6);
    const Matrix experts[] = {first.matrix, second.matrix};
    const std::vector<float> v = gauss(77, 6);
    for (const EffortLayout layout : every_layout)
        for (const bool keeps_dense : {false, true}) {
            const std::string path = folder.file(name_of(layout)), again = folder.file("again");
            build_effort(experts, {.layout = layout, .dense = DenseCopy::kept}).save(path);
            const EffortMatrix read = load_effort(path, {.keeps_dense = keeps_dense});
            const EffortMatrix mapped = load_effort(path, {.keeps_dense = keeps_dense, .mapped = true});
            mapped.save(path);  // replaces the file, not the bytes that are mapped
            read.save(again);
            EXPECT_TRUE(bytes_of(path) == bytes_of(again)) << name_of(layout);
            std::filesystem::remove(path);
            EXPECT_EQ(mapped.has_dense(), keeps_dense);
            for (const double effort : {1., .4, 0.})
                EXPECT_EQ(product(mapped, v, Budget::effort(effort)).y, product(read, v, Budget::effort(effort)).y);
        }
}

TEST(EffortFile, AMappedFileIsCheckedAsOneThatIsRead) {
    const Folder folder;
    const std::string path = folder.file("matrix");
    build_effort(Weights(9, 3, Type::f16, 8).matrix, {.dense = DenseCopy::kept}).save(path);
    const std::string good = bytes_of(path);
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        write(path, bad);
        EXPECT_THROW(load_effort(path, {.keeps_dense = false, .mapped = true}), Error) << at;
        write(path, good.substr(0, at));
        EXPECT_THROW(load_effort(path, {.mapped = true}), Error) << at;
    }
    write(path, good);
    EXPECT_EQ(load_effort(path, {.planes = 3, .mapped = true}).planes(), 3);
    EXPECT_NE(refusal(path, {.planes = 2, .mapped = true}).find("can't be left out of a file that is mapped"),
              std::string::npos);
}

/// What is left out is read past, and its bytes are looked at.
TEST(EffortFile, AFlippedByteOfThePartThatIsLeftOutIsFound) {
    const Folder folder;
    const std::string path = folder.file("matrix");
    build_effort(Weights(9, 3, Type::f16, 8).matrix, {.dense = DenseCopy::kept}).save(path);
    const std::string good = bytes_of(path);
    for (std::size_t at = 128; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        write(path, bad);
        EXPECT_THROW(load_effort(path, {.planes = 2, .keeps_dense = false}), Error) << at;
    }
}

TEST(EffortFile, EachFieldOfTheHeaderIsChecked) {
    const Folder folder;
    const std::string path = folder.file("matrix");
    build_effort(Weights(40, 10, Type::f32, 7).matrix).save(path);
    const std::string good = bytes_of(path);
    const auto says = [&](const std::string& bytes, const char* offset) {
        write(path, bytes);
        const std::string sentence = refusal(path);
        EXPECT_EQ(sentence.find(path + ": offset " + offset + ": "), 0u) << sentence;
    };
    says("", "0");
    says(good.substr(0, 100), "100");
    says(with_field(good, 0, 'T'), "0");
    says(with_field(good, 8, 1), "8");
    EXPECT_NE(refusal(path).find("build it again"), std::string::npos)
        << "what is to be done with files of another version";
    says(with_field(good, 8, 3), "8");
    says(with_field(good, 12, 64), "12");
    says(with_field(good, 16, 3), "16");
    says(with_field(good, 20, 16), "20");
    says(with_field(good, 24, 1), "24");
    says(with_field(good, 28, 0), "28");
    says(with_field(good, 32, std::int64_t{1} << 60), "32");
    says(with_field(good, 40, std::int64_t{-1}), "40");
    says(with_field(good, 48, 0), "48");
    says(with_field(good, 52, 1000), "52");
    says(with_field(good, 56, 2), "56");
    says(with_field(good, 60, 1), "60");
    says(with_field(good, 64, std::int64_t{1} << 40), "64");
    says(with_field(good, 104, std::int64_t{1}), "104");
    says(with_field(good, 32, std::int64_t{1} << 20), "64");
    says(good.substr(0, good.size() - 1), std::to_string(good.size() - 1).c_str());
    says(good + "x", std::to_string(good.size()).c_str());
    says(with_field(good, 112, std::uint64_t{0}), "112");
    write(path, good);
    EXPECT_EQ(refusal(path), "");
}

TEST(EffortFile, EachFlippedByteIsFound) {
    const Folder folder;
    const std::string path = folder.file("matrix");
    build_effort(Weights(9, 3, Type::f16, 8).matrix, {.layout = EffortLayout::tiers}).save(path);
    const std::string good = bytes_of(path);
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x10);
        write(path, bad);
        EXPECT_NE(refusal(path).find("offset "), std::string::npos) << at;
    }
}

TEST(EffortFile, NumbersThatSteerAProductMustBeNumbers) {
    const Folder folder;
    const std::string path = folder.file("matrix");
    const EffortMatrix matrix = build_effort(Weights(40, 10, Type::f32, 7).matrix);
    matrix.save(path);
    const std::string good = bytes_of(path);
    const auto with = [&](std::size_t offset, auto value) {
        std::string bytes = good;
        std::memcpy(bytes.data() + offset, &value, sizeof value);
        std::uint64_t sum = effort::checksum_start;
        std::size_t at = 128;
        for (const effort::Memory* array : effort::arrays_of(*matrix.body())) {
            sum = effort::checksum(std::as_bytes(std::span(bytes.data() + at, array->size())), sum);
            at += static_cast<std::size_t>(effort::up_to_line(static_cast<std::int64_t>(array->size())));
        }
        return with_field(bytes, 112, sum);
    };
    const std::size_t left =
        128 + static_cast<std::size_t>(effort::up_to_line(static_cast<std::int64_t>(matrix.body()->rows.size())));
    for (const std::string& bytes :
         {with(left, NAN), with(left, -1.f), with(left + 40, 1e37f), with(128, std::uint16_t{0x7e00})}) {
        write(path, bytes);
        EXPECT_NE(refusal(path).find("offset "), std::string::npos);
    }
}

TEST(EffortFile, PathsThatAreNoFiles) {
    EXPECT_NE(refusal("/no/such/file").find("/no/such/file: offset 0: it can't be opened"), std::string::npos);
    EXPECT_NE(refusal("/dev/null").find("expected a regular file"), std::string::npos);
    const EffortMatrix matrix = build_effort(Weights(4, 3, Type::f32, 7).matrix);
    EXPECT_THROW(matrix.save("/no/such/folder/file"), Error);
    EXPECT_THROW(EffortMatrix().save("/no/such/folder/file"), Error);
}

TEST(EffortFile, AFolderOrDeviceIsNotReplacedAndALinkIsFollowed) {
    const Folder folder;
    const EffortMatrix matrix = build_effort(Weights(4, 3, Type::f32, 7).matrix);
    std::filesystem::create_directory(folder.file("folder"));
    std::filesystem::create_symlink("/dev/null", folder.file("device"));
    for (const char* name : {"folder", "device"}) {
        try {
            matrix.save(folder.file(name));
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("it exists already and is not a regular file"), std::string::npos)
                << error.what();
        }
    }
    write(folder.file("old"), "what was there");
    std::filesystem::create_symlink("old", folder.file("link"));
    matrix.save(folder.file("link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
    EXPECT_EQ(refusal(folder.file("old")), "");
    EXPECT_EQ(folder.count(), 4) << "nothing else is left";
}

}  // namespace
}  // namespace tw::effort_tests
