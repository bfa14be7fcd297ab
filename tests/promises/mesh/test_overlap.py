# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""overlap: what a product moves goes in pieces from device to device: as many bytes, and the bits that are promised."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, PartitionSpec as P

from cases import LAYOUTS, ON_ONE_AXIS, compiled, mesh_of, put, whole
from tilewright import graph

M, N, K = 256, 256, 256
A, B = whole(M, K), whole(K, N, seed=1)
EXACT, SCALE = A.astype(np.float64) @ B.astype(np.float64), np.abs(A).astype(np.float64) @ np.abs(B)
BOUND = (K + 2) * 2.0**-24 * SCALE
IN_PIECES = {
    "rows of A": (P("x"), P("x"), P("x")),  # B is gathered along k
    "columns of B": (P(None, "x"), P(None, "x"), P(None, "x")),  # A is
    "k, C by m": (P(None, "x"), P("x"), P("x")),
    "k, C by n": (P(None, "x"), P("x"), P(None, "x")),
}


def made_by(mesh, specs, a=A, b=B, **asked):
    made, operands = compiled(lambda x, y: graph.matmul(x, y, **asked), mesh, specs, a, b)
    return graph.collectives(made), np.asarray(made(*operands)), operands


@pytest.mark.parametrize("same_bits", [False, True])
@pytest.mark.parametrize("layout", IN_PIECES)
@pytest.mark.parametrize("devices", [2, 4])
def test_as_many_bytes_in_pieces(devices, layout, same_bits):
    mesh, specs = mesh_of((devices,)), IN_PIECES[layout]
    at_once, right, operands = made_by(mesh, specs, same_bits=same_bits)
    pieces, result, _ = made_by(mesh, specs, same_bits=same_bits, overlap=True)
    plan = graph.plan(*operands, mesh, out_sharding=specs[-1], same_bits=same_bits, overlap=True)
    assert [one.kind for one in pieces] == ["collective-permute"] * (devices - 1)
    assert [move.collective for move in plan.moves] == ["collective-permute"]
    assert sum(one.received for one in pieces) == sum(one.received for one in at_once) == plan.received
    assert (np.abs(result - EXACT) <= BOUND).all()
    if same_bits:
        np.testing.assert_array_equal(result.view(np.uint32), right.view(np.uint32))


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_same_bits_over_two_axes(layout, kind):
    """In pieces where there is one move, and as ever where there are several."""
    specs, mesh = LAYOUTS[layout][0], mesh_of((2, 2), kind=kind)
    right = np.asarray(graph.matmul(jnp.asarray(A), jnp.asarray(B), same_bits=True))
    with jax.set_mesh(mesh):
        result = jax.jit(lambda x, y: graph.matmul(x, y, same_bits=True, overlap=True, out_sharding=specs[2]))(
            put(mesh, A, specs[0]), put(mesh, B, specs[1])
        )
    np.testing.assert_array_equal(np.asarray(result).view(np.uint32), right.view(np.uint32))


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_operands_stored_transposed(transpose_a, transpose_b):
    for specs in IN_PIECES.values():
        turned = [
            (value.T.copy(), P(*[*spec, None][:2][::-1])) if is_turned else (value, spec)
            for value, spec, is_turned in ((A, specs[0], transpose_a), (B, specs[1], transpose_b))
        ]
        (a, a_lies), (b, b_lies) = turned
        sent, result, _ = made_by(
            mesh_of((2,)), (a_lies, b_lies, specs[2]), a, b, transpose_a=transpose_a, transpose_b=transpose_b,
            overlap=True
        )
        assert [one.kind for one in sent] == ["collective-permute"]
        assert (np.abs(result - EXACT) <= BOUND).all()


@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16, jnp.complex64])
def test_other_types(dtype):
    """Sums of whole numbers are exact, and narrow ones travel as they are."""
    a, b = (np.asarray(jnp.asarray(np.sign(x), dtype)) for x in (A, B))
    for specs in IN_PIECES.values():
        sent, result, _ = made_by(mesh_of((2,)), specs, a, b, overlap=True)
        assert [one.kind for one in sent] == ["collective-permute"] and result.dtype == a.dtype
        np.testing.assert_array_equal(result, (np.sign(A) @ np.sign(B)).astype(a.dtype))


@pytest.mark.parametrize(
    "devices, asked, kind",
    [(2, {"accuracy": "bf16"}, "all-gather"), (2, {"accuracy": 1e-4}, "all-gather"), (3, {}, "all-gather")],
)
def test_what_has_no_pieces_goes_at_once(devices, asked, kind):
    """Narrow numbers, an accuracy with nothing to spare, and parts that are no power of two."""
    a, b = whole(240, 240), whole(240, 240, seed=1)
    sent, _, _ = made_by(mesh_of((devices,)), ON_ONE_AXIS["FSDP"], a, b, overlap=True, **asked)
    assert [one.kind for one in sent] == [kind]


def test_gradients_go_in_pieces_too():
    """B's gradient is a sum over the devices' rows, of which each keeps its part."""
    mesh, specs = mesh_of((4,)), ON_ONE_AXIS["FSDP"]
    a, b = np.sign(A), np.sign(B)

    def squares(product):
        return lambda x, y: (product(x, y) ** 2).sum()

    gradient = jax.grad(squares(lambda x, y: graph.matmul(x, y, overlap=True)), 1)
    in_pieces, operands = compiled(gradient, mesh, (*specs[:2], specs[1]), a, b)
    result = in_pieces(*operands)
    np.testing.assert_array_equal(np.asarray(result), jax.grad(squares(jnp.matmul), 1)(a, b))
    assert {one.kind for one in graph.collectives(in_pieces)} == {"collective-permute"}
