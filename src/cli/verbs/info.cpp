// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw info: this machine. Devices, features and why one is not used, roofs by formula and measured, the bandwidth of
// each level, threads, peers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "backend/metal/backend.hpp"
#include "base/caches.hpp"
#include "base/cores.hpp"
#include "base/cpu_features.hpp"
#include "base/threads.hpp"
#include "cli/console/terminal.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/basis/machine.hpp"
#include "measure/peers/mps.hpp"
#include "measure/peers/start.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/calibrate.hpp"
#include "measure/roofs/device_roofs.hpp"
#include "measure/roofs/peaks.hpp"
#include "plan/pace_store.hpp"
#include "plan/registry.hpp"

namespace tw::cli {
namespace {

constexpr double seconds_a_unit = 0.12, seconds_a_level = 0.08;

std::string bytes_in_words(std::size_t bytes) {
    if (bytes >= std::size_t{1} << 20) return fmt::format("{:.4g} MiB", static_cast<double>(bytes) * 0x1p-20);
    return fmt::format("{:.4g} KiB", static_cast<double>(bytes) * 0x1p-10);
}

std::string described(const Backend& backend) {
    const int count = backend.devices();
    if (count == 0) return std::string("none: ") + backend.absence();
    const std::string where =
        backend.place == Place::host ? "this processor" : fmt::format("{} device{}", count, count == 1 ? "" : "s");
    return fmt::format("{}; {} kernels", where, backend.ladder.size());
}

void print_devices() {
    fmt::print("Devices\n");
    for (const BackendSource& source : backends()) {
        const Backend& backend = source();
        fmt::print("  {:<12} {}\n", backend.name, described(backend));
    }
}

void print_features() {
    fmt::print("\nFeatures of the processor\n");
    const Backend* cpu = find_backend("cpu");
    for (const FeatureName& feature : cpu->feature_names) {
        const bool is_used = (cpu->features() & feature.bit) != 0;
        fmt::print("  {:<12} {}\n", feature.name,
                   is_used ? "used" : std::string("not used: ") + cpu_feature_refusal(feature.bit));
    }
    for (const BackendSource& source : backends()) {
        const Backend& backend = source();
        if (backend.place == Place::host || backend.devices() == 0 || backend.feature_names.empty()) continue;
        fmt::print("\nFeatures of {}\n", backend.name);
        const char* const refusal = "not used: the device or this build does not have it";
        for (const FeatureName& feature : backend.feature_names)
            fmt::print("  {:<12} {}\n", feature.name, backend.features() & feature.bit ? "used" : refusal);
    }
}

std::string indented(const std::string& lines) {
    std::string text;
    for (const char c : lines) text += c == '\n' ? std::string("\n") + std::string(21, ' ') : std::string(1, c);
    return text;
}

/// Has Apple's compiler compile every family, and prints its message where it refuses one.
void print_metal_families() {
    const auto families = metal::family_states();
    if (families.empty()) return;
    fmt::print("\nFamilies of Metal kernels on {}, as this system's compiler takes them\n", metal::device_name());
    for (const metal::FamilyState& family : families) {
        fmt::print("  {:<18} {}\n", family.name,
                   family.refusal.empty() ? "compiles" : "refused: " + indented(family.refusal));
        if (!family.refusal.empty() && *family.instead) fmt::print("  {:<18} {} takes its place\n", "", family.instead);
    }
}

void print_threads(const measure::Machine& machine) {
    fmt::print("\nThreads\n  {} by default: {} physical core{}, {} processor{} allowed, {}\n", default_threads(),
               machine.cores, machine.cores == 1 ? "" : "s", machine.processors, machine.processors == 1 ? "" : "s",
               machine.quota > 0 ? fmt::format("a quota of {}", machine.quota) : "no quota");
}

void print_caches() {
    const auto print = [](const char* name, const Cache& cache) {
        if (cache.bytes == 0) return;
        fmt::print("  {:<12} {}, {}{}\n", name, bytes_in_words(static_cast<std::size_t>(cache.bytes)),
                   cache.ways > 0 ? fmt::format("{} ways, ", cache.ways) : "",
                   cache.shared_by == 1 ? "a core's own" : fmt::format("shared by {} processors", cache.shared_by));
    };
    fmt::print("\nCaches\n");
    print("L1", caches().l1), print("L2", caches().l2), print("L3", caches().l3);
}

/// What `tw tune --machine` has left here.
void print_pace(int threads) {
    const Pace known = pace_in(read_store(store_path(), pace_store_key()));
    fmt::print("\nPace, as tw tune --machine measured it\n{}",
               known.is_measured() ? measure::text_of(known, threads) : "  not measured on this machine\n");
}

/// "32 flops/clock/core x 3.21 GHz": the formula with this machine's numbers.
std::string formula(const measure::UnitPeak& peak) {
    const double a_clock = peak.theoretical() * 1e9 / peak.clock_hz;
    return fmt::format("{:.0f} flops/clock/core x {:.2f} GHz", a_clock, peak.clock_hz * 1e-9);
}

void print_peaks(int threads) {
    fmt::print("\nPeaks, GFLOP/s\n  {:<20} {:>10} {:>10} {:>12}   formula for one core\n", "unit", "1 core",
               "by formula", fmt::format("{} thread{}", threads, threads == 1 ? "" : "s"));
    std::fflush(stdout);
    for (const measure::UnitPeak& peak : measure::measure_units(seconds_a_unit, threads))
        fmt::print("  {:<20} {:>10.1f} {:>10.1f} {:>12.1f}   {}\n",
                   fmt::format("{} {}", peak.loop.unit, peak.loop.type), peak.gflops, peak.theoretical(),
                   peak.all_threads_gflops, formula(peak));
    for (const BackendSource& source : backends()) {
        const Backend& backend = source();
        if (backend.devices() == 0) continue;
        if (!backend.roofs.empty())
            fmt::print("\nRoofs of {}, GFLOP/s{:>17} {:>12}\n", backend.name, "by formula", "measured");
        for (const Roof& roof : backend.roofs)
            fmt::print("  {:<24} {:>12} {:>12}{}\n", fmt::format("{} {}", roof.unit, roof.type),
                       measure::in_a_table(measure::formula_of(roof)),
                       measure::in_a_table(measure::loop_of(roof, seconds_a_unit)),
                       std::string(roof.type) == "bytes" ? "   GB/s" : "");
    }
}

void print_bandwidths(int threads) {
    fmt::print("\nRead bandwidth\n");
    std::fflush(stdout);
    for (const measure::Bandwidth& read : measure::measure_bandwidths(seconds_a_level, threads))
        fmt::print("  {:<8} {:>8.1f} GB/s   {} by {} core{}\n", read.level, read.gigabytes_per_second,
                   bytes_in_words(read.bytes), read.threads, read.threads == 1 ? "" : "s");
}

void print_peers(const std::vector<std::shared_ptr<measure::PeerProcess>>& peers) {
    fmt::print("\nPeers\n");
    for (const auto& peer : peers) {
        const measure::PeerDescription& told = peer->description();
        if (*told.trouble) fmt::print("  {:<10} {}\n", told.name, told.trouble);
        else fmt::print("  {:<10} {:<10} {:<16} {}\n", told.name, told.version, told.core_type, told.file);
    }
    const std::string trouble = metal::why_no_mps();
    fmt::print("  {:<10} {}\n", measure::mps_name, trouble.empty() ? "in this process, on the metal device" : trouble);
}

void run() {
    // Peers are processes: they start before this one has a driver or a pool, and open while nothing is measured.
    const auto peers = measure::start_peers({}, "", 1, true);
    const measure::Machine machine = measure::this_machine();
    const int threads = default_threads();
    fmt::print("tilewright {} on {}\n", machine.version, machine.system);
    fmt::print("{}, {} core{}, clock {:.2f} GHz measured, {:.1f} GiB of memory\n", machine.processor, machine.cores,
               machine.cores == 1 ? "" : "s", measure::core_clock() * 1e-9, machine.memory_gib);
    if (!machine.has_speed) fmt::print("This is a build without optimisation: its figures mean little.\n");
    if (!machine.variables.empty()) fmt::print("Set: {}\n", machine.variables);
    fmt::print("\n");
    print_devices();
    print_features();
    print_metal_families();
    print_threads(machine);
    print_caches();
    print_pace(threads);
    print_peers(peers);
    print_peaks(threads);
    print_bandwidths(threads);
}

}  // namespace

void add_info(Verb tw) {
    const Verb verb = tw.add_verb("info", "Shows devices, features, peaks, bandwidths, threads and peers");
    verb.ends_help_with("Examples:\n  tw info\n  TW_FEATURES=-avx2 tw info");
    verb.runs(run);
}

}  // namespace tw::cli
