// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels on their way between host and device while kernels run. The copy engines reach page-locked memory alone, so
// threads gather a panel piece by piece into a ring of such memory, and scatter results out of another:
//
//   host panel --threads--> [ | | | ] --queue there--> device panel ... device tile --queue back--> [ | | | ]
//   --threads--> host
//
// Memory that is page-locked itself goes without the ring.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/contract.hpp"
#include "carry/cut.hpp"

namespace tw {

class Conveyor {
public:
    /// `first_event`: of those that nobody else uses; it takes events_taken.
    Conveyor(const Backend& device, const Call& call, int first_event) noexcept
        : device_(device), call_(call), first_event_(first_event) {}

    // Three of each direction: one filled, one on its way, one to be ready when that is there. Pieces are large enough
    // to be worth waking all threads for and small enough to stay in a large last cache until the copy engine reads
    // them.
    static constexpr int pieces_there = 3, pieces_back = 3, events_taken = pieces_there + pieces_back;
    static constexpr std::size_t buffer_bytes = events_taken * (std::size_t{8} << 20);

    Status open() noexcept;
    void* there() const noexcept { return there_; }

    /// Enqueues a whole panel, scattering what has come back while the ring is full. `to` has dense rows or columns.
    Status send(const Matrix& to, const Matrix& from) noexcept;

    /// A tile that event `ready` finishes is to be brought back; event `gone` will tell that the device's copy may be
    /// overwritten. At most Cut::most_tiles at a time: see room_for().
    Status fetch(const Matrix& to, const Matrix& from, int ready, int gone) noexcept;

    /// Goes on with what has come back; waits only while tile `number` (the first is 0) has not been enqueued whole.
    Status settle(std::int64_t number) noexcept;
    Status settle_all() noexcept;

    /// After a failure: nothing moves any more when this returns.
    void stop() noexcept;

private:
    struct Tile {
        Matrix to, from;
        int ready, gone;
        std::int64_t next = 0;  ///< the first element that is not enqueued
    };
    struct Piece {
        Matrix to;
        const std::byte* at;
    };

    int event_there(std::int64_t piece) const noexcept { return first_event_ + static_cast<int>(piece % pieces_there); }
    int event_back(std::int64_t piece) const noexcept {
        return first_event_ + pieces_there + static_cast<int>(piece % pieces_back);
    }
    std::byte* piece_at(std::int64_t place) const noexcept {
        return buffer_ + static_cast<std::size_t>(place) * piece_bytes_;
    }
    std::byte* ring_there(std::int64_t piece) const noexcept { return piece_at(piece % pieces_there); }
    std::byte* ring_back(std::int64_t piece) const noexcept { return piece_at(pieces_there + piece % pieces_back); }
    Status enqueue_back() noexcept;
    Status enqueue_piece_back(Tile& tile) noexcept;
    Status unload(bool waits, bool& any) noexcept;
    void move(const Matrix& to, const Matrix& from, bool to_ring) const noexcept;

    const Backend& device_;
    const Call& call_;
    const int first_event_;
    void *there_ = nullptr, *back_ = nullptr;
    std::byte* buffer_ = nullptr;
    std::size_t piece_bytes_ = 0;
    std::int64_t sent_ = 0;                     // pieces
    std::int64_t enqueued_ = 0, unloaded_ = 0;  // pieces back
    std::int64_t asked_ = 0, done_ = 0;         // tiles: to be brought, enqueued whole
    Tile tiles_[Cut::most_tiles]{};
    Piece pieces_[pieces_back]{};
};

}  // namespace tw
