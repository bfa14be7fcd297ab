// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <unistd.h>

#include <complex>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/cpu_features.hpp"
#include "measure/peers/core_type.hpp"
#include "measure/peers/entrant.hpp"
#include "measure/peers/library.hpp"
#include "measure/peers/start.hpp"
#include "measure/peers/trial.hpp"

namespace tw::measure {
namespace {

using namespace cpu_feature;

TEST(Peers, CoreTypesBelowTheFeatureBitsAreCorrected) {
    EXPECT_EQ(better_core_type("openblas", "Prescott", avx2 | avx512), "SkylakeX");
    EXPECT_EQ(better_core_type("openblas", "Prescott", avx2), "Haswell");
    EXPECT_EQ(better_core_type("openblas", "Zen", avx2), "");
    EXPECT_EQ(better_core_type("openblas", "SapphireRapids", avx2 | avx512), "");
    EXPECT_EQ(better_core_type("blis", "haswell", avx2 | avx512), "skx");
    EXPECT_EQ(better_core_type("blis", "zen3", avx2), "");
    EXPECT_EQ(better_core_type("openblas", "A core from the future", avx2 | avx512), "");
    EXPECT_EQ(better_core_type("onednn", "avx2", avx2 | avx512), "");
}

TEST(Peers, AVariableNamesTheOnlyCandidate) {
    setenv("TW_PEER_BLIS", "/nowhere/libblis.so", 1);
    const auto candidates = peer_candidates(*find_peer_kind("blis"));
    ASSERT_EQ(candidates.size(), 1u);
    EXPECT_EQ(candidates[0].file, "/nowhere/libblis.so");
    const auto peer = PeerProcess::start(*find_peer_kind("blis"), 1);
    ASSERT_TRUE(peer);
    EXPECT_NE(std::string(peer->description().trouble).find("/nowhere/libblis.so"), std::string::npos);
    EXPECT_FALSE(peer->is_usable(Type::f32));
    unsetenv("TW_PEER_BLIS");
}

TEST(Peers, ALibraryThatCrashesIsASentence) {
    // Not a library at all: the loader refuses it in the child, and this process goes on.
    setenv("TW_PEER_MKL", "/dev/null", 1);
    const auto peer = PeerProcess::start(*find_peer_kind("mkl"), 1);
    ASSERT_TRUE(peer);
    EXPECT_STRNE(peer->description().trouble, "");
    unsetenv("TW_PEER_MKL");
}

TEST(Peers, ComplexProductsGoByTheirNameInFortranWhereThatOfCIsMissing) {
    setenv("TW_PEER_OPENBLAS", FAKE_PEER, 1);
    const PeerLibrary library = open_peer(*find_peer_kind("openblas"), 1);
    unsetenv("TW_PEER_OPENBLAS");
    ASSERT_TRUE(library.c128);
    EXPECT_FALSE(library.c64);
    std::complex<double> a[6], b[12], c[8];
    for (int i = 0; i < 6; ++i) a[i] = {i + 1.0, 2.0 - i};
    for (int i = 0; i < 12; ++i) b[i] = {3.0 - i, i * 0.5};
    for (int bits = 0; bits < 8; ++bits) {
        const auto laid = [](std::complex<double>* data, std::int64_t rows, std::int64_t cols, int by_columns) {
            Matrix m{data, Type::c128, rows, cols, cols};
            if (by_columns) m.row_step = 1, m.col_step = rows;
            return m;
        };
        const Matrix of_a = laid(a, 2, 3, bits & 1), of_b = laid(b, 3, 4, bits & 2), of_c = laid(c, 2, 4, bits & 4);
        ASSERT_TRUE(library.c128(of_a, of_b, of_c));
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 4; ++j) {
                std::complex<double> sum;
                for (int p = 0; p < 3; ++p)
                    sum += a[i * of_a.row_step + p * of_a.col_step] * b[p * of_b.row_step + j * of_b.col_step];
                EXPECT_EQ(c[i * of_c.row_step + j * of_c.col_step], sum) << bits;
            }
    }
}

TEST(Peers, VersionsAreComparedNumberByNumber) {
    EXPECT_TRUE(is_newer("0.3.34", "0.3.21"));
    EXPECT_TRUE(is_newer("0.10", "0.9.9"));
    EXPECT_TRUE(is_newer("3.13.2", "3.4"));
    EXPECT_FALSE(is_newer("0.3.21", "0.3.34"));
    EXPECT_FALSE(is_newer("0.3.34.dev", "0.3.34"));
    EXPECT_FALSE(is_newer("", "1"));
}

TEST(Peers, APackageIsOpenedWithWhatLiesBesideIt) {
    setenv("TW_PEER_OPENBLAS", FAKE_PEER, 1);
    const Task task{.m = 5, .n = 6, .k = 7, .type = Type::f32, .accuracy = fp32, .threads = 1};
    const auto peer = PeerProcess::start(*find_peer_kind("openblas"), 1);
    ASSERT_TRUE(peer);
    EXPECT_STREQ(peer->description().trouble, "");
    EXPECT_STREQ(peer->description().version, "99.1.2");
    EXPECT_TRUE(peer->judge(task).ok);
    unsetenv("TW_PEER_OPENBLAS");
}

TEST(Peers, TheNewestOfAKindIsTaken) {
    namespace fs = std::filesystem;
    const fs::path home = fs::temp_directory_path() / ("tw_peers_" + std::to_string(getpid())),
                   folder = home / "lib/python3.9/site-packages/scipy_openblas32/lib";
    fs::create_directories(folder);
    fs::copy_file(FAKE_PEER, folder / "libscipy_openblas.so");
    for (const auto& file : fs::directory_iterator(fs::path(FAKE_PEER).parent_path()))
        if (file.path().filename() == "libfake_neighbour.so") fs::copy_file(file, folder / file.path().filename());
    const char* const before = std::getenv("VIRTUAL_ENV");
    const std::string kept = before ? before : "";
    setenv("VIRTUAL_ENV", home.c_str(), 1);
    const auto peer = PeerProcess::start(*find_peer_kind("openblas"), 1);
    EXPECT_STREQ(peer->description().version, "99.1.2");
    EXPECT_STREQ(peer->description().found_by, "Python's packages");
    before ? setenv("VIRTUAL_ENV", kept.c_str(), 1) : unsetenv("VIRTUAL_ENV");
    fs::remove_all(home);
}

TEST(Peers, WhoeverIsHereMultipliesAndIsJudged) {
    const Task task{.m = 33, .n = 65, .k = 17, .type = Type::f32, .accuracy = fp32, .threads = 2};
    for (const auto& peer : start_peers({}, "cpu", 2)) {
        if (!peer->is_usable(Type::f32)) continue;
        PeerEntrant entrant(peer, task);
        entrant.begin_turn();
        const Judgement judgement = entrant.judge(task);
        EXPECT_TRUE(judgement.ok) << entrant.kernel << ": " << judgement.trouble;
        EXPECT_LT(judgement.error_over_bound, 1) << entrant.kernel;
        EXPECT_GT(entrant.seconds(3), 0) << entrant.kernel;
        entrant.end_turn();
    }
}

}  // namespace
}  // namespace tw::measure
