// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/conveyor.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/bulk_copy.hpp"
#include "base/threads.hpp"

namespace tw {
namespace {

constexpr std::size_t least_part = std::size_t{64} << 10, parts_per_thread = 8;  // bytes; parts
constexpr std::int64_t line = 64;   // elements: as many as a cache line has bytes
constexpr int enough_threads = 16;  // carry more than a device's link does; to wake more of them takes longer

constexpr Status no_buffer{Code::out_of_memory, Argument::none,
                           "there is no page-locked memory for copies to the device"};

/// The two matrices, both transposed if need be, so that rows of the dense one are contiguous.
struct Rows {
    Matrix to, from;

    Rows(const Matrix& target, const Matrix& source, bool dense_is_target) noexcept : to(target), from(source) {
        const Matrix& dense = dense_is_target ? target : source;
        if (dense.col_step != 1) to = target.transposed(), from = source.transposed();
    }
};

/// The block that begins at element `first` and fits into a piece: whole rows, or a part of one row.
struct Block {
    std::int64_t row, col, rows, cols;

    Block(const Matrix& whole, std::int64_t first, std::size_t most_bytes) noexcept
        : row(first / whole.cols), col(first % whole.cols), rows(1) {
        const auto room = static_cast<std::int64_t>(most_bytes / size_of(whole.type));
        cols = std::min(whole.cols - col, room);
        if (col == 0 && cols == whole.cols) rows = std::min(whole.rows - row, room / whole.cols);
    }
    std::int64_t size() const noexcept { return rows * cols; }
    Matrix of(const Matrix& whole) const noexcept { return whole.block(row, col, rows, cols); }
};

/// True when the copy engines can read or write the host's matrix themselves.
bool needs_no_ring(const AsyncCopies& async_copies, const Matrix& of_host) noexcept {
    return of_host.col_step == 1 && of_host.row_step >= of_host.cols && async_copies.is_page_locked(of_host.data);
}

Matrix dense_at(const std::byte* memory, const Matrix& like) noexcept {
    return {const_cast<std::byte*>(memory), like.type, like.rows, like.cols, like.cols};
}

template <std::size_t size>
void move_elements(const Matrix& to, const Matrix& from) noexcept {
    for (std::int64_t i = 0; i < to.rows; ++i)
        for (std::int64_t j = 0; j < to.cols; ++j) std::memcpy(to.at(i, j), from.at(i, j), size);
}

/// The copy engine reads a piece of the ring soon, so writing one leaves it in the caches; writing results goes past
/// them.
void move_rows(const Matrix& to, const Matrix& from, bool to_ring) noexcept {
    const std::size_t size = size_of(to.type), row_bytes = static_cast<std::size_t>(to.cols) * size;
    if (to.col_step == 1 && from.col_step == 1) {
        for (std::int64_t i = 0; i < to.rows; ++i)
            (to_ring ? copy_reading_ahead : copy_past_caches)(to.at(i, 0), from.at(i, 0), row_bytes);
        return;
    }
    if (size == 2) return move_elements<2>(to, from);
    if (size == 4) return move_elements<4>(to, from);
    return size == 8 ? move_elements<8>(to, from) : move_elements<16>(to, from);
}

/// One block, cut into parts for the threads: rows, unless they are too few to go round, since a part of a row may be a
/// few bytes of each of many.
struct Move {
    const Matrix &to, &from;
    bool to_ring, by_rows;
    int parts;

    Move(const Matrix& target, const Matrix& source, bool is_to_ring, int threads, int most_parts) noexcept
        : to(target),
          from(source),
          to_ring(is_to_ring),
          by_rows(to.rows >= 2 * threads || to.rows >= to.cols),
          parts(by_rows ? static_cast<int>(std::min<std::int64_t>(most_parts, to.rows)) : most_parts) {}

