// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/batched.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "backend/cuda/launch.hpp"

namespace tw::cuda {
namespace {

template <int most>
struct Words {
    std::uint64_t words[most];
};

template <int most>
__global__ void __launch_bounds__(128) write_piece(const __grid_constant__ Words<most> from, std::uint64_t* to, int count) {
    const int i = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
    if (i < count) to[i] = from.words[i];
}

using Word = std::uint64_t (*)(const void* context, std::int64_t i);

template <int most>
Status write_up_to(std::uint64_t* to, std::int64_t first, std::int64_t count, Word word, const void* context, void* stream) {
    Words<most> piece;
    for (std::int64_t i = 0; i < count; ++i) piece.words[i] = word(context, first + i);
    const Launch how{.blocks = static_cast<unsigned>((count + 127) / 128), .threads = 128};
    return launch(write_piece<most>, how, stream, piece, to + first, static_cast<int>(count));
}

BatchedOperand operand(const Matrix& first, const void* const* pointers, std::int64_t step, const Call& call) noexcept {
    return {first, pointers, step, products_of(call)};
}

std::int64_t element(const Matrix& m) noexcept { return static_cast<std::int64_t>(size_of(m.type)); }

struct Three {
    BatchedOperand operands[3];
};
/// Which of the three operands word i is about; i becomes the product.
int operand_of(std::int64_t& i, std::int64_t size) {
    const int operand = i >= 2 * size ? 2 : i >= size;
    i -= operand * size;
    return operand;
}
std::uint64_t address(const void* context, std::int64_t i) {
    const auto& [of] = *static_cast<const Three*>(context);
    const int operand = operand_of(i, of[0].size);
    return reinterpret_cast<std::uintptr_t>(of[operand][i]);
}

/// Which of a map's matrices product i has.
struct Coordinates {
    BatchedOperand operand;
    Depth depth;

    std::uint64_t operator[](std::int64_t i) const noexcept {
        if (!operand.pointers) return depth.extent > 1 ? static_cast<std::uint64_t>(i) : 0;
        const auto bytes = static_cast<std::uint64_t>(static_cast<const char*>(operand[i]) - static_cast<const char*>(depth.first));
        return bytes >> std::countr_zero(static_cast<std::uint64_t>(depth.bytes));
    }
};
std::uint64_t coordinate(const void* context, std::int64_t i) {
    const auto* of = static_cast<const Coordinates*>(context);
    const int operand = operand_of(i, of->operand.size);
    return of[operand][i];
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
    const auto at = [&](std::int64_t i) { return reinterpret_cast<std::uintptr_t>(operand[i]); };
    std::uintptr_t least = at(0), most = least, differences = 0;
    for (std::int64_t i = 1; i < operand.size; ++i) {
        least = std::min(least, at(i)), most = std::max(most, at(i));
        differences |= at(i) ^ at(0);
    }
    depth.first = reinterpret_cast<void*>(least);
    if (differences == 0) return true;
    constexpr int largest = 39;  // a map's steps end at 2^40
    depth.bytes = std::int64_t{1} << std::min(largest, std::countr_zero(differences));
    depth.extent = static_cast<std::int64_t>(most - least) / depth.bytes + 1;
    return depth.bytes % 16 == 0 && depth.extent <= INT32_MAX;
}

Status place_depths(const Call& call, const Depth& a, const Depth& b, const Depth& c, Depths& depths) noexcept {
    if (!call.batch || !by_pointers(*call.batch)) return {};
    auto* to = reinterpret_cast<std::uint64_t*>(call.scratch.data());
    depths.coordinates = to;
    const Coordinates all[] = {{a_of(call), a}, {b_of(call), b}, {c_of(call), c}};
    return write_words(to, 3 * call.batch->size, coordinate, all, call.stream);
}

Status write_words(std::uint64_t* to, std::int64_t count, Word word, const void* context, void* stream) noexcept {
    constexpr int little = 480, large = 3840;  // kernels take parameters of up to 32764 bytes; few of them are sooner there
    for (std::int64_t first = 0; first < count; first += large) {
        const std::int64_t here = count - first < large ? count - first : large;
        const Status done = here <= little ? write_up_to<little>(to, first, here, word, context, stream)
                                           : write_up_to<large>(to, first, here, word, context, stream);
        if (!done) return done;
    }
    return {};
}

const void* BatchedOperand::operator[](std::int64_t i) const noexcept {
    if (!pointers) return static_cast<const char*>(first.data) + i * step * element(first);
    const void* pointer = nullptr;
    std::memcpy(&pointer, pointers + i, sizeof pointer);  // the array may be of any object pointers
    return pointer;
}

std::uintptr_t BatchedOperand::address_bits() const noexcept {
    std::uintptr_t bits = 0;
    if (!pointers) return reinterpret_cast<std::uintptr_t>(first.data) | static_cast<std::uintptr_t>(size > 1 ? step * element(first) : 0);
    for (std::int64_t i = 0; i < size; ++i) bits |= reinterpret_cast<std::uintptr_t>((*this)[i]);
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
    return by_pointers(batch) ? (3 * static_cast<std::size_t>(batch.size) * sizeof(std::uint64_t) + 127) / 128 * 128 : 0;
}

Status place_products(const Call& call, std::span<std::byte>& scratch, Places& places) noexcept {
    if (!call.batch) return {};
    const Batch& batch = *call.batch;
    const Matrix& residual = call.epilogue.residual;
    places = {batch.a_step * element(call.a), batch.b_step * element(call.b), batch.c_step * element(call.c),
              batch.residual_step * element(residual), nullptr, static_cast<unsigned>(batch.size)};
    if (!by_pointers(batch)) return {};
    auto* to = reinterpret_cast<std::uint64_t*>(scratch.data());
    places.addresses = to;
    scratch = scratch.subspan(places_bytes({}, {}, batch));
    const Three three{{a_of(call), b_of(call), c_of(call)}};
    return write_words(to, 3 * batch.size, address, &three, call.stream);
}

}  // namespace tw::cuda
