// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Any bytes as the file of a matrix with an effort dial, its checksums made right, which no fuzzer would find: refused
// with a sentence that names a place in the file, or a matrix whose rows are in order and of which a choice reads what
// was asked for.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "effort/choice/importance.hpp"
#include "effort/choice/select.hpp"
#include "effort/file/form.hpp"
#include "target.hpp"

namespace {

using namespace tw::effort;

std::vector<std::byte> with_right_sums(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> file(size);
    std::copy_n(reinterpret_cast<const std::byte*>(data), size, file.begin());
    FileHeader header;
    if (size < sizeof header) return file;
    std::memcpy(&header, file.data(), sizeof header);
    header.arrays_sum = checksum_start;
    std::size_t at = sizeof header;
    for (const std::int64_t bytes : header.sizes) {
        if (bytes < 0 || at > size || static_cast<std::size_t>(bytes) > size - at) break;
        header.arrays_sum = checksum(std::span(file).subspan(at, static_cast<std::size_t>(bytes)), header.arrays_sum);
        at += static_cast<std::size_t>(up_to_line(bytes));
    }
    header.header_sum = checksum(std::as_bytes(std::span(&header, 1)).first(120));
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

/// As much as was asked for, to one row; of an input that matters less no more, but for one row where both are worth
/// nothing.
void check_choice(const tw::EffortBody& body, int expert, std::int64_t bytes) {
    std::vector<float> v(static_cast<std::size_t>(body.inputs), 1.f);
    Question question{v.data(), body.inputs, body.units(), body.importance_of(expert), body.falls, body.left_of(expert),
                      {}};
    for (int u = 0; u < question.units; ++u) question.unit_bytes[u] = bytes_of_unit(body, u);
    std::vector<std::byte> scratch(selection_bytes(body.inputs));
    const Selection chosen = select_by_bytes(question, bytes, scratch);
    must_hold(chosen.bytes <= bytes &&
              chosen.bytes + *std::max_element(question.unit_bytes, question.unit_bytes + question.units) > bytes);
    for (std::int64_t i = 1; i < body.inputs; ++i)
        if (question.importance[i] > question.importance[i - 1]) must_hold(chosen.units[i] + 1 >= chosen.units[i - 1]);
    select_by_error(question, .01, scratch);
}

/// One for all inputs, in memory where it can be: making files on a disk took longer than reading them.
int a_file() {
#if defined(__linux__)
    return memfd_create("effort", MFD_CLOEXEC);
#else
    return fileno(std::tmpfile());
#endif
}

void check(const tw::EffortBody& body) {
    must_hold(body.falls[0] == 0 && std::is_sorted(body.falls, body.falls + body.units()) &&
              body.falls[body.units() - 1] <= most_fall);
    const float* importance = body.importance_of(0);
    must_hold(std::all_of(importance, importance + body.experts * body.inputs,
                          [](float of_input) { return of_input >= 0 && of_input < 0x1p100f; }));
    for (const std::int64_t part : {5, 3, 1}) check_choice(body, body.experts - 1, bytes_of_all(body) * part / 7);
}

/// Planes that the file need not have, and whether it is mapped: refused as an argument, or a matrix.
void check_loaded(const std::string& path, const tw::EffortLoad& how) {
    try {
        check(*tw::load_effort(path, how).body());
    } catch (const tw::Error& error) {
        must_hold(how.planes != 0 && error.status().code == tw::Code::bad_argument);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::vector<std::byte> bytes = with_right_sums(data, size);
    static const int file = a_file();
    must_hold(ftruncate(file, 0) == 0 && pwrite(file, bytes.data(), size, 0) == static_cast<ssize_t>(size));
    const std::string path = "/dev/fd/" + std::to_string(file);
    try {
        const tw::EffortMatrix matrix = tw::load_effort(path);
        check(*matrix.body());
        check_loaded(path, {.keeps_dense = false});
        check_loaded(path, {.mapped = true});
        check_loaded(path, {.planes = 2});
        check_loaded(path, {.planes = 2, .keeps_dense = false, .mapped = true});
        check_loaded(path, {.planes = 3, .keeps_dense = false});
    } catch (const tw::Error& error) {
        const std::string sentence = error.what(), start = path + ": offset ";
        must_hold(error.status().code == tw::Code::bad_file && sentence.starts_with(start));
        must_hold(std::stoull(sentence.substr(start.size())) <= size);
        must_hold(std::all_of(sentence.begin(), sentence.end(), [](char c) { return c >= ' ' && c < 0x7f; }));
    }
    return 0;
}
