// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/operands/batched.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/cuda/device/launch.hpp"

namespace tw::cuda {
namespace {

template <int most>
struct Words {
    alignas(8) std::uint32_t words[most];
};

template <int most>
__global__ void __launch_bounds__(128)
    write_piece(const __grid_constant__ Words<most> from, std::uint32_t* to, int count) {
    const int i = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
    if (i < count) to[i] = from.words[i];
}

/// Numbers for device memory, which ride in the parameters of kernels: nothing waits, and a graph keeps them.
template <class Number>
class Writer {
    static constexpr int little = 960,
                         large = 7680;  // kernels take parameters of up to 32764 bytes; few of them are sooner there
    static constexpr int words = sizeof(Number) / 4;

public:
    Writer(void* to, void* stream) noexcept : to_(static_cast<std::uint32_t*>(to)), stream_(stream) {}

    template <class NumberOf>
    Status write(std::int64_t numbers, const NumberOf& number_of) noexcept {
        for (std::int64_t i = 0; i < numbers;) {
            const std::int64_t end = std::min(numbers, i + (large - count_) / words);
            std::uint32_t* at = held_.words + count_;
            count_ += static_cast<int>(end - i) * words;
            for (; i < end; ++i, at += words) {
                const Number number = number_of(i);
                std::memcpy(at, &number, sizeof number);
            }
            if (count_ == large)
                if (const Status bad = flush(); !bad) return bad;
        }
        return {};
    }
    Status flush() noexcept {
        if (count_ == 0) return {};
        Status done;
        if (count_ <= little) {
            Words<little> few;
            std::copy_n(held_.words, count_, few.words);
            done = send(write_piece<little>, few);
        } else {
            done = send(write_piece<large>, held_);
        }
        to_ += count_, count_ = 0;
        return done;
    }

private:
    template <class Kernel, class Piece>
    Status send(Kernel kernel, const Piece& piece) noexcept {
        const Launch how{.blocks = static_cast<unsigned>((count_ + 127) / 128), .threads = 128};
        return launch(kernel, how, stream_, piece, to_, count_);
    }

