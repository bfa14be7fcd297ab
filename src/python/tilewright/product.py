# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""matmul: one product, or a batch of them, on anybody's arrays. tilewright.matmul does by itself what needs no Python,
and comes here for the rest and for what is wrong."""
import functools

import numpy

from tilewright import _native
from tilewright.arrays import (
    check_device,
    contiguous,
    current_stream,
    dtype_name,
    empty_like,
    exported,
    is_jax,
    library_of,
    lives_on_cuda,
    thread_count,
    whole_number,
)
from tilewright.epilogue import Epilogue


def matmul(a, b, *, out=None, alpha=1.0, beta=0.0, accuracy=None, epilogue=None, verify=False, device=None,
           algorithm=None, reproducible=False, slabs=0, threads=0, stream=None):
    """epilogue(alpha * a @ b + beta * out), with the shapes and broadcasting of numpy.matmul.

    a, b        anything with DLPack or the buffer protocol: NumPy, torch, CuPy, memoryview; on the CPU or on a CUDA
                device. Elements are float64, float32, float16, bfloat16 (ml_dtypes' too), complex128 or complex64.
                jax's arrays go to tilewright.graph.matmul, inside jax.jit as well.
    out         where to write; it has a's dtype, or float32 for narrower operands. Left out: a fresh array of a's
                library. NumPy's may share memory with an operand, as numpy.matmul's may.
    accuracy    "fp32", "tf32", "bf16", ... or a number, the largest error allowed: see docs/accuracy.md.
    epilogue    a tilewright.Epilogue, or the name of an activation.
    verify      True checks the result in O(n^2); ArithmeticError when it can't be right, twice. "correct" finds what is
                wrong by sums of rows and columns, and makes that again.
    device      "cpu", "cuda", "cuda:1"; "cuda:*" cuts one product of the host's arrays over all GPUs; left out: where
                the operands live.
    algorithm   a rung or kernel by name: "tiled_register", "r7_hierarchical"; left out: the cheapest.
    reproducible  a row's bits depend on that row of a, on b and on k alone.
    slabs       a power of two: k in so many parts, added in a tree; a half of k by half as many slabs has the bits of
                its half of the tree, a quarter those of its quarter (docs/rules.md, rule 40).
    stream      of a CUDA device, as a number; left out: the one that the array's library is working on.

    A torch tensor that asks for a gradient is refused where gradients are recorded: tilewright.torch.matmul has them.

    Raises ValueError for shapes and names, TypeError for dtypes, with what was expected and what came.

    >>> import numpy, tilewright
    >>> a = numpy.ones((2, 3), numpy.float32)
    >>> tilewright.matmul(a, 2 * a.T, accuracy="tf32", verify=True)
    array([[6., 6.],
           [6., 6.]], dtype=float32)
    >>> tilewright.matmul(a, a)
    Traceback (most recent call last):
    ...
    ValueError: matmul: a is 2 x 3 and b is 2 x 3; b's rows must be as many as a's columns
    """
    if is_jax(a) or is_jax(b):
        return _through_the_graph(a, b, out, alpha, beta, accuracy, epilogue, algorithm, reproducible, slabs)
    a, b, lost = _as_matrices(a, b)
    shape = _shape_of_product(a, b)
    if out is None:
        if beta != 0:
            raise ValueError(
                f"matmul: beta is {beta}, and there is no out for it to scale; give out=, or leave beta at 0"
            )
        target = empty_like(a, shape)
    else:
        target = out if not lost else _with_lost(out, lost)
        if tuple(target.shape) != shape:
            raise ValueError(f"matmul: out is {_spelled(out.shape)}; expected {_spelled(_without(shape, lost))}")
    if isinstance(epilogue, str):
        epilogue = Epilogue(activation=epilogue)
    epilogue = epilogue or Epilogue()
    check_device(device)
    if algorithm is not None and not isinstance(algorithm, str):
        raise TypeError(f"algorithm: expected the name of a rung or kernel; it is {algorithm!r}")
    if stream is not None and whole_number(stream, "stream") < 0:
        raise ValueError(f"stream: expected a stream's address, or 0 for the default one; it is {stream}")
    own = current_stream(target) if lives_on_cuda(target) else 0
    stream = own if stream is None else stream

    def give(array, name):
        return (
            None
            if array is None
            else exported(array, name, stream, stream == own and library_of(array) == library_of(target))
        )

    bias = None if epilogue.bias is None else _row(_array(epilogue.bias, "bias"))
    residual = None if epilogue.residual is None else _array(epilogue.residual, "residual")
    beside = target.copy() if _shares_memory(target, (a, b, bias, residual)) else target
    _native.matmul(
        give(a, "a"),
        give(b, "b"),
        give(beside, "out"),
        dtype_name(a),
        dtype_name(b),
        dtype_name(target),
        _scalar(alpha),
        _scalar(beta),
        _accuracy_text(accuracy),
        algorithm or "",
        device or "",
        stream,
        thread_count(threads),
        bool(reproducible),
        _slab_count(slabs),
        _verify_level(verify),
        float(epilogue.scale),
        epilogue.activation,
        give(bias, "bias"),
        dtype_name(bias),
        give(residual, "residual"),
        dtype_name(residual),
    )
    if beside is not target:
        target[...] = beside
    return out if out is not None else _without_lost(target, lost)


def _through_the_graph(a, b, out, alpha, beta, accuracy, epilogue, algorithm, reproducible, slabs):
    if out is not None or beta != 0 or epilogue is not None:
        raise TypeError(
            "matmul: jax's arrays are never written to: expected no out, beta or epilogue; add what you want to the "
            "result"
        )
    operation = _operation()
    product = operation.matmul(a, b, algorithm=algorithm, accuracy=accuracy, reproducible=reproducible, slabs=slabs)
    if not operation.is_traced(product):
        _met(type(product))
    return product if alpha == 1 else alpha * product


@functools.cache
def _operation():
    from tilewright.graph import operation
    return operation


@functools.cache
def _met(kind):
    """From the first product on, two of jax's arrays with nothing else asked for go there without coming here."""
    _native.entrance_for(kind, _operation().plain)


def _scalar(number):
    """Real, or complex for complex operands: a real product refuses an imaginary part."""
    return complex(number) if isinstance(number, (complex, numpy.complexfloating)) else float(number)


def _slab_count(slabs):
    """As the native module takes it, where a count out of range is refused."""
    return max(-1, min(whole_number(slabs, "slabs"), 2**31 - 1))


def _verify_level(verify):
    """As tw::Verify numbers them."""
    if isinstance(verify, str):
        if verify != "correct":
            raise ValueError(f'verify: expected True, False or "correct"; it is {verify!r}')
        return 2
    return int(bool(verify))


def _accuracy_text(accuracy):
    return "auto" if accuracy is None else accuracy if isinstance(accuracy, str) else repr(float(accuracy))


def _as_matrices(a, b):
    """Both with two dimensions at least; `lost` names those of the result that vectors don't have."""
    a, b = _array(a, "a"), _array(b, "b")
    lost = ("rows",) if len(a.shape) == 1 else ()
    if len(b.shape) == 1:
        lost += ("cols",)
    if not a.shape or not b.shape:
        raise ValueError("matmul: expected matrices or vectors; a number has no rows: use *")
    return (a[None, :] if len(a.shape) == 1 else a), (b[:, None] if len(b.shape) == 1 else b), lost


def _array(x, name):
    return x if hasattr(x, "shape") and not isinstance(x, memoryview) else numpy.asarray(_memoryview_of(x, name))


def _memoryview_of(x, name):
    try:
        return memoryview(x)
    except TypeError:
        raise TypeError(
            f"{name}: expected an array with DLPack or the buffer protocol; it is {type(x).__name__}"
        ) from None


def _shape_of_product(a, b):
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"matmul: a is {_spelled(a.shape)} and b is {_spelled(b.shape)}; b's rows must be as many as a's columns"
        )
    try:
        batch = numpy.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2]))
    except ValueError:
        raise ValueError(
            f"matmul: a is {_spelled(a.shape)} and b is {_spelled(b.shape)}; their batches can't be broadcast"
        ) from None
    return (*batch, int(a.shape[-2]), int(b.shape[-1]))


def _spelled(shape):
    return " x ".join(str(int(extent)) for extent in shape) or "a number"


def _row(bias):
    return contiguous(bias[None, :] if len(bias.shape) == 1 else bias)


def _shares_memory(target, operands):
    """True of NumPy's arrays that may overlap: what is written would be read again."""
    return isinstance(target, numpy.ndarray) and any(
        isinstance(x, numpy.ndarray) and numpy.may_share_memory(target, x) for x in operands
    )


def _without(shape, lost):
    rows = () if "rows" in lost else (shape[-2],)
    return (*shape[:-2], *rows, *(() if "cols" in lost else (shape[-1],)))


def _without_lost(target, lost):
    return target.reshape(_without(target.shape, lost)) if lost else target


def _with_lost(out, lost):
    if "cols" in lost:
        out = out[..., None]
    return out[..., None, :] if "rows" in lost else out
