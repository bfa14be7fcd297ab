// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The measuring verbs as a user types them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "base/threads.hpp"
#include "rooms/measure/say.hpp"

namespace tw::measure {
namespace {

TEST(Verbs, LadderPrintsARowForEachRungAndBeginsItWithTheKernelsName) {
    const Said said = say("ladder --device cpu --size 24 --seconds 0.1 --no-peers");
    EXPECT_EQ(said.code, 0) << said.text;
    for (const char* kernel : {"\ncpu.r1_naive.f32 ", "\ncpu.r2_coalesced.f32 ", "\ncpu.r3_tiled.f32.16 "})
        EXPECT_NE(said.text.find(kernel), std::string::npos) << kernel;
    std::set<std::size_t> ends_of_spreads;
    for (std::size_t at = said.text.find("\ncpu."); at != std::string::npos; at = said.text.find("\ncpu.", at + 1)) {
        const std::size_t percent = said.text.find(" %", at);
        if (percent < said.text.find('\n', at + 1)) ends_of_spreads.insert(percent - at);
    }
    EXPECT_EQ(ends_of_spreads.size(), 1u) << "columns lie below one another\n" << said.text;
    EXPECT_EQ(said.text.find("█"), std::string::npos) << "bars belong to a terminal";
    EXPECT_NE(said.text.find("warning"), std::string::npos) << "the history has no place, and the results are printed";
}

TEST(Verbs, LadderTakesNarrowTypesWhereADeviceHasThem) {
    const std::string file = "/tmp/tilewright-ladder-" + std::to_string(getpid()) + ".json";
    const Said said = say("ladder --device cpu-check --type bf16 --size 40 --seconds 0.1 --no-peers --json " + file);
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("\ncpu-check.r8_matrix_unit.bf16 "), std::string::npos) << said.text;
    EXPECT_EQ(said.text.find(".f32"), std::string::npos) << "rows of other types stay out\n" << said.text;
    std::ifstream written(file);
    const auto json = nlohmann::json::parse(written);
    ASSERT_FALSE(json["benchmarks"].empty());
    for (const auto& entry : json["benchmarks"]) EXPECT_EQ(entry["type"], "bf16");
    unlink(file.c_str());

