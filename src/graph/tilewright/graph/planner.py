# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Which dimension each axis of a mesh cuts while a product is made, at the fewest bytes. Needs no device and no jax.

A product has dimensions m, n, k and its batch's. Every axis that cuts an operand or the result cuts one of them for the
product's time; each way of saying which is a candidate, and the one whose devices receive the fewest bytes is taken.
What a candidate moves is written down by moves.py; only where no candidate divides the dimensions may an axis lie idle.
"""
import itertools
import math
from typing import NamedTuple

from tilewright.graph.moves import moves_of


class Layout(NamedTuple):
    """An array on a mesh: the name of each dimension, and the axes that cut it, the slowest first."""

    dims: tuple
    cuts: tuple
    itemsize: int

    def axes_of(self, dim):
        return self.cuts[self.dims.index(dim)] if dim in self.dims else ()

    def lies_on(self, axis):
        """The dimension that the axis cuts, or None."""
        return next((dim for dim, axes in zip(self.dims, self.cuts) if axis in axes), None)


class Task(NamedTuple):
    """A product to be planned: extents by dimension, sizes by axis, the operands as they lie and C as it is wanted."""

    extents: dict
    axes: dict
    a: Layout
    b: Layout
    c: Layout  # its itemsize is that of sums
    ordered: bool = False  # sums in the order of the tree
    slabs: int = 0
    wire: object = None  # what may travel as 16 bits: wire.py

    def size_over(self, axes):
        return math.prod(self.axes[axis] for axis in axes)


class Plan(NamedTuple):
    task: Task
    role: dict  # axis: the dimension that it cuts, or None
    moves: object  # moves.Moves

    @property
    def received(self):
        """Bytes, by each device."""
        return sum(move.received for move in self.moves.all)

    @property
    def parts_of_k(self):
        return self.task.size_over(axis for axis, dim in self.role.items() if dim == "k")


def layout(dims, spec, itemsize, axes):
    """From the entries of a PartitionSpec; axes of one device cut nothing."""
    entries = [() if e is None else (e,) if isinstance(e, str) else tuple(e) for e in spec or ()]
    entries += [()] * (len(dims) - len(entries))
    return Layout(tuple(dims), tuple(tuple(x for x in e if axes[x] > 1) for e in entries), itemsize)


def dims_of(a_dims, b_dims, transpose_a=False, transpose_b=False):
    """The names of the dimensions of A, B and C, of so many dimensions; those before the last two are a batch."""
    batch = tuple(f"b{d}" for d in range(max(a_dims, b_dims) - 2))
    a = (batch if a_dims > 2 else ()) + (("k", "m") if transpose_a else ("m", "k"))
    b = (batch if b_dims > 2 else ()) + (("n", "k") if transpose_b else ("k", "n"))
    return a, b, (*batch, "m", "n")


def ordered_axes(task, role, dim):
    """The axes that cut a dimension, in the order in which they do so already."""
    lies = itertools.chain(*(of.axes_of(dim) for of in (task.a, task.b, task.c)), task.axes)
    return tuple(dict.fromkeys(axis for axis in lies if role.get(axis) == dim))


def candidates(task, used, roles):
    for choice in itertools.product(roles, repeat=len(used)):
        role = dict(zip(used, choice))
        cuts = {dim: ordered_axes(task, role, dim) for dim in task.extents}
        if any(task.extents[dim] % task.size_over(axes) for dim, axes in cuts.items()):
            continue
        for scatters in (True, False) if cuts["k"] else (False,):
            moves = moves_of(task, cuts, scatters)
            if moves is not None:
                idle = task.size_over(axis for axis, dim in role.items() if dim is None)
                yield idle, Plan(task, role, moves)


def plan_of(task):
    """The cheapest plan; ValueError where bits are promised and k is cut into parts that are no nodes of the tree."""
    used = [axis for axis in task.axes if any(of.lies_on(axis) for of in (task.a, task.b, task.c))]
    dims = ("m", "n", "k", *(dim for dim in task.extents if dim not in ("m", "n", "k")))
    found = list(candidates(task, used, dims)) or list(candidates(task, used, (*dims, None)))
    plan = min(found, key=lambda c: (c[0], c[1].received))[1]
    if task.ordered and task.slabs % plan.parts_of_k:
        axes = " x ".join(f"{axis} ({task.axes[axis]})" for axis, dim in plan.role.items() if dim == "k")
        raise ValueError(
            f"tilewright.matmul: same_bits adds {task.slabs} slabs of k in a tree, and the mesh cuts k into "
            f"{plan.parts_of_k} parts, by {axes}; expected parts that divide the slabs: a power of two, and slabs of "
            f"at least as many"
        )
    return plan
