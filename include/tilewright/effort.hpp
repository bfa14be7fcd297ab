// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tilewright/effort_layout.hpp"
#include "tilewright/error.hpp"
#include "tilewright/executor.hpp"
#include "tilewright/status.hpp"
#include "tilewright/types.hpp"
#include "tilewright/version.hpp"
#include "tilewright/view.hpp"

namespace tw {

/// Whether the values given are kept beside the layout, so that effort 1 and batches take the dense path.
enum class DenseCopy : std::uint8_t {
    automatic,  ///< kept for buckets and tiers, which are slower than dense when all is read; not for planes
    kept,
    absent,
};

/// How a matrix is built.
struct EffortBuild {
    EffortLayout layout = EffortLayout::planes;
    int bucket = 16;          ///< buckets alone: outputs a bucket, 8, 16 or 32
    bool truncating = false;  ///< buckets alone: the position replaces the low bits, and is not masked on read
    DenseCopy dense = DenseCopy::automatic;
    int threads = 0;  ///< as in Options
    const Executor* executor = nullptr;
    int planes = 3;  ///< planes alone: 2 leaves the last one out, 4.5 bits a weight instead of 8.5; on a CPU
};

/// What one product may cost: a share of the work, or the error that is allowed.
class Budget {
public:
    /// The share of the layout's bytes that may be read, in [0, 1]. In buckets and tiers also the share of the rows.
    static constexpr Budget effort(double share) noexcept { return {share, false}; }
    /// The largest |y - W v| / |W v| allowed, as predicted before the product.
    static constexpr Budget error(double relative) noexcept { return {relative, true}; }

    constexpr bool is_error() const noexcept { return is_error_; }
    constexpr double value() const noexcept { return value_; }

private:
    constexpr Budget(double value, bool is_error) noexcept : value_(value), is_error_(is_error) {}
    double value_;
    bool is_error_;
};

/// When the dense copy, where one is kept, does the product instead of the layout.
enum class DenseSwitch : std::uint8_t {
    at_full,       ///< when every row is to be read
    when_quicker,  ///< as soon as reading everything is expected to take less time than selecting
    never,
};

struct EffortOptions {
    DenseSwitch dense = DenseSwitch::at_full;
    int threads = 0;                     ///< 0: affinity mask, quota and physical cores, whichever is smallest
    const Executor* executor = nullptr;  ///< null: the library's own pool
    std::string_view
        device{};            ///< empty or "cpu"; "cuda", "cuda:1"; "metal", "metal-check": no dense copy is read there
    void* stream = nullptr;  ///< CUDA alone: what the product is enqueued on
    std::string_view kernels{};  ///< a set of kernels by name ("portable", "avx2", "avx512"); empty: the machine's best
};

/// What a product did. A row is one unit of one input: a rank, a tier or a plane.
struct EffortReport {
    std::int64_t rows_read = 0, rows = 0;    ///< read, and all that there are
    std::int64_t bytes_read = 0, bytes = 0;  ///< of the layout, padding included; of the dense copy when that was read
    double cutoff =
        0;  ///< rows were read where |v| times the input's importance, less the unit's fall, is at least this
    double estimated_error = 0;  ///< |y - W v| / |W v|, expected from what was left out and every rounding
    bool dense = false;          ///< the dense copy did it
    const char* kernels = "";    ///< the set that ran
};

struct EffortBody;

/// Weights whose products read only as much as the caller allows: y = W v, W with a row for each output. Immutable
/// once built; copies share one memory; safe from many threads. May hold several experts of one shape.
class EffortMatrix {
public:
    EffortMatrix() = default;  ///< empty: 0 outputs, 0 inputs
    TW_API explicit EffortMatrix(std::shared_ptr<const EffortBody> body) noexcept;

    TW_API std::int64_t outputs() const noexcept;
    TW_API std::int64_t inputs() const noexcept;
    TW_API int experts() const noexcept;
    TW_API EffortLayout layout() const noexcept;
    TW_API int bucket() const noexcept;  ///< outputs a bucket; 0 for planes
    TW_API int planes() const noexcept;  ///< that are kept, 3 or 2; 0 for others
    TW_API Type type() const noexcept;   ///< of the values given
    TW_API bool has_dense() const noexcept;
    TW_API std::int64_t rows() const noexcept;        ///< of one expert: inputs times units of an input
    TW_API std::int64_t bytes() const noexcept;       ///< of one expert's layout: what effort 1 reads
    TW_API std::int64_t fp16_bytes() const noexcept;  ///< of one expert as dense 16-bit values: 2 * outputs * inputs
    TW_API std::int64_t bytes_held()
        const noexcept;  ///< everything, the dense copy and the inputs' importance included

