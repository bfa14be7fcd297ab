# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""A layout as a picture: its grid of offsets, in shades from the first element in memory to the last."""

CELL, MOST = 34, 32


def svg_of(layout):
    """SVG text; notebooks show it by themselves. Only the first 32 rows and columns are drawn.

    >>> from tilewright import Layout
    >>> Layout.row_major(2, 2)._repr_svg_().count("<rect")
    4
    """
    rows, cols = min(layout.rows, MOST), min(layout.cols, MOST)
    offsets = [[layout(i, j) for j in range(cols)] for i in range(rows)]
    every = [offset for row in offsets for offset in row] or [0]
    span = max(every) - min(every) or 1
    parts = []
    for i, row in enumerate(offsets):
        for j, offset in enumerate(row):
            shade = 96 - round(46 * (offset - min(every)) / span)
            ink = "#fff" if shade < 62 else "#123"
            parts.append(
                f'<rect x="{j * CELL}" y="{i * CELL}" width="{CELL}" height="{CELL}" fill="hsl(205,60%,{shade}%)" '
                f'stroke="#fff"/><text x="{j * CELL + CELL / 2:g}" y="{i * CELL + CELL / 2 + 4:g}" '
                f'fill="{ink}">{offset}</text>'
            )
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{cols * CELL}" height="{rows * CELL}" font-size="11" '
            f'font-family="sans-serif" text-anchor="middle" role="img" aria-label="{layout!r}">{"".join(parts)}</svg>')