    const Said none = say("ladder --device cpu-check --type f16 --size 40 --no-peers");
    EXPECT_EQ(none.code, 2) << none.text;
    EXPECT_NE(none.text.find("no rung of cpu-check multiplies f16 here"), std::string::npos) << none.text;
    const Said named = say("ladder --device cpu-check --type f16 --rung r10_split --size 40 --no-peers");
    EXPECT_EQ(named.code, 2) << named.text;
    EXPECT_NE(named.text.find("no rung of that name multiplies f16 here"), std::string::npos) << named.text;
    const Said wrong = say("ladder --type f8");
    EXPECT_NE(wrong.text.find("expected f32, f64, bf16, f16, c64 or c128; got 'f8'"), std::string::npos) << wrong.text;
}

TEST(Verbs, LadderTakesAnEarlierNameAndShowsFewRowsBehindTheRungsWithoutAGain) {
    const Said said =
        say("ladder --device cpu --size 24 --no-peers --seconds 0.05 --threads 1 --rung r1 --rung r6_skinny");
    EXPECT_EQ(said.code, 0) << said.text;
    const std::size_t rung = said.text.find("cpu.r1_naive.f32"), few = said.text.find("cpu.few_rows.f32.portable");
    ASSERT_NE(rung, std::string::npos) << said.text;
    ASSERT_NE(few, std::string::npos) << said.text;
    EXPECT_LT(rung, few);
    const std::string line = said.text.substr(few, said.text.find('\n', few) - few);
    EXPECT_EQ(line.find("x "), std::string::npos) << "no rung is below it\n" << line;
}

TEST(Verbs, BadInputIsASentenceAndExit2) {
    for (const char* arguments : {"ladder --device toaster",
                                  "ladder --size 0",
                                  "ladder --size 1x2",
                                  "ladder --type f8",
                                  "ladder --rung nonsense --size 8",
                                  "ladder --size 8 --shape 1x2x3",
                                  "bench --m 8:4:y",
                                  "bench --m 4096:8:x2",
                                  "bench --suite nonsense",
                                  "bench --peers=nonsense --m 8",
                                  "bench --baseline /nowhere --m 8",
                                  "bench --accuracy much --m 8",
                                  "bench --cold --hot --m 8",
                                  "bench --reproducible --kernel r1_naive --m 8",
                                  "bench --scaling --kernel r1_naive --m 8",
                                  "bench --batch 4 --callers 2 --m 8",
                                  "bench --batch 1 --m 8",
                                  "bench --scaling --device cpu-check --m 8",
                                  "explain nonsense",
                                  "tune --suite nonsense",
                                  "tune --shape 0",
                                  "roofline --device toaster",
                                  "roofline --device cpu-check",
                                  "roofline --peak 19500",
                                  "roofline --peak quick --bandwidth 1",
                                  "roofline --peak 256x --bandwidth 1",
                                  "roofline --peak -1 --bandwidth 1",
                                  "tune --device cpu-check --shape 8 --dry-run",
                                  "bench nonsense",
                                  "bench loaders --device cpu",
                                  "ladder --markdown",
                                  "bench --kernel nonsense --m 8",
                                  "bench --accuracy 1e-30 --m 8",
                                  "bench --m 8 --json /no/such/folder/x.json",
                                  "ladder --size 8 --json /",
                                  "tune --shape 8 --markdown /no/such/folder/x.md",
                                  "tune --shape 8 --store /proc/none/tuning",
                                  "tune --shape 8",
                                  "effort curve --suite speed --remember",
                                  "ladder --device cpu:5",
                                  "report -o /no/such/folder/x.html",
                                  "report -o - --open",
                                  "ladder --size 1000000",
                                  "bench --m 8,1000000",
                                  "bench --m 8 --seconds soon"}) {
        const Said said = say(arguments);
        EXPECT_EQ(said.code, 2) << arguments << "\n" << said.text;
        EXPECT_NE(said.text.find("tw: "), std::string::npos) << arguments;
        EXPECT_EQ(said.text.find("GFLOP/s"), std::string::npos) << "it is told before anything is measured\n"
                                                                << said.text;
    }
}

/// What tw writes on a terminal of so many columns.
std::string on_terminal(unsigned short columns, const char* locale, const std::string& arguments) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 || ioctl(terminal, TIOCSWINSZ, &size) != 0)
        return "";
    const std::string side = ptsname(terminal);
    const int held = open(side.c_str(), O_RDWR | O_NOCTTY);  // until all is read: what its last closer has not, is lost
    const std::string command = "LC_ALL=" + std::string(locale) + " TW_HISTORY=/dev/null/none " + TW_BINARY + " " +
                                arguments + " >" + side + " 2>&1";
    std::string text;
    std::thread reader([&] {
        char part[4096];
        while (text.find("that was all") == std::string::npos) {
            const ssize_t got = read(terminal, part, sizeof part);
            if (got <= 0) break;
            text.append(part, static_cast<std::size_t>(got));
        }
    });
    const int ran = std::system((command + "; echo that was all >" + side).c_str());
    reader.join();
    close(held);
    close(terminal);
    return ran == 0 ? text : "";
}

TEST(Verbs, ByItselfInATerminalTwShowsThreeThingsToTry) {
    const std::string text = on_terminal(80, "C", "");
    if (text.empty()) GTEST_SKIP() << "skipped: no terminal can be had here";
    for (const char* part : {"Three things to try", "tw ladder ", "tw explain naive ", "tw --help "})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(say("").text.find("verb is missing"), std::string::npos) << "a script gets the error";
}

TEST(Verbs, ATableAndItsProgressFitTheTerminal) {
    const std::string climb = "ladder --size 32 --seconds 0.3 --no-peers --rung r3";
    for (const auto& [columns, locale] :
         {std::pair<unsigned short, const char*>{40, "C"}, {80, "C"}, {120, "C.UTF-8"}}) {
        const std::string text = on_terminal(columns, locale, climb);
        if (text.empty()) GTEST_SKIP() << "skipped: no terminal can be had here";
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line, '\r');)
            EXPECT_TRUE(line.find(" %  cpu.r3") == std::string::npos || line.size() < columns) << line;
        EXPECT_EQ(text.find("####") != std::string::npos, columns == 80) << text;
        EXPECT_EQ(text.find("\u2588") != std::string::npos, columns == 120) << text;
    }
}

TEST(Verbs, TheListNamesEveryKernelOnALineOfItsOwn) {
    const Said said = say("ladder --list");
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_EQ(said.text.find("cpu.r1_naive.f32 "), 0u) << said.text;
    EXPECT_NE(said.text.find("\ncpu.r7_hierarchical_wide.f32.avx512  "), std::string::npos) << said.text;
}

/// The kernels of a run that wrote its results to `file`, with the products that each of them multiplied in a pass.
std::map<std::string, int> kernels_in(const std::string& file) {
    std::ifstream written(file);
    const auto json = nlohmann::json::parse(written);
    std::map<std::string, int> found;
    for (const auto& entry : json["benchmarks"]) found[entry["kernel"]] = entry["products"];
    unlink(file.c_str());
    return found;
}

