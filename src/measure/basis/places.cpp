// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/places.hpp"

#include <dlfcn.h>
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

namespace tw::measure {
namespace {

constexpr const char* who_say[] = {"OMP_PLACES", "OMP_PROC_BIND", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"};

std::string as_openmp_says(const std::vector<int>& places) {
    std::string all;
    for (const int place : places) all += (all.empty() ? "{" : ",{") + std::to_string(place) + "}";
    return all;
}

/// What the environment said when it was first asked; later it says what we say.
bool is_said() {
    static const bool said =
        std::any_of(std::begin(who_say), std::end(who_say), [](const char* name) { return std::getenv(name); });
    return said;
}

}  // namespace

std::vector<int> places_for(int threads, const Processors& allowed) {
    std::vector<int> leaders, others;
    for (int processor = static_cast<int>(allowed.size()) - 1; processor >= 0; --processor)
        if (allowed[static_cast<std::size_t>(processor)])
            (leads_its_core(processor, allowed) ? leaders : others).push_back(processor);
    leaders.insert(leaders.end(), others.begin(), others.end());
    leaders.resize(std::min(leaders.size(), static_cast<std::size_t>(std::max(threads, 1))));
    return leaders;
}

void stay_on(const Processors& few) noexcept {
#if defined(__linux__)
    if (few.none()) return;
    cpu_set_t set{};
    for (std::size_t processor = 0; processor < few.size(); ++processor)
        if (few[processor]) CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
#else
    (void)few;
#endif
}

void take_places(int threads) {
    const std::vector<int> places = places_for(threads, processors_here());
    Processors few;
    for (const int place : places) few.set(static_cast<std::size_t>(place));
    stay_on(few);
    if (threads == 1 || places.empty() || is_said()) return;
    setenv("OMP_PLACES", as_openmp_says(places).c_str(), 1);
    setenv("OMP_PROC_BIND", "close", 1);
}

void take_first_place(void* library, int threads) {
    const std::vector<int> places = places_for(threads, processors_here());
    if (threads == 1 || is_said() || places.empty() || !dlsym(library, "GOMP_parallel")) return;
    stay_on(Processors().set(static_cast<std::size_t>(places.front())));
}

}  // namespace tw::measure
