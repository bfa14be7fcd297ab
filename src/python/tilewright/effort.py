# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Matrices whose products read only as much of them as the caller allows."""
import os

import numpy

from tilewright import _native
from tilewright.arrays import (
    CUDA,
    check_device,
    contiguous,
    current_stream,
    dtype_name,
    empty_like,
    exported,
    library_of,
    lives_on_cuda,
    thread_count,
)


class EffortMatrix:
    """Weights (outputs x inputs) with an effort dial; three dimensions are a batch of experts.

    weights     anything with DLPack or the buffer protocol, on the CPU: float32, float16 or bfloat16. They are copied.
    layout      "planes" (the best answer for the bytes read), "tiers" (lossless) or "buckets".
    bucket      outputs a bucket, of buckets alone: 8, 16 or 32.
    truncating  buckets alone: the format that cuts the low bits instead of rounding to what is left.
    dense       whether the values are kept beside, for effort 1 and batches: "automatic", "kept" or "absent".
    planes      planes alone: 2 leaves the last one out, 4.5 bits a weight in memory instead of 8.5; on the CPU alone.

    >>> import numpy, tilewright
    >>> weights = numpy.eye(64, dtype=numpy.float32)
    >>> matrix = tilewright.EffortMatrix(weights, layout="tiers")
    >>> y, report = matrix.matvec(numpy.arange(64), effort=1)
    >>> bool((y == numpy.arange(64)).all()), report.rows_read == report.rows
    (True, True)
    """

    def __init__(self, weights, *, layout="planes", bucket=16, truncating=False, dense="automatic", planes=3,
                 threads=0):
        self._native = _native.build_effort(
            exported(weights, "weights", 0),
            dtype_name(weights),
            layout,
            bucket,
            truncating,
            _named(_native.DenseCopy, "dense", dense),
            planes,
            thread_count(threads),
        )

    @classmethod
    def load(cls, path, *, planes=None, keeps_dense=True, mapped=False):
        """Reads what save() wrote; ValueError says where a file is not what it should be.

        planes       of planes: 2 leaves the last one on the disk, 3 needs it; left out: as many as the file has.
        keeps_dense  False: the dense copy stays on the disk, too.
        mapped       True: the file is mapped instead of read, so that processes share it and nothing is copied. It may
                     be replaced then, not written to.
        """
        matrix = cls.__new__(cls)
        matrix._native = _native.load_effort(os.fspath(path), planes or 0, keeps_dense, mapped)
        return matrix

    def save(self, path):
        """Writes a file for load(): beside it first, then renamed, so that an older one is never half overwritten."""
        self._native.save(os.fspath(path))

    shape = property(lambda self: (self._native.outputs, self._native.inputs))
    experts = property(lambda self: self._native.experts)
    layout = property(lambda self: self._native.layout)
    rows = property(lambda self: self._native.rows, doc="Of one expert: its inputs times the units of an input.")
    nbytes = property(lambda self: self._native.bytes, doc="Of one expert's layout: what effort 1 reads.")
    planes = property(lambda self: self._native.planes, doc="That are kept, 3 or 2; 0 of other layouts.")
    has_dense = property(lambda self: self._native.has_dense)
    bytes_held = property(lambda self: self._native.bytes_held, doc="Of everything that is in memory.")

    def __repr__(self):
        experts = f", {self.experts} experts" if self.experts > 1 else ""
        return f"EffortMatrix({self.shape[0]} x {self.shape[1]}, {self.layout}{experts})"

    def place(self, device):
        """Lays the weights out in a device's memory now; the first product there does otherwise, which a graph can't
        capture."""
        self._native.place(device)

    def fill(self, v, y, budget, threads=0, is_error=False):
        """Writes the product with row i of v, at an effort or an error, to row i of y, and returns the reports:
        matvec() on the CPU for those who have contiguous rows of float32, without what it looks for first."""
        return self._native.products(v, y, is_error, budget, [], _native.DenseSwitch.at_full, threads, "cpu", 0)

    def matvec(self, v, *, effort=None, error=None, experts=None, dense="at_full", threads=0, device=None):
        """(y, report): y = W v at a share of the work, or at the error allowed; exactly one of the two is given.

        v        one vector, or one a row. Up to 3 rows take the dial each, from 4 on everything is read.
        effort   the share of the layout's bytes that may be read, in [0, 1].
        error    the largest |y - W v| / |W v|, as predicted before the product.
        experts  of a batch of experts, which: row i of y is by expert experts[i]; a single vector is every expert's.
                 An array of int32 beside a v in a CUDA device's memory is read there, by planes on Hopper: a captured
                 graph then takes other experts at each replay, and one that does not exist makes a row of NaN.
        dense    when values kept beside do the product instead: "at_full", "when_quicker" or "never".
        device   "cpu", "cuda" or "cuda:1", where the weights stay once they were there; left out: where v lives.

        A v of torch or cupy in a CUDA device's memory is float32, and so is y, of the same library. It is enqueued on
        the library's stream, which may be captured; what only the device knows is -1 in the report then.
        The report says what was read and the error that is expected; it is a list of them when v or experts has rows.
        """
        if (effort is None) == (error is None):
            raise ValueError("matvec: expected exactly one of effort= and error=")
        check_device(device)
        is_far = lives_on_cuda(v) and library_of(v) in ("torch", "cupy")
        if is_far and dtype_name(v) != "float32":
            raise ValueError(f"matvec: a v in a device's memory is float32; it is {dtype_name(v)}")
        rows = contiguous(v) if is_far else numpy.ascontiguousarray(v, dtype=numpy.float32)
        if rows.ndim not in (1, 2) or rows.shape[-1] != self.shape[1]:
            spelled = " x ".join(map(str, rows.shape)) or "a number"
            raise ValueError(f"matvec: v is {spelled}; expected {self.shape[1]} values, or rows of as many")
        many = rows.ndim == 2 or experts is not None
        rows = rows.reshape(-1, self.shape[1])
        far_experts = is_far and experts is not None and lives_on_cuda(experts)
        if far_experts and (dtype_name(experts) != "int32" or experts.ndim != 1):
            raise ValueError(f"matvec: experts in a device's memory are a vector of int32; it is {experts.ndim} "
                             f"dimensions of {dtype_name(experts)}")
        chosen = [] if experts is None or far_experts else [int(expert) for expert in experts]
        y = empty_like(rows, (len(rows) if experts is None else len(experts), self.shape[0]))
        if len(y) == 0:
            return y, []
        stream = current_stream(rows) if is_far else 0
        reports = self._native.products(
            exported(rows, "v", stream),
            exported(y, "y", stream),
            effort is None,
            float(error if effort is None else effort),
            chosen,
            _named(_native.DenseSwitch, "dense", dense),
            thread_count(threads),
            device or _device_of(rows),
            stream,
            exported(contiguous(experts), "experts", stream) if far_experts else None,
        )
        return (y, reports) if many else (y[0], reports[0])


def _device_of(array):
    """The name of the device whose memory this is."""
    kind, number = array.__dlpack_device__()
    return f"cuda:{number}" if int(kind) == CUDA else "cpu"


def _named(kind, what, name):
    """The member of a native enumeration with this name."""
    try:
        return kind[name]
    except KeyError:
        raise ValueError(f"{what}: expected {', '.join(kind.__members__)}; it is '{name}'") from None
