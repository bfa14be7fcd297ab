// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Copies panels between host and device while kernels run. Copy engines reach only page-locked memory, so threads
// gather a panel piece by piece into a ring of it, and scatter results from a second ring:
//
//   upload     host panel  --threads-->      [ | | | ] --copy engine--> device panel
//   download   device tile --copy engine-->  [ | | | ] --threads-->     host
//
// Operands that are page-locked already skip the ring.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/contract.hpp"
#include "carry/cut.hpp"

namespace tw {

class Conveyor {
public:
    /// It uses the events first_event .. first_event + events_taken - 1.
    Conveyor(const Backend& device, const Call& call, int first_event) noexcept
        : device_(device), call_(call), first_event_(first_event) {}

    // Three for each direction: one being filled, one being copied, one ready to be copied next. A piece is large
    // enough to be worth waking all threads, and small enough to stay in L3 until the copy engine reads it.
    static constexpr int upload_pieces = 3, download_pieces = 3, events_taken = upload_pieces + download_pieces;
    static constexpr std::size_t buffer_bytes = events_taken * (std::size_t{8} << 20);

    Status open() noexcept;
    void* upload_stream() const noexcept { return upload_; }

    /// Enqueues the upload of a whole panel; while the ring is full, scatters downloaded pieces. `to` has dense rows
    /// or columns.
    Status send(const Matrix& to, const Matrix& from) noexcept;

    /// Downloads a tile once event `ready` has passed, and records event `fetched` when the device's copy may be
    /// overwritten. At most Cut::most_tiles tiles may be pending: see enqueue_up_to().
    Status fetch(const Matrix& to, const Matrix& from, int ready, int fetched) noexcept;

    /// Scatters what has been downloaded; blocks only until the whole download of tile `number` (from 0) is enqueued.
    Status enqueue_up_to(std::int64_t number) noexcept;

    /// Blocks until every tile has reached the host.
    Status drain() noexcept;

    /// After a failure: blocks until no copy is under way.
    void stop() noexcept;

private:
    struct Tile {
        Matrix to, from;
        int ready, fetched;
        std::int64_t next = 0;  ///< the first element not enqueued yet
    };
    struct Piece {
        Matrix to;
        const std::byte* at;
    };

    int upload_event(std::int64_t piece) const noexcept {
        return first_event_ + static_cast<int>(piece % upload_pieces);
    }
    int download_event(std::int64_t piece) const noexcept {
        return first_event_ + upload_pieces + static_cast<int>(piece % download_pieces);
    }
    std::byte* piece_at(std::int64_t place) const noexcept {
        return buffer_ + static_cast<std::size_t>(place) * piece_bytes_;
    }
    std::byte* upload_piece(std::int64_t piece) const noexcept { return piece_at(piece % upload_pieces); }
    std::byte* download_piece(std::int64_t piece) const noexcept {
        return piece_at(upload_pieces + piece % download_pieces);
    }
    Status enqueue_downloads() noexcept;
    Status enqueue_download(Tile& tile) noexcept;
    Status unload(bool waits, bool& any) noexcept;
    void move(const Matrix& to, const Matrix& from, bool to_ring) const noexcept;

    const Backend& device_;
    const Call& call_;
    const int first_event_;
    void *upload_ = nullptr, *download_ = nullptr;
    std::byte* buffer_ = nullptr;
    std::size_t piece_bytes_ = 0;
    std::int64_t sent_ = 0;                     // pieces uploaded
    std::int64_t enqueued_ = 0, unloaded_ = 0;  // pieces to download: enqueued, scattered
    std::int64_t asked_ = 0, done_ = 0;         // tiles to download: asked for, enqueued whole
    Tile tiles_[Cut::most_tiles]{};
    Piece pieces_[download_pieces]{};
};

}  // namespace tw
