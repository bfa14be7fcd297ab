// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a backend brings: a row of plain data for the device family, and one row for each kernel of its ladder.
// The registry lists backends, choose() reads the rows, execute() calls run(). A newcomer with r1 alone works at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "scheme/scheme.hpp"
#include "tilewright/batch.hpp"
#include "tilewright/epilogue.hpp"
#include "tilewright/executor.hpp"
#include "tilewright/plan.hpp"
#include "tilewright/status.hpp"

namespace tw {

/// A step of the climb: one idea, under the same name on every backend. `none` is no step: kernels for products of few
/// rows stand beside the ladder, since no square product climbs by them.
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

/// Hardware features, one bit each; what a bit means is the backend's affair.
using Features = std::uint64_t;

/// An operand laid out ahead of time by Kernel::packing: the call's matrix of it has a shape, but no elements.
struct PackedPanels {
    const std::byte* panels = nullptr;  ///< null: both operands are as usual
    bool is_a = false;                  ///< it stands for A, else for B
    bool on_left = false;               ///< laid out as the left one of a product: a B so computes C^T = B^T A^T
};

struct Direct;

/// One product, ready to run: operands checked, on the kernel's own device, and of the kernel's own types.
struct Call {
    Matrix a, b, c;
    double alpha = 1, beta = 0;
    Epilogue epilogue{};             ///< empty unless the kernel's row says that it fuses one
    std::span<std::byte> scratch{};  ///< at least scratch_bytes(), aligned to 64 bytes
    int threads = 1;
    const Executor* executor = nullptr;  ///< null: the library's pool
    void* stream = nullptr;
    PackedPanels packed{};           ///< empty unless the kernel's row has a packing
    const Batch* batch = nullptr;    ///< the whole batch: a, b and c are its first product. Null for one product
    const Direct* direct = nullptr;  ///< as planned for such operands; null: not planned

    std::int64_t m() const noexcept { return c.rows; }
    std::int64_t n() const noexcept { return c.cols; }
    std::int64_t k() const noexcept { return a.cols; }
};

/// How a kernel wants an operand that is laid out ahead of time, for any shape of the other.
struct Packing {
    /// `width` is how many rows it has on the left of a product, or how many columns on the right.
    std::size_t (*bytes)(std::int64_t width, std::int64_t k, bool on_left);
    /// Elements of the kernel's own type, to memory aligned to 64 bytes; `threads` is a call without operands.
    void (*pack)(const Matrix& operand, bool on_left, const Call& threads, std::byte* to);
};

/// How a kernel does many products of one shape in one call, with the bits of each alone.
struct Batching {
    bool (*takes)(const Call&);  ///< with a batch and an epilogue, whose residual is the first product's
    std::size_t (*scratch_bytes)(const Problem&, const Tile&, const Batch&);
};

/// A row of a backend's ladder. A kernel never allocates and never prints; m, n and k are at least 1.
struct Kernel {
    const char* name;  ///< "cpu.r6_vectorized.f32.avx2": unique; the second word is its file
    Rung rung;
    Type in, out, sum;  ///< of A and B; of C; and what it sums in
    const Scheme* scheme;
    Features needs = 0;
    std::span<const Tile> tiles{};  ///< what the tuner may try; the first is the default, {} the kernel's own choice
    bool fuses_epilogue = false;
    const char* idea = nullptr;  ///< one sentence for the ladder's table and for docs/ladder.md

    bool (*takes)(const Problem&) = nullptr;                       ///< null: any shape, any steps
    double (*sum_bound)(std::int64_t k) = nullptr;                 ///< certificate of its order of summation
    double (*nanoseconds)(const Problem&, int threads) = nullptr;  ///< its own guess, for choose()
    std::size_t (*scratch_bytes)(const Problem&, const Tile&, int threads) = nullptr;  ///< null: none
    Status (*run)(const Call&, const Tile&) = nullptr;

    /// Rows with the same number give a row of C the same bits, whatever m, n, steps, alignment and threads are: they
    /// sum in one order. 0 promises only the same bits for the same call.
    int order = 0;

