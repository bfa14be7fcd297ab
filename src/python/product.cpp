// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "python/product.hpp"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tilewright/batch.hpp"

namespace tw::python {
namespace {

namespace nb = nanobind;

/// A batch goes with the result's when it has no more dimensions and each is as long, or 1.
void check_batch(const Operand& operand, const Operand& c) {
    const int fewer = c.batch_dims - operand.batch_dims;
    bool fits = fewer >= 0;
    for (int d = 0; fits && d < operand.batch_dims; ++d)
        fits = operand.shape[d] == 1 || operand.shape[d] == c.shape[fewer + d];
    if (fits) return;
    const std::string sentence =
        std::string(operand.name) + ": expected the result's batch, or one that can be broadcast to it";
    throw nb::value_error(sentence.c_str());
}

/// Where the products of a batch begin in each operand, last dimension fastest.
struct Starts {
    std::vector<void*> a, b, c, residual;

    Starts(const Operand& a_of, const Operand& b_of, const Operand& c_of, const Operand* residual_of) {
        std::int64_t place[16] = {};
        for (int d = 0; d < c_of.batch_dims; ++d)
            if (c_of.shape[d] == 0) return;
        do {
            const auto start = [&](const Operand& operand) { return operand.at(place, c_of.batch_dims).data; };
            a.push_back(start(a_of)), b.push_back(start(b_of)), c.push_back(start(c_of));
            if (residual_of) residual.push_back(start(*residual_of));
        } while (next(c_of, place));
    }

    std::int64_t size() const { return static_cast<std::int64_t>(c.size()); }

    /// In elements, from each product's residual to the next one's; false when they do not lie evenly.
    bool residual_step(Type type, std::int64_t& step) const {
        if (residual.size() < 2) return true;
        const auto bytes = [&](std::size_t i) {
            return static_cast<char*>(residual[i]) - static_cast<char*>(residual[i - 1]);
        };
        step = bytes(1) / static_cast<std::int64_t>(size_of(type));
        for (std::size_t i = 2; i < residual.size(); ++i)
            if (bytes(i) != bytes(1)) return false;
        return true;
    }

private:
    static bool next(const Operand& batch, std::int64_t* place) {
        for (int d = batch.batch_dims - 1; d >= 0; --d) {
            if (++place[d] < batch.shape[d]) return true;
            place[d] = 0;
        }
        return false;
    }
};

/// Products `first` to `first + size` of a batch.
void multiply_some(const Operand& a, const Operand& b, const Operand& c, const Starts& starts, std::int64_t first,
                   std::int64_t size, std::int64_t residual_step, Options options) {
    Batch batch{.size = size,
                .residual_step = residual_step,
                .a = starts.a.data() + first,
                .b = starts.b.data() + first,
                .c = starts.c.data() + first};
    if (!starts.residual.empty()) options.epilogue.residual.data = starts.residual[static_cast<std::size_t>(first)];
    const Matrix am = a.matrix(*batch.a), bm = b.matrix(*batch.b), cm = c.matrix(*batch.c);
    check(try_multiply_batch(am, bm, cm, batch, options), am, bm, cm, options);
}

}  // namespace

void multiply_operands(const Operand& a, const Operand& b, const Operand& c, const Operand* residual, Options options) {
    for (const Operand* operand : {&a, &b, residual})
        if (operand) check_batch(*operand, c);
    const Starts starts(a, b, c, residual);
    if (starts.size() == 0) return;
    if (residual) options.epilogue.residual = residual->matrix(starts.residual.front());
    if (starts.size() == 1) {
        multiply(a.matrix(starts.a.front()), b.matrix(starts.b.front()), c.matrix(starts.c.front()), options);
        return;
    }
    std::int64_t step = 0;
    if (!residual || starts.residual_step(residual->type, step))
        return multiply_some(a, b, c, starts, 0, starts.size(), step, options);
    for (std::int64_t i = 0; i < starts.size(); ++i) multiply_some(a, b, c, starts, i, 1, 0, options);
}

}  // namespace tw::python
