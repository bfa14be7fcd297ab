# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What a candidate of the planner moves: gathers of operands, sums over k, and what is left to the partitioner.

An operand that is only to be gathered, or to be cut further, is handled here, so that we choose what travels. Any other
move of it is the partitioner's, and is charged three times: it goes by several collectives, each of the whole.
"""
import math
from typing import NamedTuple

DETOUR = 3


class Move(NamedTuple):
    what: str  # "A", "B" or "C"
    collective: str  # as XLA names it
    axes: tuple
    dim: object  # along which dimension; None: all of it, by itself
    received: float  # bytes, by a device


class Gather(NamedTuple):
    axes: tuple
    dim: str


class Sum(NamedTuple):
    """Partial sums over some axes of k: each device keeps its share along dim, or, where it is None, all of it."""

    axes: tuple
    dim: object


class Moves(NamedTuple):
    a_cuts: dict  # by dimension: as each operand comes to the product's devices
    b_cuts: dict
    c_cuts: dict  # as they leave C
    gathers: tuple  # of A and of B
    sums: tuple
    narrow: str  # "operands", "sums" or "": what travels as 16 bits
    all: tuple
    pieces: str = ""  # "operand", "sums" or "": what travels piece by piece while the product runs


def elements(task, layout, cuts):
    return math.prod(task.extents[dim] for dim in layout.dims) / task.size_over(x for d in layout.dims for x in cuts[d])


def lines(task, layout, cuts):
    """Rows of A or columns of B that lie on a device: dimensions but k."""
    rest = [dim for dim in layout.dims if dim != "k"]
    return math.prod(task.extents[dim] for dim in rest) / task.size_over(x for d in rest for x in cuts[d])


def operand(task, layout, will):
    """(cuts as it comes, gathers, elements received, the partitioner's elements)"""
    comes, gathers = {}, []
    for dim in layout.dims:
        was, want = layout.axes_of(dim), will[dim]
        if task.extents[dim] % task.size_over(was):  # parts of unequal size are the partitioner's to move
            return moved_by_others(task, layout, will)
        if was[: len(want)] == want:
            comes[dim] = was
            if was != want:
                gathers.append(Gather(was[len(want) :], dim))
        elif want[: len(was)] == was:
            comes[dim] = want
        else:
            return moved_by_others(task, layout, will)
    used = [axis for axes in comes.values() for axis in axes]
    if len(used) != len(set(used)):
        return moved_by_others(task, layout, will)
    return comes, tuple(gathers), elements(task, layout, will) - elements(task, layout, comes), 0


def moved_by_others(task, layout, will):
    comes = {dim: will[dim] for dim in layout.dims}
    moved = [x for d in layout.dims for x in layout.axes_of(d) if x not in comes[d]]
    moved = moved or [x for d in layout.dims for x in comes[d]]  # the same axes in another order
    return comes, (), 0, DETOUR * elements(task, layout, comes) * (1 - 1 / task.size_over(moved))


def sums_of(task, cuts, scatters):
    """Sums over k's axes in the order in which they are done. Where order counts, the fastest axis of k is the lowest
    level of the tree and comes first; else what is scattered comes first, so that less of it is left to add."""
    to = {axis: task.c.lies_on(axis) if scatters else None for axis in cuts["k"]}
    if task.ordered:
        runs = []
        for axis in reversed(cuts["k"]):
            if runs and to[axis] == to[runs[-1][0]]:
                runs[-1].insert(0, axis)
            else:
                runs.append([axis])
    else:
        runs = [[x for x in cuts["k"] if to[x] == dim] for dim in dict.fromkeys(to.values()) if dim is not None]
        runs += [[x for x in cuts["k"] if to[x] is None]]
    return tuple(Sum(tuple(run), to[run[0]]) for run in runs if run)


def moves_of(task, cuts, scatters):
    """All that moves when the axes cut as said; None where C can't be scattered so."""
    (a_cuts, a_gathers, a_ours, a_others) = operand(task, task.a, cuts)
    (b_cuts, b_gathers, b_ours, b_others) = operand(task, task.b, cuts)
    sums, c_cuts = sums_of(task, cuts, scatters), {dim: cuts[dim] for dim in task.c.dims}
    if scatters and all(step.dim is None for step in sums):
        return None
    summed = []
    for step in sums:
        size, over = elements(task, task.c, c_cuts), task.size_over(step.axes)
        if step.dim is not None:
            if task.extents[step.dim] % (task.size_over(c_cuts[step.dim]) * over):
                return None
            c_cuts[step.dim] += step.axes
        elif task.ordered or task.wire is not None:
            size = math.ceil(size / over) * over  # sent in equal shares
        summed.append((step, size * (1 - 1 / over)))

    narrow = narrowed(task, a_ours + b_ours, summed)
    found = []
    for name, layout, gathers, comes in (("A", task.a, a_gathers, a_cuts), ("B", task.b, b_gathers, b_cuts)):
        width = min(2, layout.itemsize) if narrow == "operands" else layout.itemsize
        found += gather_moves(task, name, layout, gathers, comes, width, task.wire if narrow == "operands" else None)
    found += sum_moves(task, summed, task.wire if narrow == "sums" else None, cuts)
    for name, layout, others in (("A", task.a, a_others), ("B", task.b, b_others)):
        if others:
            found.append(Move(name, "the partitioner's", (), None, others * layout.itemsize))
    found += leaving(task, c_cuts)
    return Moves(a_cuts, b_cuts, c_cuts, (a_gathers, b_gathers), sums, narrow, tuple(m for m in found if m.received))


def narrowed(task, gathered, summed):
    """A promise pays for two roundings: those of both operands, or two of a sum. Whichever saves more."""
    if task.wire is None:
        return ""
    legs = sum(1 if step.dim is not None else 2 for step, _ in summed)
    sent = sum(size * (1 if step.dim is not None else 2) for step, size in summed)
    if task.c.itemsize != 4 or legs > 2:
        sent = 0
    gathered = gathered if task.a.itemsize == 4 else 0
    return "" if not sent and not gathered else "operands" if gathered >= sent else "sums"


def gather_moves(task, name, layout, gathers, comes, width, wire):
    """One all-gather for each cut dimension; the powers of a scaled wire by themselves, or agreed upon along k."""
    comes, found = dict(comes), []
    outer = "m" if name == "A" else "n"
    for gather in gathers:
        over = task.size_over(gather.axes)
        if wire is not None and wire.scaled:
            here = 4 * lines(task, layout, comes)
            if gather.dim == "k":
                found.append(Move(name, "all-reduce", gather.axes, outer, 2 * here * (1 - 1 / over)))
            else:
                found.append(Move(name, "all-gather", gather.axes, outer, here * (over - 1)))
        comes[gather.dim] = comes[gather.dim][: len(comes[gather.dim]) - len(gather.axes)]
        size = elements(task, layout, comes)
        found.append(Move(name, "all-gather", gather.axes, gather.dim, width * size * (1 - 1 / over)))
    return found


def sum_moves(task, summed, wire, cuts):
    found, width = [], 2 if wire is not None else task.c.itemsize
    if wire is not None and wire.scaled:
        over = task.size_over(cuts["k"])
        for layout in (task.a, task.b):
            here = 4 * lines(task, layout, cuts)
            found.append(Move("C", "all-reduce", cuts["k"], None, 2 * here * (1 - 1 / over)))
    for step, size in summed:
        if task.ordered or wire is not None:
            found.append(Move("C", "all-to-all", step.axes, step.dim, width * size))
            if step.dim is None:
                found.append(Move("C", "all-gather", step.axes, None, width * size))
        elif step.dim is None:
            found.append(Move("C", "all-reduce", step.axes, None, 2 * width * size))
        else:
            found.append(Move("C", "reduce-scatter", step.axes, step.dim, width * size))
    return found


def leaving(task, c_cuts):
    """From where the sums leave C to where it is wanted."""
    as_left = task.c._replace(cuts=tuple(c_cuts[dim] for dim in task.c.dims))
    _, gathers, ours, others = operand(task, as_left, {dim: task.c.axes_of(dim) for dim in task.c.dims})
    if others:
        return [Move("C", "the partitioner's", (), None, others * task.a.itemsize)]
    axes = tuple(axis for gather in gathers for axis in gather.axes)
    return [Move("C", "all-gather", axes, None, ours * task.a.itemsize)] if ours else []
