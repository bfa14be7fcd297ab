// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw metal-check: executes any Metal kernel on this machine's CPU, and checks every access, barrier and SIMD-group
// call.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "backend/metal/on_linux/door.hpp"
#include "base/rounding.hpp"
#include "cli/console/arguments.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/verbs.hpp"
#include "reference/random.hpp"

namespace tw::cli {
namespace {

using metal_check::FileOutcome;
using metal_check::FileRequest;

struct Arguments {
    std::string file, kernel, grid = "1", threads = "1", seed = "1";
    std::vector<std::string> buffers, threadgroup, defines, folders;
    bool plain = false;
};

struct ElementType {
    const char *name, *descr;  ///< on the command line, and in an .npy file
    std::size_t bytes;
};
constexpr ElementType element_types[] = {
    {"f32", "<f4", 4}, {"f16", "<f2", 2}, {"bf16", "<V2", 2}, {"i32", "<i4", 4}, {"u32", "<u4", 4},
};
constexpr std::int64_t most_elements = std::int64_t{1} << 28, most_along = 1 << 20;

/// "64", "64,32" or "64,32,1".
void parse_dimensions(const char* option, const std::string& word, std::uint32_t (&out)[3]) {
    std::string rest = word;
    for (std::uint32_t& along : out) {
        const std::size_t comma = rest.find(',');
        along = static_cast<std::uint32_t>(parse_whole(option, rest.substr(0, comma), 1, most_along));
        if (comma == std::string::npos) return;
        rest = rest.substr(comma + 1);
    }
    refuse("{} takes one to three numbers, as in 64,32; '{}' has more", option, word);
}

/// Formats 1.0 to 3.0; the type and the number of elements must match, the shape need not.
void read_npy(const std::string& path, const ElementType& type, std::vector<std::byte>& data) {
    std::ifstream file(path, std::ios::binary);
    unsigned char start[12] = {};
    if (!file.read(reinterpret_cast<char*>(start), 12) || std::memcmp(start, "\x93NUMPY", 6) != 0)
        refuse("{}: expected an .npy file", path);
    const bool wide = start[6] > 1;
    std::size_t length = 0;
    for (int byte = wide ? 11 : 9; byte >= 8; --byte) length = length << 8 | start[byte];
    if (length > 65536) refuse("{}: its header has {} bytes, so this is not an .npy file", path, length);
    std::string header(length, ' ');
    file.seekg(wide ? 12 : 10);
    file.read(header.data(), static_cast<std::streamsize>(length));
    if (!file || header.find(type.descr) == std::string::npos)
        refuse("{}: elements of type {} ('{}') were expected; its header says {}", path, type.name, type.descr, header);
    if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size())))
        refuse("{}: holds fewer than the {} elements asked for", path, data.size() / type.bytes);
}

void fill_randomly(const ElementType& type, std::uint64_t seed, std::vector<std::byte>& data) {
    reference::Random random(seed);
    for (std::size_t at = 0; at < data.size(); at += type.bytes) {
        const float x = static_cast<float>(random.between(-1, 1));
        const auto whole = static_cast<std::uint32_t>(random.whole(0, 15));
        const std::uint16_t narrow = type.name[0] == 'b' ? to_bfloat16(x).bits : to_float16(x).bits;
        if (type.bytes == 2) std::memcpy(&data[at], &narrow, 2);
        else if (type.name[0] == 'f') std::memcpy(&data[at], &x, 4);
        else std::memcpy(&data[at], &whole, 4);
    }
}

void put(const ElementType& type, double x, std::byte* to) {
    const auto narrow = static_cast<float>(x);
    const auto whole = static_cast<std::int64_t>(x);
    const std::uint16_t half = type.name[0] == 'b' ? to_bfloat16(narrow).bits : to_float16(narrow).bits;
    if (type.bytes == 2) std::memcpy(to, &half, 2);
    else if (type.name[0] == 'f') std::memcpy(to, &narrow, 4);
    else std::memcpy(to, &whole, 4);  // the low half: what an i32 or a u32 is
}

/// "64,64,64": as many numbers as there are elements.
void read_numbers(const std::string& words, const ElementType& type, std::vector<std::byte>& data) {
    std::size_t at = 0, from = 0;
    for (; from <= words.size() && at < data.size(); at += type.bytes) {
        const std::size_t comma = std::min(words.find(',', from), words.size());
        put(type, parse_number("--buffer", words.substr(from, comma - from)), &data[at]);
        from = comma + 1;
    }
    if (at < data.size() || from <= words.size())
        refuse("--buffer: {} numbers were expected, as 1,2,3; got '{}'", data.size() / type.bytes, words);
}

/// "f32:1024", "f32:1024=a.npy" or "u32:3=64,64,64".
FileRequest::Buffer make_buffer(const std::string& word, std::uint64_t seed, std::vector<std::byte>& data) {
    const std::size_t colon = word.find(':'), equals = word.find('=');
    const std::string name = word.substr(0, colon);
    const ElementType* type = nullptr;
    for (const ElementType& known : element_types)
        if (name == known.name) type = &known;
    if (!type || colon == std::string::npos)
        refuse(
            "--buffer takes TYPE:COUNT, TYPE:COUNT=FILE.npy or TYPE:COUNT=1,2,.., TYPE being f32, f16, bf16, i32 or "
            "u32; got '{}'",
            word);
    const std::size_t end = equals == std::string::npos ? word.size() : equals;
    const auto count =
        static_cast<std::size_t>(parse_whole("--buffer", word.substr(colon + 1, end - colon - 1), 1, most_elements));
    data.resize(count * type->bytes);
    const std::string what = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (equals == std::string::npos) fill_randomly(*type, seed, data);
    else if (what.ends_with(".npy")) read_npy(what, *type, data);
    else read_numbers(what, *type, data);
    return {type->bytes, count, data.data()};
}

