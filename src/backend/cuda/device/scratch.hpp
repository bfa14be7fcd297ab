// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Device memory that the library brings for its own products: scratch, and beside it counters and mailboxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tw::cuda {

inline constexpr int most_counters = 4096;
inline constexpr int most_mailboxes = 1 << 18;

/// Scratch for products on a stream, one after the other. Outside of a capture it is a block that the calling thread
/// keeps for the stream: valid until the thread asks again. While the stream is captured the memory belongs to the
/// graph and lives as long as the graph and whatever was instantiated from it; no two captures share any.
std::span<std::byte> kept_scratch(std::size_t bytes, void* stream) noexcept;

/// Bytes that this thread keeps for a stream outside of captures.
std::size_t kept_bytes(void* stream, int device) noexcept;

/// Beside the stream's scratch, which has been asked for before: zeros, as whoever changes them leaves them behind.
unsigned* kept_counters(void* stream) noexcept;

/// Beside them, zeros too: mailboxes between the blocks of a kernel. A mailbox is one 64-bit word, a value and the flag
/// that it has come; the reader clears it.
std::uint64_t* kept_mailboxes(void* stream) noexcept;

}  // namespace tw::cuda
