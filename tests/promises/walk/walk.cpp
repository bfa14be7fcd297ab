// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// walk WAY: one product by the way of that name, and each function of the library that was entered for it, in order, as
// how far it lies from main.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tilewright/tilewright.hpp"

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

int main(int count_of_words, char** words) {
    const char* const way = count_of_words > 1 ? words[1] : "";
    const bool is_direct = std::strcmp(way, "direct") == 0;
    const std::int64_t size = is_direct ? 4 : 96;
    std::vector<float> a(static_cast<std::size_t>(size * size), 1), b = a, c(a.size());
    const tw::Matrix am{a.data(), tw::Type::f32, size, size, size}, bm{b.data(), tw::Type::f32, size, size, size},
        cm{c.data(), tw::Type::f32, size, size, size};
    tw::Options options{.threads = 1};
    if (!is_direct) options.kernel = way;
    if (is_direct && !tw::try_multiply(am, bm, cm, options)) return 1;  // the second call of a shape is the direct one
    is_on = true;
    const tw::Status status = tw::try_multiply(am, bm, cm, options);
    is_on = false;
    if (!status || c.front() != static_cast<float>(size)) return 1;
    const auto from = reinterpret_cast<std::intptr_t>(&main);
    for (std::size_t i = 0; i < count; ++i)
        std::printf("%lld\n", static_cast<long long>(reinterpret_cast<std::intptr_t>(entered[i]) - from));
    return 0;
}
