# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The operation: checked when a program is traced, with batches, gradients and vmap, on a device or on a mesh."""
import functools
import operator

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jax.sharding import NamedSharding, PartitionSpec

from tilewright.graph import doors, local
from tilewright.graph.local import Asked
from tilewright.graph.wire import wire_for

SLABS = 8  # of same_bits, when the caller names no number
PLAIN = Asked()
TYPES = frozenset(map(jnp.dtype, ("float64", "float32", "float16", "bfloat16", "complex64", "complex128")))


def matmul(a, b, *, algorithm=None, accuracy=None, transpose_a=False, transpose_b=False, reproducible=False, slabs=0,
           same_bits=False, overlap=False, out_sharding=None):
    """a @ b inside a jax program, with numpy.matmul's broadcasting of batches. With transpose_a, a is stored
    transposed in its last two dimensions and read so, without a copy; b alike. Differentiable in both; complex
    products have jax's gradients, which are transposes and no conjugates.

    On a mesh each axis cuts m, n, k or the batch, whichever moves the fewest bytes; tilewright.graph.plan shows them.

    reproducible  a row's bits depend on that row of a, on b and on k alone.
    slabs         a power of two: k in so many parts, added in a tree (docs/rules.md, rule 40).
    same_bits     the same bits on every mesh that cuts k into parts that divide `slabs` (8 when left out), m, n and the
                  batch however it likes; partial sums travel whole and are added in the order of the tree.
    overlap       what is gathered along k, or summed over it, goes from device to device in pieces, and the product of
                  one piece is made while the next is on its way (docs/graph.md says when that pays).
    out_sharding  where the product is to lie, a PartitionSpec or NamedSharding; left out: the partitioner's choice, and
                  on Explicit axes cut as the operands' rows, columns and batch are.
    """
    a = a if isinstance(a, jax.Array) else jnp.asarray(a)
    b = b if isinstance(b, jax.Array) else jnp.asarray(b)
    asked = asked_for(a.dtype, algorithm, accuracy, transpose_a, transpose_b, reproducible, slabs, same_bits, overlap)
    return _called(a, b, asked, spec_wanted(out_sharding))


def plain(a, b):
    """The product of two arrays outside a program when nothing else is asked for: the way of tilewright.matmul."""
    return _called(a, b, PLAIN, None)


@functools.lru_cache(maxsize=256, typed=True)  # outside a program each call comes here; typed: 1.0 is no count of slabs
def asked_for(dtype, algorithm, accuracy, transpose_a, transpose_b, reproducible, slabs, same_bits, overlap=False):
    """The caller's words as a program keeps them; ValueError where two of them can't go together."""
    text = "" if accuracy is None else accuracy if isinstance(accuracy, str) else repr(float(accuracy))
    try:
        slabs = operator.index(slabs)
    except TypeError:
        raise TypeError(f"tilewright.matmul: slabs: expected a whole number; it is {slabs!r}") from None
    if same_bits and wire_for(text, jnp.dtype(dtype).name, 1) is not None:
        raise ValueError(
            f"tilewright.matmul: same_bits and accuracy {text}: what travels as 16 bits is rounded where a mesh sends "
            f"it, so that bits would depend on the mesh; expected fp32 or more, or same_bits=False"
        )
    slabs = SLABS if same_bits and slabs == 0 else max(min(slabs, 2**31 - 1), -1)
    return Asked(
        algorithm or "", text, bool(transpose_a), bool(transpose_b), bool(reproducible), slabs, bool(same_bits),
        bool(overlap)
    )


def spec_wanted(out_sharding):
    if out_sharding is None or isinstance(out_sharding, (PartitionSpec, NamedSharding)):
        return out_sharding
    raise TypeError(
        f"tilewright.matmul: out_sharding: expected a PartitionSpec or a NamedSharding; it is "
        f"{type(out_sharding).__name__}"
    )


def _called(a, b, asked, wanted):
    """What depends on types and shapes alone is checked when the product is traced, and not at every call."""
    try:
        return _compiled(a, b, asked, wanted)
    except ValueError as error:
        failed = error
    check_devices(a, b)
    raise failed


def is_traced(array):
    """True for what stands for an array while a program is traced."""
    return isinstance(array, jax.core.Tracer)


