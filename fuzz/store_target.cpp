// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Any line as a record of the tuning store: refused, or a record that is written and read as itself.
#include "plan/store_line.hpp"

#include "target.hpp"

namespace {

constexpr std::size_t longest_name = 100;  // no kernel's name comes near it

void check_round_trip(const tw::Tuned& record) {
    const std::string line = line_of(record, "key");
    must_hold(tw::is_intact(line) && tw::key_of(line) == "key");
    tw::Tuned again;
    must_hold(tw::parse_line(line, again) && line_of(again, "key") == line);
    must_hold(record.threads >= 1 && record.threads <= record.allowed_threads);
    must_hold(record.m >= 1 && record.n >= 1 && record.k >= 1 && record.tile.m >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view line = as_text(data, size);
    if (tw::is_intact(line)) static_cast<void>(tw::key_of(line));
    tw::Tuned record;
    if (tw::parse_line(line, record) && record.kernel.size() <= longest_name &&
        record.kernel.find('\0') == std::string::npos)
        check_round_trip(record);
    return 0;
}
