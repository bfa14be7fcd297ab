# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Products of dask arrays by tilewright's kernels: pip install tilewright[dask].

C's block (i, j) is a chain over k's chunks. Each link adds its product to the block before it (the epilogue's
residual), so one partial sum of a block is alive at a time where da.matmul keeps all of them, and the order of the sum
is k's chunks', whichever worker does what.
"""
import dask.array
import numpy
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from tilewright.epilogue import Epilogue
from tilewright.product import matmul as product


def matmul(a, b, *, accuracy=None, same_bits=True):
    """a @ b for dask arrays of two dimensions, as a dask array; a's chunks of rows and b's of columns stay.

    accuracy    as tilewright.matmul takes it: "fp32", "tf32", "bf16", ... or a number, of each chunk's product; adding
                the chunks of k takes one rounding each, of a float32 where a's type is narrower.
    same_bits   a row's bits depend on that row of a, on b and on k's chunks alone: not on the chunks of rows and
                columns, on workers or on their threads. False lets each block take its fastest kernel.

    Where k is cut differently in b, b is cut anew, as a is. A block is multiplied by one thread: dask's workers are the
    others.
    """
    if not isinstance(a, dask.array.Array) or not isinstance(b, dask.array.Array):
        raise TypeError(
            f"tilewright.dask.matmul: expected dask arrays; a is {type(a).__name__} and b is {type(b).__name__}"
        )
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(
            f"tilewright.dask.matmul: a is {a.shape} and b is {b.shape}; expected two dimensions each, and as many "
            "rows of b as a has columns"
        )
    if a.dtype != b.dtype:
        raise TypeError(f"tilewright.dask.matmul: a is {a.dtype} and b is {b.dtype}; a product takes one type")
    if numpy.isnan(sum(a.shape + b.shape)):
        raise ValueError("tilewright.dask.matmul: chunks of unknown size; compute_chunk_sizes() finds them out")
    b = b.rechunk({0: a.chunks[1]})
    name = "tilewright-matmul-" + tokenize(a, b, accuracy, same_bits)
    rows, depths, cols = len(a.chunks[0]), len(a.chunks[1]), len(b.chunks[1])
    graph = {}
    for i in range(rows):
        for j in range(cols):
            before = None
            for k in range(depths):
                is_last = k + 1 == depths
                key = (name, i, j) if is_last else (f"{name}-to-{k}", i, j)
                graph[key] = (_link, (a.name, i, k), (b.name, k, j), before, is_last, accuracy, same_bits)
                before = key
    layers = HighLevelGraph.from_collections(name, graph, dependencies=[a, b])
    return dask.array.Array(layers, name, chunks=(a.chunks[0], b.chunks[1]), meta=a._meta)


def _link(a, b, before, is_last, accuracy, same_bits):
    out = None
    if not is_last and a.dtype.itemsize == 2:
        out = numpy.empty_like(a, dtype=numpy.float32, shape=(a.shape[0], b.shape[1]))
    return product(a, b, out=out, accuracy=accuracy, reproducible=same_bits, threads=1,
                   epilogue=Epilogue(residual=before))
