// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Kernels in which one bit flips once, where a particle might hit: in a panel that was packed, in a register that sums,
// in C when it has been written. Without a fault they have the bits of their rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "backend/contract.hpp"
#include "plan/registry.hpp"
#include "support/random_numbers.hpp"
#include "tilewright/plan.hpp"

namespace faults {

enum class Place { c, packed_a, packed_b, reg };
inline constexpr Place every_place[] = {Place::c, Place::packed_a, Place::packed_b, Place::reg};

inline const char* name_of(Place place) {
    constexpr const char* names[] = {"C", "A's panels", "B's panels", "registers"};
    return names[static_cast<int>(place)];
}

inline const tw::Kernel* honest = nullptr;  // the row that is run
inline int to_come = 0;                     // runs from now on that have a fault
inline Place place = Place::c;
inline std::mt19937 engine(1);

inline std::size_t any_below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine);
}

inline void flip_a_bit(void* number, std::size_t bytes) {
    const std::size_t bit = any_below(bytes * 8);
    static_cast<unsigned char*>(number)[bit / 8] ^= static_cast<unsigned char>(1u << (bit % 8));
}

inline void flip_in_c(const tw::Call& call) {
    const auto i = static_cast<std::int64_t>(any_below(static_cast<std::size_t>(call.m()))),
               j = static_cast<std::int64_t>(any_below(static_cast<std::size_t>(call.n())));
    flip_a_bit(call.c.at(i, j), tw::size_of(call.c.type));
}

/// Packs one operand as the kernel does for itself, and flips a bit of an element that is there: panels are padded.
inline tw::Status run_on_a_spoilt_panel(tw::Call call, const tw::Tile& tile, bool is_a) {
    const tw::Matrix& operand = is_a ? call.a : call.b;
    std::vector<float> spoilt(static_cast<std::size_t>(operand.rows * operand.cols));
    const tw::Matrix copy{spoilt.data(), operand.type, operand.rows, operand.cols, operand.cols};
    for (std::int64_t i = 0; i < copy.rows; ++i)
        for (std::int64_t j = 0; j < copy.cols; ++j) std::memcpy(copy.at(i, j), operand.at(i, j), sizeof(float));
    flip_a_bit(&spoilt[any_below(spoilt.size())], sizeof(float));
    const std::int64_t width = is_a ? copy.rows : copy.cols;
    const std::size_t bytes = honest->packing->bytes(operand.type, width, call.k(), is_a);
    std::vector<std::byte> memory(bytes + 64);
    std::byte* const panels = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    honest->packing->pack(copy, is_a, call, panels);
    call.packed = {panels, is_a, is_a};
    return honest->run(call, tile);
}

/// r1_naive's order of summation, with a fault in the sum of one element after one of its steps.
inline void run_in_registers(const tw::Call& call, bool faulty) {
    const std::size_t steps = static_cast<std::size_t>(call.m() * call.n() * call.k());
    std::size_t left = faulty ? any_below(steps) : steps;
    const auto alpha = static_cast<float>(call.alpha), beta = static_cast<float>(call.beta);
    for (std::int64_t i = 0; i < call.m(); ++i)
        for (std::int64_t j = 0; j < call.n(); ++j) {
            float sum = 0;
            for (std::int64_t p = 0; p < call.k(); ++p) {
                sum += *static_cast<const float*>(call.a.at(i, p)) * *static_cast<const float*>(call.b.at(p, j));
                if (left-- == 0) flip_a_bit(&sum, sizeof sum);
            }
            float& c = *static_cast<float*>(call.c.at(i, j));
            c = beta == 0 ? alpha * sum : alpha * sum + beta * c;
        }
}

inline tw::Status run(const tw::Call& call, const tw::Tile& tile) {
    const bool faulty = to_come > 0;
    if (faulty) --to_come;
    if (place == Place::reg) return run_in_registers(call, faulty), tw::Status{};
    if (faulty && place != Place::c) return run_on_a_spoilt_panel(call, tile, place == Place::packed_a);
    const tw::Status status = honest->run(call, tile);
    if (faulty) flip_in_c(call);
    return status;
}

/// The plan's kernel with a fault in its next `runs` runs. The kernel lives until the next call.
inline void make_faulty(tw::Plan& plan, Place where, int runs) {
    static tw::Kernel spoilt;
    honest = plan.kernel;
    spoilt = *plan.kernel;
    spoilt.run = run;
    constexpr int of_its_own = 1000;
    if (where == Place::reg) spoilt.order = of_its_own;  // r1's loop is the compiler's; this one is always the same
    plan.kernel = &spoilt;
    place = where, to_come = runs;
}

}  // namespace faults
