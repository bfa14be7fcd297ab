# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Moves that go on beside the product: in pieces from device to device, each piece's product made while others travel.

An operand that is gathered along k: device i has its own part of k, and starts with that. At step s it multiplies what
came from device i ^ s:

    device 0     A0 B0, + A1 B1     (4 devices: + A2 B2, + A3 B3)
    device 1     A1 B1, + A0 B0

Sums of C over k that are shared out: device i makes the share of device i ^ s first and sends it, and its own last.

So whatever device it is, the tree over parts of k (docs/rules.md, rule 40) is walked from the device's own leaf on, and
two sums that meet in it are added in one order or the other: the bits are the same.
"""
from jax import lax

from tilewright.graph import local
from tilewright.graph.collectives import sum_type, tree
from tilewright.graph.wire import as_words, from_words, is_number

LEAST = 64  # terms of a piece: of fewer, the sums of pieces would cost a promise too much


def in_pieces(plan, asked):
    """The plan with its move in pieces, where it has one such move; otherwise the plan as it is."""
    pieces = ""
    if _may(plan, asked):
        if not plan.moves.sums and _gather_of(plan.moves):
            pieces = "operand"
        elif len(plan.moves.sums) == 1 and plan.moves.sums[0].dim is not None and not any(plan.moves.gathers):
            pieces = "sums"
    if not pieces or not _fits(plan, asked, _axes(plan.moves)):
        return plan
    moved = tuple(
        move._replace(collective="collective-permute") if move.axes == _axes(plan.moves) else move
        for move in plan.moves.all
    )
    return plan._replace(moves=plan.moves._replace(all=moved, pieces=pieces))


def _may(plan, asked):
    """One product of two matrices, whose numbers travel as they are; an accuracy that is a number has nothing to spare
    for the sums of pieces."""
    is_alone = len(plan.task.a.dims) == len(plan.task.b.dims) == 2
    return is_alone and not plan.moves.narrow and not is_number(asked.accuracy)


def _gather_of(moves):
    """(which operand, its gather), when all that moves is one operand along k, and k is whole then."""
    found = [(which, gather) for which, gathers in enumerate(moves.gathers) for gather in gathers]
    if len(found) != 1 or found[0][1].dim != "k":
        return None
    which, gather = found[0]
    return found[0] if (moves.a_cuts, moves.b_cuts)[which]["k"] == gather.axes else None


def _axes(moves):
    return moves.sums[0].axes if moves.sums else _gather_of(moves)[1].axes


def _fits(plan, asked, axes):
    parts = plan.task.size_over(axes)
    is_power = parts & (parts - 1) == 0
    slabs_fit = not asked.same_bits or asked.slabs % parts == 0
    return is_power and slabs_fit and plan.task.extents["k"] // parts >= LEAST


def _from(x, axes, parts, step):
    """x of the device whose number differs from ours by the bits of step."""
    pairs = [(device, device ^ step) for device in range(parts)]
    return from_words(lax.ppermute(as_words(x), axes, pairs), x.dtype)


def _part(x, number, parts, dim):
    size = x.shape[dim] // parts
    return lax.dynamic_slice_in_dim(x, number * size, size, dim)


def beside_gather(plan, asked, a, b):
    which, gather = _gather_of(plan.moves)
    axes, parts = gather.axes, plan.task.size_over(gather.axes)
    mine, other = (b, a) if which else (a, b)
    along = (plan.task.a, plan.task.b)[1 - which].dims.index("k")
    here = lax.axis_index(axes)
    came = [mine, *(_from(mine, axes, parts, step) for step in range(1, parts))]
    one = asked._replace(slabs=asked.slabs // parts) if asked.same_bits else asked

    def product(step, added):
        pair = _part(other, here ^ step, parts, along), came[step]
        return local.product(*(pair if which else pair[::-1]), one, sum_type(a), added)

    def node(first, count, added):
        if count == 1:
            return product(first, added)
        left = node(first, count // 2, None)
        right = node(first + count // 2, count // 2, left)
        return right if added is None else right + added

    if asked.same_bits:
        return node(0, parts, None)
    total = None
    for step in range(parts):
        total = product(step, total)
    return total


def beside_sums(plan, asked, a, b):
    (step_of_k,) = plan.moves.sums
    axes, parts = step_of_k.axes, plan.task.size_over(step_of_k.axes)
    here, dim = lax.axis_index(axes), step_of_k.dim

    def share(step):
        x, y = (
            _part(value, here ^ step, parts, of.dims.index(dim)) if dim in of.dims else value
            for value, of in ((a, plan.task.a), (b, plan.task.b))
        )
        return local.product(x, y, asked, sum_type(a))

    came = [_from(share(step), axes, parts, step) for step in range(1, parts)]
    return tree([share(0), *came])


WAYS = {"operand": beside_gather, "sums": beside_sums}