TEST(Verbs, BenchMultipliesBatchesByStepsAndByPointers) {
    const std::string file = "/tmp/tilewright-batch-" + std::to_string(getpid()) + ".json";
    const Said said = say("bench --m 24 --threads 2 --seconds 0.2 --batch 5 --json " + file);
    EXPECT_EQ(said.code, 0) << said.text;
    for (const char* line : {"\n  batch against single products", "\n  batch by pointers against single products",
                             "\n  2 threads against one"})
        EXPECT_NE(said.text.find(line), std::string::npos) << line << "\n" << said.text;
    int single = 0, batches = 0;
    for (const auto& [kernel, products] : kernels_in(file)) {
        const bool is_batch = kernel.find(" batch") != std::string::npos;
        ++(is_batch ? batches : single);
        EXPECT_EQ(products, is_batch ? 5 : 1) << kernel;
    }
    EXPECT_EQ(single, 2) << "on one thread and on two";
    EXPECT_EQ(batches, 2);
}

TEST(Verbs, BenchCallsFromTheThreadsOfARegion) {
    const std::string file = "/tmp/tilewright-region-" + std::to_string(getpid()) + ".json";
    const Said said = say("bench --m 24 --threads 2 --seconds 0.2 --scaling --callers 2 --json " + file);
    if (said.text.find("OpenMP runtime was expected") != std::string::npos) GTEST_SKIP() << said.text;
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("\n  2 calls in an OpenMP region against 2 times the rate of one"), std::string::npos)
        << said.text;
    int in_regions = 0;
    for (const auto& [kernel, products] : kernels_in(file))
        if (kernel.ends_with(" in an OpenMP region") && products == 2) ++in_regions;
    EXPECT_EQ(in_regions, 1);
}

TEST(Verbs, BenchShowsWhatReproducibleCosts) {
    const std::string file = "/tmp/tilewright-reproducible-" + std::to_string(getpid()) + ".json";
    const Said said = say("bench --m 24 --threads 1 --seconds 0.2 --reproducible --json " + file);
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("\n  reproducible against cpu."), std::string::npos) << said.text;
    std::ifstream written(file);
    const auto json = nlohmann::json::parse(written);
    int marked = 0, others = 0;
    for (const auto& entry : json["benchmarks"])
        ++(entry["kernel"].get<std::string>().ends_with(" reproducible") ? marked : others);
    EXPECT_GT(marked, 0);
    EXPECT_GT(others, 0);
    unlink(file.c_str());
}

TEST(Verbs, BenchWritesJsonThatABaselineReads) {
    const std::string file = "/tmp/tilewright-bench-" + std::to_string(getpid()) + ".json";
    EXPECT_EQ(say("bench --m 16,24 --seconds 0.2 --json " + file).code, 0);
    std::ifstream written(file);
    const auto json = nlohmann::json::parse(written);
    for (const auto& entry : json["benchmarks"])
        EXPECT_EQ(entry["threads"], default_threads()) << "as many as a product would take";
    const Said second = say("bench --m 16 --seconds 0.2 --csv - --baseline " + file);
    EXPECT_TRUE(second.code == 0 || second.code == 1) << second.text;
    EXPECT_NE(second.text.find("Against the baseline"), std::string::npos);
    EXPECT_NE(second.text.find("provider,device,kernel"), std::string::npos);
    unlink(file.c_str());
}

/// A file of results with every time multiplied.
void write_slowed(const std::string& from, const std::string& to, double factor) {
    std::ifstream file(from);
    auto json = nlohmann::json::parse(file);
    for (auto& entry : json["benchmarks"]) entry["real_time"] = factor * entry["real_time"].get<double>();
    std::ofstream(to) << json;
}

/// Beside a busy neighbour the verdict may be, rightly, that nothing can be told: then it is asked for again.
Said judged_against(const std::string& baseline) {
    Said said;
    for (int tries = 0; tries < 4; ++tries) {
        said = say("bench --m 24 --threads 1 --seconds 0.3 --baseline " + baseline);
        if (said.text.find("too noisy to tell") == std::string::npos) break;
    }
    return said;
}

TEST(Verbs, ABaselineExits1OnlyWhenSlowerBeyondNoise) {
    const std::string file = "/tmp/tilewright-baseline-" + std::to_string(getpid()) + ".json", other = file + ".other";
    ASSERT_EQ(say("bench --m 24 --threads 1 --seconds 0.3 --json " + file).code, 0);
    write_slowed(file, other, 0.02);  // it was fifty times as quick: no neighbour explains that
    const Said slower = judged_against(other);
    write_slowed(file, other, 50);
    const Said quicker = judged_against(other);
    unlink(file.c_str());
    unlink(other.c_str());
    if ((slower.text + quicker.text).find("too noisy to tell") != std::string::npos)
        GTEST_SKIP() << "the machine is too busy for a verdict";
    EXPECT_EQ(slower.code, 1) << slower.text;
    EXPECT_NE(slower.text.find("slower (p "), std::string::npos) << slower.text;
    EXPECT_EQ(quicker.code, 0) << quicker.text;
    EXPECT_NE(quicker.text.find("quicker (p "), std::string::npos) << quicker.text;
}