    const Packing* packing = nullptr;    ///< null: it takes no operand laid out ahead of time
    const Batching* batching = nullptr;  ///< null: one product a call

    /// How a product of few tiles is run without anything around it: no epilogue, m, n and k at least 1. Null: none is.
    Direct (*direct)(const Problem&, int threads) = nullptr;
};

/// The largest |C - AB| / (|A||B|) that the kernel can make: what splitting loses and what summing loses.
inline double certificate(const Kernel& kernel, std::int64_t k) noexcept {
    return kernel.scheme->split_loss + kernel.sum_bound(k);
}

/// A feature's bit and the name that TW_FEATURES and `tw info` use for it.
struct FeatureName {
    Features bit;
    const char* name;
};

/// A loop of the device's own that keeps one unit as busy as it can be: the roof over the kernels that work with it.
struct Roof {
    const char* unit;         ///< "FMA", "tensor core"; "memory" for bandwidth
    const char* type;         ///< of the operands: "f32", "bf16"; "bytes" for bandwidth
    Features needs;           ///< kernels that need one of these work with the unit; 0: those that need none
    double (*theoretical)();  ///< by formula, in GFLOP/s or GB/s: flops/clock/core x clock x cores; 0: unknown
    double (*measure)(double seconds);  ///< in about so many seconds, the whole device
};

/// How copies overlap kernels on a device with memory of its own. Queues, events and the buffer are the calling
/// thread's and are kept for it; only await() waits.
struct Traffic {
    static constexpr int most_events = 384;

    std::size_t (*memory)(void* stream);                ///< bytes that scratch(bytes, stream) can give
    bool (*locked)(const void* memory);                 ///< host memory that the copy engines reach by themselves
    std::span<std::byte> (*buffer)(std::size_t bytes);  ///< such memory, less when there is less; empty: none
    Status (*open)(void*& there, void*& back);          ///< the queues of the two directions
    Status (*mark)(int event, void* queue);             ///< event: everything that is in the queue by now
    Status (*follow)(void* queue, int event);  ///< what enters the queue from now on comes after the event's last mark
    bool (*passed)(int event);                 ///< true too when the device failed: await() says so
    Status (*await)(int event);
};

struct EffortKernel;

/// A device family.
struct Backend {
    const char* name;                       ///< "cpu": also the prefix of its kernels' names
    Place place;                            ///< where its kernels want their operands
    std::span<const Kernel* const> ladder;  ///< by rung, within a rung the plainest first; those for few rows last
    std::span<const FeatureName> feature_names;
    Features (*features)();    ///< what this machine has, less what TW_FEATURES masks
    int (*devices)();          ///< how many there are; 0: none
    const char* (*absence)();  ///< why there is none, as a sentence; "" when there is one

    // A device with memory of its own. Null on the CPU: host memory needs no moving.
    Status (*select)(int device) = nullptr;      ///< the calling thread's device from now on; "cuda:1" is 1
    bool (*owns)(const void* memory) = nullptr;  ///< true when the address is this device family's
    void* (*alloc)(std::size_t bytes) = nullptr;
    void (*free)(void* memory) = nullptr;
    std::span<std::byte> (*scratch)(std::size_t bytes,
                                    void* stream) = nullptr;  ///< kept for this thread and stream; empty: short
    Status (*copy)(const Matrix& to, const Matrix& from,
                   void* stream) = nullptr;  ///< from and to any place, steps and types
    Status (*finish)(const Matrix& c, double beta, const Epilogue& epilogue,
                     void* stream) = nullptr;  ///< as finish() of the host
    Status (*wait)(void* stream) = nullptr;
    bool (*captures)(void* stream) =
        nullptr;  ///< what enters the stream is being written into a graph: nothing may wait or allocate

    const Traffic* traffic = nullptr;               ///< null: copies and kernels take turns
    std::span<const EffortKernel* const> effort{};  ///< its kernels for the effort dial (effort_contract.hpp)
    std::span<const Roof> roofs{};                  ///< empty for the CPU, whose loops belong to measure
    bool times_mean_nothing = false;                ///< kernels run checked or emulated: tables leave speeds out
};

}  // namespace tw
