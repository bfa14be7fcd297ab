// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/sets.hpp"

#include <algorithm>
#include <cstring>

#include "base/element.hpp"
#include "reference/random.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t alignment = 256, around_l2 = std::size_t{128} << 20, least_rest = std::size_t{256} << 20,
                      nan_bytes = std::size_t{8} << 20, most_sets = 64;
constexpr std::int64_t noise_count = 4194301;  // a prime, so that rows of a matrix begin at different numbers

constexpr Status no_memory{Code::out_of_memory, Argument::none, "the survey's memory does not hold these operands"};

std::size_t whole(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// `count` contiguous elements.
Matrix line(void* at, Type type, std::int64_t count) { return {at, type, 1, count, count}; }

Matrix matrix_of(const OperandInMemory& laid, Type type, std::byte* memory) {
    Matrix made{memory + static_cast<std::size_t>(laid.lay.offset) * size_of(type), type, laid.rows, laid.cols,
                laid.lay.pitch};
    if (laid.lay.by_columns) std::swap(made.row_step, made.col_step);
    return made;
}

std::size_t bytes_of(const OperandInMemory& laid, Type type) {
    return static_cast<std::size_t>(laid.elements) * size_of(type);
}

}  // namespace

OperandMemory::OperandMemory(const Queue& queue, std::size_t most_bytes)
    : queue_(queue), nan_(queue.backend(), nan_bytes) {
    const Backend& backend = queue.backend();
    if (backend.async_copies) most_bytes = std::min(most_bytes, backend.async_copies->free_bytes(queue.stream()) / 2);
    block_ = Memory(backend, most_bytes);
    if (!block_.data() || !nan_.data()) {
        status_ = {Code::out_of_memory, Argument::none, "the device has no memory for the survey's operands"};
        return;
    }
    std::vector<std::byte> ones(nan_bytes, std::byte{0xff});
    status_ = queue.copy(line(nan_.data(), Type::bf16, nan_bytes / 2), line(ones.data(), Type::bf16, nan_bytes / 2));
    if (status_) status_ = queue.wait();
}

std::byte* OperandMemory::take(std::size_t bytes) {
    std::byte* at = block_.data() + taken_;
    taken_ += whole(bytes);
    return at;
}

std::span<std::byte> OperandMemory::rest() const {
    return taken_ < block_.size() ? std::span(block_.data() + taken_, block_.size() - taken_) : std::span<std::byte>();
}

Status OperandMemory::generate_numbers(Type type) {
    Memory& mine = noise_[static_cast<std::size_t>(type)];
    if (mine.data()) return {};
    mine = Memory(queue_.backend(), static_cast<std::size_t>(noise_count) * size_of(type));
    if (!mine.data()) return no_memory;
    std::vector<std::byte> made(static_cast<std::size_t>(noise_count) * size_of(type));
    const Matrix host = line(made.data(), type, noise_count);
    reference::Random random(20261123);
    for (std::int64_t i = 0; i < noise_count; ++i) {
        const double x = random.normal();
        if (is_complex(type)) store_complex(host, 0, i, {x, random.normal()});
        else store_element(host, 0, i, x);
    }
    if (const Status bad = queue_.copy(line(mine.data(), type, noise_count), host); !bad) return bad;
    return queue_.wait();
}

Status OperandMemory::fill(std::byte* to, std::size_t bytes, Type type, std::uint64_t phase) const {
    const auto size = static_cast<std::int64_t>(size_of(type));
    auto left = static_cast<std::int64_t>(bytes) / size,
         from = static_cast<std::int64_t>(phase * 1000003 % std::uint64_t{noise_count});
    std::byte* noise = noise_[static_cast<std::size_t>(type)].data();
    while (left > 0) {
        const std::int64_t count = std::min(left, noise_count - from);
        if (const Status bad = queue_.copy(line(to, type, count), line(noise + from * size, type, count)); !bad)
            return bad;
        to += count * size, left -= count, from = 0;
    }
    return {};
}

