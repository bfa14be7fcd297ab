# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The operation: checked when a program is traced, run by the handlers in libtilewright_graph."""
import ctypes
import functools
import pathlib

import jax
import jax.numpy as jnp

from tilewright import _native

ALGORITHMS = ("naive", "coalescing", "tiled", "tiled_register", "block_tiled", "block_tiled_vectorized", "tensor_core")
TARGET = "tilewright_matmul"


@functools.cache
def _register():
    path = pathlib.Path(_native.__file__).with_name("libtilewright_graph.so")
    if not path.exists():
        raise RuntimeError(
            "this build of tilewright has no graph op: it was built without the headers of XLA's FFI, "
            "which jaxlib brings"
        )
    library = ctypes.CDLL(str(path))
    for platform, handler in (("cpu", library.tilewright_matmul_cpu), ("CUDA", library.tilewright_matmul_cuda)):
        jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(handler), platform=platform)


def _device():
    return "cuda" if jax.default_backend() in ("gpu", "cuda") else "cpu"


def _check(m, n, k, dtype, algorithm, accuracy):
    """Raises ValueError, while the program is traced, when no kernel can do it: a name nobody has, a unit that is
    missing."""
    try:
        _native.kernel_for(max(m, 1), max(n, 1), max(k, 1), str(dtype), accuracy, algorithm, _device())
    except ValueError as error:
        if not algorithm:
            raise
        if algorithm == "tensor_core":
            raise ValueError(
                f"tilewright.matmul: tensor_core needs a matrix unit that can do this product, and tilewright finds "
                f"none on this {_device()}: {error}"
            ) from None
        raise ValueError(
            f"tilewright.matmul: algorithm {algorithm!r} can't be had for this product on this {_device()}; "
            f"expected one of {', '.join(ALGORITHMS)}, or a rung or kernel of `tw ladder --list` ({error})"
        ) from None


def matmul(a, b, *, algorithm=None, accuracy=None, transpose_a=False, transpose_b=False):
    """a @ b inside a jax program, with numpy.matmul's broadcasting of batches. With transpose_a, a is stored
    transposed in its last two dimensions and read so, without a copy; b alike. Differentiable in both."""
    a, b = (x if isinstance(x, jax.Array) else jnp.asarray(x) for x in (a, b))
    if a.dtype != b.dtype:
        raise TypeError(f"tilewright.matmul: a is {a.dtype} and b is {b.dtype}; expected one dtype")
    if a.dtype.name not in ("float64", "float32", "float16", "bfloat16"):
        raise TypeError(f"tilewright.matmul: expected float64, float32, float16 or bfloat16; a is {a.dtype}")
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(
            f"tilewright.matmul: expected matrices or batches of them; a has {a.ndim} dimensions and b {b.ndim}"
        )
    text = "" if accuracy is None else accuracy if isinstance(accuracy, str) else repr(float(accuracy))
    return _compiled(a, b, algorithm or "", text, bool(transpose_a), bool(transpose_b))


def _shape(array, transposed):
    rows, cols = array.shape[-2:]
    return (cols, rows) if transposed else (rows, cols)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4, 5))
def _differentiable(a, b, algorithm, accuracy, transpose_a, transpose_b):
    (m, k), (k_of_b, n) = _shape(a, transpose_a), _shape(b, transpose_b)
    if k != k_of_b:
        raise ValueError(
            f"tilewright.matmul: a is {m} x {k} and b is {k_of_b} x {n}; b's rows must be as many as a's columns"
        )
    _check(m, n, k, a.dtype, algorithm, accuracy)
    _register()
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    # One matrix for the whole batch stays one; other batches are spread out to the result's.
    a, b = (x if x.ndim == 2 else jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b))
    call = jax.ffi.ffi_call(TARGET, jax.ShapeDtypeStruct((*batch, m, n), a.dtype), vmap_method="broadcast_all")
    return call(a, b, algorithm=algorithm, accuracy=accuracy, transpose_a=transpose_a, transpose_b=transpose_b)


def _forward(a, b, algorithm, accuracy, transpose_a, transpose_b):
    return _differentiable(a, b, algorithm, accuracy, transpose_a, transpose_b), (a, b)


def _backward(algorithm, accuracy, transpose_a, transpose_b, operands, g):
    """dA = g B' and dB = A' g, or their transposes when the operand is stored so; every transpose is folded in."""
    a, b = operands
    run = functools.partial(matmul, algorithm=algorithm or None, accuracy=accuracy or None)
    da = run(b, g, transpose_a=transpose_b, transpose_b=True) if transpose_a else run(g, b, transpose_b=not transpose_b)
    db = run(g, a, transpose_a=True, transpose_b=transpose_a) if transpose_b else run(a, g, transpose_a=not transpose_a)
    return _summed(da, a.shape), _summed(db, b.shape)


def _summed(gradient, shape):
    """Over the dimensions that broadcasting added or stretched."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    stretched = tuple(d for d, extent in enumerate(shape) if extent == 1 and gradient.shape[d] != 1)
    return gradient.sum(axis=stretched, keepdims=True) if stretched else gradient


_differentiable.defvjp(_forward, _backward)

# Outside of a program, too, a product is traced once for its shapes, and called by jax's own quick way after that.
_compiled = jax.jit(_differentiable, static_argnums=(2, 3, 4, 5))
