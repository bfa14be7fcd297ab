// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The C interface of batches and packed operands.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

#include "multiply/c/values.hpp"
#include "multiply/packed_parts.hpp"
#include "tilewright/batch.hpp"

struct tw_packed {
    tw::Packed packed;
};

using tw::c_face::from_c, tw::c_face::report, tw::c_face::report_null;

namespace {

tw::Status from_c(const tw_batch* given, tw::Batch& made) noexcept {
    if (given->size < offsetof(tw_batch, a))
        return {tw::Code::bad_argument, tw::Argument::batch,
                "its size is smaller than in any version: it begins with sizeof(tw_batch)"};
    tw_batch batch{};
    std::memcpy(&batch, given, std::min(given->size, sizeof batch));
    made = {.size = batch.count, .a_step = batch.a_step, .b_step = batch.b_step, .c_step = batch.c_step};
    made.a = batch.a, made.b = batch.b, made.c = batch.c;
    return {};
}

tw_packed* pack(const tw_matrix* operand, const tw_options* given, bool is_a) noexcept {
    if (!operand) return report_null(), nullptr;
    const tw::Matrix m = from_c(operand), none{};
    auto* made = new (std::nothrow) tw_packed;
    tw::Options options;
    tw::Executor executor;
    tw::Status status{tw::Code::out_of_memory, tw::Argument::none, "no memory for a packed operand"};
    if (made) status = from_c(given, executor, options);
    if (status) status = is_a ? tw::try_pack_a(m, made->packed, options) : tw::try_pack(m, made->packed, options);
    if (status) return made;
    delete made;
    return report(status, is_a ? m : none, is_a ? none : m, none, options), nullptr;
}

}  // namespace

extern "C" {

tw_code tw_multiply_batch(const tw_matrix* a, const tw_matrix* b, const tw_matrix* c, const tw_batch* batch,
                          const tw_options* given) {
    if (!a || !b || !c || !batch) return report_null();
    const tw::Matrix am = from_c(a), bm = from_c(b), cm = from_c(c);
    tw::Options options;
    tw::Executor executor;
    tw::Status status = from_c(given, executor, options);
    tw::Batch products;
    if (status) status = from_c(batch, products);
    if (status) status = tw::try_multiply_batch(am, bm, cm, products, options);
    return report(status, am, bm, cm, options);
}

tw_packed* tw_pack(const tw_matrix* b, const tw_options* options) { return pack(b, options, false); }
tw_packed* tw_pack_a(const tw_matrix* a, const tw_options* options) { return pack(a, options, true); }

tw_code tw_multiply_packed(const tw_matrix* a, const tw_packed* b, const tw_matrix* c, const tw_options* given) {
    if (!a || !b || !c) return report_null();
    const tw::Matrix am = from_c(a), bm = tw::PackedParts::matrix(b->packed), cm = from_c(c);
    tw::Options options;
    tw::Executor executor;
    tw::Status status = from_c(given, executor, options);
    if (status) status = tw::try_multiply(am, b->packed, cm, options);
    return report(status, am, bm, cm, options);
}

tw_code tw_multiply_packed_a(const tw_packed* a, const tw_matrix* b, const tw_matrix* c, const tw_options* given) {
    if (!a || !b || !c) return report_null();
    const tw::Matrix am = tw::PackedParts::matrix(a->packed), bm = from_c(b), cm = from_c(c);
    tw::Options options;
    tw::Executor executor;
    tw::Status status = from_c(given, executor, options);
    if (status) status = tw::try_multiply(a->packed, bm, cm, options);
    return report(status, am, bm, cm, options);
}

size_t tw_packed_bytes(const tw_packed* packed) { return packed ? packed->packed.bytes() : 0; }
const char* tw_packed_kernel(const tw_packed* packed) { return packed ? packed->packed.kernel_name() : ""; }
void tw_packed_destroy(tw_packed* packed) { delete packed; }

}  // extern "C"