    /// Where a part begins: of columns, at a multiple of what a cache line holds.
    std::int64_t begin(int index) const noexcept {
        const std::int64_t extent = by_rows ? to.rows : to.cols, at = extent * index / parts;
        return by_rows || index == parts ? at : at / line * line;
    }
    void part(int index) const noexcept {
        const std::int64_t first = begin(index), size = begin(index + 1) - first;
        if (by_rows) move_rows(to.block(first, 0, size, to.cols), from.block(first, 0, size, to.cols), to_ring);
        else move_rows(to.block(0, first, to.rows, size), from.block(0, first, to.rows, size), to_ring);
    }
};

}  // namespace

Status Conveyor::open() noexcept {
    if (const Status bad = device_.async_copies->open(upload_, download_); !bad) return bad;
    const std::span<std::byte> buffer = device_.async_copies->page_locked_buffer(buffer_bytes);
    buffer_ = buffer.data();
    piece_bytes_ = buffer.size() / events_taken / 64 * 64;
    return piece_bytes_ > 0 ? Status{} : no_buffer;
}

void Conveyor::move(const Matrix& to, const Matrix& from, bool to_ring) const noexcept {
    // More parts than threads, so that the others do the parts of a thread that wakes late.
    const std::size_t shares = static_cast<std::size_t>(to.rows * to.cols) * size_of(to.type) / least_part + 1;
    const int threads = std::min(call_.threads, enough_threads);
    const int parts =
        threads == 1 ? 1 : static_cast<int>(std::min(shares, parts_per_thread * static_cast<std::size_t>(threads)));
    const auto in_one_row = [](const Matrix& m) { return Matrix{m.data, m.type, 1, m.rows * m.cols, m.rows * m.cols}; };
    const auto is_dense = [](const Matrix& m) { return m.col_step == 1 && (m.row_step == m.cols || m.rows == 1); };
    const bool both_dense = is_dense(to) && is_dense(from);
    const Matrix target = both_dense ? in_one_row(to) : to, source = both_dense ? in_one_row(from) : from;
    Move whole(target, source, to_ring, threads, parts);
    run_tasks(
        call_.executor, threads, whole.parts,
        [](void* context, int index) { static_cast<const Move*>(context)->part(index); }, &whole);
}

Status Conveyor::send(const Matrix& to, const Matrix& from) noexcept {
    const Rows panel(to, from, true);
    if (needs_no_ring(*device_.async_copies, panel.from)) return device_.copy(panel.to, panel.from, upload_);
    for (std::int64_t first = 0, all = panel.to.rows * panel.to.cols; first < all;) {
        const Block block(panel.to, first, piece_bytes_);
        bool any = true;
        while (any && sent_ >= upload_pieces && !device_.async_copies->has_passed(upload_event(sent_)))
            if (const Status bad = unload(false, any); !bad) return bad;
        if (sent_ >= upload_pieces)
            if (const Status bad = device_.async_copies->await(upload_event(sent_)); !bad) return bad;
        const Matrix target = block.of(panel.to), source = block.of(panel.from),
                     piece = dense_at(upload_piece(sent_), target);
        move(piece, source, true);
        if (const Status bad = device_.copy(target, piece, upload_); !bad) return bad;
        if (const Status bad = device_.async_copies->record(upload_event(sent_++), upload_); !bad) return bad;
        first += block.size();
    }
    return {};
}

Status Conveyor::fetch(const Matrix& to, const Matrix& from, int ready, int fetched) noexcept {
    const Rows tile(to, from, false);
    tiles_[asked_++ % Cut::most_tiles] = {tile.to, tile.from, ready, fetched};
    return enqueue_downloads();
}

Status Conveyor::enqueue_download(Tile& tile) noexcept {
    if (needs_no_ring(*device_.async_copies, tile.to)) {
        tile.next = tile.to.rows * tile.to.cols;
        return device_.copy(tile.to, tile.from, download_);
    }
    const Block block(tile.from, tile.next, piece_bytes_);
    const Matrix source = block.of(tile.from);
    const std::byte* memory = download_piece(enqueued_);
    if (const Status bad = device_.copy(dense_at(memory, source), source, download_); !bad) return bad;
    pieces_[enqueued_ % download_pieces] = {block.of(tile.to), memory};
    tile.next += block.size();
    return device_.async_copies->record(download_event(enqueued_++), download_);
}

Status Conveyor::enqueue_downloads() noexcept {
    while (done_ < asked_ && enqueued_ - unloaded_ < download_pieces) {
        Tile& tile = tiles_[done_ % Cut::most_tiles];
        if (tile.next == 0)
            if (const Status bad = device_.async_copies->wait_for(download_, tile.ready); !bad) return bad;
        if (const Status bad = enqueue_download(tile); !bad) return bad;
        if (tile.next < tile.to.rows * tile.to.cols) continue;
        if (const Status bad = device_.async_copies->record(tile.fetched, download_); !bad) return bad;
        ++done_;
    }
    return {};
}

/// Scatters the oldest downloaded piece; the next download takes its place in the ring.
Status Conveyor::unload(bool waits, bool& any) noexcept {
    any = false;
    if (unloaded_ == enqueued_) return {};
    if (!waits && !device_.async_copies->has_passed(download_event(unloaded_))) return {};
    if (const Status bad = device_.async_copies->await(download_event(unloaded_)); !bad) return bad;
    const Piece& piece = pieces_[unloaded_ % download_pieces];
    move(piece.to, dense_at(piece.at, piece.to), false);
    ++unloaded_;
    any = true;
    return enqueue_downloads();
}

Status Conveyor::enqueue_up_to(std::int64_t number) noexcept {
    for (bool any = true; any || done_ <= number;)
        if (const Status bad = unload(done_ <= number, any); !bad) return bad;
    return {};
}

Status Conveyor::drain() noexcept {
    for (bool any = true; any;)
        if (const Status bad = unload(true, any); !bad) return bad;
    return device_.wait(download_);
}

void Conveyor::stop() noexcept {
    // Ignored: the caller reports the failure that led here.
    if (upload_) static_cast<void>(device_.wait(upload_));
    if (download_) static_cast<void>(device_.wait(download_));
}

}  // namespace tw
