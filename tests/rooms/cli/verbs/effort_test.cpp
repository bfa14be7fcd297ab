// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw effort as a user meets it: from weights to a file, from a file to products, and sentences for what can't be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/rounding.hpp"
#include "reference/random.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/files/safetensors_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

using tw::test::bytes_of;
using tw::test::elements_of;
using tw::test::npy_file;
using tw::test::read_file;
using tw::test::run_tw;
using tw::test::write_file;

constexpr std::size_t outputs = 96, inputs = 200;

/// Weights and a vector in files, and what their product is.
struct Files {
    tw::test::Folder folder;
    std::string w = folder.path("w.npy"), v = folder.path("v.npy"), built = folder.path("w.effort"),
                y = folder.path("y.npy");
    std::vector<float> weights = std::vector<float>(outputs * inputs), vector = std::vector<float>(inputs);
    std::vector<double> exact = std::vector<double>(outputs);

    Files() {
        tw::reference::Random random(11);
        for (float& x : weights) x = static_cast<float>(random.normal());
        for (float& x : vector) x = static_cast<float>(random.normal());
        for (std::size_t o = 0; o < outputs; ++o)
            for (std::size_t i = 0; i < inputs; ++i)
                exact[o] += static_cast<double>(weights[o * inputs + i]) * static_cast<double>(vector[i]);
        write_file(w, npy_file<float>("<f4", "(96, 200)", weights));
        write_file(v, npy_file<float>("<f4", "(200,)", vector));
    }

    double error_of_y() const {
        const std::vector<float> got = elements_of<float>(read_file(y));
        double off = 0, whole = 0;
        for (std::size_t o = 0; o < outputs; ++o) {
            off += (static_cast<double>(got.at(o)) - exact[o]) * (static_cast<double>(got[o]) - exact[o]);
            whole += exact[o] * exact[o];
        }
        return std::sqrt(off / whole);
    }

    void expect_refused(std::vector<std::string> words, const std::string& sentence) const {
        words.insert(words.begin(), "effort");
        const auto ran = run_tw(words);
        EXPECT_EQ(ran.code, 2) << ran.error;
        EXPECT_NE(ran.error.find(sentence), std::string::npos) << ran.error;
    }
};

