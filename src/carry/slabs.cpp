// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A node's first half is summed into a matrix of its level, its second half into where the node's own sum goes, with
// the first added to it. So there is one matrix of partial sums a level, each slab writes once, and the additions that
// it completes follow while it does:
//
//   slab      0      1         2      3              (4 slabs: levels 0 and 1)
//   into      p0     p1        p0     C
//   plus             p0               p0, then p1
//
// Two slabs side by side need no matrix between them where a kernel adds a whole sum to what C holds: with beta = 1 the
// second goes where the first one's lies, in the pass that C takes anyway. The sum of two does not know which came
// first, so the bits are the same.
//
// Some kernels sum all slabs of a node themselves, and add what lies above it, in the pass over a tile of C: the tree
// above has such nodes for slabs then (carry/slab_nodes.hpp). A device's may take the whole tree.
#include "carry/slabs.hpp"

#include <algorithm>
#include <atomic>
#include <complex>

#include "base/threads.hpp"
#include "carry/arena.hpp"
#include "carry/slab_nodes.hpp"
#include "carry/staging.hpp"
#include "epilogue/finish.hpp"
#include "plan/operands.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

constexpr Status short_scratch{Code::out_of_memory, Argument::scratch, "no memory for the sums of slabs"};

const Kernel& kernel_for(const Plan& plan, std::int64_t length) noexcept {
    const bool is_longest = length == longest_slab(plan.problem.k, plan.options.slabs);
    return plan.of_shorter && !is_longest ? *plan.of_shorter : *plan.kernel;
}

/// The plan of a block and a slab; `in` is what the operands are now.
Plan plan_of_slab(const Plan& plan, std::int64_t rows, std::int64_t cols, std::int64_t length, Type in,
                  int threads) noexcept {
    Plan part = plan;
    part.problem = problem_of_slab(plan.problem, plan.options.slabs, length);
    part.problem.m = rows, part.problem.n = cols, part.problem.in = in;
    part.options.slabs = 0;
    part.threads = threads;
    part.kernel = &kernel_for(plan, length);
    if (part.kernel != plan.kernel) part.tile = part.kernel->tiles.empty() ? Tile{} : part.kernel->tiles.front();
    return part;
}

/// What the operands are when run_slabs() sees them.
Type type_of_operands(const Plan& plan) noexcept { return widens_all_slabs(plan) ? Type::f32 : plan.problem.in; }

struct Room {
    std::size_t sums, kernel;  ///< of a worker

    std::size_t of_worker() const noexcept { return sums + kernel; }
};

std::size_t bytes_of_call(const Plan& part, const SlabNodes& nodes, const Plan& whole) noexcept {
    if (nodes.device) return nodes.device->scratch_bytes(*part.kernel, part.problem, whole.options.slabs);
    if (nodes.nodes == 1) return aligned_scratch_bytes(part);
    return cpu::in_slabs(*part.kernel).bytes(part.problem, part.tile, part.threads, nodes.nodes);
}

Room room_for(const Plan& plan, const SlabNodes& nodes, const SlabBlocks& blocks, int threads) noexcept {
    const Type sum = sum_type(plan.problem.in), in = type_of_operands(plan);
    const auto matrices = static_cast<std::size_t>(nodes.matrices + needs_root(plan));
    const int calls = plan.options.slabs / nodes.at_once;
    const std::int64_t lengths[] = {longest_slab(plan.problem.k, calls),
                                    std::max<std::int64_t>(1, shortest_slab(plan.problem.k, calls))};
    std::size_t most = 0;
    for (const std::int64_t m : blocks.m.sizes())
        for (const std::int64_t n : blocks.n.sizes())
            for (const std::int64_t k : lengths)
                most = std::max(most, bytes_of_call(plan_of_slab(plan, m, n, k, in, threads), nodes, plan));
    return {matrices * matrix_bytes(sum, blocks.m.largest(), blocks.n.largest()), in_lines(most)};
}

/// Workers that take blocks of C, or one whose kernels have all the threads.
struct Shares {
    int workers, threads;

    Shares(const Plan& plan, const SlabBlocks& blocks) noexcept
        : workers(on_host(plan) && blocks.count() >= plan.threads ? plan.threads : 1),
          threads(workers == 1 ? plan.threads : 1) {}
};

