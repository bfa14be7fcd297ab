# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What is wrong, or can't be cut, gets the right product or a sentence with the numbers."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P

from cases import mesh_of, put
from tilewright import graph

A, B = (np.random.default_rng(seed).integers(-4, 5, (12, 12)).astype(np.float32) for seed in (0, 1))


def operand(mesh, spec, *shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))


def test_an_axis_that_divides_no_dimension_is_right_and_said():
    mesh = mesh_of((5,))
    with jax.set_mesh(mesh):
        product = jax.jit(lambda x, y: graph.matmul(jax.lax.with_sharding_constraint(x, P("x")), y))
        np.testing.assert_array_equal(product(A, B), A @ B)
    shapes = [jax.ShapeDtypeStruct((12, 12), jnp.float32)] * 2
    said = str(graph.plan(*shapes, AbstractMesh((5,), ("x",)), out_sharding=P("x")))
    assert "x cuts nothing: it divides no dimension" in said


def test_an_axis_that_divides_one_dimension_cuts_that():
    """4 devices cut 6 rows, which they don't divide; they do divide the columns."""
    a = A[:6]
    with jax.set_mesh(mesh_of((4,))):
        product = jax.jit(lambda x, y: graph.matmul(jax.lax.with_sharding_constraint(x, P("x")), y))
        np.testing.assert_array_equal(product(a, B), a @ B)


def test_operands_cut_by_a_program_that_names_no_mesh():
    """The partitioner speaks of devices then, and not of axes."""
    mesh, a, b = mesh_of((2, 2)), A[:8, :8], B[:8, :8]
    turned = jax.jit(
        lambda x, y: graph.matmul(
            jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P(None, ("y", "x")))), y, same_bits=True
        )
    )
    np.testing.assert_array_equal(turned(a, b), a @ b)


def test_operands_on_different_meshes():
    one, two = mesh_of((2,)), mesh_of((4,), ("y",))
    with pytest.raises(ValueError, match=r"a lies on the mesh \{'x': 2\} of 2 devices and b on .* \{'y': 4\} of 4"):
        graph.matmul(put(one, A, P("x")), put(two, B, P("y")))
    with pytest.raises(ValueError, match=r"plan: b lies on the mesh \{'y': 4\}; expected the mesh.*\{'x': 2\}"):
        graph.plan(operand(one, P("x"), 12, 12), operand(two, P("y"), 12, 12), one)
    with pytest.raises(ValueError, match=r"a lies on the mesh .*'x': 2.* and b on the mesh .*'y': 2"):
        first, second = (mesh_of((2,), names, AxisType.Explicit) for names in ("x", "y"))
        jax.eval_shape(graph.matmul, operand(first, P("x"), 12, 12), operand(second, P("y"), 12, 12))


def test_axes_of_several_kinds():
    mesh = jax.sharding.Mesh(
        np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"), axis_types=(AxisType.Explicit, AxisType.Auto)
    )
    with jax.set_mesh(mesh), pytest.raises(ValueError, match="axes of several kinds.*expected Explicit ones alone"):
        graph.matmul(put(mesh, A, P("x")), put(mesh, B, P()))


def test_an_accuracy_that_nobody_keeps():
    mesh = mesh_of((4,))
    with pytest.raises(ValueError, match="accuracy: expected fp64"):
        graph.matmul(put(mesh, A, P("x")), put(mesh, B, P()), accuracy="best")
    with pytest.raises(ValueError, match="accura"):
        graph.matmul(put(mesh, A, P("x")), put(mesh, B, P()), accuracy=1e-30)


def test_slabs_and_reproducible_reach_the_kernel():
    whole = graph.matmul(A, B, slabs=4)
    halves = [graph.matmul(A[:, half], B[half], slabs=2) for half in (slice(0, 6), slice(6, 12))]
    np.testing.assert_array_equal(whole, halves[0] + halves[1])
    with pytest.raises(ValueError, match="slabs must be 0 or a power of two"):
        graph.matmul(A, B, slabs=3)
    with pytest.raises(TypeError, match="slabs: expected a whole number; it is 1.5"):
        graph.matmul(A, B, slabs=1.5)
    with pytest.raises(TypeError, match="out_sharding: expected a PartitionSpec or a NamedSharding; it is str"):
        graph.matmul(A, B, out_sharding="x")


def test_empty_products():
    mesh = mesh_of((2, 2))
    for m, n, k in ((0, 8, 8), (8, 8, 0)):
        result = graph.matmul(
            put(mesh, np.ones((m, k), np.float32), P("x", "y")), put(mesh, np.ones((k, n), np.float32), P("y")),
            accuracy="tf32",
        )
        assert result.shape == (m, n) and not np.asarray(result).any()


def test_a_plan_reads_like_a_table():
    mesh = AbstractMesh((2, 2), ("x", "y"))
    said = str(graph.plan(operand(mesh, P("x", "y"), 64, 64), operand(mesh, P("x", "y"), 64, 64), mesh))
    assert said.splitlines()[0] == "64 x 64 x 64 (m x n x k) on 4 devices, 32 x 32 x 64 on each"
    assert "  x cuts m" in said and "  y cuts n" in said
    assert "all-gather         A along k over y: 4,096 bytes" in said
    assert "each device receives 8,192 bytes; 1.13 times the lower bound" in said