TEST(Verbs, CompareOfGoogleBenchmarkReadsTwoOfOurFiles) {
    const std::string tool = "/usr/share/benchmark/compare.py";
    if (std::system(("test -f " + tool + " && python3 -c 'import scipy' 2>/dev/null").c_str()) != 0)
        GTEST_SKIP() << "compare.py or scipy is not installed";
    const std::string file = "/tmp/tilewright-compare-" + std::to_string(getpid()) + ".json", other = file + ".other";
    ASSERT_EQ(say("bench --m 16,24 --seconds 0.2 --json " + file).code, 0);
    write_slowed(file, other, 2);
    FILE* pipe = popen(("python3 " + tool + " --no-color benchmarks " + file + " " + other + " 2>&1").c_str(), "r");
    std::string text;
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) text.append(part, got);
    EXPECT_EQ(WEXITSTATUS(pclose(pipe)), 0) << text;
    EXPECT_NE(text.find("24x24x24/f32"), std::string::npos) << text;
    EXPECT_NE(text.find("+1.0000"), std::string::npos) << text;
    unlink(file.c_str());
    unlink(other.c_str());
}

TEST(Verbs, BenchLoadersCountsOnTheMetalExecutor) {
    const Said said = say("bench loaders --device metal-check");
    if (said.code == 2 && said.text.find("--device metal-check: ") != std::string::npos) GTEST_SKIP() << said.text;
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find(
                  "loaders_async         8         32768         32768          1024         1       8          4096"),
              std::string::npos)
        << said.text;
    EXPECT_NE(said.text.find(
                  "loaders_plain         1         32768         32768          1024         1       0         32768"),
              std::string::npos)
        << said.text;
    EXPECT_EQ(said.text.find(" ms"), std::string::npos) << "times mean nothing there";
}

TEST(Verbs, BenchLoadersDrawsACurveOnACudaDevice) {
    const Said said = say("bench loaders --device cuda");
    if (said.code == 2 && said.text.find("--device cuda: ") != std::string::npos) GTEST_SKIP() << said.text;
    EXPECT_EQ(said.code, 0) << said.text;
    for (const char* part :
         {"warps of a block", "loaders_plain         1", "loaders_async         8", "loaders_bulk", "from L2:"})
        EXPECT_NE(said.text.find(part), std::string::npos) << part << "\n" << said.text;
}

TEST(Verbs, AnInterruptKeepsWhatWasMeasuredAndExits130) {
    // --foreground: one signal, as one press of Ctrl-C sends; a second one would end the command at once.
    const Said said = say("bench --suite square --seconds 5", "timeout --foreground --preserve-status -s INT 3");
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
    EXPECT_NE(said.text.find("of 2 problems are quicker than by the rules"), std::string::npos) << said.text;
    const Said two = say("tune --shape 48 --seconds 0.5 --dry-run --threads 2");
    const std::size_t by_rules = two.text.find("cpu.");
    ASSERT_NE(by_rules, std::string::npos) << two.text;
    EXPECT_EQ(two.text.substr(two.text.find(" x", by_rules), 3), " x2") << "the rules' choice has all threads";
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
    for (const char* part : {"Devices", "Features", "Threads", "Caches", "not measured on this machine", "Peers",
                             "Peaks", "Read bandwidth"})
        EXPECT_NE(said.text.find(part), std::string::npos) << part;
#if !defined(__APPLE__)
    EXPECT_EQ(said.text.find("Families of Metal"), std::string::npos) << "no heading without anything below it";
#endif
}

TEST(Verbs, TuneMeasuresTheMachineAndInfoShowsIt) {
    const std::string file = "/tmp/tilewright-pace-" + std::to_string(getpid());
    const Said trial = say("tune --machine --dry-run --store " + file);
    EXPECT_EQ(trial.code, 0) << trial.text;
    EXPECT_NE(trial.text.find("GB/s by one thread"), std::string::npos) << trial.text;
    EXPECT_NE(access(file.c_str(), F_OK), 0) << "a trial writes nothing";
    const Said tuned = say("tune --machine --store " + file);
    EXPECT_EQ(tuned.code, 0) << tuned.text;
    const Said told = say("info", "TW_STORE=" + file);
    EXPECT_NE(told.text.find("GB/s by one thread"), std::string::npos) << told.text;
    EXPECT_EQ(told.text.find("not measured on this machine"), std::string::npos);
    for (const char* end : {"", ".lock"}) unlink((file + end).c_str());
}

}  // namespace
}  // namespace tw::measure
