# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""plan: what a product on a mesh will move, before anything is compiled."""
import math
from typing import NamedTuple

import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from tilewright.graph.bound import lower_bound
from tilewright.graph.doors import natural
from tilewright.graph.local import shape_of
from tilewright.graph.operation import asked_for
from tilewright.graph.planned import planned, specs_of


class Report(NamedTuple):
    """The plan of a product; printed, a table of what moves."""

    shape: tuple  # m, n, k
    batch: int
    devices: int
    role: dict  # axis: what it cuts
    moves: tuple
    narrow: str
    bound: float  # bytes that some device must receive
    local: tuple  # m, n, k of a device's product
    lies: tuple  # where A and B come to lie, and C

    @property
    def received(self):
        """Bytes that each device receives."""
        return sum(move.received for move in self.moves)

    def __str__(self):
        def spelled(shape):
            return " x ".join(str(extent) for extent in shape)

        batch = f"{self.batch} products of " if self.batch != 1 else ""
        lines = [f"{batch}{spelled(self.shape)} (m x n x k) on {self.devices} devices, {spelled(self.local)} on each"]
        lines += [f"  {axis} cuts {_spelled_role(dim)}" for axis, dim in self.role.items()]
        for move in self.moves:
            along = "" if move.dim is None else f" along {move.dim}"
            over = f" over {', '.join(move.axes)}" if move.axes else ""
            lines.append(f"  {move.collective:<18} {move.what}{along}{over}: {_bytes(move.received)}")
        if not self.moves:
            lines.append("  nothing moves")
        if self.narrow:
            what = "both operands" if self.narrow == "operands" else "partial sums"
            lines.append(f"  as 16 bits: {what}")
        lines.append(f"  each device receives {_bytes(self.received)}{self._against_bound()}")
        return "\n".join(lines)

    __repr__ = __str__

    def _against_bound(self):
        if not self.bound:
            return ""
        return (
            f"; {self.received / self.bound:.2f} times the lower bound of {_bytes(self.bound)} for an even spread"
        )


def _spelled_role(dim):
    if dim is None:
        return "nothing: it divides no dimension, and its devices do the same work"
    return f"dimension {dim[1:]} of the batch" if dim[0] == "b" else dim


def _bytes(count):
    return f"{count:,.0f} bytes"


def plan(a, b, mesh, *, out_sharding=None, accuracy=None, transpose_a=False, transpose_b=False, slabs=0,
         same_bits=False, overlap=False):
    """What tilewright.graph.matmul(a, b, ...) will move on a mesh: print it. a and b are arrays or
    jax.ShapeDtypeStruct with a NamedSharding, and count as whole on every device without one.

    >>> import jax, jax.numpy as jnp
    >>> from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
    >>> mesh = AbstractMesh((4,), ("x",))
    >>> a, b = (jax.ShapeDtypeStruct((512, 512), jnp.float32, sharding=NamedSharding(mesh, P("x"))) for _ in "ab")
    >>> tilewright.graph.plan(a, b, mesh)
    512 x 512 x 512 (m x n x k) on 4 devices, 128 x 512 x 512 on each
      x cuts m
      all-gather         B along k over x: 786,432 bytes
      each device receives 786,432 bytes; 1.70 times the lower bound of 461,951 bytes for an even spread
    """
    asked = asked_for(jnp.dtype(a.dtype), None, accuracy, transpose_a, transpose_b, False, slabs, same_bits, overlap)
    lies = tuple(_spec_on(x, name, mesh) for x, name in ((a, "a"), (b, "b")))
    wanted = natural(lies, len(a.shape), len(b.shape), asked) if out_sharding is None else out_sharding
    wanted = wanted.spec if isinstance(wanted, NamedSharding) else wanted
    made = planned(mesh.shape, a, b, asked, (*lies, wanted))
    task, parts = made.task, {}
    for axis, dim in made.role.items():
        parts[dim] = parts.get(dim, 1) * task.axes[axis]
    (m, k), n = shape_of(a, transpose_a), shape_of(b, transpose_b)[1]
    batch = math.prod(extent for dim, extent in task.extents.items() if dim not in ("m", "n", "k"))
    return Report(
        (m, n, k), batch, mesh.size, made.role, made.moves.all, made.moves.narrow,
        lower_bound(m, n, k, mesh.size, jnp.dtype(a.dtype).itemsize) if batch == 1 else 0.0,
        tuple(extent // parts.get(dim, 1) for dim, extent in (("m", m), ("n", n), ("k", k))), specs_of(made)
    )


def _spec_on(x, name, mesh):
    sharding = getattr(x, "sharding", None)
    if not isinstance(sharding, NamedSharding):
        return PartitionSpec()
    if dict(sharding.mesh.shape) != dict(mesh.shape):
        raise ValueError(
            f"tilewright.graph.plan: {name} lies on the mesh {dict(sharding.mesh.shape)}; expected the mesh of the "
            f"product, {dict(mesh.shape)}"
        )
    return sharding.spec
