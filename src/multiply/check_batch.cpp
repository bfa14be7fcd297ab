// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <algorithm>
#include <numeric>

#include "carry/batch.hpp"
#include "multiply/check.hpp"
#include "multiply/no_product.hpp"

namespace tw {
namespace {

std::int64_t magnitude(std::int64_t x) noexcept { return x < 0 ? -x : x; }

Status bad(Argument argument, const char* text, std::int64_t product = -1) noexcept {
    Status status{Code::bad_argument, argument, text};
    status.product = static_cast<std::int32_t>(std::min<std::int64_t>(product, INT32_MAX));
    return status;
}

/// The bytes from the first product's first element to the last product's last fit into an address.
bool reach_fits(const Matrix& m, std::int64_t step, std::int64_t size) noexcept {
    if (step == INT64_MIN) return false;
    const std::int64_t inside =
        magnitude(m.row_step) * std::max<std::int64_t>(0, m.rows - 1) +
        magnitude(m.col_step) * std::max<std::int64_t>(0, m.cols - 1);  // check_operands() has seen that it fits
    std::int64_t reach = 0, bytes = 0;
    return !__builtin_mul_overflow(magnitude(step), size - 1, &reach) &&
           !__builtin_add_overflow(reach, inside + 1, &reach) &&
           !__builtin_mul_overflow(reach, static_cast<std::int64_t>(size_of(m.type)), &bytes);
}

/// Rounded towards minus infinity; y > 0.
std::int64_t floor_of(std::int64_t x, std::int64_t y) noexcept { return x / y - (x % y < 0); }

/// The first product whose C shares an element with an earlier one, -1 when there is none: the least d > 0 with
/// d * step = i * long_step + j * short_step for some |i| < lines and |j| < length. Of i only those are tried that come
/// near enough: of heads that lie side by side one or two, whose rows are thousands.
std::int64_t first_to_overwrite(const Matrix& c, std::int64_t step, std::int64_t size) noexcept {
    const std::int64_t down = c.rows > 1 ? magnitude(c.row_step) : 0, across = c.cols > 1 ? magnitude(c.col_step) : 0;
    const bool by_rows = down >= across;
    const std::int64_t long_step = by_rows ? down : across, short_step = by_rows ? across : down,
                       lines = by_rows ? c.rows : c.cols, length = by_rows ? c.cols : c.rows;
    const std::int64_t next = magnitude(step), line = short_step * (length - 1), reach = long_step * (lines - 1) + line;
    if (next == 0) return size > 1 ? 1 : -1;
    if (long_step == 0) return -1;
    const std::int64_t common = std::gcd(down, across), stride = common / std::gcd(common, next);
    for (std::int64_t d = stride; d < size && d <= reach / next; d += stride) {
        const std::int64_t first = std::max(1 - lines, -floor_of(line - d * next, long_step)),
                           last = std::min(lines - 1, floor_of(d * next + line, long_step));
        for (std::int64_t i = first; i <= last; ++i) {
            const std::int64_t rest = magnitude(d * next - i * long_step);
            if (short_step == 0 ? rest == 0 : rest % short_step == 0 && rest / short_step < length) return d;
        }
    }
    return -1;
}

/// The first null pointer of an array, -1 when there is none.
template <class Pointer>
std::int64_t first_null(const Pointer* array, std::int64_t size) noexcept {
    for (std::int64_t i = 0; array && i < size; ++i)
        if (!pointer_of(array, i)) return i;
    return -1;
}

}  // namespace

Status check_batch(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                   const Options& options) noexcept {
    const bool written = c.rows > 0 && c.cols > 0, read = !needs_no_product(a, c, options);
    if (written)
        if (const std::int64_t i = first_null(batch.c, batch.size); i >= 0) return bad(Argument::c, "it is null", i);
    if (read) {
        if (const std::int64_t i = first_null(batch.a, batch.size); i >= 0) return bad(Argument::a, "it is null", i);
        if (const std::int64_t i = first_null(batch.b, batch.size); i >= 0) return bad(Argument::b, "it is null", i);
    }
    const Products products{a, b, c, options.epilogue.residual, batch};
    if (const Status s = check_operands(products.a_of(0), products.b_of(0), products.c_of(0), options); !s) return s;
    if (!written) return {};

    constexpr const char* too_far = "the batch's step times its size does not fit into an address";
    const Matrix& residual = options.epilogue.residual;
    if (!batch.c && !reach_fits(c, batch.c_step, batch.size)) return bad(Argument::c, too_far);
    if (residual.data && !reach_fits(residual, batch.residual_step, batch.size)) return bad(Argument::options, too_far);
    if (read && !batch.a && !reach_fits(a, batch.a_step, batch.size)) return bad(Argument::a, too_far);
    if (read && !batch.b && !reach_fits(b, batch.b_step, batch.size)) return bad(Argument::b, too_far);

    constexpr const char* overwrites = "it shares an element with the C of a product before it";
    if (!batch.c) {
        if (const std::int64_t i = first_to_overwrite(c, batch.c_step, batch.size); i >= 0)
            return bad(Argument::c, overwrites, i);
    } else {
        // Only neighbours are compared: comparing all pairs would take longer than small products do.
        for (std::int64_t i = 1; i < batch.size; ++i)
            if (pointer_of(batch.c, i) == pointer_of(batch.c, i - 1)) return bad(Argument::c, overwrites, i);
    }
    return {};
}

}  // namespace tw
