// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Matrices on the move: by the copy engine where both sides have dense rows, by a kernel where they differ in steps or
// type on one device, through a packed copy where a scattered matrix is the host's.
#include <cstring>
#include <memory>
#include <new>

#include "backend/cuda/device/calls.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/elements.cuh"
#include "backend/cuda/device/failure.hpp"
#include "backend/cuda/device/launch.hpp"

namespace tw::cuda {
namespace {

constexpr int threads = 256;

__global__ void __launch_bounds__(threads) move_elements(Matrix to, Matrix from) {
    const std::int64_t count = to.rows * to.cols, step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t x = blockIdx.x * std::int64_t{threads} + threadIdx.x; x < count; x += step)
        store(to, x / to.cols, x % to.cols, load(from, x / to.cols, x % to.cols));
}

/// Complex ones as they lie, conjugate or not.
__global__ void __launch_bounds__(threads) move_complex(Matrix to, Matrix from) {
    const std::int64_t count = to.rows * to.cols, step = std::int64_t{gridDim.x} * threads;
    for (std::int64_t x = blockIdx.x * std::int64_t{threads} + threadIdx.x; x < count; x += step)
        store_complex(to, x / to.cols, x % to.cols, load_complex(from, x / to.cols, x % to.cols));
}

unsigned blocks_for(std::int64_t elements) {
    const std::int64_t wanted = (elements + threads - 1) / threads, most = 16 * std::int64_t{multiprocessors()};
    return static_cast<unsigned>(wanted < most ? wanted : most);
}

bool dense_rows(const Matrix& m) { return m.col_step == 1 && (m.row_step >= m.cols || m.rows == 1); }

Status copy_dense(const Matrix& to, const Matrix& from, void* stream) {
    const auto queue = static_cast<cudaStream_t>(stream);
    const std::size_t size = size_of(to.type), width = static_cast<std::size_t>(to.cols) * size;
    const bool whole = to.rows == 1 || (to.row_step == to.cols && from.row_step == to.cols);
    if (whole) {
        const std::size_t bytes = width * static_cast<std::size_t>(to.rows);
        return status_of(calls().copy(to.data, from.data, bytes, cudaMemcpyDefault, queue), Step::copy);
    }
    return status_of(calls().copy_rows(to.data, static_cast<std::size_t>(to.row_step) * size, from.data,
                                       static_cast<std::size_t>(from.row_step) * size, width,
                                       static_cast<std::size_t>(to.rows), cudaMemcpyDefault, queue),
                     Step::copy);
}

/// Both on the host, of one type.
void rearrange(const Matrix& to, const Matrix& from) {
    const std::size_t size = size_of(to.type);
    for (std::int64_t i = 0; i < to.rows; ++i)
        for (std::int64_t j = 0; j < to.cols; ++j) std::memcpy(to.at(i, j), from.at(i, j), size);
}

/// Between host and device, where at least one of them is scattered.
Status copy_packed(const Matrix& to, const Matrix& from, void* stream) {
    const std::size_t bytes = static_cast<std::size_t>(to.rows * to.cols) * size_of(to.type);
    const std::unique_ptr<char[]> packed_bytes(new (std::nothrow) char[bytes]);
    if (!packed_bytes) return {Code::out_of_memory, Argument::none, "no host memory to pack a scattered matrix"};
    const Matrix packed{packed_bytes.get(), to.type, to.rows, to.cols, to.cols};
    const bool from_host = !owns_memory(from.data);
    if (from_host) rearrange(packed, from);
    const Status copied = from_host ? copy_dense(to, packed, stream) : copy_dense(packed, from, stream);
    const Status waited = wait(stream);
    if (!copied || !waited) return copied ? waited : copied;
    if (!from_host) rearrange(to, packed);
    return {};
}

}  // namespace

Status copy(const Matrix& to, const Matrix& from, void* stream) noexcept {
    if (const Status dead = alive(); !dead) return dead;
    if (to.rows == 0 || to.cols == 0) return {};
    if (to.type == from.type && dense_rows(to) && dense_rows(from)) return copy_dense(to, from, stream);
    const Matrix to_across = to.transposed(), from_across = from.transposed();
    if (to.type == from.type && dense_rows(to_across) && dense_rows(from_across))
        return copy_dense(to_across, from_across, stream);
    if (owns_memory(to.data) && owns_memory(from.data)) {
        const Launch how{.blocks = blocks_for(to.rows * to.cols), .threads = threads};
        if (!is_complex(to.type)) return launch(move_elements, how, stream, to, from);
        Matrix as_it_lies = from;
        as_it_lies.is_conj = false;
        return launch(move_complex, how, stream, to, as_it_lies);
    }
    if (to.type != from.type)
        return {Code::unsupported, Argument::none, "a copy between host and device keeps the type"};
    return dense_rows(to_across) || dense_rows(from_across) ? copy_packed(to_across, from_across, stream)
                                                            : copy_packed(to, from, stream);
}

}  // namespace tw::cuda