def check_devices(a, b):
    """Arrays outside a program that lie on different devices: jax speaks of a function that the caller never wrote."""
    places = [x.sharding for x in (a, b) if not is_traced(x)]
    if len(places) == 2 and all(isinstance(place, NamedSharding) for place in places):
        if places[0].device_set != places[1].device_set:
            raise ValueError(
                f"tilewright.matmul: a lies on the mesh {dict(places[0].mesh.shape)} of {len(places[0].device_set)} "
                f"devices and b on the mesh {dict(places[1].mesh.shape)} of {len(places[1].device_set)}; expected the "
                f"same devices"
            )


def _product(a, b, asked, wanted):
    if a.dtype != b.dtype:
        raise TypeError(f"tilewright.matmul: a is {a.dtype} and b is {b.dtype}; expected one dtype")
    if a.dtype not in TYPES:
        raise TypeError(
            f"tilewright.matmul: expected float64, float32, float16, bfloat16, complex64 or complex128; a is {a.dtype}"
        )
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"tilewright.matmul: expected matrices or batches of them; a has {a.ndim} dimensions and b {b.ndim}"
        )
    return _differentiable(a, b, asked, wanted)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def _differentiable(a, b, asked, wanted):
    (m, k), (k_of_b, n) = local.shape_of(a, asked.transpose_a), local.shape_of(b, asked.transpose_b)
    if k != k_of_b:
        raise ValueError(
            f"tilewright.matmul: a is {m} x {k} and b is {k_of_b} x {n}; b's rows must be as many as a's columns"
        )
    local.check(m, n, k, a.dtype, asked)
    return _batched(asked, wanted)(a, b)


@functools.cache
def _batched(asked, wanted):
    """The product with a rule for vmap: the mapped dimension becomes the first of the batch."""
    product = custom_vmap(functools.partial(_spread, asked=asked, wanted=wanted))

    @product.def_vmap
    def mapped(size, is_mapped, a, b):
        batch = max(a.ndim - is_mapped[0], b.ndim - is_mapped[1]) - 2
        a, b = (_lifted(x, batch) if mine else x for x, mine in zip((a, b), is_mapped))
        return _batched(asked, _deeper(wanted))(a, b), True

    return product


def _lifted(x, batch):
    """x with its first dimension before so many of a batch."""
    return x.reshape(x.shape[0], *[1] * (batch + 3 - x.ndim), *x.shape[1:])


def _deeper(wanted):
    """Where C is to lie with the mapped dimension before its own: that one lies as it comes."""
    if isinstance(wanted, NamedSharding):
        return NamedSharding(wanted.mesh, _deeper(wanted.spec))
    return None if wanted is None else PartitionSpec(PartitionSpec.UNCONSTRAINED, *wanted)


def _spread(a, b, asked, wanted):
    """One matrix for the whole batch stays one; other batches are spread out to the result's."""
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (x if x.ndim == 2 else jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    return doors.on_mesh(a, b, asked, wanted)


def _forward(a, b, asked, wanted):
    return _differentiable(a, b, asked, wanted), (a, b)


def _backward(asked, wanted, operands, g):
    """dA = g B' and dB = A' g, or their transposes when the operand is stored so; every transpose is folded in."""
    a, b = operands
    of_a, of_b = asked.transpose_a, asked.transpose_b

    def run(x, y, transpose_x, transpose_y, like):
        turned = asked._replace(transpose_a=transpose_x, transpose_b=transpose_y)
        lies = doors.explicit_spec(like) if like.ndim == g.ndim else None
        return doors.laid_as(_summed(_differentiable(x, y, turned, lies), like.shape), like)

    da = run(b, g, of_b, True, a) if of_a else run(g, b, False, not of_b, a)
    db = run(g, a, True, of_a, b) if of_b else run(a, g, not of_a, False, b)
    return da, db


def _summed(gradient, shape):
    """Over the dimensions that broadcasting added or stretched."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    stretched = tuple(d for d, extent in enumerate(shape) if extent == 1 and gradient.shape[d] != 1)
    return gradient.sum(axis=stretched, keepdims=True) if stretched else gradient


_differentiable.defvjp(_forward, _backward)

# Outside of a program, too, a product is traced once for its shapes, and called by jax's own quick way after that.
_compiled = jax.jit(_product, static_argnums=(2, 3))
