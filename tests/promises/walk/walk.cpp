// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// walk WAY: one product by the way of that name, and each function of the library that was entered for it, in order, as
// how far it lies from main.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "tilewright/tilewright.hpp"

// libstdc++ declares its members extern, and has no definition of the constexpr ones; clang, told to trace calls,
// inlines none of them and asks for it.
template class std::allocator<char>;

namespace {

constexpr std::size_t most = 1 << 20;
void* entered[most];
std::size_t count = 0;
bool is_on = false;

}  // namespace

extern "C" {
[[gnu::no_instrument_function]] void __cyg_profile_func_enter(void* function, void*) {
    if (is_on && count < most) entered[count++] = function;
}
[[gnu::no_instrument_function]] void __cyg_profile_func_exit(void*, void*) {}
}

namespace {

/// "r1_naive", by the kernel of that name; "direct".
bool multiply(const char* way) {
    const bool is_direct = std::strcmp(way, "direct") == 0;
    const std::int64_t size = is_direct ? 4 : 96;
    std::vector<float> a(static_cast<std::size_t>(size * size), 1), b = a, c(a.size());
    const tw::Matrix am{a.data(), tw::Type::f32, size, size, size}, bm{b.data(), tw::Type::f32, size, size, size},
        cm{c.data(), tw::Type::f32, size, size, size};
    tw::Options options{.threads = 1};
    if (!is_direct) options.kernel = way;
    // The matrix unit as plain C++, on any machine.
    if (std::strcmp(way, "r8_matrix_unit") == 0 || std::strcmp(way, "r10_split") == 0) options.device = "cpu-check";
    // The second call of a shape is the direct one.
    if (is_direct && !tw::try_multiply(am, bm, cm, options)) return false;
    is_on = true;
    const tw::Status status = tw::try_multiply(am, bm, cm, options);
    is_on = false;
    return status.is_ok() && c.front() == static_cast<float>(size);
}

/// Half of a matrix with an effort dial, times a vector.
bool dial() {
    constexpr std::int64_t size = 64;
    std::vector<float> weights(size * size, 1), y(size);
    const std::vector<float> v(size, 1);
    const tw::EffortMatrix matrix = tw::build_effort(tw::Matrix{weights.data(), tw::Type::f32, size, size, size});
    tw::EffortReport report;
    is_on = true;
    const tw::Status status = tw::try_matvec(matrix, v, y, tw::Budget::effort(0.5), {.threads = 1}, report);
    is_on = false;
    return status.is_ok() && report.rows_read > 0;
}

}  // namespace

int main(int count_of_words, char** words) {
    const char* const way = count_of_words > 1 ? words[1] : "";
    if (std::strcmp(way, "effort") == 0 ? !dial() : !multiply(way)) return 1;
    const auto from = reinterpret_cast<std::intptr_t>(&main);
    for (std::size_t i = 0; i < count; ++i)
        std::printf("%lld\n", static_cast<long long>(reinterpret_cast<std::intptr_t>(entered[i]) - from));
    return 0;
}