    /// Writes a file that load_effort() reads: beside it first, then renamed. Throws tw::Error.
    TW_API void save(const std::string& path) const;

    const EffortBody* body() const noexcept { return body_.get(); }

private:
    std::shared_ptr<const EffortBody> body_;
};

/// Builds from `outputs` x `inputs` values in f32, f16 or bf16, with any steps. Values must be finite.
TW_API Status try_build_effort(const Matrix& weights, const EffortBuild& how, EffortMatrix& into) noexcept;
/// A batch of experts, all of one shape and type.
TW_API Status try_build_effort(std::span<const Matrix> experts, const EffortBuild& how, EffortMatrix& into) noexcept;
/// Matrices that are multiplied by the same vector, one below the other: the outputs of the first, then of the second,
/// and so on. One choice of what is read serves them all, in one product.
TW_API Status try_build_effort_stack(std::span<const Matrix> parts, const EffortBuild& how,
                                     EffortMatrix& into) noexcept;
/// Throws tw::Error with a sentence.
TW_API EffortMatrix build_effort(const Matrix& weights, const EffortBuild& how = {});
TW_API EffortMatrix build_effort(std::span<const Matrix> experts, const EffortBuild& how = {});
TW_API EffortMatrix build_effort_stack(std::span<const Matrix> parts, const EffortBuild& how = {});

/// Reads what EffortMatrix::save() wrote. Throws tw::Error with the file, the offset and what was expected there.
TW_API EffortMatrix load_effort(const std::string& path);

/// What is kept of a file. What is left out is read past: it takes no memory.
struct EffortLoad {
    int planes = 0;           ///< planes alone: 2 leaves the last one out, 3 needs it; 0: as many as the file has
    bool keeps_dense = true;  ///< false: without the dense copy, if the file has one
    /// The matrix stays in the file, which is mapped: nothing is copied, processes share its pages, and the system
    /// drops them where memory is short. The file may be replaced or removed, not shortened or written to: that ends
    /// the process or changes results.
    bool mapped = false;
};
TW_API EffortMatrix load_effort(const std::string& path, const EffortLoad& how);

/// Lays the matrix out in the memory of a device ("cuda", "cuda:1"), which the first product there does otherwise: a
/// product that is captured in a graph must not be the first.
TW_API Status try_place_effort(const EffortMatrix& m, std::string_view device) noexcept;

/// y = W v for one vector: `v` has inputs() finite values, `y` outputs(). Never throws, never prints.
///
/// On the device "cuda" both may be the host's or the device's memory. When both are the device's the product is
/// enqueued on options.stream, may be captured in a graph, and the report's numbers that only the device knows are -1;
/// if v has a value that is not finite, no value of y is. Otherwise the call waits. A budget of error needs a
/// vector in the host's memory.
TW_API Status try_matvec(const EffortMatrix& m, std::span<const float> v, std::span<float> y, Budget budget,
                         const EffortOptions& options, EffortReport& report) noexcept;

/// Throws tw::Error with a sentence.
TW_API EffortReport matvec(const EffortMatrix& m, std::span<const float> v, std::span<float> y, Budget budget,
                           const EffortOptions& options = {});

/// From so many vectors on, a batch is computed densely: the rows that any of them wants are nearly all rows.
inline constexpr int effort_dense_batch = 4;

/// Row i of y = W times row i of v. Up to 3 vectors take the dial each; from 4 on everything is read (the dense copy if
/// one is kept, else every unit of the layout) so every budget is met. On a CPU planes are read once for 16 vectors,
/// and a row has the bits that it has alone at effort 1. `reports` has one for each vector, or
/// is empty.
TW_API Status try_matvec_batch(const EffortMatrix& m, View<const float> v, View<float> y, Budget budget,
                               const EffortOptions& options, std::span<EffortReport> reports) noexcept;

/// Experts in one call: row i of y = W[chosen[i]] times row i of v, or its only one; `reports`: one for each, or none.
/// `chosen` may lie in a CUDA device's memory beside v and y (docs/effort.md): an expert that isn't there makes NaN.
TW_API Status try_matvec_experts(const EffortMatrix& m, std::span<const int> chosen, View<const float> v, View<float> y,
                                 Budget budget, const EffortOptions& options, std::span<EffortReport> reports) noexcept;

/// The sentence for a failed try_build_effort() or try_matvec...(): what was expected and what came.
TW_API std::string explain_effort(const Status& status, const EffortMatrix& m);

}  // namespace tw