    std::uint32_t* to_;
    void* stream_;
    int count_ = 0;
    Words<large> held_;
};

BatchedOperand operand(const Matrix& first, const void* const* pointers, std::int64_t step, const Call& call) noexcept {
    return {first, pointers, step, products_of(call)};
}

std::int64_t element(const Matrix& m) noexcept { return static_cast<std::int64_t>(size_of(m.type)); }

/// Which of a map's matrices each product has.
Status write_coordinates(Writer<std::uint32_t>& writer, const BatchedOperand& operand, const Depth& depth) noexcept {
    if (!operand.pointers)
        return writer.write(operand.size, [moves = depth.extent > 1](std::int64_t i) {
            return moves ? static_cast<std::uint32_t>(i) : 0;
        });
    const auto first = reinterpret_cast<std::uintptr_t>(depth.first);
    const int shift = std::countr_zero(static_cast<std::uint64_t>(depth.bytes));
    return writer.write(operand.size, [operand, first, shift](std::int64_t i) {
        return static_cast<std::uint32_t>((operand.pointer(i) - first) >> shift);
    });
}

}  // namespace

bool depth_of(const BatchedOperand& operand, Depth& depth) noexcept {
    depth = {operand.first.data, 1, 16};
    if (operand.size == 1) return true;
    if (!operand.pointers) {
        const std::int64_t bytes = operand.step * element(operand.first);
        if (bytes != 0) depth.extent = operand.size, depth.bytes = bytes;
        return bytes >= 0 && bytes % 16 == 0;
    }
    const std::uintptr_t first = operand.pointer(0);
    std::uintptr_t low[4] = {first, first, first, first}, high[4] = {first, first, first, first}, differences = 0;
    const auto meet = [&](std::int64_t i, int chain) {
        const std::uintptr_t at = operand.pointer(i);
        low[chain] = std::min(low[chain], at), high[chain] = std::max(high[chain], at);
        differences |= at ^ first;
    };
    std::int64_t i = 0;
    for (; i + 4 <= operand.size; i += 4)
        meet(i, 0), meet(i + 1, 1), meet(i + 2, 2), meet(i + 3, 3);  // none waits for another
    for (; i < operand.size; ++i) meet(i, 0);
    const std::uintptr_t least = std::min(std::min(low[0], low[1]), std::min(low[2], low[3]));
    const std::uintptr_t most = std::max(std::max(high[0], high[1]), std::max(high[2], high[3]));
    depth.first = reinterpret_cast<void*>(least);
    if (differences == 0) return true;
    constexpr int largest = 39;  // a map's steps end at 2^40
    depth.bytes = std::int64_t{1} << std::min(largest, std::countr_zero(differences));
    depth.extent = static_cast<std::int64_t>(most - least) / depth.bytes + 1;
    return depth.bytes % 16 == 0 && depth.extent <= INT32_MAX;
}

Status place_depths(const Call& call, const Depth& a, const Depth& b, const Depth& c, Depths& depths) noexcept {
    if (!call.batch || !by_pointers(*call.batch)) return {};
    depths.coordinates = reinterpret_cast<const int*>(call.scratch.data());
    Writer<std::uint32_t> writer(call.scratch.data(), call.stream);
    if (const Status bad = write_coordinates(writer, a_of(call), a); !bad) return bad;
    if (const Status bad = write_coordinates(writer, b_of(call), b); !bad) return bad;
    if (const Status bad = write_coordinates(writer, c_of(call), c); !bad) return bad;
    return writer.flush();
}

std::uintptr_t BatchedOperand::address_bits() const noexcept {
    std::uintptr_t bits = 0;
    if (!pointers)
        return reinterpret_cast<std::uintptr_t>(first.data) |
               static_cast<std::uintptr_t>(size > 1 ? step * element(first) : 0);
    for (std::int64_t i = 0; i < size; ++i) bits |= pointer(i);
    return bits;
}

BatchedOperand a_of(const Call& call) noexcept {
    return operand(call.a, call.batch ? call.batch->a : nullptr, call.batch ? call.batch->a_step : 0, call);
}
BatchedOperand b_of(const Call& call) noexcept {
    return operand(call.b, call.batch ? call.batch->b : nullptr, call.batch ? call.batch->b_step : 0, call);
}
BatchedOperand c_of(const Call& call) noexcept {
    const auto* pointers = call.batch ? reinterpret_cast<const void* const*>(call.batch->c) : nullptr;
    return operand(call.c, pointers, call.batch ? call.batch->c_step : 0, call);
}

std::size_t places_bytes(const Problem&, const Tile&, const Batch& batch) noexcept {
    return by_pointers(batch) ? (3 * static_cast<std::size_t>(batch.size) * sizeof(std::uint64_t) + 127) / 128 * 128
                              : 0;
}

Status place_products(const Call& call, std::span<std::byte>& scratch, Places& places) noexcept {
    if (!call.batch) return {};
    const Batch& batch = *call.batch;
    const Matrix& residual = call.epilogue.residual;
    places = {batch.a_step * element(call.a),
              batch.b_step * element(call.b),
              batch.c_step * element(call.c),
              batch.residual_step * element(residual),
              nullptr,
              static_cast<unsigned>(batch.size)};
    if (!by_pointers(batch)) return {};
    places.addresses = reinterpret_cast<const std::uint64_t*>(scratch.data());
    Writer<std::uint64_t> writer(scratch.data(), call.stream);
    scratch = scratch.subspan(places_bytes({}, {}, batch));
    for (const BatchedOperand& one : {a_of(call), b_of(call), c_of(call)})
        if (const Status bad = writer.write(one.size, [one](std::int64_t i) { return one.address(i); }); !bad)
            return bad;
    return writer.flush();
}

}  // namespace tw::cuda
