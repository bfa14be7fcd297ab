# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""A picture of rows: a line for each layout, the x axis from zero, the y axis in decades."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 78, 24, 20, 56
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
STYLE = (
    "<style>.paper{fill:#fbfaf7}text{fill:#57606a;font:13px system-ui,'DejaVu Sans',sans-serif}.axis{stroke:#e2dfd7}"
    ".line0{stroke:#0b6e6e;fill:none;stroke-width:2}.line1{stroke:#a8561c;fill:none;stroke-width:2}"
    ".dot0{fill:#0b6e6e}.dot1{fill:#a8561c}"
    "@media (prefers-color-scheme:dark){.paper{fill:#14171a}text{fill:#a0a8b0}.axis{stroke:#2e343a}"
    ".line0{stroke:#4fc1b8}.line1{stroke:#e39a5f}"
    ".dot0{fill:#4fc1b8}.dot1{fill:#e39a5f}}</style>"
)


def chart(rows, x_key, y_key, x_title, y_title):
    rows = [row for row in rows if row[y_key] > 0]
    most_x = math.ceil(max(row[x_key] for row in rows) * 10) / 10
    low, high = (
        bound(math.log10(pick(row[y_key] for row in rows))) for bound, pick in ((math.floor, min), (math.ceil, max))
    )
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def at(row):
        x = LEFT + (right - LEFT) * row[x_key] / most_x
        return x, bottom - (bottom - TOP) * (math.log10(row[y_key]) - low) / (high - low)

    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{y_title} against {x_title}">{STYLE}'
    )
    text += f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="10"/>'
    for tick in range(low, high + 1):
        y = at({x_key: 0, y_key: 10**tick})[1]
        text += (
            f'<line class="axis" x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/><text x="{LEFT - 8}" '
            f'y="{y + 4:.1f}" text-anchor="end">10{str(tick).translate(SUPERSCRIPT)}</text>'
        )
    for tick in range(0, round(most_x * 10) + 1, 2):
        x = LEFT + (right - LEFT) * tick / 10 / most_x
        text += (
            f'<line class="axis" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/><text x="{x:.1f}" '
            f'y="{bottom + 20}" text-anchor="middle">{tick / 10:g}</text>'
        )
    text += f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{x_title}</text>'
    text += (
        f'<text x="20" y="{(TOP + bottom) / 2}" text-anchor="middle" transform="rotate(-90 20 '
        f'{(TOP + bottom) / 2})">{y_title}</text>'
    )
    for number, layout in enumerate(dict.fromkeys(row["layout"] for row in rows)):
        points = [at(row) for row in rows if row["layout"] == layout]
        text += f'<polyline class="line{number}" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>'
        text += "".join(f'<circle class="dot{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in points)
        middle = points[len(points) // 2]
        text += f'<text class="dot{number}" x="{middle[0] + 10:.1f}" y="{middle[1] - 6:.1f}">{layout}</text>'
    return text + "</svg>\n"
