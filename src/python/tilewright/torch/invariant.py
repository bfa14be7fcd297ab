# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""batch_invariant: torch's own products give a row bits that do not depend on the rows beside it."""
import math
import threading
import warnings

import torch

from tilewright import _native
from tilewright.torch.operators import affine

TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
PLACES = ("CPU", "CUDA")
_lock, _entered, _library, _before = threading.RLock(), 0, None, {}


class batch_invariant:
    """A context, and a switch: mm, addmm, bmm, baddbmm, mv, addmv, and so matmul and linear, and mean take tilewright's
    `reproducible` products on the CPU and on CUDA, in all threads. What others compile (torch.compile's own kernels) is
    theirs.

    >>> import torch, tilewright.torch
    >>> x, w = torch.randn(7, 300), torch.randn(300, 200)
    >>> with tilewright.torch.batch_invariant():
    ...     torch.equal((x @ w)[3:4], x[3:4] @ w)
    True
    """

    def __enter__(self):
        self.enable()
        return self

    def __exit__(self, *_):
        self.disable()

    @staticmethod
    def enable():
        """Turns it on until disable() is called as often."""
        global _entered, _library
        with _lock:
            _entered += 1
            if _entered == 1:
                _library = _overrides()

    @staticmethod
    def disable():
        global _entered, _library
        with _lock:
            if _entered == 0:
                raise RuntimeError("tilewright.torch.batch_invariant: disable() without an enable() before it")
            _entered -= 1
            if _entered == 0:
                _library._destroy()
                _library = None

    @staticmethod
    def is_enabled():
        return _entered > 0


def _overrides():
    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that kernels of torch's are replaced: it is what was asked for
        for place in PLACES:
            for name, kernel in KERNELS.items():
                _before.setdefault((name, place), torch.library.get_kernel(f"aten::{name}", place))
                library.impl(name, _or_torchs(name, kernel), place)
    return library


def _or_torchs(name, kernel):
    """Numbers that tilewright has no products of (integers, complex ones, float8) stay with torch. Two plain operands,
    which is most of what a model does, are tried before anything is asked about them."""
    is_plain = kernel is _product

    def either(*given, **named):
        if is_plain:
            product = _native.affine(*given, None, None, "none", None, True, False, False, 1.0, None)
            if product is not NotImplemented:
                return product
        tensors = [x for x in given if isinstance(x, torch.Tensor)]
        if all(x.dtype in TYPES and x.dtype == tensors[0].dtype for x in tensors):
            result = kernel(*given, **named)
            if result is not NotImplemented:
                return result
        before = _before[name, "CUDA" if tensors[0].is_cuda else "CPU"]
        keys = torch._C._dispatch_keys(tensors[0])
        return before.call_boxed(keys, *given, **named)
    return either


def _product(a, b, **beside):
    return affine(a, b, reproducible=True, **beside)


def _added(input, product, beta, alpha):
    """beta input + alpha product, in torch's order of rounding: the product first, in its own type."""
    product = product if alpha == 1 else alpha * product
    return product if beta == 0 else product + (input if beta == 1 else beta * input)


def _mm_out(a, b, *, out):
    return _into(out, _product(a, b))


def _addmm(input, a, b, *, beta=1, alpha=1):
    if beta == 1 and alpha == 1 and input.dim() == 1 and input.shape[0] == b.shape[1]:
        return _product(a, b, bias=input.contiguous())
    return _added(input, _product(a, b), beta, alpha)


def _addmm_out(input, a, b, *, beta=1, alpha=1, out):
    return _into(out, _addmm(input, a, b, beta=beta, alpha=alpha))


def _bmm_out(a, b, *, out):
    return _into(out, _product(a, b))


def _baddbmm(input, a, b, *, beta=1, alpha=1):
    return _added(input, _product(a, b), beta, alpha)


def _mv(a, x):
    """As linear has it: x is the row, so that a vector alone has the bits of a row."""
    return _product(x[None], a.mT)[0]


def _addmv(input, a, x, *, beta=1, alpha=1):
    return _added(input, _mv(a, x), beta, alpha)


def _mean(x, dim=None, keepdim=False, *, dtype=None):
    """A product with ones: torch shares a long sum among threads by how many sums there are."""
    if dtype is not None and dtype != x.dtype:
        if dtype not in TYPES:
            return NotImplemented
        x = x.to(dtype)
    dims = range(x.dim()) if dim is None or len(dim) == 0 else sorted(d % x.dim() for d in dim)
    count = math.prod(x.shape[d] for d in dims)
    if x.dim() == 0 or count == 0:
        return NotImplemented
    kept = [d for d in range(x.dim()) if d not in dims]
    rows = x.permute(*kept, *dims).reshape(-1, count)
    sums = affine(rows, x.new_ones(count, 1), reproducible=True, alpha=1 / count)
    return sums.reshape(
        [1 if d in dims else x.shape[d] for d in range(x.dim())] if keepdim else [x.shape[d] for d in kept]
    )


def _into(out, product):
    if out.shape != product.shape:
        out.resize_(product.shape)
    return out.copy_(product)


KERNELS = {
    "mm": _product,
    "mm.out": _mm_out,
    "addmm": _addmm,
    "addmm.out": _addmm_out,
    "bmm": _product,
    "bmm.out": _bmm_out,
    "baddbmm": _baddbmm,
    "mv": _mv,
    "addmv": _addmv,
    "mean.dim": _mean,
}
