// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tilewright/multiply.hpp"
#include "tilewright/problem.hpp"

namespace tw {

/// The problem that three operands pose.
TW_API Problem problem_of(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options = {}) noexcept;

struct Backend;  // a device family: rows of the registry, see docs/walk.md
struct Kernel;

/// A decision that can be kept: which kernel of which backend, with which tile. Reusable, safe from many threads,
/// unless its options bring scratch, which is one run's at a time. One that nobody planned runs nothing.
class Plan {
public:
    TW_API Status try_run(const Matrix& a, const Matrix& b, const Matrix& c, void* stream = nullptr) const noexcept;

    template <Viewable A, Viewable B, Viewable C>
    void run(const A& a, const B& b, const C& c, void* stream = nullptr) const {
        const Matrix am = erase(View(a)), bm = erase(View(b)), cm = erase(View(c));
        check(try_run(am, bm, cm, stream), am, bm, cm, options);
    }

    /// What Options::scratch must hold, wherever it begins, for a run that allocates nothing.
    TW_API std::size_t scratch_bytes() const noexcept;

    /// "cpu.r7_hierarchical.f32.avx2", and why it was chosen.
    TW_API const char* kernel_name() const noexcept;
    const char* reason = "";

    Problem problem{};
    Options options{};
    const Backend* backend = nullptr;
    const Kernel* kernel = nullptr;      ///< with slabs, of those that are longest
    const Kernel* of_shorter = nullptr;  ///< with slabs: of those that have one of k less, where that is another kernel
    Tile tile{};
    int threads = 1;
    int device = -1;                        ///< its number among the backend's; -1: the calling thread's current one
    alignas(void*) std::byte direct[64]{};  ///< the library's own: how a product of few tiles is run at once
};

TW_API Status try_plan(const Problem& problem, const Options& options, Plan& plan) noexcept;

/// Throws tw::Error when no kernel can do what is asked.
TW_API Plan plan(const Problem& problem, const Options& options = {});

}  // namespace tw
