# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What a plan moves, inside the program of one device: gathers of operands before its product, sums of C after it."""
import math

import jax.numpy as jnp
from jax import lax

from tilewright.graph.wire import as_words, from_words, times_power


def tree(parts):
    """The sum of parts in the order of the tree (docs/rules.md, rule 40): neighbours first."""
    while len(parts) > 1:
        parts = [x + y for x, y in zip(parts[::2], parts[1::2])] + parts[len(parts) // 2 * 2 :]
    return parts[0]


def sum_type(x):
    return jnp.promote_types(x.dtype, jnp.float32)


def gathered(x, axes, dim):
    return from_words(lax.all_gather(as_words(x), axes, axis=dim, tiled=True), x.dtype)


def gathered_by_all(x, dims, gathers):
    for gather in gathers:
        x = gathered(x, gather.axes, dims.index(gather.dim))
    return x


def exchanged(pieces, axes):
    """pieces[i] to the i-th device of the axes: the same piece of every device, in their order."""
    return from_words(lax.all_to_all(as_words(pieces), axes, 0, 0), pieces.dtype)


def shared_out(c, size, dim):
    """c cut into equal pieces along a dimension, one before the other; without one, as one row of elements."""
    if dim is None:
        flat = c.reshape(-1)
        return jnp.pad(flat, (0, -flat.size % size)).reshape(size, -1)
    return jnp.stack(jnp.split(c, size, dim))


def summed(c, axes, size, dim, wire=None, ordered=False, shrink=0):
    """Partial sums of `size` devices. Added in the devices' order where that counts, or where they travel narrow: by
    all-to-all, as many bytes as a reduce-scatter, and each device adds in f32 what is its own. `shrink` makes room for
    the longer sum before it travels again."""
    if not ordered and wire is None:
        return lax.psum(c, axes) if dim is None else lax.psum_scatter(c, axes, scatter_dimension=dim, tiled=True)
    pieces = shared_out(c, size, dim)
    came = exchanged(pieces if wire is None else pieces.astype(wire.dtype), axes)
    total = tree(list(came.astype(c.dtype)))
    if shrink:
        total = times_power(total, jnp.int32(-shrink))
    if dim is not None:
        return total
    whole = gathered(total if wire is None else total.astype(wire.dtype), axes, 0)
    return whole[: math.prod(c.shape)].reshape(c.shape).astype(c.dtype)
