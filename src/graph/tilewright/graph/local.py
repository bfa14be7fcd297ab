# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""One device's product: an operation of the compiled program, run by the handlers in libtilewright_graph."""
import ctypes
import functools
import pathlib
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy

from tilewright import _native

ALGORITHMS = ("naive", "coalescing", "tiled", "tiled_register", "block_tiled", "block_tiled_vectorized", "tensor_core")
TARGET = "tilewright_matmul"


class Asked(NamedTuple):
    """What the caller asked for, as jax keeps it with a program."""

    algorithm: str = ""
    accuracy: str = ""
    transpose_a: bool = False
    transpose_b: bool = False
    reproducible: bool = False
    slabs: int = 0
    same_bits: bool = False
    overlap: bool = False


@functools.cache
def register():
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


def check(m, n, k, dtype, asked):
    """Raises ValueError, while the program is traced, when no kernel can do it: a name nobody has, a unit that is
    missing."""
    try:
        _native.kernel_for(
            max(m, 1), max(n, 1), max(k, 1), str(dtype), asked.accuracy, asked.algorithm, _device(),
            asked.reproducible, asked.slabs
        )
    except ValueError as error:
        if not asked.algorithm:
            raise
        if asked.algorithm == "tensor_core":
            raise ValueError(
                f"tilewright.matmul: tensor_core needs a matrix unit that can do this product, and tilewright finds "
                f"none on this {_device()}: {error}"
            ) from None
        raise ValueError(
            f"tilewright.matmul: algorithm {asked.algorithm!r} can't be had for this product on this {_device()}; "
            f"expected one of {', '.join(ALGORITHMS)}, or a rung or kernel of `tw ladder --list` ({error})"
        ) from None


def shape_of(array, transposed):
    rows, cols = array.shape[-2:]
    return (cols, rows) if transposed else (rows, cols)


def product(a, b, asked, dtype, added=None):
    """C of `dtype`, by this device alone. Each operand is one matrix for the whole batch, or has the result's batch.
    `added`: a matrix like C that the product is added to, rounded once more."""
    register()
    batch = max(a.shape[:-2], b.shape[:-2], key=len)
    shape = (*batch, shape_of(a, asked.transpose_a)[0], shape_of(b, asked.transpose_b)[1])
    call = jax.ffi.ffi_call(TARGET, jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)))
    return call(
        a, b, *([] if added is None else [added]), algorithm=asked.algorithm, accuracy=asked.accuracy,
        transpose_a=asked.transpose_a, transpose_b=asked.transpose_b, reproducible=asked.reproducible,
        slabs=numpy.int64(asked.slabs)
    )
