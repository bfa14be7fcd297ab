// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a peer's threads are sent. Each test is a process of its own, since places are kept in its environment.
#include "measure/basis/places.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace tw::measure {
namespace {

Processors processors(std::initializer_list<std::size_t> some) {
    Processors all;
    for (const std::size_t one : some) all.set(one);
    return all;
}

/// Whether it is true in a child of this process.
template <class Body>
bool holds_apart(const Body& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body() ? 0 : 1);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

TEST(Places, TheLastProcessorsAreTakenFirst) {
    // Linux knows nothing of processors so high, so each is a core.
    EXPECT_EQ(places_for(2, processors({1000, 1003, 1009})), (std::vector<int>{1009, 1003}));
    EXPECT_EQ(places_for(4, processors({1000, 1003})), (std::vector<int>{1003, 1000}));
    EXPECT_TRUE(places_for(2, {}).empty());
}

TEST(Places, OpenMPIsToldEachThreadsProcessor) {
    const std::vector<int> places = places_for(2, processors_here());
    if (places.size() < 2) GTEST_SKIP() << "two processors are needed";
    EXPECT_TRUE(holds_apart([&] {
        for (const char* name : {"OMP_PLACES", "OMP_PROC_BIND", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"}) unsetenv(name);
        take_places(2);
        const std::string told = "{" + std::to_string(places[0]) + "},{" + std::to_string(places[1]) + "}";
        Processors few;
        for (const int place : places) few.set(static_cast<std::size_t>(place));
        return std::getenv("OMP_PLACES") == told && processors_here() == few;
    }));
}

TEST(Places, WhatTheEnvironmentSaysStays) {
    EXPECT_TRUE(holds_apart([] {
        unsetenv("OMP_PLACES");
        setenv("KMP_AFFINITY", "scatter", 1);
        take_places(2);
        return !std::getenv("OMP_PLACES");
    }));
}

TEST(Places, OneThreadHasOneProcessor) {
    if (processors_here().none()) GTEST_SKIP() << "the system does not tell";
    EXPECT_TRUE(holds_apart([] {
        take_places(1);
        return processors_here().count() == 1;
    }));
}

}  // namespace
}  // namespace tw::measure
