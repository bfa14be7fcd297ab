// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/console/devices.hpp"

#include "cli/console/arguments.hpp"
#include "cli/ending/exit.hpp"
#include "measure/basis/machine.hpp"
#include "plan/names.hpp"
#include "plan/registry.hpp"

namespace tw::cli {
namespace {

constexpr std::int64_t largest_side = std::int64_t{1} << 20;

std::string names_of_backends() {
    std::string names;
    for (const BackendSource& source : backends()) names += (names.empty() ? "" : ", ") + std::string(source.name);
    return names;
}

}  // namespace

const Backend& parse_device(const std::string& word) {
    const std::size_t colon = word.find(':');
    const Backend* backend = find_backend(word.substr(0, colon));
    if (!backend) refuse("--device: expected one of {}; got '{}'", names_of_backends(), word);
    const int count = backend->devices();
    if (count == 0) refuse("--device {}: {}", word, backend->absence());
    if (colon == std::string::npos) return *backend;
    const auto number = static_cast<int>(
        parse_whole(fmt::format("--device {}:N", backend->name), word.substr(colon + 1), 0, count - 1));
    if (backend->select)
        if (const Status status = backend->select(number); !status) fail("--device {}: {}", word, status.text);
    return *backend;
}

void check_one_or_all_devices(const std::string& word) {
    constexpr std::string_view all = ":*";
    parse_device(word.ends_with(all) ? word.substr(0, word.size() - all.size()) : word);
}

const Backend& parse_timed_device(const std::string& word) {
    const Backend& backend = parse_device(word);
    if (backend.times_mean_nothing)
        refuse("--device {}: it executes kernels to check them, so its times mean nothing", word);
    return backend;
}

std::vector<const Backend*> devices_here() {
    std::vector<const Backend*> found;
    for (const BackendSource& source : backends())
        if (const Backend& backend = source(); backend.devices() > 0 && !backend.times_mean_nothing)
            found.push_back(&backend);
    return found;
}

void check_memory(const measure::Task& task) {
    const auto m = static_cast<double>(task.m), n = static_cast<double>(task.n), k = static_cast<double>(task.k);
    const double needed = (m * k + k * n + m * n) * static_cast<double>(size_of(task.type)) * 0x1p-30,
                 there = measure::this_machine().memory_gib;
    if (needed > there)
        refuse("{}: its operands are {:.0f} GiB, and this machine has {:.1f} GiB of memory", task.shape(), needed,
               there);
}

std::vector<const Backend*> every_backend() {
    std::vector<const Backend*> all;
    for (const BackendSource& source : backends()) all.push_back(&source());
    return all;
}

void check_kernel_name(const std::string& name, const std::vector<const Backend*>& devices) {
    for (const Backend* backend : devices)
        for (const Kernel* kernel : backend->ladder)
            if (answers_to(*kernel, name)) return;
    refuse("no rung or kernel of {} has the name '{}'; see tw ladder --list",
           devices.size() == 1 ? devices.front()->name : "these devices", name);
}

std::int64_t parse_side(std::string_view option, const std::string& word) {
    return parse_whole(option, word, 1, largest_side);
}

void parse_shape(std::string_view option, const std::string& word, measure::Task& task) {
    const std::size_t first = word.find('x'), second = word.find('x', first + 1);
    const auto side = [&](const std::string& text) { return parse_side(option, text); };
    if (first == std::string::npos) {
        task.m = task.n = task.k = side(word);
        return;
    }
    if (second == std::string::npos) refuse("{}: expected MxNxK, such as 1000x200x300; got '{}'", option, word);
    task.m = side(word.substr(0, first));
    task.n = side(word.substr(first + 1, second - first - 1));
    task.k = side(word.substr(second + 1));
}

Type parse_type(std::string_view option, const std::string& word) {
    for (const Type type : {Type::f32, Type::f64, Type::c64, Type::c128})
        if (word == name_of(type)) return type;
    refuse("{}: expected f32, f64, c64 or c128; got '{}'", option, word);
}

Type parse_any_type(std::string_view option, const std::string& word) {
    for (const Type type : {Type::f32, Type::f64, Type::bf16, Type::f16, Type::c64, Type::c128})
        if (word == name_of(type)) return type;
    refuse("{}: expected f32, f64, bf16, f16, c64 or c128; got '{}'", option, word);
}

}  // namespace tw::cli
