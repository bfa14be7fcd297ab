// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// <random>, whose generator and distributions are compiled once with optimisation (random_numbers.cpp). Tests are
// compiled without: some spent half of their time there.
#pragma once

#include <cstdint>
#include <random>

#if defined(__GLIBCXX__)
#define TW_RANDOM_NUMBERS(word, Number, bits)                                                            \
    word template Number std::generate_canonical<Number, bits>(std::mt19937&);                           \
    word template Number std::normal_distribution<Number>::operator()(std::mt19937&, const param_type&); \
    word template Number std::uniform_real_distribution<Number>::operator()(std::mt19937&, const param_type&);
#define TW_RANDOM(word)                                                                                                \
    word template class std::mersenne_twister_engine<std::uint_fast32_t, 32, 624, 397, 31, 0x9908b0df, 11, 0xffffffff, \
                                                     7, 0x9d2c5680, 15, 0xefc60000, 18, 1812433253>;                   \
    TW_RANDOM_NUMBERS(word, float, 24)                                                                                 \
    TW_RANDOM_NUMBERS(word, double, 53)
TW_RANDOM(extern)
#endif
