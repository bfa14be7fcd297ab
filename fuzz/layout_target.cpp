// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Any text as a layout: refused with a Stop, or a layout whose tiles and shares stay inside it.
#include "cli/console/arguments.hpp"
#include "cli/ending/exit.hpp"
#include "target.hpp"
#include "tilewright/draw.hpp"

namespace {

using tw::Layout;

/// Offsets of a part lie among the offsets of the whole; a dense layout has them from 0 to size - 1.
void check_part(const Layout& whole, const Layout& part) {
    must_hold(part.rows >= 0 && part.cols >= 0);
    if (part.rows == 0 || part.cols == 0) return;
    must_hold(part(0, 0) >= 0 && part(part.rows - 1, part.cols - 1) < whole.size());
}

void check_parts(const Layout& whole) {
    for (const std::int64_t at : {0, 1, 7}) {
        check_part(whole, whole.tile(3, 5, at, at));
        check_part(whole, whole.tile(3, 5, at, 0).transposed());
        check_part(whole, whole.distribute(tw::row_major(2, 4), at));
        check_part(whole, whole.distribute(tw::col_major(4, 2), at).tile(2, 2, 0, at));
    }
    check_part(whole, whole.vectorize(1, 4));
    check_part(whole, whole.vectorize(4, 1).vectorize(1, 2));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Layout layout = tw::cli::parse_layout(as_text(data, size));
        must_hold(layout.rows >= 1 && layout.cols >= 1);
        check_parts(layout);
        if (layout.rows < 64 && layout.cols < 64)
            must_hold(draw(layout).size() > static_cast<std::size_t>(layout.size()));
    } catch (const tw::cli::Stop& stop) {
        must_hold(stop.code() == tw::cli::Exit::bad_input);
    }
    return 0;
}
