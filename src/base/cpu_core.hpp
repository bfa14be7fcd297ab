// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which core this is. Features say what runs; where two ways to do the same run everywhere, and cores differ in which
// is quicker, the maker and the family say which is tried first. Nothing is right or wrong by it, and tuning may
// differ.
#pragma once

#include <cstdint>
#include <string_view>

namespace tw {

struct CpuCore {
    char maker[13] = "";  ///< "GenuineIntel", "AuthenticAMD"; empty: the processor does not tell
    int family = 0, model = 0;

    bool is_by(std::string_view name) const noexcept { return name == maker; }

    /// True where a multiply-add that reads and broadcasts a factor itself is no slower than one that finds it in a
    /// register. AMD's cores are busy with the loads (measured on family 26).
    bool folds_broadcasts() const noexcept { return !is_by("AuthenticAMD"); }

    /// True where an instruction on 32 bytes is two on 16: AMD's Zen and Zen+.
    bool splits_vectors() const noexcept { return is_by("AuthenticAMD") && family == 23 && model < 48; }
};

/// From the words of CPUID: the maker's name (ebx, edx, ecx of leaf 0) and eax of leaf 1.
CpuCore cpu_core_of(const std::uint32_t (&name)[3], std::uint32_t signature) noexcept;

/// This machine's, asked once.
const CpuCore& cpu_core() noexcept;

/// True where the processor says that it is a virtual one.
bool is_virtual_machine() noexcept;

}  // namespace tw
