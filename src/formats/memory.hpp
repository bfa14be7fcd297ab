// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The long-lived arrays of a matrix: aligned to cache lines, on huge pages where available, zeroed; or a part of a file
// that is mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

namespace tw::effort {

class Memory {
public:
    /// Frees what was held before. False when there is not enough memory.
    bool allocate(std::size_t bytes) noexcept;

    /// Shows bytes that `keeper` holds and that nobody may write to. What was held before is freed.
    void show(std::byte* data, std::size_t bytes, std::shared_ptr<const void> keeper) noexcept {
        data_ = std::unique_ptr<std::byte, Free>(data, Free{std::move(keeper)});
        size_ = bytes;
    }

    std::byte* data() const noexcept { return data_.get(); }
    std::size_t size() const noexcept { return size_; }
    std::span<std::byte> bytes() const noexcept { return {data_.get(), size_}; }

    template <class T>
    T* as() const noexcept {
        return reinterpret_cast<T*>(data_.get());
    }

private:
    struct Free {
        std::shared_ptr<const void> keeper;  ///< none: the bytes are this object's own

        void operator()(std::byte* data) const noexcept {
            if (!keeper) std::free(data);
        }
    };
    std::unique_ptr<std::byte, Free> data_{};
    std::size_t size_ = 0;
};

constexpr std::int64_t line = 64;  // bytes of a cache line

constexpr std::int64_t up_to_line(std::int64_t bytes) noexcept { return (bytes + line - 1) / line * line; }

}  // namespace tw::effort
