// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/cores.hpp"
#include "plan/registry.hpp"
#include "tilewright/version.hpp"

extern char** environ;

namespace tw::measure {
namespace {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
#if defined(__aarch64__)
    return "aarch64";
#else
    return "unknown processor";
#endif
}

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string now_in_words() {
    const std::time_t time = std::time(nullptr);
    std::tm local{};
    localtime_r(&time, &local);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &local);
    return text;
}

std::string set_variables() {
    std::string all;
    for (char** variable = environ; *variable; ++variable) {
        if (std::strncmp(*variable, "TW_", 3) != 0) continue;
        if (!all.empty()) all += ' ';
        all += *variable;
    }
    return all;
}

}  // namespace

Machine this_machine() {
    Machine machine;
    utsname name{};
    if (uname(&name) == 0) {
        machine.host = name.nodename;
        machine.system = std::string(name.sysname) + " " + name.release + " " + name.machine;
    }
    machine.processor = processor_name();
    if (const Backend* cpu = find_backend("cpu"))
        for (const FeatureName& feature : cpu->feature_names)
            if (cpu->features() & feature.bit) machine.features.emplace_back(feature.name);
    machine.processors = allowed_processors();
    machine.cores = physical_cores();
    machine.quota = quota_processors();
    machine.memory_gib =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)) * 0x1p-30;
    machine.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (getloadavg(machine.load, 3) != 3) machine.load[0] = machine.load[1] = machine.load[2] = 0;
    machine.date = now_in_words();
    machine.version = version();
#if defined(__clang__)
    machine.compiler = "clang " __clang_version__;
#else
    machine.compiler = "g++ " __VERSION__;
#endif
#if !defined(__OPTIMIZE__)
    machine.has_speed = false;
#endif
    machine.variables = set_variables();
    return machine;
}

std::string machine_key(const Machine& machine) {
    std::string key = machine.processor;
    for (const std::string& feature : machine.features) key.append(" ").append(feature);
    return key.append(" x").append(std::to_string(machine.cores));
}

}  // namespace tw::measure
