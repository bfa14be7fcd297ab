// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The measuring verbs as a user types them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace tw::measure {
namespace {

struct Said {
    int code = -1;
    std::string text;
};

/// Through the shell, both streams together, with a history and a store of its own.
Said say(const std::string& arguments, const std::string& before = "") {
    const std::string command = "TW_HISTORY=/dev/null/none TW_STORE=/dev/null " + before + " " + TW_BINARY + " " + arguments + " 2>&1";
    Said said;
    FILE* pipe = popen(command.c_str(), "r");
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) said.text.append(part, got);
    said.code = WEXITSTATUS(pclose(pipe));
    return said;
}

TEST(Verbs, LadderPrintsARowForEachRungAndBeginsItWithTheKernelsName) {
    const Said said = say("ladder --device cpu --size 24 --seconds 0.1 --no-peers");
    EXPECT_EQ(said.code, 0) << said.text;
    for (const char* kernel : {"\ncpu.r1_naive.f32 ", "\ncpu.r2_coalesced.f32 ", "\ncpu.r3_tiled.f32.16 "})
        EXPECT_NE(said.text.find(kernel), std::string::npos) << kernel;
    EXPECT_EQ(said.text.find("█"), std::string::npos) << "bars belong to a terminal";
    EXPECT_NE(said.text.find("warning"), std::string::npos) << "the history has no place, and the results are printed";
}

TEST(Verbs, BadInputIsASentenceAndExit2) {
    for (const char* arguments : {"ladder --device toaster", "ladder --size 0", "ladder --size 1x2", "ladder --type f8", "ladder --rung nonsense --size 8",
                                  "ladder --size 8 --shape 1x2x3", "bench --m 8:4:y", "bench --suite nonsense", "bench --peers=nonsense --m 8",
                                  "bench --baseline /nowhere --m 8", "bench --accuracy much --m 8", "bench --cold --hot --m 8", "explain nonsense",
                                  "tune --suite nonsense", "tune --shape 0", "roofline --device toaster"}) {
        const Said said = say(arguments);
        EXPECT_EQ(said.code, 2) << arguments << "\n" << said.text;
        EXPECT_NE(said.text.find("tw: "), std::string::npos) << arguments;
    }
}

TEST(Verbs, BenchWritesJsonThatABaselineReads) {
    const std::string file = "/tmp/tilewright-bench-" + std::to_string(getpid()) + ".json";
    EXPECT_EQ(say("bench --m 16,24 --seconds 0.2 --json " + file).code, 0);
    const Said second = say("bench --m 16 --seconds 0.2 --csv - --baseline " + file);
    EXPECT_TRUE(second.code == 0 || second.code == 1) << second.text;
    EXPECT_NE(second.text.find("Against the baseline"), std::string::npos);
    EXPECT_NE(second.text.find("provider,device,kernel"), std::string::npos);
    unlink(file.c_str());
}

TEST(Verbs, AnInterruptKeepsWhatWasMeasuredAndExits130) {
    // --foreground: one signal, as one press of Ctrl-C sends; a second one would end the command at once.
    const Said said = say("bench --suite square --seconds 20", "timeout --foreground --preserve-status -s INT 6");
    EXPECT_EQ(said.code, 130) << said.text;
    EXPECT_NE(said.text.find("64x64x64"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("interrupted; what was measured is kept"), std::string::npos) << said.text;
}

TEST(Verbs, ExplainDoesTheSeedsArithmetic) {
    const Said naive = say("explain naive --shape 64");
    EXPECT_EQ(naive.code, 0);
    EXPECT_NE(naive.text.find("= 0.25 flop/byte"), std::string::npos) << naive.text;
    const Said tiled = say("explain tile_16 --shape 64");
    EXPECT_NE(tiled.text.find("= 4 flop/byte"), std::string::npos) << tiled.text;
    EXPECT_NE(tiled.text.find("Memory leaves both with 4096 threads"), std::string::npos);
}

TEST(Verbs, TuneFindsAndForgetsWhenAskedTo) {
    const Said said = say("tune --shape 48 --shape 20x30x40 --seconds 0.5 --dry-run");
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("of 2 problems are quicker"), std::string::npos) << said.text;
}

TEST(Verbs, RooflineHasRoofsAndPoints) {
    const Said said = say("roofline --device cpu --shape 48 --seconds 0.2");
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("Roofs of one core"), std::string::npos);
    EXPECT_NE(said.text.find("cpu.r1_naive.f32"), std::string::npos);
}

TEST(Verbs, InfoNamesDevicesFeaturesPeaksAndPeers) {
    const Said said = say("info");
    EXPECT_EQ(said.code, 0);
    for (const char* part : {"Devices", "Features", "Threads", "Peers", "Peaks", "Read bandwidth"})
        EXPECT_NE(said.text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace tw::measure
