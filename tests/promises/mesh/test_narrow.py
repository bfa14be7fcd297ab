# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What travels as 16 bits keeps the promise that pays for it, range term included (docs/accuracy.md)."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from cases import LAYOUTS, compiled, mesh_of
from tilewright import graph
from tilewright.graph import wire

M, N, K = 32, 48, 256
random = np.random.default_rng(0)
SHAPES = (M, K), (K, N)


def lines_of_any_size():
    """Rows of A and columns of B from 2^-40 to 2^40: powers of one line must not touch its neighbours."""
    a, b = (random.standard_normal(shape) for shape in SHAPES)
    return a * 2.0 ** random.integers(-40, 41, (M, 1)), b * 2.0 ** random.integers(-40, 41, (1, N))


DISTRIBUTIONS = {
    "normal": lambda: [random.standard_normal(shape) for shape in SHAPES],
    "uniform": lambda: [random.random(shape) for shape in SHAPES],
    "exponents": lambda: [random.choice([-1, 1], s) * 2.0 ** random.uniform(-10, 10, s) for s in SHAPES],
    "wide exponents": lambda: [random.choice([-1, 1], s) * 2.0 ** random.uniform(-30, 30, s) for s in SHAPES],
    "lines": lines_of_any_size,
    "huge and tiny": lambda: [random.uniform(1, 2, SHAPES[0]) * 2.0**100, random.uniform(1, 2, SHAPES[1]) * 2.0**-120],
}


def bound(a, b, accuracy):
    a, b = np.abs(a.astype(np.float64)), np.abs(b.astype(np.float64))
    of_range = K * 2.0**-38 * a.max(1, keepdims=True) * b.max(0, keepdims=True)
    return wire.promise(wire.NAMED[accuracy], K) * (a @ b) + of_range


@pytest.mark.parametrize("accuracy", ["tf32", "bf16", "fp16"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_promise_is_kept(name, accuracy):
    a, b = (x.astype(np.float32) for x in DISTRIBUTIONS[name]())
    exact = a.astype(np.float64) @ b.astype(np.float64)
    for layout in ("k, C whole", "k, C by m", "FSDP", "2d blocks", "k by y, m by x"):
        made, operands = compiled(
            lambda x, y: graph.matmul(x, y, accuracy=accuracy), mesh_of((2, 2)), LAYOUTS[layout][0], a, b
        )
        assert any("u16" in one.result for one in graph.collectives(made)), layout
        error = np.abs(np.asarray(made(*operands)) - exact)
        assert (error <= bound(a, b, accuracy)).all(), layout


def test_what_the_wire_leaves_is_asked_for_by_a_name_where_the_name_fits():
    """Kernels that scale rows answer for names alone, and are faster than those that answer for numbers."""
    assert wire.rest("bf16", wire.BF16, 8192, 2, legs=1) == "tf32"
    assert wire.rest("bf16", wire.BF16, 8192, 2, legs=2) == "fp32"
    assert float(wire.rest("bf16", wire.BF16, 2**23, 1, legs=1)) < wire.promise(wire.FP16, 2**23)
    left = float(wire.rest("tf32", wire.FP16, 8192, 2, legs=1))
    assert 0 < left <= wire.promise(wire.FP16, 8192) - wire.FP16.unit
    assert wire.rest("tf32", wire.FP16, 8192, 2, legs=2) == "fp32_elementwise"
    assert 0 < float(wire.rest("0.01", wire.BF16, 8192, 2, legs=1)) < 0.01 - wire.BF16.unit


def test_a_number_gets_bf16_or_nothing():
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in SHAPES)
    for number, narrow in ((0.01, True), (0.001, False)):
        made, operands = compiled(
            lambda x, y: graph.matmul(x, y, accuracy=number), mesh_of((2, 2)), LAYOUTS["k, C by m"][0], a, b
        )
        assert [one.kind for one in graph.collectives(made)] == (["all-to-all"] if narrow else ["reduce-scatter"])
        exact = a.astype(np.float64) @ b.astype(np.float64)
        assert (np.abs(np.asarray(made(*operands)) - exact) <= number * (np.abs(a) @ np.abs(b))).all()


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16])
def test_narrow_operands_travel_as_they_are(dtype):
    """As integers: of floats of 16 bits XLA makes f32 before it sends them, on a CPU."""
    a, b = (np.asarray(jnp.asarray(random.integers(-3, 4, (64, 64)), dtype)) for _ in "ab")
    made, operands = compiled(graph.matmul, mesh_of((2, 2)), LAYOUTS["FSDP"][0], a, b)
    (one,) = graph.collectives(made)
    assert one.received == 0.75 * a.nbytes and one.result.startswith("u16")
    np.testing.assert_array_equal(
        np.asarray(made(*operands)).astype(np.float32), a.astype(np.float32) @ b.astype(np.float32)
    )


def test_sums_of_narrow_operands_are_added_in_f32():
    """Four parts of 1 + 2^-8 each are rounded once, after they were added."""
    ones = np.ones((8, 4), np.float32)
    b = np.full((4, 8), 1, np.float32)
    ones[:, 1] = 2.0**-8
    a, b = (np.asarray(jnp.asarray(x, jnp.bfloat16)) for x in (ones, b))
    made, operands = compiled(graph.matmul, mesh_of((2, 2)), LAYOUTS["k, C by m"][0], a, b)
    right = jnp.asarray(3 + 2.0**-8, jnp.bfloat16)
    assert (np.asarray(made(*operands)) == np.asarray(right)).all()


def test_infinities_and_zeros_travel():
    a, b = np.zeros((32, 32), np.float32), np.ones((32, 32), np.float32)
    a[3, 5], a[7] = np.inf, 2.0**-100
    for accuracy in ("tf32", "bf16"):
        for layout in ("FSDP", "2d blocks"):
            made, operands = compiled(
                lambda x, y: graph.matmul(x, y, accuracy=accuracy), mesh_of((2, 2)), LAYOUTS[layout][0], a, b
            )
            np.testing.assert_array_equal(np.asarray(made(*operands)), jax.device_get(a @ b))