Status OperandMemory::fill_matrix(const Matrix& to, std::uint64_t phase) const {
    const Matrix lines = to.col_step == 1 ? to : to.transposed();
    const std::int64_t at_once = std::max<std::int64_t>(1, noise_count / lines.cols);
    std::byte* noise = noise_[static_cast<std::size_t>(to.type)].data();
    for (std::int64_t first = 0; first < lines.rows; first += at_once) {
        const std::int64_t rows = std::min(at_once, lines.rows - first);
        const auto from = static_cast<std::int64_t>(phase * 1000003 %
                                                    static_cast<std::uint64_t>(noise_count - rows * lines.cols + 1));
        const Matrix dense{noise + from * static_cast<std::int64_t>(size_of(to.type)), to.type, rows, lines.cols,
                           lines.cols};
        if (const Status bad = queue_.copy(lines.block(first, 0, rows, lines.cols), dense); !bad) return bad;
    }
    return {};
}

Status OperandMemory::lay_out(const Case& what, std::vector<Set>& sets) {
    const Type type = what.kind->type;
    const CaseInMemory laid = measure::lay_out(what);
    if (const Status bad = generate_numbers(type); !bad) return bad;
    const std::size_t list = what.by_pointers ? whole(static_cast<std::size_t>(what.products) * sizeof(void*)) : 0,
                      a = whole(bytes_of(laid.a, type)), b = whole(bytes_of(laid.b, type)),
                      c = whole(bytes_of(laid.c, type) + guarded_bytes), one = a + b + c + 3 * list;
    taken_ = 0;
    sets.clear();
    if (one + least_rest > block_.size()) return no_memory;
    const std::size_t fit = (block_.size() - least_rest) / one,
                      count = std::min(fit, std::clamp<std::size_t>(around_l2 / one + 1, 2, most_sets));
    for (std::uint64_t s = 0; s < count; ++s) {
        Set set;
        std::byte *to_a = take(a), *to_b = take(b);
        set.c_memory = take(c);
        set.c_bytes = bytes_of(laid.c, type);
        set.a = matrix_of(laid.a, type, to_a), set.b = matrix_of(laid.b, type, to_b);
        set.c = matrix_of(laid.c, type, set.c_memory);
        if (const Status bad = fill(to_a, a, type, 3 * s + 1); !bad) return bad;
        if (const Status bad = fill(to_b, b, type, 3 * s + 2); !bad) return bad;
        if (const Status bad = fill(set.c_memory, c, type, 3 * s + 3); !bad) return bad;
        set.batch = {
            .size = what.products, .a_step = laid.a.lay.step, .b_step = laid.b.lay.step, .c_step = laid.c.lay.step};
        if (what.by_pointers)
            if (const Status bad = upload_pointers(set); !bad) return bad;
        sets.push_back(std::move(set));
    }
    for (Set& set : sets)  // the sets no longer move, so their lists do not
        if (what.by_pointers)
            set.batch.a = set.at[0].data(), set.batch.b = set.at[1].data(), set.batch.c = set.at[2].data();
    return queue_.wait();
}

Status OperandMemory::upload_pointers(Set& set) {
    const Matrix* const first[] = {&set.a, &set.b, &set.c};
    const std::int64_t steps[] = {set.batch.a_step, set.batch.b_step, set.batch.c_step}, size = set.batch.size;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::int64_t product = size - 1; product >= 0; --product)  // in reverse order, since pointers allow any
            set.at[i].push_back(static_cast<char*>(first[i]->data) +
                                product * steps[i] * static_cast<std::int64_t>(size_of(set.a.type)));
        set.pointers[i] = set.at[i].data();
        if (!queue_.backend().alloc) continue;
        std::byte* there = take(static_cast<std::size_t>(size) * sizeof(void*));
        if (const Status bad = queue_.copy(line(there, Type::f64, size), line(set.at[i].data(), Type::f64, size)); !bad)
            return bad;
        set.pointers[i] = reinterpret_cast<void**>(there);
    }
    return {};
}

Status OperandMemory::poison(const Case& what, const Set& set) const {
    const std::size_t all = set.c_bytes + guarded_bytes;
    for (std::size_t at = 0; at < all; at += nan_bytes) {
        const auto count = static_cast<std::int64_t>(std::min(nan_bytes, all - at) / 2);
        if (const Status bad =
                queue_.copy(line(set.c_memory + at, Type::bf16, count), line(nan_.data(), Type::bf16, count));
            !bad)
            return bad;
    }
    for (std::int64_t product = 0; what.beta != 0 && product < what.products; ++product)
        if (const Status bad = fill_matrix(set.c_of(product), 77 + static_cast<std::uint64_t>(product)); !bad)
            return bad;
    return queue_.wait();
}

}  // namespace tw::measure
