# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""same_bits: one digest for any number of devices and processes, any layout, and either kind of mesh."""
import json
import pathlib
import socket
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, PartitionSpec as P

from cases import LAYOUTS, ON_ONE_AXIS, compiled, mesh_of, put, whole
from digests import SHAPES, digests
from tilewright import graph


def alone():
    """{shape: digest}, on one device"""
    found = digests(mesh_of((1,)))
    by_shape = {}
    for name, bits in found.items():
        by_shape.setdefault(name.split(",")[0], set()).add(bits)
    assert all(len(bits) == 1 for bits in by_shape.values())
    return {shape: bits.pop() for shape, bits in by_shape.items()}


@pytest.mark.parametrize("devices", [2, 4, 8])
def test_any_number_of_devices(devices):
    one = alone()
    for name, bits in digests(mesh_of((devices,))).items():
        assert bits == one[name.split(",")[0]], name


def test_without_it_a_cut_of_k_has_bits_of_its_own():
    """So the tests of this file can fail."""
    assert len(set(digests(mesh_of((4,)), same_bits=False).values())) > len(SHAPES)


@pytest.mark.parametrize("devices", [1, 2])
def test_two_processes(devices):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = pathlib.Path(__file__).with_name("digests.py")
    processes = [
        subprocess.Popen([sys.executable, script, str(rank), "2", str(devices), str(port)], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
        for rank in (0, 1)
    ]
    said = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    line = next(line for line in said[0].splitlines() if line.startswith("digests "))
    one = alone()
    for name, bits in json.loads(line.removeprefix("digests ")).items():
        assert bits == one[name.split(",")[0]], name


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_two_axes_of_either_kind(layout, kind):
    a, b, specs, mesh = whole(64, 256), whole(256, 48, seed=1), LAYOUTS[layout][0], mesh_of((2, 4), kind=kind)
    right = np.asarray(graph.matmul(jnp.asarray(a), jnp.asarray(b), same_bits=True))
    with jax.set_mesh(mesh):
        result = jax.jit(lambda x, y: graph.matmul(x, y, same_bits=True, out_sharding=specs[2]))(
            put(mesh, a, specs[0]), put(mesh, b, specs[1])
        )
    np.testing.assert_array_equal(np.asarray(result).view(np.uint32), right.view(np.uint32))


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
@pytest.mark.parametrize("to", [P("x"), P("y"), P(None, "x"), P("x", "y"), P("y", "x"), P()])
def test_the_order_of_axes_along_k_is_the_trees(order, to):
    a, b, mesh = whole(64, 256), whole(256, 48, seed=1), mesh_of((2, 2))
    right = np.asarray(graph.matmul(jnp.asarray(a), jnp.asarray(b), same_bits=True))
    made, operands = compiled(
        lambda x, y: graph.matmul(x, y, same_bits=True), mesh, (P(None, order), P(order), to), a, b
    )
    np.testing.assert_array_equal(np.asarray(made(*operands)).view(np.uint32), right.view(np.uint32))


@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float16, jnp.bfloat16, jnp.complex64, jnp.complex128])
def test_other_types(dtype):
    with jax.enable_x64(True):
        turn = 1 + 2j if jnp.issubdtype(dtype, jnp.complexfloating) else 1
        a, b = (np.asarray((turn * jnp.asarray(whole(64, 64, seed=s))).astype(dtype)) for s in (0, 1))
        right = np.asarray(graph.matmul(jnp.asarray(a), jnp.asarray(b), same_bits=True))
        for layout, specs in ON_ONE_AXIS.items():
            made, operands = compiled(lambda x, y: graph.matmul(x, y, same_bits=True), mesh_of((4,)), specs, a, b)
            result = np.asarray(made(*operands))
            assert result.dtype == right.dtype and result.tobytes() == right.tobytes(), layout


def test_more_slabs_for_more_parts():
    a, b, mesh = whole(16, 64), whole(64, 16, seed=1), mesh_of((8,))
    specs = ON_ONE_AXIS["k, C by m"]
    with pytest.raises(Exception, match="same_bits adds 4 slabs of k in a tree, and the mesh cuts k into 8 parts"):
        compiled(lambda x, y: graph.matmul(x, y, same_bits=True, slabs=4), mesh, specs, a, b)
    right = np.asarray(graph.matmul(jnp.asarray(a), jnp.asarray(b), same_bits=True, slabs=16))
    made, operands = compiled(lambda x, y: graph.matmul(x, y, same_bits=True, slabs=16), mesh, specs, a, b)
    np.testing.assert_array_equal(np.asarray(made(*operands)).view(np.uint32), right.view(np.uint32))
    assert not np.array_equal(right, np.asarray(graph.matmul(jnp.asarray(a), jnp.asarray(b), same_bits=True, slabs=1)))


def test_parts_that_are_no_nodes_of_the_tree_are_refused_with_the_numbers():
    a, b = whole(12, 48), whole(48, 12, seed=1)
    with pytest.raises(Exception, match=r"8 slabs.*k into 6 parts, by x \(6\); expected parts that divide the slabs"):
        compiled(lambda x, y: graph.matmul(x, y, same_bits=True), mesh_of((6,)), ON_ONE_AXIS["k, C by m"], a, b)


def test_narrow_wires_are_refused():
    a = jnp.ones((4, 4))
    for accuracy in ("tf32", "bf16", "fp16", 0.01):
        with pytest.raises(ValueError, match="same_bits and accuracy .*bits would depend on the mesh"):
            graph.matmul(a, a, accuracy=accuracy, same_bits=True)
    graph.matmul(a, a, accuracy="fp32", same_bits=True)
