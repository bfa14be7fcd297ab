// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw layout: draws the offsets of a layout's elements, and what tile, vectorize and distribute select.
#include <cstdio>
#include <memory>
#include <string>

#include "cli/console/arguments.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/verbs.hpp"
#include "tilewright/draw.hpp"

namespace tw::cli {
namespace {

constexpr std::int64_t most_cells = 65536;
constexpr std::int64_t largest = std::int64_t{1} << 31;

struct Arguments {
    std::string layout, inside, tile, at = "0,0", vectorize, distribute, thread = "0";
};

void check_cells(std::int64_t rows, std::int64_t cols) {
    if (rows == 0 || cols == 0) refuse("nothing to draw: {} x {} elements are left", rows, cols);
    if (rows > most_cells || cols > most_cells || rows * cols > most_cells)
        refuse("a drawing has at most {} cells; this one would have {} x {}: draw a --tile of it", most_cells, rows,
               cols);
}

Layout tile_of(const Layout& whole, const Arguments& asked) {
    const Pair shape = parse_pair("--tile", asked.tile, 1, largest);
    const Pair at = parse_pair("--at", asked.at, 0, largest);
    const Pair tiles{(whole.rows + shape.first - 1) / shape.first, (whole.cols + shape.second - 1) / shape.second};
    if (at.first >= tiles.first || at.second >= tiles.second)
        refuse("{} x {} elements make {} x {} tiles of {} x {}, counted from 0; there is no tile {}", whole.rows,
               whole.cols, tiles.first, tiles.second, shape.first, shape.second, asked.at);
    return whole.tile(shape.first, shape.second, at.first, at.second);
}

Layout vectors_of(const Layout& whole, const Arguments& asked) {
    const Pair shape = parse_pair("--vectorize", asked.vectorize, 1, largest);
    return whole.vectorize(shape.first, shape.second);
}

Layout share_of(const Layout& whole, const Arguments& asked) {
    const Layout threads = parse_layout(asked.distribute);
    if (threads.rows > most_cells || threads.cols > most_cells)
        refuse("--distribute takes at most {} x {} threads; '{}' has more", most_cells, most_cells, asked.distribute);
    return whole.distribute(threads, parse_whole("--thread", asked.thread, 0, threads.size() - 1));
}

void draw_blocks(const Arguments& asked) {
    if (!asked.tile.empty() || !asked.vectorize.empty() || !asked.distribute.empty())
        refuse("--inside draws blocks within blocks and excludes --tile, --vectorize and --distribute");
    const BlockedLayout blocked = compose(parse_layout(asked.layout), parse_layout(asked.inside));
    check_cells(blocked.rows(), blocked.cols());
    std::fputs(draw(blocked).c_str(), stdout);
}

void run(const Arguments& asked) {
    if (!asked.inside.empty()) return draw_blocks(asked);
    Layout layout = parse_layout(asked.layout);
    if (!asked.tile.empty()) layout = tile_of(layout, asked);
    if (!asked.vectorize.empty()) layout = vectors_of(layout, asked);
    if (!asked.distribute.empty()) layout = share_of(layout, asked);
    check_cells(layout.rows, layout.cols);
    std::fputs(draw(layout).c_str(), stdout);
}

constexpr const char* examples = R"text(Examples:
  tw layout "row_major(2,6)"
  tw layout "row_major(2,6)" --tile 2,2 --at 0,1
  tw layout "row_major(8,8)" --vectorize 1,4
  tw layout "row_major(8,8)" --distribute "row_major(2,4)" --thread 5
  tw layout "row_major(2,1)" --inside "col_major(4,3)"
)text";

}  // namespace

void add_layout(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = tw.add_verb("layout", "Draws the grid of offsets of a layout");
    verb.add_option("LAYOUT", asked->layout, "row_major(ROWS,COLS) or col_major(ROWS,COLS)").required();
    const Option tile = verb.add_option("--tile", asked->tile, "Only one tile of ROWS,COLS elements");
    verb.add_option("--at", asked->at, "Which tile, counted in tiles from 0,0").needs(tile).shows_default();
    verb.add_option("--vectorize", asked->vectorize, "Then only the first element of each vector of ROWS,COLS");
    const Option threads = verb.add_option("--distribute", asked->distribute,
                                           "Then only what one thread gets, with threads arranged in this layout");
    verb.add_option("--thread", asked->thread, "Which thread, from 0").needs(threads).shows_default();
    verb.add_option("--inside", asked->inside, "LAYOUT is of blocks, and each block has this layout");
    verb.ends_help_with(examples);
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