TEST(Effort, EveryLayoutIsBuiltAndMultiplied) {
    const Files files;
    for (const std::string layout : {"buckets", "tiers", "planes"}) {
        const auto built = run_tw({"effort", "build", files.w, "-o", files.built, "--layout", layout});
        ASSERT_EQ(built.code, 0) << built.error;
        EXPECT_NE(built.out.find(layout + " of 96 x 200 f32 weights"), std::string::npos) << built.out;
        const auto ran = run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--effort", "1", "--by-layout"});
        ASSERT_EQ(ran.code, 0) << ran.error;
        EXPECT_LT(files.error_of_y(), layout == "tiers" ? 1e-5 : 0.01) << layout;
        EXPECT_NE(ran.out.find("expected error"), std::string::npos) << ran.out;
        ASSERT_EQ(run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--error", ".2"}).code, 0);
        EXPECT_LT(files.error_of_y(), .3) << layout;
        EXPECT_GT(files.error_of_y(), 1e-5) << layout;
    }
}

TEST(Effort, TheLastPlaneAndTheDenseCopyMayStayOut) {
    const Files files;
    const std::string two = files.folder.path("two.effort"), other = files.folder.path("y2.npy");
    ASSERT_EQ(run_tw({"effort", "build", files.w, "-o", files.built, "--dense", "kept"}).code, 0);
    const auto built = run_tw({"effort", "build", files.w, "-o", two, "--planes", "2"});
    ASSERT_EQ(built.code, 0) << built.error;
    EXPECT_LT(read_file(two).size(), read_file(files.built).size() / 3);
    const auto ran = run_tw(
        {"effort", "run", files.built, files.v, "-o", files.y, "--effort", "1", "--planes", "2", "--without-dense"});
    ASSERT_EQ(ran.code, 0) << ran.error;
    ASSERT_EQ(run_tw({"effort", "run", two, files.v, "-o", other, "--effort", "1"}).code, 0);
    EXPECT_EQ(read_file(files.y), read_file(other));
    EXPECT_LT(files.error_of_y(), .12);
    EXPECT_GT(files.error_of_y(), .04);
    files.expect_refused({"build", files.w, "-o", files.built, "--planes", "4"}, "planes may be 3, or 2");
    files.expect_refused({"build", files.w, "-o", files.built, "--planes", "2", "--layout", "tiers"},
                         "planes may be 3, or 2 for the layout planes");
    files.expect_refused({"run", two, files.v, "-o", files.y, "--effort", "1", "--planes", "3"},
                         "it was built without the last plane: build it again from the weights");
}

TEST(Effort, ATensorOfASafetensorsFileGivesTheSameBitsAsAnNpyFile) {
    const Files files;
    const std::string tensors = files.folder.path("w.safetensors"), other = files.folder.path("other.effort");
    write_file(tensors,
               tw::test::safetensors_file("{" + tw::test::safetensors_entry("w", "F32", "[96,200]", "[0,76800]") + "}",
                                          bytes_of(files.weights)));
    ASSERT_EQ(run_tw({"effort", "build", files.w, "-o", files.built}).code, 0);
    ASSERT_EQ(run_tw({"effort", "build", tensors + ":w", "-o", other}).code, 0);
    EXPECT_EQ(read_file(files.built), read_file(other));
}

TEST(Effort, SeveralMatricesAreStacked) {
    const Files files;
    ASSERT_EQ(run_tw({"effort", "build", files.w, files.w, "-o", files.built, "--layout", "tiers"}).code, 0);
    ASSERT_EQ(run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--effort", ".5"}).code, 0);
    const std::vector<float> y = elements_of<float>(read_file(files.y));
    ASSERT_EQ(y.size(), 2 * outputs);
    EXPECT_TRUE(std::equal(y.begin(), y.begin() + outputs, y.begin() + outputs));
    write_file(files.v, npy_file<float>("<f4", "(1, 200)", files.vector));
    files.expect_refused({"build", files.w, files.v, files.w, "-o", files.built, "--transpose"},
                         "matrices of a stack must have the same number of inputs");
}

TEST(Effort, RowsOfAFileAreABatch) {
    const Files files;
    std::vector<float> two = files.vector;
    two.insert(two.end(), files.vector.begin(), files.vector.end());
    write_file(files.v, npy_file<float>("<f4", "(2, 200)", two));
    ASSERT_EQ(run_tw({"effort", "build", files.w, "-o", files.built}).code, 0);
    const auto ran = run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--effort", ".5"});
    ASSERT_EQ(ran.code, 0) << ran.error;
    const std::vector<float> y = elements_of<float>(read_file(files.y));
    ASSERT_EQ(y.size(), 2 * outputs);
    EXPECT_TRUE(std::equal(y.begin(), y.begin() + outputs, y.begin() + outputs));
}

TEST(Effort, EachRowOfAFileMayTakeTheDialByItself) {
    const Files files;
    std::vector<float> five;
    for (int i = 0; i < 5; ++i) five.insert(five.end(), files.vector.begin(), files.vector.end());
    write_file(files.v, npy_file<float>("<f4", "(5, 200)", five));
    ASSERT_EQ(run_tw({"effort", "build", files.w, "-o", files.built}).code, 0);
    const auto each = run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--effort", ".1", "--each"});
    ASSERT_EQ(each.code, 0) << each.error;
    EXPECT_GT(files.error_of_y(), .1);
    EXPECT_EQ(std::count(each.out.begin(), each.out.end(), '\n'), 5);
    ASSERT_EQ(run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--effort", ".1"}).code, 0);
    EXPECT_LT(files.error_of_y(), .02);  // five together are a dense product
}

TEST(Effort, WhatASpeedSuiteFindsIsRemembered) {
    const Files files;
    const std::string store = files.folder.path("tuning");
    const auto ran =
        run_tw({"effort", "curve", "--suite", "speed", "--shape", "64x128", "--seconds", "0.01", "--remember"},
               {.environment = {"TW_STORE=" + store, "TW_HISTORY=/dev/null/none"}});
    ASSERT_EQ(ran.code, 0) << ran.error;
    const std::string kept = read_file(store);
    for (const std::string layout : {"buckets", "tiers", "planes"}) {
        EXPECT_NE(ran.out.find(layout + " with "), std::string::npos) << ran.out;
        EXPECT_NE(kept.find(" 64x1x128 f16 f16 rrr fp32 1 " + layout + "-"), std::string::npos) << kept;
    }
    EXPECT_EQ(ran.out.find("a thread for every"), std::string::npos) << "one thread tells nothing of more: " << ran.out;
    files.expect_refused({"curve", "--remember"}, "--remember is for --suite speed");
}

TEST(Effort, WhatCannotBeGetsASentence) {
    const Files files;
    ASSERT_EQ(run_tw({"effort", "build", files.w, "-o", files.built}).code, 0);
    files.expect_refused({}, "build, run, curve");
    files.expect_refused({"bild"}, "build, run, curve");
    files.expect_refused({"build", files.w, "-o", files.built, "--layout", "plains"},
                         "--layout: expected buckets, tiers or planes; got 'plains'");
    files.expect_refused({"build", files.w, "-o", files.built, "--dense", "no"},
                         "--dense: expected automatic, kept or absent; got 'no'");
    files.expect_refused({"build", files.w, "-o", files.built, "--layout", "buckets", "--bucket", "9"}, "bucket");
    files.expect_refused({"build", files.w, "-o", files.built, "--bucket", "8"},
                         "--bucket and --truncating are for --layout buckets; the layout is planes");
    files.expect_refused({"build", files.w, "-o", "/dev/null"}, "it exists already and is not a regular file");
    files.expect_refused({"run", files.built, files.v, "-o", files.y + ".safetensors", "--effort", "1"},
                         "y is written as .npy");
    files.expect_refused({"build", files.folder.path("absent.npy"), "-o", files.built}, "it can't be opened");
    files.expect_refused({"run", files.built, files.v, "-o", files.y}, "one of --effort and --error");
    files.expect_refused({"run", files.built, files.v, "-o", files.y, "--effort", "1.5"},
                         "--effort: expected a share from 0 to 1; got 1.5");
    files.expect_refused({"run", files.built, files.v, "-o", files.y, "--effort", "nan"}, "--effort: expected a share");
    files.expect_refused({"run", files.built, files.v, "-o", files.y, "--error", "-1"},
                         "--error: expected a number from 0 on; got -1");
    files.expect_refused({"run", files.built, files.v, "-o", files.y, "--effort", "1", "--error", "1"}, "excludes");
    files.expect_refused({"run", files.w, files.v, "-o", files.y, "--effort", "1"}, "offset 0");
    files.expect_refused({"curve", "--device", "abacus"}, "expected one of cpu, cuda");
    files.expect_refused({"curve", "--bucket", "12"}, "--bucket: expected 8, 16 or 32; got 12");
    files.expect_refused({"curve", "--suite", "taste"}, "--suite: expected quality or speed; got 'taste'");
    files.expect_refused({"curve", "--shape", "12"}, "--shape: expected OUTPUTSxINPUTS");
    files.expect_refused({"curve", "--vector", files.v}, "--vector goes with --weights");
    write_file(files.v, npy_file<float>("<f4", "(3,)", {1, 2, 3}));
    files.expect_refused({"run", files.built, files.v, "-o", files.y, "--effort", "1"}, "takes vectors of 200 entries");
    write_file(files.v, npy_file<float>("<f4", "(200,)", std::vector<float>(200, NAN)));
    files.expect_refused({"run", files.built, files.v, "-o", files.y, "--effort", "1"}, "finite");
}

// The shaders of a Mac, executed: the same choice of rows, the same product.
TEST(Effort, MetalsKernelsMultiplyWhereTheyAreExecuted) {
    const Files files;
    for (const std::string layout : {"buckets", "tiers", "planes"}) {
        ASSERT_EQ(run_tw({"effort", "build", files.w, "-o", files.built, "--layout", layout}).code, 0);
        const auto on = [&](const std::string& device) {
            return run_tw({"effort", "run", files.built, files.v, "-o", files.y, "--effort", ".4", "--by-layout",
                           "--device", device});
        };
        const auto executed = on("metal-check");
        if (executed.code == 2 && executed.error.find("--device metal-check: ") != std::string::npos)
            GTEST_SKIP() << executed.error;
        ASSERT_EQ(executed.code, 0) << executed.error;
        const double error = files.error_of_y();
        const auto plain = on("cpu");
        ASSERT_EQ(plain.code, 0) << plain.error;
        EXPECT_NEAR(error, files.error_of_y(), 1e-4) << layout;
        EXPECT_EQ(executed.out, plain.out) << layout << ": rows, bytes and the error to expect";
    }
    files.expect_refused({"curve", "--suite", "speed", "--device", "metal-check"}, "its times mean nothing");
}

TEST(Effort, TheCurveTakesOtherBuckets) {
    const auto ran = run_tw({"effort", "curve", "--shape", "64x128", "--bucket", "32"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_NE(ran.out.find("buckets_32 gauss"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("buckets "), std::string::npos) << ran.out;
}

TEST(Effort, TheCurveHasEveryLayoutRivalAndKindOfData) {
    const Files files;
    const std::string json = files.folder.path("curve.json");
    const auto ran = run_tw({"effort", "curve", "--suite", "quality", "--shape", "128x512", "--weights", files.w,
                             "--vector", files.v, "--json", json},
                            {.environment = {"TW_HISTORY=" + files.folder.path("history.sqlite")}});
    ASSERT_EQ(ran.code, 0) << ran.error;
    const auto all = nlohmann::json::parse(read_file(json));
    std::set<std::string> layouts, data;
    int points = 0;
    for (const auto& entry : all.at("benchmarks")) {
        layouts.insert(entry.at("layout").get<std::string>());
        data.insert(entry.at("data").get<std::string>());
        const double read = entry.at("bytes_fraction"), error = entry.at("relative_error");
        EXPECT_GE(read, 0);
        EXPECT_TRUE(error >= 0 && error <= 1.2) << entry.dump();
        EXPECT_EQ(entry.at("predicted_error").is_null(), entry.at("provider") == "rival") << entry.dump();
        points += entry.at("point") == "effort";
    }
    EXPECT_EQ(layouts,
              (std::set<std::string>{"buckets", "tiers", "planes", "q4_0", "q8_0", "teal", "q8_top_k", "q4_top_k"}));
    EXPECT_EQ(data, (std::set<std::string>{"gauss", "swiglu", "laplace", "outlier", "t5", "real"}));
    EXPECT_EQ(points, 3 * 6 * 9);
}

TEST(Effort, TheSpeedSuiteTimesEveryLayoutBesideTheDenseProduct) {
    const Files files;
    const std::string json = files.folder.path("speed.json");
    const auto ran =
        run_tw({"effort", "curve", "--suite", "speed", "--shape", "256x512", "--seconds", "0.05", "--json", json},
               {.environment = {"TW_HISTORY=" + files.folder.path("history.sqlite")}});
    ASSERT_EQ(ran.code, 0) << ran.error;
    const auto all = nlohmann::json::parse(read_file(json));
    std::set<std::string> layouts;
    for (const auto& entry : all.at("benchmarks")) {
        layouts.insert(entry.at("layout").get<std::string>());
        if (entry.at("run_type") != "iteration") continue;
        EXPECT_GT(entry.at("real_time").get<double>(), 0);
    }
    EXPECT_EQ(layouts, (std::set<std::string>{"dense", "buckets", "tiers", "planes"}));
}

}  // namespace
