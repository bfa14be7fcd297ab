// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <array>
#include <cstddef>

#include "tilewright/multiply.hpp"

namespace {

/// The part of std::mdspan that a View asks for, for compilers that have no <mdspan> yet.
template <class T>
struct Span2d {
    T* elements;
    std::array<std::size_t, 2> extents, strides;

    static constexpr std::size_t rank() { return 2; }
    constexpr std::size_t extent(std::size_t d) const { return extents[d]; }
    constexpr std::size_t stride(std::size_t d) const { return strides[d]; }
    constexpr T* data_handle() const { return elements; }
};

static_assert(tw::MdspanLike<Span2d<float>>);
static_assert(!tw::MdspanLike<std::array<float, 4>>);

}  // namespace

int main() {
    const std::array<double, 4> a{1, 2, 3, 4};
    std::array<double, 4> c{};
    const Span2d<const double> as_rows{a.data(), {2, 2}, {2, 1}}, as_columns{a.data(), {2, 2}, {1, 2}};
    const tw::Status status = tw::try_multiply(as_rows, as_columns, Span2d<double>{c.data(), {2, 2}, {2, 1}});
    return status && c == std::array<double, 4>{5, 11, 11, 25} ? 0 : 1;
}
