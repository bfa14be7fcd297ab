// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Random operands made on the device, and the error of a result against an f64 product of the same operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cublas.hpp"
#include "tilewright/types.hpp"

namespace bench {

enum class Values { normal, symmetric, uniform, spread, ones };
const char* name_of(Values values);

/// Device memory that is given back at the end of its life; exits with a sentence when there is none.
class Buffer {
public:
    explicit Buffer(std::size_t bytes = 0);
    ~Buffer();
    Buffer(Buffer&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
    Buffer& operator=(Buffer&& other) noexcept;
    void* get() const { return data_; }

private:
    void* data_ = nullptr;
};

void check(int error, const char* what);
void fill(void* data, std::size_t count, tw::Type type, Values values, std::uint64_t seed);
void poison(void* data, std::size_t bytes);

struct Error {
    double frobenius = 0;  ///< ||C - AB|| / ||AB||
    double largest = 0;    ///< max |C - AB| / (|A||B|)
};

/// AB and |A||B| in f64, kept for the results that are to be judged.
class Reference {
public:
    Reference(const Cublas& cublas, int m, int n, int k, const void* a, const void* b, bool b_k_major, tw::Type in);
    Error of(const void* c, tw::Type out) const;

private:
    std::size_t count_;
    Buffer product_, magnitude_, sums_;
};

}  // namespace bench
