// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Stacks matrices that share their input into one: what is read is chosen once, and one product does all of them.
#include <cstring>

#include "base/element.hpp"
#include "formats/body.hpp"
#include "multiply/check.hpp"

namespace tw {
namespace {

Status check(std::span<const Matrix> parts, std::int64_t& outputs) noexcept {
    const auto bad = [](const char* text) { return Status{Code::bad_argument, Argument::a, text}; };
    if (parts.empty()) return bad("there is no matrix to build from");
    outputs = 0;
    for (const Matrix& part : parts) {
        if (part.cols != parts.front().cols || part.type != parts.front().type)
            return bad("matrices of a stack must have the same number of inputs and the same type");
        if (const Status unsound = check_operand(part, Argument::a); !unsound) return unsound;
        if (const char* refusal = effort::refusal_of_shape(part.rows, part.cols, 1)) return bad(refusal);
        outputs += part.rows;
        if (const char* refusal = effort::refusal_of_shape(outputs, part.cols, 1)) return bad(refusal);
    }
    return {};
}

void copy_rows(const Matrix& from, const Matrix& to) noexcept {
    const std::size_t size = size_of(from.type);
    for (std::int64_t o = 0; o < from.rows; ++o)
        if (from.col_step == 1) std::memcpy(to.at(o, 0), from.at(o, 0), static_cast<std::size_t>(from.cols) * size);
        else
            for (std::int64_t i = 0; i < from.cols; ++i) std::memcpy(to.at(o, i), from.at(o, i), size);
}

}  // namespace

Status try_build_effort_stack(std::span<const Matrix> parts, const EffortBuild& how, EffortMatrix& into) noexcept {
    Matrix all{};
    if (const Status refused = check(parts, all.rows); !refused) return refused;
    all.type = parts.front().type, all.cols = all.row_step = parts.front().cols, all.col_step = 1;
    effort::Memory values;
    if (!values.allocate(static_cast<std::size_t>(all.rows * all.cols) * size_of(all.type)))
        return {Code::out_of_memory, Argument::none, "not enough memory to stack matrices with an effort dial"};
    all.data = values.data();
    std::int64_t first = 0;
    for (const Matrix& part : parts) copy_rows(part, all.block(first, 0, part.rows, part.cols)), first += part.rows;
    return try_build_effort(all, how, into);
}

EffortMatrix build_effort_stack(std::span<const Matrix> parts, const EffortBuild& how) {
    EffortMatrix built;
    const Status status = try_build_effort_stack(parts, how, built);
    if (!status)
        throw Error(status, std::string("no stack with an effort dial was built: ") + status.text + "; got " +
                                std::to_string(parts.size()) + " matrices");
    return built;
}

}  // namespace tw
