// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a backend brings: a row of plain data for the device family, and one row for each kernel of its ladder.
// The registry lists backends, choose() reads the rows, execute() calls run(). A newcomer with r1 alone works at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scheme/scheme.hpp"
#include "tilewright/epilogue.hpp"
#include "tilewright/executor.hpp"
#include "tilewright/problem.hpp"
#include "tilewright/status.hpp"

namespace tw {

/// A step of the climb: one idea, under the same name on every backend. `none`: kernels for products of few rows, which
/// stand beside the ladder because no square product is faster by them.
enum class Rung : std::uint8_t {
    none = 0,
    naive,
    coalesced,
    tiled,
    register_tile,
    register_block,
    vectorized,
    hierarchical,
    matrix_unit,
    async_pipeline,
    split,
};

/// Hardware features, one bit each; each backend defines its own bits.
using Features = std::uint64_t;

/// An operand packed ahead of time by Kernel::packing. The call's matrix for it has a shape, but no elements.
struct PackedPanels {
    const std::byte* panels = nullptr;  ///< null: no operand is packed
    bool is_a = false;                  ///< the packed operand is A, else B
    bool on_left = false;               ///< packed as a left operand; a B packed so gives C^T = B^T A^T
    Type type = Type::f32;              ///< of the packed elements: the kernel's own, or narrow if it widens
};

struct Direct;

/// One product, ready to run: operands checked, on the kernel's own device, and of the kernel's own types.
struct Call {
    Matrix a, b, c;
    double alpha = 1, beta = 0;
    double alpha_imag = 0, beta_imag = 0;  ///< of complex operands
    Epilogue epilogue{};                   ///< empty unless the kernel's row says that it fuses one
    std::span<std::byte> scratch{};        ///< at least scratch_bytes(), aligned to 64 bytes
    int threads = 1;
    const Executor* executor = nullptr;  ///< null: the library's pool
    void* stream = nullptr;
    PackedPanels packed{};           ///< empty unless the kernel's row has a packing
    const Batch* batch = nullptr;    ///< the whole batch, of which a, b and c are the first product; null: one product
    const Direct* direct = nullptr;  ///< the direct way planned for these operands; null: none
    bool reproducible = false;       ///< Kernel::order binds: nothing is summed in another order, however it would pay
    Matrix rounded{};                ///< where a widening kernel, or a host's epilogue, writes C rounded; none: nowhere

    std::int64_t m() const noexcept { return c.rows; }
    std::int64_t n() const noexcept { return c.cols; }
    std::int64_t k() const noexcept { return a.cols; }
};

/// How a kernel packs an operand ahead of time, for any shape of the other operand.
struct Packing {
    /// `width`: rows of a left operand, or columns of a right one, of elements of `type`.
    std::size_t (*bytes)(Type type, std::int64_t width, std::int64_t k, bool on_left);
    /// `operand` has the kernel's own type, or a narrow one if the kernel widens; `to` is aligned to 64 bytes; of
    /// `settings` only threads and executor count.
    void (*pack)(const Matrix& operand, bool on_left, const Call& settings, std::byte* to);
};

/// How a kernel does many products of one shape in one call, with the bits of each alone.
struct Batching {
    bool (*takes)(const Call&);  ///< asked with the batch set; the epilogue's residual is the first product's
    std::size_t (*scratch_bytes)(const Problem&, const Tile&, const Batch&);
};

/// A row of a backend's ladder. A kernel never allocates and never prints; m, n and k are at least 1.
struct Kernel {
    const char* name;  ///< "cpu.r6_vectorized.f32.avx2": unique; the second word is its file
    Rung rung;
    Type in, out, sum;  ///< of A and B, of C, and of its sums
    const Scheme* scheme;
    Features needs = 0;
    std::span<const Tile> tiles{};  ///< for the tuner; the first is the default, an empty Tile lets the kernel choose
    bool fuses_epilogue = false;
    bool widens = false;  ///< A and B may be f16 or bf16: the kernel widens what it reads, and rounds C as it goes
    const char* idea = nullptr;  ///< one sentence for the ladder's table and for docs/ladder.md

    bool (*takes)(const Problem&) = nullptr;                       ///< null: any shape, any steps
    double (*sum_bound)(std::int64_t k) = nullptr;                 ///< bound on what its order of summation loses
    double (*nanoseconds)(const Problem&, int threads) = nullptr;  ///< estimated time, for choose()
    std::size_t (*scratch_bytes)(const Problem&, const Tile&, int threads) = nullptr;  ///< null: none
    /// What more it would use of scratch for operands with such addresses and steps. It is right with less, and slower.
    std::size_t (*scratch_of)(const Call&, const Tile&) = nullptr;
    /// Whether a free call (Call::reproducible) of this shape is summed in parts of k. Null: never.
    bool (*cuts)(const Problem&) = nullptr;
    Status (*run)(const Call&, const Tile&) = nullptr;

