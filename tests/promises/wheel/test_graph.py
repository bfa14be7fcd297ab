# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The graph op inside jax programs, from the installed wheel."""
import jax
import jax.numpy as jnp
import numpy
import pytest

import tilewright
from tilewright import graph

random = numpy.random.default_rng(0)


def whole(*shape, dtype=jnp.float32):
    return jnp.asarray(random.integers(-4, 5, shape), dtype)


@pytest.mark.parametrize("algorithm", graph.ALGORITHMS)
def test_every_algorithm_in_a_compiled_graph(algorithm):
    a, b = whole(33, 129), whole(129, 17)
    product = jax.jit(lambda x, y: tilewright.matmul(x, y, algorithm=algorithm, accuracy="fp32"))
    try:
        result = product(a, b)
    except ValueError as error:
        assert algorithm == "tensor_core" and "needs a matrix unit" in str(error)
        return
    numpy.testing.assert_array_equal(result, a @ b)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float16, jnp.bfloat16])
@pytest.mark.parametrize(
    "shapes", [((3, 5), (5, 4)), ((2, 3, 5), (5, 4)), ((3, 5), (6, 5, 4)), ((2, 1, 3, 5), (6, 5, 4))]
)
def test_types_and_batches(shapes, dtype):
    a, b = (whole(*shape, dtype=dtype) for shape in shapes)
    result = jax.jit(graph.matmul)(a, b)
    assert result.dtype == dtype
    numpy.testing.assert_array_equal(result, a @ b)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_transposes_are_folded_in_and_gradients_are_right(transpose_a, transpose_b):
    a, b = whole(2, 3, 5), whole(5, 4)
    stored = jnp.swapaxes(a, -1, -2) if transpose_a else a, b.T if transpose_b else b

    def ours(x, y):
        return (graph.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b) ** 2).sum()

    def theirs(x, y):
        return ((jnp.swapaxes(x, -1, -2) if transpose_a else x) @ (y.T if transpose_b else y)).__pow__(2).sum()

    for mine, right in zip(jax.jit(jax.grad(ours, (0, 1)))(*stored), jax.grad(theirs, (0, 1))(*stored)):
        numpy.testing.assert_array_equal(mine, right)


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_complex_products_and_their_gradients(transpose_a, transpose_b):
    a, b = (whole(*shape, dtype=jnp.complex64) + 1j * whole(*shape) for shape in ((2, 3, 5), (5, 4)))
    stored = jnp.swapaxes(a, -1, -2) if transpose_a else a, b.T if transpose_b else b
    g = whole(2, 3, 4, dtype=jnp.complex64) - 2j * whole(2, 3, 4)

    def ours(x, y):
        return graph.matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b)

    def theirs(x, y):
        return (jnp.swapaxes(x, -1, -2) if transpose_a else x) @ (y.T if transpose_b else y)

    c, back = jax.vjp(jax.jit(ours), *stored)
    right, right_back = jax.vjp(theirs, *stored)
    assert c.dtype == jnp.complex64
    numpy.testing.assert_array_equal(c, right)
    for mine, his in zip(back(g), right_back(g)):
        numpy.testing.assert_array_equal(mine, his)
    # A real number of both: jax.grad then conjugates nothing of its own accord either.
    for mine, his in zip(*(jax.grad(lambda x, y: (abs(f(x, y)) ** 2).sum(), (0, 1))(*stored) for f in (ours, theirs))):
        numpy.testing.assert_allclose(mine, his, rtol=1e-5, atol=1e-4)


def test_complex_products_in_slabs():
    a, b = (whole(9, 9, dtype=jnp.complex64) * (1 + 2j) for _ in range(2))
    for words in ({"slabs": 2}, {"same_bits": True}):
        numpy.testing.assert_array_equal(graph.matmul(a, b, **words), a @ b)


def test_vmap():
    a, b = whole(6, 3, 5), whole(6, 5, 4)
    numpy.testing.assert_array_equal(jax.vmap(graph.matmul)(a, b), a @ b)
    numpy.testing.assert_array_equal(jax.vmap(graph.matmul, (0, None))(a, b[0]), a @ b[0])


def test_what_is_wrong_is_told_while_tracing():
    a = whole(3, 3)
    with pytest.raises(ValueError, match="algorithm 'quantum' can't be had.*expected one of naive, coalescing"):
        jax.jit(lambda x: tilewright.matmul(x, x, algorithm="quantum")).lower(a)
    with pytest.raises(ValueError, match="accuracy: expected fp64"):
        jax.jit(lambda x: tilewright.matmul(x, x, accuracy="best")).lower(a)
    with pytest.raises(TypeError, match="it is|a is int32"):
        graph.matmul(a.astype(jnp.int32), a.astype(jnp.int32))
    with pytest.raises(ValueError, match="b's rows must be as many"):
        graph.matmul(a, whole(4, 3))
    with pytest.raises(TypeError, match="never written to"):
        tilewright.matmul(a, a, out=a)
