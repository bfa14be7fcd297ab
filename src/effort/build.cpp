// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Encodes dense weights in a layout. A task takes 16 inputs and all outputs, so one thread adds an input's sums in one
// order, and the bytes are the same for any number of threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/float_mode.hpp"
#include "base/rounding.hpp"
#include "base/threads.hpp"
#include "effort/build.hpp"
#include "effort/choice/importance.hpp"
#include "formats/body.hpp"
#include "formats/encode.hpp"
#include "multiply/check.hpp"

namespace tw {
namespace {

constexpr Status no_memory{Code::out_of_memory, Argument::none, "not enough memory for a matrix with an effort dial"};

struct Work {
    const EffortBuild& how;
    std::span<const Matrix> experts;
    EffortBody& body;
    std::atomic<std::uint32_t> most{0};  // bits of the largest |w|; those of infinity and NaN are larger still
};

template <class Task>
void share(const EffortBuild& how, std::int64_t tasks, Task task) noexcept {
    const int threads = how.threads > 0 ? how.threads : default_threads();
    run_tasks(
        how.executor, threads, static_cast<int>(tasks),
        [](void* context, int index) {
            const IeeeMode mode;
            (*static_cast<Task*>(context))(index);
        },
        &task);
}

/// The bits of the largest |w| in a block, as f32.
std::uint32_t most_of(const Matrix& block) noexcept {
    std::uint32_t most = 0;
    for (std::int64_t o = 0; o < block.rows; ++o)
        for (std::int64_t i = 0; i < block.cols; ++i) {
            const void* at = block.at(o, i);  // in each type |w| is ordered as its bits are
            most = std::max<std::uint32_t>(most, block.type == Type::f32
                                                     ? *static_cast<const std::uint32_t*>(at) & 0x7fffffffu
                                                     : *static_cast<const std::uint16_t*>(at) & 0x7fffu);
        }
    if (block.type == Type::f32) return most;
    const auto bits = static_cast<std::uint16_t>(most);
    return std::bit_cast<std::uint32_t>(block.type == Type::f16 ? widen(float16{bits}) : widen(bfloat16{bits}));
}

/// The largest |w| of all weights, read row by row as they lie in memory.
void find_most(Work& work) noexcept {
    constexpr std::int64_t stripe = 64;
    const std::int64_t stripes = (work.body.outputs + stripe - 1) / stripe;
    share(work.how, stripes * work.body.experts, [&work, stripes](std::int64_t index) {
        const Matrix& from = work.experts[static_cast<std::size_t>(index / stripes)];
        const std::int64_t begin = index % stripes * stripe, end = std::min(begin + stripe, from.rows);
        const std::uint32_t most = most_of(from.block(begin, 0, end - begin, from.cols));
        std::uint32_t seen = work.most.load();
        while (seen < most && !work.most.compare_exchange_weak(seen, most)) {
        }
    });
}

Status check(const effort::Format& format, std::span<const Matrix> experts, const EffortBuild& how) noexcept {
    const auto bad = [](const char* text) { return Status{Code::bad_argument, Argument::a, text}; };
    if (experts.empty()) return bad("there is no matrix to build from");
    const Matrix& first = experts.front();
    if (const Status unsound = check_operand(first, Argument::a); !unsound) return unsound;
    if (is_complex(first.type)) return bad("weights with an effort dial are f32, f16 or bf16, not complex");
    if (first.type == Type::f64) return bad("weights with an effort dial are f32, f16 or bf16, not f64");
    if (const char* refusal =
            effort::refusal_of_shape(first.rows, first.cols, static_cast<std::int64_t>(experts.size())))
        return bad(refusal);
    for (const Matrix& expert : experts) {
        if (expert.rows != first.rows || expert.cols != first.cols || expert.type != first.type)
            return bad("experts must have the same shape and type");
        if (const Status unsound = check_operand(expert, Argument::a); !unsound) return unsound;
    }
    if (how.planes != 3 && (how.planes != 2 || format.layout != EffortLayout::planes))
        return {Code::bad_argument, Argument::options, "planes may be 3, or 2 for the layout planes"};
    const bool has_bucket = std::find(format.buckets.begin(), format.buckets.end(), how.bucket) != format.buckets.end();
    if (format.buckets.front() != 0 && format.buckets.size() > 1 && !has_bucket)
        return {Code::bad_argument, Argument::options, "a bucket must have 8, 16 or 32 outputs"};
    return {};
}

bool allocate(EffortBody& body, bool with_dense) noexcept {
    const effort::Sizes sizes = effort::sizes_of(body, with_dense);
    const auto give = [](effort::Memory& memory, std::int64_t bytes) {
        return memory.allocate(static_cast<std::size_t>(bytes));
    };
    return give(body.rows, sizes.rows) && give(body.left, sizes.left) && give(body.gains, sizes.gains) &&
           give(body.spreads, sizes.spreads) && give(body.dense, sizes.dense) &&
           give(body.importance, sizes.importance);
}

void encode_all(Work& work) noexcept {
    const std::int64_t blocks = (work.body.inputs + effort::inputs_of_slab - 1) / effort::inputs_of_slab;
    share(work.how, blocks * work.body.experts, [&work, blocks](std::int64_t index) {
        const int expert = static_cast<int>(index / blocks);
        effort::encode_inputs(work.experts[static_cast<std::size_t>(expert)], expert,
                              index % blocks * effort::inputs_of_slab, work.body);
    });
}

}  // namespace

namespace effort {

Status build(const Format& format, std::span<const Matrix> experts, const EffortBuild& how,
             EffortMatrix& into) noexcept {
    if (const Status refused = check(format, experts, how); !refused) return refused;
    std::shared_ptr<EffortBody> body;
    try {
        body = std::make_shared<EffortBody>();
    } catch (const std::exception&) {
        return no_memory;
    }
    body->format = &format;
    const bool has_buckets = format.buckets.front() != 0 && format.buckets.size() > 1;
    body->bucket = how.planes == 2 ? effort::without_last_plane : has_buckets ? how.bucket : format.buckets.front();
    body->truncating = format.may_truncate && how.truncating;
    body->type = experts.front().type;
    body->outputs = experts.front().rows, body->inputs = experts.front().cols;
    body->experts = static_cast<int>(experts.size());

    Work work{how, experts, *body};
    find_most(work);
    const float most = std::bit_cast<float>(work.most.load());
    if (!std::isfinite(most)) return {Code::bad_argument, Argument::a, "the weights have a value that is not finite"};
    body->exponent = most > 0 ? std::clamp(14 - std::ilogb(most), effort::least_exponent, effort::most_exponent) : 0;

    const bool with_dense = how.dense == DenseCopy::kept || (how.dense == DenseCopy::automatic && format.keeps_dense);
    if (!allocate(*body, with_dense)) return no_memory;
    encode_all(work);
    weigh_inputs(*body);
    into = EffortMatrix(std::move(body));
    return {};
}

}  // namespace effort

Status try_build_effort(std::span<const Matrix> experts, const EffortBuild& how, EffortMatrix& into) noexcept {
    const effort::Format* format = effort::format_of(how.layout);
    if (!format) return {Code::bad_argument, Argument::options, "the layout must be buckets, tiers or planes"};
    return effort::build(*format, experts, how, into);
}

Status try_build_effort(const Matrix& weights, const EffortBuild& how, EffortMatrix& into) noexcept {
    return try_build_effort({&weights, 1}, how, into);
}

EffortMatrix build_effort(std::span<const Matrix> experts, const EffortBuild& how) {
    EffortMatrix built;
    const Status status = try_build_effort(experts, how, built);
    if (!status) {
        std::string sentence = std::string("no matrix with an effort dial was built: ") + status.text;
        if (!experts.empty())
            sentence += "; got " + std::to_string(experts.size()) +
                        (experts.size() == 1 ? " matrix of " : " matrices, the first ") +
                        std::to_string(experts.front().rows) + " x " + std::to_string(experts.front().cols) + " " +
                        name_of(experts.front().type);
        throw Error(status, sentence);
    }
    return built;
}

EffortMatrix build_effort(const Matrix& weights, const EffortBuild& how) { return build_effort({&weights, 1}, how); }

}  // namespace tw
