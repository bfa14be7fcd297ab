// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Packing an operand: a kernel that can take packed operands is chosen, as if the other operand were large, and lays
// this one out in memory that the Packed owns.
#include <algorithm>
#include <span>

#include "carry/slabs.hpp"
#include "multiply/check.hpp"
#include "multiply/packed_parts.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

constexpr std::int64_t lines_of_the_other = 1024, lines_on_a_device = 4096;
constexpr std::size_t page = 4096;

constexpr Status no_memory{Code::out_of_memory, Argument::none, "no memory for the packed operand"};
constexpr Status not_there{Code::unsupported, Argument::options,
                           "no kernel that keeps that accuracy there takes packed operands"};
constexpr Status not_for_there{Code::unsupported, Argument::options,
                               "an operand is packed where it lies: in host memory, or on the device in use"};

std::byte* allocate(std::size_t bytes) noexcept {
    if (bytes > PTRDIFF_MAX - page) return nullptr;
    return static_cast<std::byte*>(
        std::aligned_alloc(page, (std::max<std::size_t>(bytes, 1) + page - 1) / page * page));
}

/// The kernel that a product would take if it has a packing, else the cheapest that has one and an order of summation
/// of its own, so that the bits do not depend on the other operand's shape.
Status plan_with_packing(const Problem& problem, const Options& options, Plan& plan) noexcept {
    if (const Status none = try_plan(problem, options, plan); !none) return none;
    if (plan.kernel->packing && !plan.of_shorter) return {};
    const Plan first = plan;
    const Kernel* best = nullptr;
    for (const Kernel* kernel : first.backend->ladder) {
        if (!kernel->packing || (kernel->order == 0 && problem.place == Place::host)) continue;
        if (best && kernel->nanoseconds(problem, 1) >= best->nanoseconds(problem, 1)) continue;
        Options by_name = options;
        by_name.kernel = kernel->name;
        if (options.kernel.empty() && try_plan(problem, by_name, plan) && !plan.of_shorter) best = kernel;
    }
    if (!best) return not_there;
    Options by_name = options;
    by_name.kernel = best->name;
    return try_plan(problem, by_name, plan);
}

/// The operand in the kernel's type; `widened` owns the copy if that takes one.
Status as_kernel_type(const Matrix& operand, Type type, std::unique_ptr<std::byte, void (*)(std::byte*)>& widened,
                      Matrix& as) noexcept {
    as = operand;
    if (operand.type == type) return {};
    widened.reset(allocate(static_cast<std::size_t>(operand.rows * operand.cols) * size_of(type)));
    if (!widened) return no_memory;
    as = {widened.get(), type, operand.rows, operand.cols, operand.cols};
    convert(as, operand);
    return {};
}

Status pack_operand(const Matrix& operand, bool is_a, Packed& packed, const Options& options, Form of_c) noexcept {
    if (const Status bad = check_operand(operand, is_a ? Argument::a : Argument::b); !bad) return bad;
    const Place place = place_of(operand.data);
    const std::int64_t others = place == Place::host ? lines_of_the_other : lines_on_a_device;
    Problem problem{.m = is_a ? operand.rows : others,
                    .n = is_a ? others : operand.cols,
                    .k = is_a ? operand.cols : operand.rows,
                    .in = operand.type,
                    .out = operand.type,
                    .place = place,
                    .accuracy = options.accuracy,
                    .c = of_c};
    (is_a ? problem.a : problem.b) = form_of(operand);
    Plan plan;
    if (const Status none = plan_with_packing(problem, options, plan); !none) return none;
    if (plan.backend->place != place || plan.device >= 0) return not_for_there;

    const bool turned = of_c == Form::col_major;
    const PackedPanels where{.is_a = is_a,
                             .on_left = is_a != turned,
                             .type = PackedParts::elements_of(*plan.kernel, operand.type, options.slabs)};
    const std::int64_t lines = is_a ? operand.rows : operand.cols;
    const bool has_elements = lines > 0 && problem.k > 0;
    const int slabs = std::max(1, options.slabs);
    const std::size_t bytes =
        has_elements ? packed_slab_at(*plan.kernel->packing, where.type, lines, problem.k, slabs, where.on_left, slabs)
                     : 0;
    const Backend& backend = *plan.backend;
    std::byte* const memory =
        backend.alloc ? static_cast<std::byte*>(backend.alloc(std::max<std::size_t>(bytes, 1))) : allocate(bytes);
    if (!memory) return no_memory;
    Packed made = PackedParts::make(plan, operand, where, memory, bytes);
    if (has_elements) {
        std::unique_ptr<std::byte, void (*)(std::byte*)> widened(nullptr, [](std::byte* p) { std::free(p); });
        Matrix as{};
        if (const Status bad = as_kernel_type(operand, where.type, widened, as); !bad) return bad;
        if (const Status bad = pack_slabs(plan, as, where, memory); !bad) return bad;
    }
    packed = std::move(made);
    return {};
}

Packed pack_or_throw(const Matrix& operand, bool is_a, const Options& options, Form of_c) {
    Packed packed;
    const Matrix none{};
    const Status status = pack_operand(operand, is_a, packed, options, of_c);
    check(status, is_a ? operand : none, is_a ? none : operand, none, options);
    return packed;
}

}  // namespace

Status pack_slabs(const Plan& plan, const Matrix& operand, const PackedPanels& where, std::byte* memory) noexcept {
    const Packing& packing = *plan.kernel->packing;
    const std::int64_t lines = where.is_a ? operand.rows : operand.cols, k = plan.problem.k;
    const int slabs = std::max(1, plan.options.slabs);
    const bool turned = where.is_a != where.on_left;
    Call threads;
    threads.threads = plan.threads;
    threads.executor = plan.options.executor;
    threads.stream = plan.options.stream;
    Status done;
    threads.scratch = std::as_writable_bytes(std::span(&done, 1));
    for_each_slab(k, slabs, [&](int number, std::int64_t first, std::int64_t length) {
        const Matrix slab =
            where.is_a ? operand.block(0, first, lines, length) : operand.block(first, 0, length, lines);
        packing.pack(turned ? slab.transposed() : slab, where.on_left, threads,
                     memory + packed_slab_at(packing, where.type, lines, k, slabs, where.on_left, number));
    });
    return done && plan.backend->wait ? plan.backend->wait(threads.stream) : done;
}

const char* Packed::kernel_name() const noexcept { return kernel_ ? kernel_->name : ""; }

Status try_pack(const Matrix& b, Packed& packed, const Options& options, Form of_c) noexcept {
    return pack_operand(b, false, packed, options, of_c);
}
Status try_pack_a(const Matrix& a, Packed& packed, const Options& options, Form of_c) noexcept {
    return pack_operand(a, true, packed, options, of_c);
}
Packed pack(const Matrix& b, const Options& options, Form of_c) { return pack_or_throw(b, false, options, of_c); }
Packed pack_a(const Matrix& a, const Options& options, Form of_c) { return pack_or_throw(a, true, options, of_c); }

}  // namespace tw
