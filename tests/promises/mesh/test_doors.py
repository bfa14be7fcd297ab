# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The ways into a planned product: gradients, batches, vmap, scan, shard_map, and meshes of Explicit axes."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

from cases import mesh_of, put
from tilewright import graph

random = np.random.default_rng(0)


def whole(*shape):
    """Small whole numbers: every sum is exact."""
    return random.integers(-4, 5, shape).astype(np.float32)


def kinds(f, *operands):
    """(the collectives of the program, its result)"""
    program = jax.jit(f).lower(*operands).compile()
    return [one.kind for one in graph.collectives(program)], program(*operands)


def equal(result, right):
    for mine, theirs in zip(jax.tree.leaves(result), jax.tree.leaves(right), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def squares(product):
    return lambda x, y: (product(x, y) ** 2).sum()


@pytest.mark.parametrize("same_bits", [False, True])
def test_gradients_bring_no_further_collectives(same_bits):
    """Each product of the three is planned by itself: one sum over y for C, and one over x for B's gradient."""
    mesh, a, b = mesh_of((2, 2)), whole(64, 64), whole(64, 32)
    operands = put(mesh, a, P("x", "y")), put(mesh, b, P("y"))

    def product(x, y):
        return graph.matmul(x, y, same_bits=same_bits)

    found, result = kinds(jax.grad(squares(product), (0, 1)), *operands)
    equal(result, jax.grad(squares(jnp.matmul), (0, 1))(a, b))
    assert found == (["all-to-all", "all-gather"] if same_bits else ["all-reduce"]) * 2


def test_the_gradient_of_a_sharded_batch_is_one_sum():
    """Data parallelism: the weights' gradient is a sum over the batch's devices, and nothing else moves."""
    mesh, a, b = mesh_of((4,)), whole(64, 32), whole(32, 16)
    operands = put(mesh, a, P("x")), put(mesh, b, P())
    found, result = kinds(jax.grad(squares(graph.matmul), 1), *operands)
    equal(result, jax.grad(squares(jnp.matmul), 1)(a, b))
    assert found == ["all-reduce"]


def test_batches():
    mesh, a, b = mesh_of((2, 2)), whole(8, 16, 32), whole(8, 32, 16)
    found, result = kinds(graph.matmul, put(mesh, a, P("x", "y")), put(mesh, b, P("x")))
    equal(result, a @ b)
    assert found == []
    found, result = kinds(graph.matmul, put(mesh, a, P("x", None, "y")), put(mesh, b[0], P("y")))
    equal(result, a @ b[0])
    assert found == ["all-reduce"]
    found, result = kinds(graph.matmul, put(mesh, a[0], P("y")), put(mesh, b, P("x")))
    equal(result, a[0] @ b)
    assert found == []


@pytest.mark.parametrize("shared", [None, 0, 1])
def test_vmap_over_a_cut_dimension_moves_nothing(shared):
    mesh, a, b = mesh_of((4,)), whole(8, 16, 32), whole(8, 32, 16)
    values = [v[0] if which == shared else v for which, v in enumerate((a, b))]
    lies = [P() if which == shared else P("x") for which in (0, 1)]
    axes = tuple(None if which == shared else 0 for which in (0, 1))
    found, result = kinds(
        jax.vmap(graph.matmul, axes), *(put(mesh, v, spec) for v, spec in zip(values, lies))
    )
    equal(result, jax.vmap(jnp.matmul, axes)(*values))
    assert found == []


def test_vmap_of_batches_and_of_gradients():
    a, b = whole(3, 2, 4, 5), whole(3, 5, 6)
    equal(jax.vmap(graph.matmul)(a, b), jax.vmap(jnp.matmul)(a, b))
    equal(jax.vmap(graph.matmul, (1, None))(a, b[0]), jax.vmap(jnp.matmul, (1, None))(a, b[0]))
    equal(jax.vmap(graph.matmul, (None, 0))(a, b), jax.vmap(jnp.matmul, (None, 0))(a, b[:, None, None]))
    equal(jax.vmap(jax.vmap(graph.matmul, (0, None)))(a, b), jax.vmap(jax.vmap(jnp.matmul, (0, None)))(a, b))
    equal(
        jax.vmap(jax.grad(squares(graph.matmul), (0, 1)))(a, b), jax.vmap(jax.grad(squares(jnp.matmul), (0, 1)))(a, b)
    )
    equal(
        jax.grad(squares(jax.vmap(graph.matmul)), (0, 1))(a, b), jax.grad(squares(jax.vmap(jnp.matmul)), (0, 1))(a, b)
    )


def test_scan():
    """Layers one after another, weights cut by k as FSDP cuts them: one gather in the loop's body."""
    mesh, a = mesh_of((4,)), whole(16, 8)
    weights = np.sign(whole(3, 8, 8))

    def layers(x, all_weights):
        return jax.lax.scan(lambda y, w: (graph.matmul(y, w), None), x, all_weights)[0]

    with jax.set_mesh(mesh):
        found, result = kinds(layers, put(mesh, a, P("x")), put(mesh, weights, P(None, "x")))
    equal(result, a @ weights[0] @ weights[1] @ weights[2])
    assert found == ["all-gather"]


def test_inside_shard_map_it_is_the_devices_own_product():
    mesh, a, b = mesh_of((2, 2)), whole(64, 64), whole(64, 32)
    by_hand = jax.shard_map(
        lambda x, y: jax.lax.psum(graph.matmul(x, y), "y"), mesh=mesh, in_specs=(P("x", "y"), P("y")), out_specs=P("x")
    )
    found, result = kinds(by_hand, put(mesh, a, P("x", "y")), put(mesh, b, P("y")))
    equal(result, a @ b)
    assert found == ["all-reduce"]
    found, result = kinds(jax.grad(squares(by_hand), (0, 1)), put(mesh, a, P("x", "y")), put(mesh, b, P("y")))
    equal(result, jax.grad(squares(jnp.matmul), (0, 1))(a, b))


EXPLICIT = {   # where C is wanted: what moves
    P("x"): ["all-reduce"],
    P("x", "y"): ["reduce-scatter"],
    P(): ["all-reduce", "all-gather"],
    None: ["all-reduce"],
}


@pytest.mark.parametrize("wanted", EXPLICIT)
def test_explicit_axes(wanted):
    mesh, a, b = mesh_of((2, 2), kind=AxisType.Explicit), whole(64, 64), whole(64, 32)
    with jax.set_mesh(mesh):
        operands = put(mesh, a, P("x", "y")), put(mesh, b, P("y"))
        found, result = kinds(lambda x, y: graph.matmul(x, y, out_sharding=wanted), *operands)
        assert found == EXPLICIT[wanted]
        assert wanted is None or result.sharding.is_equivalent_to(NamedSharding(mesh, wanted), 2)
    equal(result, a @ b)


def test_explicit_axes_outside_of_a_program_and_in_a_gradient():
    mesh, a, b = mesh_of((2, 2), kind=AxisType.Explicit), whole(64, 64), whole(64, 32)
    with jax.set_mesh(mesh):
        operands = put(mesh, a, P("x", "y")), put(mesh, b, P("y"))
        equal(graph.matmul(*operands), a @ b)
        found, result = kinds(jax.grad(squares(graph.matmul), (0, 1)), *operands)
        assert [x.sharding.spec for x in result] == [P("x", "y"), P("y", None)]
        assert found == ["all-reduce"] * 2
    equal(result, jax.grad(squares(jnp.matmul), (0, 1))(a, b))


def test_explicit_axes_and_vmap():
    mesh, a, b = mesh_of((2, 2), kind=AxisType.Explicit), whole(8, 16, 32), whole(8, 32, 16)
    with jax.set_mesh(mesh):
        found, result = kinds(jax.vmap(graph.matmul), put(mesh, a, P("x", "y")), put(mesh, b, P("x")))
    equal(result, a @ b)
    assert found == []
