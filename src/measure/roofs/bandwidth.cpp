// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/roofs/bandwidth.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "base/cpu_features.hpp"
#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"
#include "measure/roofs/loops.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t step = 1024;  // a multiple of what any read loop reads at a time
constexpr std::size_t smallest_memory = std::size_t{64} << 20, largest_memory = std::size_t{256} << 20;

std::string first_word(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

std::size_t parse_size(const std::string& text) {
    const std::size_t number = std::strtoul(text.c_str(), nullptr, 10);
    if (text.ends_with("K")) return number << 10;
    if (text.ends_with("M")) return number << 20;
    return number;
}

ReadLoop read_loop() {
#if defined(__x86_64__)
    if (cpu_features() & cpu_feature::avx512) return avx512_read_loop();
    if (cpu_features() & cpu_feature::avx2) return avx2_read_loop();
#endif
    return baseline_read_loop();
}

struct Freed {
    void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<void, Freed>;

/// Memory that was written once, so that its pages exist and are not all mapped to one page of zeros.
Buffer touched(std::size_t bytes) {
    Buffer buffer(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
    if (buffer) std::memset(buffer.get(), 1, bytes);
    return buffer;
}

double read_rate(const void* memory, std::size_t bytes, double seconds) {
    const ReadLoop loop = read_loop();
    [[maybe_unused]] volatile double kept = 0;
    const auto passes = static_cast<std::int64_t>(std::max<std::size_t>(1, (std::size_t{4} << 20) / bytes));
    kept = loop.run(memory, bytes, passes);
    std::vector<double> rates;
    const double end = now() + seconds;
    do {
        const double start = now();
        kept = loop.run(memory, bytes, passes);
        rates.push_back(static_cast<double>(bytes) * static_cast<double>(passes) / (now() - start) * 1e-9);
    } while (now() < end);
    return quantile(rates, 0.9);
}

/// Each thread reads its own part.
double read_rate_together(const char* memory, std::size_t bytes, double seconds, int threads) {
    const std::size_t part = bytes / static_cast<std::size_t>(threads) / step * step;
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < rates.size(); ++i)
        others.emplace_back([&, i] { rates[i] = read_rate(memory + i * part, part, seconds); });
    rates[0] = read_rate(memory, part, seconds);
    for (std::thread& other : others) other.join();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum;
}

std::size_t memory_bytes(const std::vector<CacheLevel>& levels) {
    const std::size_t outermost = levels.empty() ? 0 : levels.back().bytes;
    return std::clamp(4 * outermost, smallest_memory, largest_memory);
}

}  // namespace

int processors_in(const std::string& list) {
    int count = 0;
    const char* at = list.c_str();
    while (*at) {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        if (end == at) break;
        long last = first;
        if (*end == '-') last = std::strtol(end + 1, &end, 10);
        count += static_cast<int>(last - first + 1);
        at = *end == ',' ? end + 1 : end;
    }
    return std::max(count, 1);
}

std::vector<CacheLevel> cache_levels() {
    std::vector<CacheLevel> levels;
    for (int i = 0; i < 10; ++i) {
        const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
        const std::string type = first_word(folder + "type");
        if (type.empty()) break;
        if (type == "Instruction") continue;
        levels.push_back({first_word(folder + "level").insert(0, 1, 'L'), parse_size(first_word(folder + "size")),
                          processors_in(first_word(folder + "shared_cpu_list"))});
    }
    return levels;
}

std::vector<Bandwidth> measure_bandwidths(double seconds, int threads) {
    std::vector<Bandwidth> measured;
    const std::vector<CacheLevel> levels = cache_levels();
    const std::size_t largest = memory_bytes(levels);
    const Buffer buffer = touched(largest);
    if (!buffer) return measured;
    for (const CacheLevel& level : levels) {
        // Half of a level, since other data is in the caches, too, and L3 is shared with other cores.
        const std::size_t bytes = std::min(level.bytes / 2, largest / 4) / step * step;
        if (bytes) measured.push_back({level.name, bytes, read_rate(buffer.get(), bytes, seconds), 1});
    }
    measured.push_back({"memory", largest, read_rate(buffer.get(), largest, seconds), 1});
    if (threads > 1)
        measured.push_back({"memory", largest,
                            read_rate_together(static_cast<const char*>(buffer.get()), largest, seconds, threads),
                            threads});
    return measured;
}

double measure_memory_bandwidth(double seconds) {
    static const std::size_t bytes = memory_bytes(cache_levels());
    static const Buffer buffer = touched(bytes);
    return buffer ? read_rate(buffer.get(), bytes, seconds) : 0;
}

}  // namespace tw::measure
