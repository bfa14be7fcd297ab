// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The line of the Metal source that an instruction comes from, by the debug records at the end of LLVM's assembly.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tw::metal_check {

class SourceLines {
public:
    SourceLines(std::string_view assembly, std::string_view prelude);

    /// The number of the line; code of the prelude counts as the line that called it. 0: not known.
    unsigned site_of(std::string_view instruction);

    /// True for the prelude's arithmetic inside a SIMD-group function, which does not count as the kernel's.
    bool is_simd_call(std::string_view instruction) const;

    const std::vector<std::string>& sites() const noexcept { return sites_; }

private:
    struct Location {
        unsigned line = 0, scope = 0, inlined_at = 0;
    };
    const std::string* file_of(unsigned scope) const;
    static unsigned record_of(std::string_view instruction);

    std::string prelude_;
    std::unordered_map<unsigned, Location> locations_;
    std::unordered_map<unsigned, unsigned> file_of_scope_;
    std::unordered_map<unsigned, std::string> files_;  ///< by their whole names
    std::map<std::string, unsigned> numbers_;
    std::vector<std::string> sites_{"an unknown line"};
};

}  // namespace tw::metal_check
