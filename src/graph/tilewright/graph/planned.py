# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""A product by its plan: what each device of a mesh runs, the same program for all of them."""
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

from tilewright.graph import local, pieces
from tilewright.graph.collectives import gathered_by_all, shared_out, sum_type, summed
from tilewright.graph.planner import Task, dims_of, layout, plan_of
from tilewright.graph.wire import exponent, narrowed, rest, room_for, times_power, wire_for


def planned(axes, a, b, asked, specs):
    """The plan for operands that lie as the first two specs say, and a C that is wanted as the third says. `axes` has
    the sizes of the mesh's axes by their names; a and b are anything with a shape and a dtype."""
    a_dims, b_dims, c_dims = dims_of(len(a.shape), len(b.shape), asked.transpose_a, asked.transpose_b)
    extents = {**dict(zip(a_dims, a.shape)), **dict(zip(b_dims, b.shape))}
    width = jnp.dtype(a.dtype).itemsize
    plan = plan_of(
        Task(
            extents,
            dict(axes),
            layout(a_dims, specs[0], width, axes),
            layout(b_dims, specs[1], width, axes),
            layout(c_dims, specs[2], max(width, 4), axes),
            asked.same_bits,
            asked.slabs,
            None if asked.same_bits else wire_for(asked.accuracy, jnp.dtype(a.dtype).name, extents["k"]),
        )
    )
    return pieces.in_pieces(plan, asked) if asked.overlap else plan


def spec_of(dims, cuts):
    return PartitionSpec(*(cuts[dim] or None for dim in dims))


def specs_of(plan):
    """How A and B come to the devices, and how C leaves them."""
    task, moves = plan.task, plan.moves
    cuts = (moves.a_cuts, moves.b_cuts, moves.c_cuts)
    return tuple(spec_of(of.dims, c) for of, c in zip((task.a, task.b, task.c), cuts))


def run(plan, asked, a, b):
    """On one device, with its shards of A and B: its shard of C."""
    dtype, ways = a.dtype, {"": as_it_is, "operands": by_narrow_operands, "sums": by_narrow_sums}
    if asked.same_bits:
        asked = asked._replace(slabs=asked.slabs // plan.parts_of_k)
    way = pieces.WAYS[plan.moves.pieces] if plan.moves.pieces else ways[plan.moves.narrow]
    return way(plan, asked, a, b).astype(dtype)


def as_it_is(plan, asked, a, b):
    task, moves = plan.task, plan.moves
    a, b = (gathered_by_all(x, of.dims, g) for x, of, g in zip((a, b), (task.a, task.b), moves.gathers))
    return added(plan, local.product(a, b, asked, sum_type(a) if moves.sums else a.dtype))


def added(plan, c):
    for step in plan.moves.sums:
        dim = None if step.dim is None else plan.task.c.dims.index(step.dim)
        c = summed(c, step.axes, plan.task.size_over(step.axes), dim, ordered=plan.task.ordered)
    return c


def by_narrow_operands(plan, asked, a, b):
    """Both operands are rounded to the wire's type, and the kernel gets them so: the promise was made for that."""
    task, moves = plan.task, plan.moves
    (a, e_a), (b, e_b) = (
        narrow_operand(x, of.dims, gathers, task.wire)
        for x, of, gathers in zip((a, b), (task.a, task.b), moves.gathers)
    )
    c = local.product(a, b, asked._replace(accuracy="fp32"), jnp.float32)
    if task.wire.scaled:
        c = times_power(c, of_rows(task.a.dims, e_a) + of_cols(task.b.dims, e_b) - 30)
    return added(plan, c)


def narrow_operand(x, dims, gathers, wire):
    """(all of it, narrow; the exponents of its lines)"""
    along, e = dims.index("k"), None
    if wire.scaled:
        e = exponent(x, along)
        for gather in gathers:
            if gather.dim == "k":
                e = lax.pmax(e, gather.axes)
    x = gathered_by_all(narrowed(x, wire, e), dims, gathers)
    if wire.scaled:
        e = gathered_by_all(e, dims, [gather for gather in gathers if gather.dim != "k"])
    return x, e


def of_rows(dims, e):
    """Exponents of A's rows, as they lie beside C."""
    return jnp.swapaxes(e, -1, -2) if dims[-2] == "k" else e


def of_cols(dims, e):
    return jnp.swapaxes(e, -1, -2) if dims[-1] == "k" else e


def by_narrow_sums(plan, asked, a, b):
    """Partial sums are rounded to the wire's type each time they travel; the kernel keeps what the promise has left."""
    task, sums = plan.task, plan.moves.sums
    wire, terms, parts = task.wire, task.extents["k"], plan.parts_of_k
    a, b = (gathered_by_all(x, of.dims, g) for x, of, g in zip((a, b), (task.a, task.b), plan.moves.gathers))
    legs = sum(1 if step.dim is not None else 2 for step in sums)
    left = rest(asked.accuracy, wire, terms, parts, legs)
    c = local.product(a, b, asked._replace(accuracy=left), jnp.float32)
    covered, room, e = terms // parts, room_for(terms // parts), ()
    if wire.scaled:
        e_a, e_b = agreed_exponents(a, task.a, sums), agreed_exponents(b, task.b, sums)
        e = (of_rows(task.a.dims, e_a), of_cols(task.b.dims, e_b))
        c = times_power(c, 15 - room - e[0] - e[1])
    for step in sums:
        over, dim = task.size_over(step.axes), None if step.dim is None else task.c.dims.index(step.dim)
        covered *= over
        shrink, room = room_for(covered) - room, room_for(covered)
        c = summed(c, step.axes, over, dim, wire, shrink=shrink if wire.scaled else 0)
        if dim is not None:
            e = tuple(own_share(x, step.axes, over, dim - len(task.c.dims)) for x in e)
    return times_power(c, e[0] + e[1] + room - 15) if wire.scaled else c


def agreed_exponents(x, of, sums):
    """Of x's lines, the same on all devices that add up one C."""
    return lax.pmax(exponent(x, of.dims.index("k")), tuple(axis for step in sums for axis in step.axes))


def own_share(e, axes, size, dim):
    """What a device keeps of exponents when C is shared out along a dimension, counted from the last."""
    if -dim > e.ndim or e.shape[dim] == 1:
        return e
    return shared_out(e, size, dim + e.ndim)[lax.axis_index(axes)]
