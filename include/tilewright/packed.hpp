// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "tilewright/plan.hpp"

namespace tw {

/// An operand laid out once as a kernel's blocks want it, for many products: the weights of a layer. It holds a copy,
/// so the matrix that it was made of may change or go. Any number of threads may multiply by it at once. It belongs to
/// this process: what it holds depends on the processor. One of f64, c64 or c128 on a CUDA device is kept there, as its
/// elements and their remainders.
class Packed {
public:
    std::int64_t rows() const noexcept { return shape_.rows; }
    std::int64_t cols() const noexcept { return shape_.cols; }
    Type type() const noexcept { return shape_.type; }
    bool is_empty() const noexcept { return kernel_ == nullptr; }

    /// Bytes of memory that it occupies.
    std::size_t bytes() const noexcept { return bytes_; }

    /// The kernel whose products it serves; results have that kernel's bits. "" when empty.
    TW_API const char* kernel_name() const noexcept;

private:
    friend struct PackedParts;
    struct Free {
        void (*of_device)(void* memory);  // null: host memory
        constexpr Free() noexcept : of_device(nullptr) {}
        constexpr explicit Free(void (*by)(void* memory)) noexcept : of_device(by) {}
        void operator()(std::byte* memory) const noexcept { of_device ? of_device(memory) : std::free(memory); }
    };

    std::unique_ptr<std::byte, Free> memory_;
    std::size_t bytes_ = 0;
    Matrix shape_{};  // without elements
    const Backend* backend_ = nullptr;
    const Kernel* kernel_ = nullptr;
    Tile tile_{};
    bool is_a_ = false, on_left_ = false;
    int slabs_ = 1;  // of k, one packed after the other
};

/// Lays out B, or A, for products whose C lies as `of_c` says. Any other C is accepted later, but is slower. Of the
/// options, accuracy, reproducible, slabs, device, kernel, threads and executor count.
TW_API Status try_pack(const Matrix& b, Packed& packed, const Options& options = {},
                       Form of_c = Form::row_major) noexcept;
TW_API Status try_pack_a(const Matrix& a, Packed& packed, const Options& options = {},
                         Form of_c = Form::row_major) noexcept;

/// The same for a View, or what converts to one; throws tw::Error.
TW_API Packed pack(const Matrix& b, const Options& options = {}, Form of_c = Form::row_major);
TW_API Packed pack_a(const Matrix& a, const Options& options = {}, Form of_c = Form::row_major);
template <Viewable B>
Packed pack(const B& b, const Options& options = {}, Form of_c = Form::row_major) {
    return pack(erase(View(b)), options, of_c);
}
template <Viewable A>
Packed pack_a(const A& a, const Options& options = {}, Form of_c = Form::row_major) {
    return pack_a(erase(View(a)), options, of_c);
}

/// As multiply() with the matrix that was packed. Refused when the packed operand's kernel can't do what the options
/// ask: it was packed for less accuracy, other slabs, another device or another kernel; and with `verify`, which needs
/// B's elements.
TW_API Status try_multiply(const Matrix& a, const Packed& b, const Matrix& c, const Options& options = {}) noexcept;
TW_API Status try_multiply(const Packed& a, const Matrix& b, const Matrix& c, const Options& options = {}) noexcept;

TW_API void multiply(const Matrix& a, const Packed& b, const Matrix& c, const Options& options = {});
TW_API void multiply(const Packed& a, const Matrix& b, const Matrix& c, const Options& options = {});
template <Viewable A, Viewable C>
void multiply(const A& a, const Packed& b, const C& c, const Options& options = {}) {
    multiply(erase(View(a)), b, erase(View(c)), options);
}
template <Viewable B, Viewable C>
void multiply(const Packed& a, const B& b, const C& c, const Options& options = {}) {
    multiply(a, erase(View(b)), erase(View(c)), options);
}

}  // namespace tw
