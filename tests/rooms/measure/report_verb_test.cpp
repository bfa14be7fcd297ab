// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw report shows what the history holds, and measures what it lacks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "measure/ladder.hpp"
#include "measure/rows/history.hpp"
#include "plan/registry.hpp"
#include "rooms/measure/say.hpp"

namespace tw::measure {
namespace {

/// A row that nobody has measured, known by its kernel's name.
Row made_up(const std::string& kernel, double gflops, double error) {
    return {.provider = "tilewright",
            .device = "cpu",
            .kernel = "cpu." + kernel + ".f32",
            .rung = kernel.substr(0, 2) + "_naive",
            .type = "f32",
            .accuracy = kernel,
            .m = 64,
            .n = 64,
            .k = 64,
            .seconds = {1e-3, 2e-3, 3e-3},
            .gflops = gflops,
            .relative_error = error,
            .ok = true};
}

TEST(ReportVerb, ShowsWhatTheHistoryHoldsAndMeasuresItNotAgain) {
    const std::string history = "/tmp/tilewright-report-" + std::to_string(getpid()) + ".sqlite",
                      page = history + ".html";
    for (const char* command : {"ladder", "dial", "bench", "effort quality", "effort speed"}) {
        measure::Run run{.command = command, .machine = this_machine(), .clock_hz = 1e9};
        std::string word = command;
        for (char& c : word) c = c == ' ' ? '_' : c;
        run.rows = {made_up("r1_made_up_" + word, 1, 1e-7), made_up("r7_made_up_" + word, 2, 2e-7)};
        if (run.command.starts_with("effort"))
            for (Row& row : run.rows)
                row.effort = EffortFigures{.layout = "planes",
                                           .data = "gauss",
                                           .point = "effort",
                                           .effort = 0.5,
                                           .bytes_fraction = row.gflops / 4,
                                           .gbps = 7,
                                           .speedup = 3.21};
        ASSERT_EQ(add_to_history(history, run), "");
    }
    const Said said = say("report -o " + page, "TW_HISTORY=" + history);
    EXPECT_EQ(said.code, 0) << said.text;
    std::ifstream written(page);
    const std::string text{std::istreambuf_iterator<char>(written), {}};
    for (const char* part : {"cpu.r7_made_up_ladder.f32", "r7_made_up_dial", "id=\"shapes\"", "id=\"effort\"", "3.21"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    EXPECT_EQ(text.find("cpu.r6_"), std::string::npos) << "nothing was measured";
    for (const char* command : {"ladder", "dial", "bench", "effort quality", "effort speed"})
        EXPECT_EQ(last_from_history(history, command, this_machine()).size(), 2u) << command << ": nothing was added";
    unlink(page.c_str()), unlink(history.c_str());
}

TEST(Ladder, TakesTheSizeThatADeviceIsQuickEnoughFor) {
    Backend device = *find_backend("cpu");
    EXPECT_EQ(usual_size(device), 1024);
    device.place = Place::cuda;
    EXPECT_EQ(usual_size(device), 4096);
    EXPECT_EQ(usual_size(*find_backend("cpu-check")), 64) << "it is emulated";
}

}  // namespace
}  // namespace tw::measure