Status move(const Backend& backend, const Matrix& to, const Matrix& from, void* stream) noexcept {
    if (backend.copy) return backend.copy(to, from, stream);
    convert(to, from);
    return {};
}

/// Beta is complex where sums are.
Status finish_on(const Backend& backend, const Matrix& c, std::complex<double> beta, const Epilogue& epilogue,
                 void* stream) noexcept {
    if (backend.finish) return backend.finish(c, beta.real(), beta.imag(), epilogue, stream);
    if (is_complex(c.type)) finish_complex(c, beta, epilogue);
    else finish(c, beta.real(), epilogue);
    return {};
}

Epilogue adding(const Matrix& addend) noexcept {
    Epilogue epilogue;
    epilogue.residual = addend;
    return epilogue;
}

/// What a slab's sum is added to, one after the other.
struct Addends {
    const Matrix& sum;
    const Addends* next;
};

/// One block of C, by one worker.
class Tree {
public:
    Tree(const Plan& plan, const Call& call, const SlabNodes& nodes, int threads, std::span<std::byte> memory,
         const Room& room) noexcept
        : plan_(plan), call_(call), nodes_(nodes), threads_(threads), memory_(memory), room_(room) {}

    Status run(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) noexcept {
        row_ = row, col_ = col;
        c_ = call_.c.block(row, col, rows, cols);
        Arena arena(memory_);
        const Type sum = sum_type(plan_.problem.in);
        const bool by_columns = plan_.problem.c == Form::col_major;
        const auto carve = [&] {
            return by_columns ? arena.row_major(sum, cols, rows).transposed() : arena.row_major(sum, rows, cols);
        };
        for (int matrix = 0; matrix < nodes_.matrices; ++matrix) sums_[matrix] = carve();
        root_ = needs_root(plan_) ? carve() : c_;
        const Status status = node(0, call_.k(), plan_.options.slabs, 0, root_, nullptr);
        return status ? complete() : status;
    }

private:
    Status node(std::int64_t first, std::int64_t length, int slabs, int number, const Matrix& to,
                const Addends* above) noexcept {
        if (slabs == nodes_.at_once) return slab(first, length, number, to, 0, above);
        const std::int64_t left = first_half(length), right = length - left;
        if (right == 0) return node(first, left, slabs / 2, number, to, above);
        if (slabs == 2 * nodes_.at_once && nodes_.pairs) {
            if (const Status bad = slab(first, left, number, to, 0, nullptr); !bad) return bad;
            return slab(first + left, right, number + 1, to, 1, above);
        }
        const Matrix& sum = sums_[levels_of(slabs) - 1 - nodes_.lowest];
        if (const Status bad = node(first, left, slabs / 2, number, sum, nullptr); !bad) return bad;
        const Addends own{sum, above};
        return node(first + left, right, slabs / 2, number + slabs / 2, to, &own);
    }

    Status slab(std::int64_t first, std::int64_t length, int number, const Matrix& to, double beta,
                const Addends* above) noexcept {
        const Plan part = plan_of_slab(plan_, to.rows, to.cols, length, call_.a.type, threads_);
        Call one{.a = call_.a.block(row_, first, to.rows, length),
                 .b = call_.b.block(first, col_, length, to.cols),
                 .c = to,
                 .beta = beta,
                 .scratch = memory_.subspan(room_.sums),
                 .threads = threads_,
                 .executor = call_.executor,
                 .stream = call_.stream,
                 .packed = call_.packed,
                 .reproducible = true};
        if (one.packed.panels)
            one.packed.panels +=
                packed_slab_at(*part.kernel->packing, one.packed.type, one.packed.is_a ? call_.m() : call_.n(),
                               call_.k(), plan_.options.slabs, one.packed.on_left, number);
        if (nodes_.device) return nodes_.device->run(*part.kernel, one, plan_.options.slabs);
        if (nodes_.run) return in_one_call(part, one, above);
        if (above) one.epilogue = adding(above->sum), above = above->next;
        if (const Status bad = run_in_place(part, one); !bad) return bad;
        for (; above; above = above->next)
            if (const Status bad = finish_on(backend(), to, 1, adding(above->sum), call_.stream); !bad) return bad;
        return {};
    }

    Status in_one_call(const Plan& part, const Call& call, const Addends* above) noexcept {
        Matrix addends[most_levels];
        cpu::SlabSteps slabs;
        for (; above; above = above->next) addends[slabs.addend_count++] = above->sum;
        slabs.addends = addends;
        nodes_.add_steps(call.k(), slabs);
        return nodes_.run(call, part.tile, &slabs);
    }

