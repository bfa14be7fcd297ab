#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The planner of products on meshes, without a device, without jax and without the built package: its files are found
in the sources. tests/promises/mesh compares its plans with what compiled programs send."""
import pathlib
import sys
import types
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "src"
for name, folder in (("tilewright", "python/tilewright"), ("tilewright.graph", "graph/tilewright/graph")):
    package = types.ModuleType(name)
    package.__path__ = [str(SOURCES / folder)]
    sys.modules[name] = package

from tilewright.graph.bound import lower_bound  # noqa: E402
from tilewright.graph.planner import Task, dims_of, layout, plan_of  # noqa: E402

N = 512
XY = ("x", "y")


def plan(a, b, c, axes=None, shape=(N, N, N), ordered=False, batch=()):
    axes = axes or {"x": 2, "y": 2}
    m, n, k = shape
    names = dims_of(2 + len(batch), 2 + len(batch))
    extents = {"m": m, "n": n, "k": k, **{f"b{d}": extent for d, extent in enumerate(batch)}}
    layouts = (layout(dims, spec, 4, axes) for dims, spec in zip(names, (a, b, c)))
    return plan_of(Task(extents, axes, *layouts, ordered, 8))


def moved(made):
    return [(move.collective, move.what) for move in made.moves.all]


class Planner(unittest.TestCase):
    def test_the_bytes_of_the_table(self):
        for a, b, c, share, collectives in (
            ((XY, None), (), (XY, None), 0, []),
            ((), (None, XY), (None, XY), 0, []),
            (("x",), (None, "y"), ("x", "y"), 0, []),
            ((None, XY), (XY,), (), 1.5, [("all-reduce", "C")]),
            ((None, XY), (XY,), (XY,), 0.75, [("reduce-scatter", "C")]),
            ((XY,), (XY,), (XY,), 0.75, [("all-gather", "B")]),
            (("x", "y"), ("x", "y"), ("x", "y"), 0.5, [("all-gather", "A"), ("all-gather", "B")]),
            (("x", "y"), ("y",), ("x",), 0.5, [("all-reduce", "C")]),
        ):
            made = plan(a, b, c)
            self.assertEqual(made.received, share * 4 * N * N, (a, b, c))
            self.assertEqual(moved(made), collectives)

    def test_the_smaller_operand_is_gathered(self):
        self.assertEqual(moved(plan(("x",), (None, "x"), ("x",), shape=(4096, 64, 64))), [("all-gather", "B")])
        self.assertEqual(moved(plan(("x",), (None, "x"), (None, "x"), shape=(64, 4096, 64))), [("all-gather", "A")])

    def test_a_batch_is_cut_where_it_lies(self):
        made = plan(("x",), ("x",), ("x",), batch=(8,))
        self.assertEqual((made.role, made.received), ({"x": "b0"}, 0))

    def test_sums_go_where_they_are_wanted(self):
        """Over two axes of k: one share is scattered first, so that less is left for the other sum."""
        made = plan((None, XY), (XY,), ("x",))
        self.assertEqual(moved(made), [("reduce-scatter", "C"), ("all-reduce", "C")])
        self.assertEqual(made.received, (0.5 + 2 * 0.5 * 0.5) * 4 * N * N)

    def test_ordered_sums_climb_the_tree(self):
        """The fastest axis of k is the lowest level, and is added first, wherever its sums go."""
        made = plan((None, XY), (XY,), ("x",), shape=(64, 64, 4096), ordered=True)
        self.assertEqual([(step.axes, step.dim) for step in made.moves.sums], [(("y",), None), (("x",), "m")])
        made = plan((None, ("y", "x")), (("y", "x"),), (), ordered=True)
        self.assertEqual([(step.axes, step.dim) for step in made.moves.sums], [(("y", "x"), None)])

    def test_parts_that_are_no_nodes_are_refused(self):
        for parts in (6, 16):
            with self.assertRaisesRegex(ValueError, rf"adds 8 slabs.*k into {parts} parts, by x \({parts}\)"):
                plan((None, "x"), ("x",), ("x",), {"x": parts}, (96, 96, 96), ordered=True)

    def test_axes_that_divide_nothing_lie_idle(self):
        made = plan(("x",), (), ("x",), {"x": 5}, (12, 12, 12))
        self.assertEqual(made.role, {"x": None})
        made = plan(("x",), (), ("x",), {"x": 4}, (6, 12, 12))
        self.assertIn(made.role, ({"x": "n"}, {"x": "k"}))

    def test_the_lower_bound(self):
        self.assertEqual(lower_bound(N, N, N, 1), 0)
        self.assertAlmostEqual(lower_bound(N, N, N, 4) / (4 * N * N), 0.441, 3)
        self.assertAlmostEqual(lower_bound(N, N, N, 2) / (4 * N * N), 0.390, 3)
        self.assertEqual(lower_bound(8192, 64, 64, 4), 0.75 * 64 * 64 * 4)  # one cut: all but a share of the smallest
        self.assertEqual(lower_bound(0, 8, 8, 4), 0)


if __name__ == "__main__":
    unittest.main()