void print(const FileRequest& request, const FileOutcome& done) {
    const auto& c = done.outcome.counters;
    std::printf("%s of %s, read by %s\n", request.kernel.c_str(), request.path.c_str(), done.clang.c_str());
    std::printf("%llu threads in %llu threadgroups, %.3f s on this CPU; that says nothing about a GPU\n",
                static_cast<unsigned long long>(c.threads), static_cast<unsigned long long>(c.threadgroups),
                done.outcome.seconds);
    if (request.checked)
        std::printf(
            "device memory      %12llu bytes loaded, %12llu stored\n"
            "threadgroup memory %12llu bytes loaded, %12llu stored\n"
            "barriers           %12llu of threadgroups, %10llu of SIMD-groups\n"
            "floating point     %12llu operations\n",
            static_cast<unsigned long long>(c.device_loaded), static_cast<unsigned long long>(c.device_stored),
            static_cast<unsigned long long>(c.threadgroup_loaded),
            static_cast<unsigned long long>(c.threadgroup_stored), static_cast<unsigned long long>(c.barriers),
            static_cast<unsigned long long>(c.simdgroup_barriers), static_cast<unsigned long long>(c.flops));
    for (const auto& finding : done.outcome.findings)
        std::printf("\n%s: %s (%llu)\n    %s\n", finding.site.c_str(), name_of(finding.kind),
                    static_cast<unsigned long long>(finding.count), finding.text.c_str());
}

void run(const Arguments& asked) {
    if (!std::filesystem::is_regular_file(asked.file)) refuse("there is no file '{}'", asked.file);
    const metal_check::Door* door = metal_check::door();
    if (!door) fail("Metal kernels can't be executed here: {}", metal_check::absence());
    FileRequest request;
    request.path = asked.file;
    request.kernel = asked.kernel;
    parse_dimensions("--grid", asked.grid, request.grid);
    parse_dimensions("--threads", asked.threads, request.threads);
    request.seed = static_cast<unsigned>(parse_whole("--seed", asked.seed, 0, 1 << 30));
    request.checked = !asked.plain;
    std::vector<std::vector<std::byte>> data(asked.buffers.size());
    for (std::size_t i = 0; i < data.size(); ++i)
        request.buffers.push_back(make_buffer(asked.buffers[i], request.seed + i, data[i]));
    for (const std::string& bytes : asked.threadgroup)
        request.threadgroup_bytes.push_back(static_cast<std::size_t>(parse_whole("--threadgroup", bytes, 1, 32768)));
    for (const std::string& define : asked.defines) request.flags.push_back("-D" + define);
    for (const std::string& folder : asked.folders) request.flags.push_back("-I" + folder);

    FileOutcome done;
    door->check_file(request, done);
    if (!done.refusals.empty()) {
        for (const std::string& refusal : done.refusals) std::printf("%s\n", refusal.c_str());
        fail("{} was not run: {} error{}", asked.file, done.refusals.size(), done.refusals.size() == 1 ? "" : "s");
    }
    if (std::find(done.kernels.begin(), done.kernels.end(), asked.kernel) == done.kernels.end())
        refuse("{}: it has no kernel '{}'; it has: {}", asked.file, asked.kernel, fmt::join(done.kernels, ", "));
    if (done.outcome.counters.threads == 0 && !done.outcome.findings.empty())
        refuse("{} of {} was not run: {}", asked.kernel, asked.file, done.outcome.findings.front().text);
    print(request, done);
    if (const std::size_t found = done.outcome.findings.size())
        fail("{} finding{} in {}", found, found == 1 ? "" : "s", asked.kernel);
    std::printf("no findings\n");
}

constexpr const char* examples = R"text(Examples:
  tw metal-check sum.metal --kernel sum --grid 1024 --threads 256 --buffer f32:1024 --buffer f32:1
  tw metal-check my.metal --kernel tile --grid 64,64 --threads 16,16 --buffer f16:4096=a.npy --buffer f32:4096
)text";

}  // namespace

void add_metal_check(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb =
        tw.add_verb("metal-check",
                    "Executes a Metal kernel on this CPU and reports races, accesses out of bounds and missing waits");
    verb.ends_help_with(examples);
    verb.add_option("FILE", asked->file, "The .metal file").required();
    verb.add_option("--kernel", asked->kernel, "The kernel's name").required();
    verb.add_option("--grid", asked->grid, "Threads in all: X, X,Y or X,Y,Z").required();
    verb.add_option("--threads", asked->threads, "Threads of a threadgroup, as --grid").required();
    verb.add_option("--buffer", asked->buffers,
                    "TYPE:COUNT, TYPE:COUNT=FILE.npy or TYPE:COUNT=1,2,.. once for each buffer, in index order");
    verb.add_option("--threadgroup", asked->threadgroup,
                    "Bytes of [[threadgroup(n)]] memory, once for each, in index order");
    verb.add_option("-D", asked->defines, "A macro: NAME or NAME=VALUE");
    verb.add_option("-I", asked->folders, "A folder with headers");
    verb.add_option("--seed", asked->seed, "Seed of the random data and of the order of threads; 0: in order");
    verb.add_flag("--plain", asked->plain, "Without checks: several times faster");
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