    /// The root's sums become C. What is added to beta * C is rounded to the type of sums first, C's own type last.
    Status complete() noexcept {
        Matrix result = root_;
        const auto as_sum = [&](double re, double im) -> std::complex<double> {
            if (part_of(result.type) != Type::f32) return {re, im};
            return {static_cast<float>(re), static_cast<float>(im)};
        };
        const std::complex<double> alpha = as_sum(call_.alpha, call_.alpha_imag),
                                   beta = as_sum(call_.beta, call_.beta_imag);
        if (alpha != 1.0)
            if (const Status bad = finish_on(backend(), root_, alpha, {}, call_.stream); !bad) return bad;
        if (call_.beta != 0 || call_.beta_imag != 0) {
            result = sums_[0];
            if (const Status bad = move(backend(), result, c_, call_.stream); !bad) return bad;
            if (const Status bad = finish_on(backend(), result, beta, adding(root_), call_.stream); !bad) return bad;
        }
        if (!call_.epilogue.is_empty())
            if (const Status bad = finish_on(backend(), result, 1, epilogue_of_block(), call_.stream); !bad) return bad;
        return needs_root(plan_) ? move(backend(), c_, result, call_.stream) : Status{};
    }

    Epilogue epilogue_of_block() const noexcept {
        Epilogue part = call_.epilogue;
        if (part.bias) {
            const Matrix bias{const_cast<void*>(part.bias), part.bias_type, 1, part.bias_size, part.bias_size};
            part.bias = bias.at(0, col_);
            part.bias_size = c_.cols;
        }
        if (part.residual.data) part.residual = part.residual.block(row_, col_, c_.rows, c_.cols);
        return part;
    }

    const Backend& backend() const noexcept { return *plan_.backend; }

    const Plan& plan_;
    const Call& call_;
    const SlabNodes& nodes_;
    const int threads_;
    const std::span<std::byte> memory_;
    const Room& room_;
    std::int64_t row_ = 0, col_ = 0;
    Matrix c_{}, root_{}, sums_[most_levels]{};
};

/// SlabBlocks for workers to take.
struct Work {
    const Plan& plan;
    const Call& call;
    const SlabNodes nodes{plan, call.packed};
    const SlabBlocks blocks{plan, call.packed, nodes};
    const Shares shares{plan, blocks};
    const Room room = room_for(plan, nodes, blocks, shares.threads);
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    Status failure{};

    void take_some(int worker) noexcept {
        Tree tree(plan, call, nodes, shares.threads,
                  call.scratch.subspan(static_cast<std::size_t>(worker) * room.of_worker(), room.of_worker()), room);
        for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks.count() && !failed;) {
            const std::int64_t down = i % blocks.m.count, across = i / blocks.m.count;
            const Status status =
                tree.run(blocks.m.begin(down), blocks.n.begin(across), blocks.m.size(down), blocks.n.size(across));
            if (!status && !failed.exchange(true)) failure = status;
        }
    }
};

}  // namespace

std::size_t slab_scratch_bytes(const Plan& plan, const PackedPanels& packed) noexcept {
    const SlabNodes nodes(plan, packed);
    const SlabBlocks blocks(plan, packed, nodes);
    const Shares shares(plan, blocks);
    return static_cast<std::size_t>(shares.workers) * room_for(plan, nodes, blocks, shares.threads).of_worker();
}

Status run_slabs(const Plan& plan, const Call& call) noexcept {
    Work work{plan, call};
    const int workers = work.shares.workers;
    if (call.scratch.size() < static_cast<std::size_t>(workers) * work.room.of_worker()) return short_scratch;
    if (workers == 1) work.take_some(0);
    else
        run_tasks(
            call.executor, workers, workers,
            [](void* context, int worker) { static_cast<Work*>(context)->take_some(worker); }, &work);
    return work.failure;
}

std::size_t packed_slab_at(const Packing& packing, Type type, std::int64_t lines, std::int64_t k, int slabs,
                           bool on_left, int number) noexcept {
    std::size_t at = 0;
    for_each_slab(k, slabs, [&](int other, std::int64_t, std::int64_t length) {
        if (other < number) at += in_lines(packing.bytes(type, lines, length, on_left));
    });
    return at;
}

}  // namespace tw
