// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cublasLt: a product is described once, and the heuristic suggests algorithms for the description.
#include <algorithm>
#include <cstring>

#include "measure/peers/cublas_calls.hpp"

namespace tw::measure {
namespace {

constexpr Status refused{Code::unsupported, Argument::none, "cublasLt refuses the product"};

// Attributes, by cublasLt.h.
constexpr int of_transposed_a = 3, of_transposed_b = 4;
constexpr int of_batch_count = 5, of_batch_step = 6;
constexpr int of_most_workspace = 1, of_alignment_a = 5, of_alignment_b = 6, of_alignment_c = 7, of_alignment_d = 8;

struct Heuristic {  // cublasLtMatmulHeuristicResult_t
    unsigned long long algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/// The alignment over all products of a batch.
std::uint32_t alignment_of(const CublasOperand& operand, std::int64_t products, std::size_t element) {
    const auto lowest_bit = [](std::uint64_t x) { return x & (~x + 1); };
    std::uint64_t bits = reinterpret_cast<std::uintptr_t>(operand.data) | 256;
    if (products > 1) bits |= static_cast<std::uint64_t>(operand.step) * element;
    return static_cast<std::uint32_t>(lowest_bit(bits));
}

constexpr int real_32f = 0, real_64f = 1, complex_32f = 4, complex_64f = 5;  // cudaDataType

std::size_t bytes_of(int data_type) {
    switch (data_type) {
        case real_32f: return 4;
        case real_64f:
        case complex_32f: return 8;
        case complex_64f: return 16;
        default: return 2;
    }
}

}  // namespace

struct CublasHere::Choice::Description {
    const CublasHere* owner = nullptr;
    void *product = nullptr, *a = nullptr, *b = nullptr, *c = nullptr;

    explicit Description(const CublasHere& of) : owner(&of) {}
    ~Description() {
        const Calls& calls = *owner->calls_;
        if (product) calls.lt_destroy_product(product);
        for (void* layout : {a, b, c})
            if (layout) calls.lt_destroy_layout(layout);
    }
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;

    bool describe(const CublasProduct& p) {
        const Calls& calls = *owner->calls_;
        if (calls.lt_create_product(&product, p.compute_type, p.scale_type) != 0) return false;
        if (calls.lt_set_product(product, of_transposed_a, &p.a.operation, sizeof(int)) != 0) return false;
        if (calls.lt_set_product(product, of_transposed_b, &p.b.operation, sizeof(int)) != 0) return false;
        return describe(a, p.a, p) && describe(b, p.b, p) && describe(c, p.c, p);
    }

private:
    bool describe(void*& layout, const CublasOperand& operand, const CublasProduct& p) {
        const Calls& calls = *owner->calls_;
        if (calls.lt_create_layout(&layout, p.data_type, static_cast<std::uint64_t>(operand.rows),
                                   static_cast<std::uint64_t>(operand.cols), operand.pitch) != 0)
            return false;
        const auto count = static_cast<std::int32_t>(p.products);
        return p.products == 1 || (calls.lt_set_layout(layout, of_batch_count, &count, sizeof count) == 0 &&
                                   calls.lt_set_layout(layout, of_batch_step, &operand.step, sizeof operand.step) == 0);
    }
};

std::vector<CublasHere::Choice> CublasHere::choices(const CublasProduct& p, int most) const {
    std::vector<Choice> made;
    if (p.by_pointers) return made;
    const auto description = std::make_shared<Choice::Description>(*this);
    if (!description->describe(p)) return made;
    void* preference = nullptr;
    if (calls_->lt_create_preference(&preference) != 0) return made;
    const std::size_t element = bytes_of(p.data_type);
    bool is_set =
        calls_->lt_set_preference(preference, of_most_workspace, &workspace_bytes_, sizeof workspace_bytes_) == 0;
    for (const auto& [attribute, operand] :
         {std::pair{of_alignment_a, &p.a}, {of_alignment_b, &p.b}, {of_alignment_c, &p.c}, {of_alignment_d, &p.c}}) {
        const std::uint32_t alignment = alignment_of(*operand, p.products, element);
        is_set &= calls_->lt_set_preference(preference, attribute, &alignment, sizeof alignment) == 0;
    }
    std::vector<Heuristic> named(static_cast<std::size_t>(most));
    int found = 0;
    if (is_set && calls_->lt_heuristic(lt_handle_, description->product, description->a, description->b, description->c,
                                       description->c, preference, most, named.data(), &found) == 0)
        for (int i = 0; i < found; ++i) {
            const Heuristic& one = named[static_cast<std::size_t>(i)];
            if (one.state != 0 || one.workspace > workspace_bytes_) continue;
            Choice choice;
            choice.description_ = description;
            std::memcpy(choice.algorithm_, one.algorithm, sizeof one.algorithm);
            made.push_back(std::move(choice));
        }
    calls_->lt_destroy_preference(preference);
    return made;
}

Status CublasHere::Choice::multiply(const CublasProduct& p) const {
    const CublasHere& owner = *description_->owner;
    const int bad =
        owner.calls_->lt_multiply(owner.lt_handle_, description_->product, p.alpha_at(), p.a.data, description_->a,
                                  p.b.data, description_->b, p.beta_at(), p.c.data, description_->c, p.c.data,
                                  description_->c, algorithm_, owner.workspace_, owner.workspace_bytes_, owner.stream_);
    return bad ? refused : Status{};
}

}  // namespace tw::measure
