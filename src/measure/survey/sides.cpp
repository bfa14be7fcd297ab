// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/sides.hpp"

#include <algorithm>

#include "carry/batch.hpp"

namespace tw::measure {
namespace {

constexpr int most_choices = 8;

/// At 1 x 10240 x 8192 of double complex numbers cuBLAS 13.1 reads address 0 in cublasLtMatmul, by the first algorithm
/// of its own heuristic, and the process ends; with cublasGemmEx alone it ended, too. Rows as long are not asked of it.
bool ends_the_process(const Case& what) {
    return what.kind->type == Type::c128 && !what.is_batch() && std::min(what.m, what.n) == 1 &&
           std::max({what.m, what.n, what.k}) > 1024;
}

CublasProduct product_of(const Case& what, const Set& set) {
    return cublas_product(set.a, set.b, set.c, set.batch, set.pointers, what.by_pointers, what.beta,
                          what.kind->accuracy);
}

class LtSide : public Side {
public:
    LtSide(const Case& what, CublasHere::Choice choice, int number) : what_(what), choice_(std::move(choice)) {
        name = "cublasLt " + std::to_string(number);
    }
    Status begin(const Set& set) override { return choice_.multiply(product_of(what_, set)); }

private:
    const Case& what_;
    CublasHere::Choice choice_;
};

class GemmSide : public Side {
public:
    GemmSide(const Case& what, const CublasHere& cublas) : what_(what), cublas_(cublas) {
        name = !what.is_batch()   ? "cublasGemmEx"
               : what.by_pointers ? "cublasGemmBatchedEx"
                                  : "cublasGemmStridedBatchedEx";
    }
    Status begin(const Set& set) override { return cublas_.multiply(product_of(what_, set)); }

private:
    const Case& what_;
    const CublasHere& cublas_;
};

}  // namespace

OurSide::OurSide(const Case& what, bool is_reproducible, int threads, const Queue& queue)
    : what_(what),
      queue_(queue),
      options_{.beta = what.beta,
               .accuracy = what.kind->accuracy,
               .reproducible = is_reproducible,
               .device = queue.backend().name,
               .stream = queue.stream(),
               .threads = threads} {}

Status OurSide::prepare(const Set& set) {
    if (const Status none = try_plan(problem_of(set.a, set.b, set.c, options_), options_, plan_); !none) return none;
    name = plan_.kernel_name();
    if (!what_.is_batch()) return {};
    const Products products{.a = set.a, .b = set.b, .c = set.c, .residual = {}, .batch = set.batch};
    Plan at_once;
    if (plan_at_once(plan_, products, true, at_once)) name = at_once.kernel_name();
    else name += ", one by one";
    return {};
}

Status OurSide::begin(const Set& set) {
    return what_.is_batch() ? try_multiply_batch(set.a, set.b, set.c, set.batch, options_)
                            : plan_.try_run(set.a, set.b, set.c, queue_.stream());
}

std::vector<std::unique_ptr<Side>> cublas_sides(const CublasHere& cublas, const Case& what, const Set& set) {
    std::vector<std::unique_ptr<Side>> sides;
    if (ends_the_process(what)) return sides;
    for (CublasHere::Choice& choice : cublas.choices(product_of(what, set), most_choices))
        sides.push_back(std::make_unique<LtSide>(what, std::move(choice), static_cast<int>(sides.size()) + 1));
    sides.push_back(std::make_unique<GemmSide>(what, cublas));
    return sides;
}

}  // namespace tw::measure
