# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""How operands and result of a product lie on a mesh, and what each layout must send; shared by the tests of meshes."""
import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

XY = ("x", "y")

# On a mesh of 2 x 2: A, B, C; then, for squares, the bytes that a device receives in units of |A| (as they are, and as
# bf16), and the collectives of f32, of same_bits.
LAYOUTS = {
    "m": ((P(XY), P(), P(XY)), 0, 0, [], []),
    "n": ((P(), P(None, XY), P(None, XY)), 0, 0, [], []),
    "m by n": ((P("x"), P(None, "y"), P("x", "y")), 0, 0, [], []),
    "k, C whole": ((P(None, XY), P(XY), P()), 1.5, 0.75, ["all-reduce"], ["all-to-all", "all-gather"]),
    "k, C by m": ((P(None, XY), P(XY), P(XY)), 0.75, 0.375, ["reduce-scatter"], ["all-to-all"]),
    "FSDP": ((P(XY), P(XY), P(XY)), 0.75, 0.375, ["all-gather"], ["all-gather"]),
    "2d blocks": ((P("x", "y"), P("x", "y"), P("x", "y")), 0.5, 0.25, ["all-gather"] * 2, ["all-gather"] * 2),
    "k by y, m by x": ((P("x", "y"), P("y"), P("x")), 0.5, 0.25, ["all-reduce"], ["all-to-all", "all-gather"]),
}

# On one axis of any length: A, B, C.
ON_ONE_AXIS = {
    "m": (P("x"), P(), P("x")),
    "n": (P(), P(None, "x"), P(None, "x")),
    "k, C whole": (P(None, "x"), P("x"), P()),
    "k, C by m": (P(None, "x"), P("x"), P("x")),
    "FSDP": (P("x"), P("x"), P("x")),
}


def mesh_of(sizes, names=XY, kind=AxisType.Auto):
    count = int(np.prod(sizes))
    devices = np.array(jax.devices()[:count]).reshape(sizes)
    return jax.sharding.Mesh(devices, names[: len(sizes)], axis_types=(kind,) * len(sizes))


def whole(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def put(mesh, value, spec):
    """On the mesh, of one process or of several that all have the value."""
    return jax.make_array_from_callback(value.shape, NamedSharding(mesh, spec), lambda i: value[i])


def compiled(f, mesh, specs, *values):
    """(the program, its operands on the mesh)"""
    operands = [put(mesh, value, spec) for value, spec in zip(values, specs)]
    return jax.jit(f, out_shardings=NamedSharding(mesh, specs[-1])).lower(*operands).compile(), operands
