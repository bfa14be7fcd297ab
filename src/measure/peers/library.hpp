// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A peer's library opened in this process: its version, and functions that multiply.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "base/cores.hpp"
#include "measure/basis/operands.hpp"
#include "measure/peers/search.hpp"

namespace tw::measure {

struct PeerLibrary {
    std::string file;  ///< the path that the loader found
    std::string found_by;
    std::string version;
    std::string core_type;  ///< the kernels that it chose for this processor, by its own name
    std::string trouble;    ///< why it can't be used; empty when it can
    Processors processors;  ///< where the thread that opened it runs since

    /// C = A B, row-major, of the operands' type; empty when it has no call for that type.
    std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c)> f32, f64, c64, c128;

    /// C = A B + beta C; of each matrix the rows or the columns are contiguous. Empty when it has no such function.
    using General = std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c, double beta)>;
    General general_f32, general_f64, general_c64, general_c128;
    const General& general(Type type) const {
        return type == Type::f64    ? general_f64
               : type == Type::c64  ? general_c64
               : type == Type::c128 ? general_c128
                                    : general_f32;
    }
    bool multiplies_any_way() const { return general_f32 || general_f64; }

    /// A batch with contiguous operands; empty when it has no function for batches.
    std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t products)> f32_batch, f64_batch;
};

/// How BLAS sees a matrix: by rows or by columns, and the step from one to the next, which it wants to be wide enough
/// even where there is only one.
constexpr bool is_by_rows(const Matrix& x) { return x.col_step == 1 && (x.row_step >= x.cols || x.rows == 1); }
constexpr std::int64_t line_step(const Matrix& x) {
    return is_by_rows(x) ? std::max(x.row_step, x.cols) : std::max(x.col_step, x.rows);
}

/// Fills in the version and the functions of an opened library.
void describe_peer(const PeerKind& kind, void* handle, PeerLibrary& library);

/// Opens the newest candidate that works (RTLD_LOCAL), with `threads` threads. It sets environment variables and where
/// the calling thread runs, so call it in a separate process, or put that back.
PeerLibrary open_peer(const PeerKind& kind, int threads);

}  // namespace tw::measure
