// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The long-lived arrays of a matrix: aligned to cache lines, on huge pages where available, zeroed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace tw::effort {

class Memory {
public:
    /// Frees what was held before. False when there is not enough memory.
    bool allocate(std::size_t bytes) noexcept;

    std::byte* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }
    std::span<std::byte> bytes() const noexcept { return {data_.get(), size_}; }

    template <class T>
    T* as() const noexcept {
        return reinterpret_cast<T*>(data_.get());
    }

private:
    struct Free {
        void operator()(std::byte* data) const noexcept { std::free(data); }
    };
    std::unique_ptr<std::byte, Free> data_{};
    std::size_t size_ = 0;
};

constexpr std::int64_t line = 64;  // bytes of a cache line

constexpr std::int64_t up_to_line(std::int64_t bytes) noexcept { return (bytes + line - 1) / line * line; }

}  // namespace tw::effort