    /// Kernels with the same number sum in the same order: they give a row of C the same bits whatever m, n, steps,
    /// alignment and threads are, but for a free call (Call::reproducible) that `cuts` k. 0: only the same call gives
    /// the same bits again.
    int order = 0;

    const Packing* packing = nullptr;    ///< null: it takes no packed operand
    const Batching* batching = nullptr;  ///< null: one product a call

    /// Plans the direct way for a product of few tiles: no epilogue, m, n and k at least 1. Null: it has none.
    Direct (*direct)(const Problem&, int threads) = nullptr;
};

/// The largest |C - AB| / (|A||B|) that the kernel can leave: what splitting loses plus what summing loses.
inline double certificate(const Kernel& kernel, std::int64_t k) noexcept {
    return kernel.scheme->split_loss + kernel.sum_bound(k);
}

/// A feature's bit and the name that TW_FEATURES and `tw info` use for it.
struct FeatureName {
    Features bit;
    const char* name;
};

/// The rate of one unit of the device, by formula and by a loop that keeps it busy: the roof of the kernels that use
/// it.
struct Roof {
    const char* unit;         ///< "FMA", "tensor core"; "memory" for bandwidth
    const char* type;         ///< of the operands: "f32", "bf16"; "bytes" for bandwidth
    Features needs;           ///< 0: a unit of every chip of the kind; else a matrix unit, for rungs from r8 on
    double (*theoretical)();  ///< by formula, in GFLOP/s or GB/s: flops/clock/core x clock x cores; 0: unknown
    double (*measure)(double seconds);  ///< about so many seconds on the whole device; null: formula alone
};

/// How copies overlap kernels on a device with memory of its own. Streams, events and the buffer belong to the calling
/// thread and are kept for its next call. Only await() blocks.
struct AsyncCopies {
    static constexpr int most_events = 384;

    std::size_t (*free_bytes)(void* stream);     ///< the most that scratch(bytes, stream) can give
    bool (*is_page_locked)(const void* memory);  ///< host memory that the copy engines can reach directly
    std::span<std::byte> (*page_locked_buffer)(std::size_t bytes);  ///< may be shorter; empty: none to be had
    Status (*open)(void*& upload, void*& download);                 ///< a stream for each direction
    Status (*record)(int event, void* stream);    ///< the event passes when all that is in the stream now is done
    Status (*wait_for)(void* stream, int event);  ///< later work of the stream starts after the event's last record
    bool (*has_passed)(int event);                ///< also true when the device failed: await() returns the error
    Status (*await)(int event);
};

struct EffortKernel;

/// A device family.
struct Backend {
    const char* name;                       ///< "cpu": also the prefix of its kernels' names
    Place place;                            ///< where its kernels want their operands
    std::span<const Kernel* const> ladder;  ///< by rung, within a rung the plainest first; few-rows kernels last
    std::span<const FeatureName> feature_names;
    Features (*features)();    ///< of this machine, without those that TW_FEATURES turns off
    int (*devices)();          ///< how many there are; 0: none
    const char* (*absence)();  ///< why there is no device, as a sentence; "" when there is one

    // For a device with memory of its own. Null on the CPU: host memory needs no copies.
    Status (*select)(int device) = nullptr;      ///< makes it the calling thread's device; "cuda:1" is 1
    bool (*owns)(const void* memory) = nullptr;  ///< true when the address is this device family's
    void* (*alloc)(std::size_t bytes) = nullptr;
    void (*free)(void* memory) = nullptr;
    std::span<std::byte> (*scratch)(std::size_t bytes,
                                    void* stream) = nullptr;  ///< kept for this thread and stream; empty: no memory
    Status (*copy)(const Matrix& to, const Matrix& from,
                   void* stream) = nullptr;  ///< between any places, steps and types
    /// Does on the device what finish() does on the host. Of a real C beta is real.
    Status (*finish)(const Matrix& c, double beta, double beta_imag, const Epilogue& epilogue, void* stream) = nullptr;
    Status (*wait)(void* stream) = nullptr;
    bool (*captures)(void* stream) =
        nullptr;  ///< the stream is being captured into a graph, so nothing may wait or allocate

    const AsyncCopies* async_copies = nullptr;      ///< null: copies and kernels take turns
    std::span<const EffortKernel* const> effort{};  ///< kernels for the effort dial (effort_contract.hpp)
    std::span<const Roof> roofs{};                  ///< empty for the CPU: its loops are in measure
    bool times_mean_nothing = false;                ///< kernels run checked or emulated: tables leave speeds out
};

}  // namespace tw
