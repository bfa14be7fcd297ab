// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A whole checkpoint becomes matrices with an effort dial, the same as one by one; what is wrong with it is said, and
// then nothing is left behind.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "reference/random.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/files/safetensors_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

namespace fs = std::filesystem;
using tw::test::bytes_of;
using tw::test::read_file;
using tw::test::run_tw;
using tw::test::safetensors_entry;
using tw::test::safetensors_file;
using tw::test::write_file;

std::vector<float> values(std::size_t count, std::uint64_t seed) {
    tw::reference::Random random(seed);
    std::vector<float> all(count);
    for (float& x : all) x = static_cast<float>(random.normal());
    return all;
}

/// Two shards: a matrix of each, two experts, an embedding and a vector.
struct Model {
    tw::test::Folder folder;
    std::string from = folder.path("model"), to = folder.path("dialled");
    std::string index = from + "/model.safetensors.index.json";
    std::vector<float> q = values(6 * 10, 1), embedding = values(4 * 10, 2), up = values(8 * 10, 3),
                       experts = values(2 * 5 * 10, 4), norm = values(10, 5);

    Model() {
        fs::create_directory(from);
        write_file(from + "/a.safetensors",
                   safetensors_file("{" + safetensors_entry("layer.q", "F32", "[6,10]", "[0,240]") + "," +
                                        safetensors_entry("embed", "F32", "[4,10]", "[240,400]") + "}",
                                    bytes_of(q) + bytes_of(embedding)));
        write_file(from + "/b.safetensors",
                   safetensors_file("{" + safetensors_entry("layer.up", "F32", "[8,10]", "[0,320]") + "," +
                                        safetensors_entry("layer.experts", "F32", "[2,5,10]", "[320,720]") + "," +
                                        safetensors_entry("norm", "F32", "[10]", "[720,760]") + "}",
                                    bytes_of(up) + bytes_of(experts) + bytes_of(norm)));
        write_index("a.safetensors");
    }
    void write_index(const std::string& of_q) const {
        write_file(index, R"({"weight_map":{"layer.q":")" + of_q +
                              R"(","embed":"a.safetensors","layer.up":"b.safetensors",)"
                              R"("layer.experts":"b.safetensors","norm":"b.safetensors"}})");
    }
    void expect_refused(const std::string& sentence, std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"effort", "build", from, "-o", to};
        words.insert(words.end(), more.begin(), more.end());
        const auto ran = run_tw(words);
        EXPECT_EQ(ran.code, 2) << ran.error;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
        for (const auto& entry : fs::directory_iterator(folder.path("")))
            EXPECT_EQ(entry.path().filename(), "model") << "left behind";
    }
};

TEST(EffortCheckpoint, EveryMatrixIsBuiltAsItWouldBeAlone) {
    const Model model;
    const auto ran = run_tw({"effort", "build", model.from, "-o", model.to});
    ASSERT_EQ(ran.code, 0) << ran.error;
    EXPECT_NE(ran.out.find("3 matrices of 240 weights"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("2 other tensors in rest.safetensors"), std::string::npos) << ran.out;
    const std::string alone = model.folder.path("alone.effort");
    ASSERT_EQ(run_tw({"effort", "build", model.from + "/b.safetensors:layer.up", "-o", alone}).code, 0);
    EXPECT_EQ(read_file(model.to + "/layer.up.effort"), read_file(alone));
    EXPECT_TRUE(fs::exists(model.to + "/layer.q.effort"));
    EXPECT_TRUE(fs::exists(model.to + "/layer.experts.effort"));
    const std::string rest = read_file(model.to + "/rest.safetensors");
    EXPECT_NE(rest.find(bytes_of(model.embedding) + bytes_of(model.norm)), std::string::npos);
    EXPECT_EQ(run_tw({"multiply", model.to + "/rest.safetensors:embed", model.to + "/rest.safetensors:norm", "-o",
                      model.folder.path("y.npy")})
                  .code,
              0);
}

TEST(EffortCheckpoint, WhatIsKeptIsTheUsersChoice) {
    const Model model;
    const auto ran = run_tw({"effort", "build", model.from, "-o", model.to, "--keep", "layer.q", "--keep", "experts"});
    ASSERT_EQ(ran.code, 0) << ran.error;
    EXPECT_TRUE(fs::exists(model.to + "/embed.effort"));
    EXPECT_FALSE(fs::exists(model.to + "/layer.q.effort"));
    EXPECT_FALSE(fs::exists(model.to + "/layer.experts.effort"));
}

TEST(EffortCheckpoint, WhatIsWrongIsSaidAndNothingIsLeft) {
    const Model model;
    model.expect_refused("converted alone", {"--transpose"});
    model.expect_refused("none of its 5 tensors is a matrix", {"--keep", "layer", "--keep", "embed"});
    model.write_index("b.safetensors");
    model.expect_refused("the tensor 'layer.q' should be in 'b.safetensors', and is in 'a.safetensors'");
    write_file(model.index, R"({"weight_map":{"layer.k":"a.safetensors"}})");
    model.expect_refused("no file of the folder has the tensor 'layer.k'");
    write_file(model.index, R"({"weight_map":{"layer.q":"a.safetensors"}})");
    model.expect_refused("it does not name the tensor 'embed'");
    write_file(model.index, R"({"weights":3})");
    model.expect_refused("weight_map");
    fs::remove(model.index);
    write_file(model.from + "/c.safetensors",
               safetensors_file("{" + safetensors_entry("norm", "F32", "[0]", "[0,0]") + "}", ""));
    model.expect_refused("the tensor 'norm' is in 'b.safetensors' and in 'c.safetensors'");
    write_file(model.from + "/c.safetensors",
               safetensors_file("{" + safetensors_entry("../w", "F32", "[1,1]", "[0,4]") + "}", std::string(4, '\0')));
    model.expect_refused("no file can have the name of the tensor");
    write_file(model.from + "/c.safetensors",
               safetensors_file("{" + safetensors_entry("nan", "F32", "[1,1]", "[0,4]") + "}",
                                bytes_of(std::vector<float>{NAN})));
    model.expect_refused("not finite");
    write_file(model.from + "/c.safetensors", "short");
    model.expect_refused("c.safetensors");
    fs::remove(model.from + "/c.safetensors");
    fs::create_directory(model.to);
    const auto ran = run_tw({"effort", "build", model.from, "-o", model.to});
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.error.find("it exists already"), std::string::npos) << ran.error;
}

}  // namespace
