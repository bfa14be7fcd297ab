# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""torch.vmap's rules for the operators: what is mapped over becomes a batch of one product."""
import torch

from tilewright.torch import dial  # noqa: F401: which defines matvec
from tilewright.torch.operators import LIBRARY

OPS = torch.ops.tilewright


def _first(x, mapped, logical):
    """x with what is mapped over in front of `logical` dimensions; as it was where nothing is."""
    if x is None or mapped is None:
        return x
    x = x.movedim(mapped, 0)
    return x.reshape(x.shape[0], *[1] * (logical + 1 - x.dim()), *x.shape[1:])


def _matmul(info, mapped, a, b, **how):
    logical = max(x.dim() - (dim is not None) for x, dim in zip((a, b), mapped))
    return OPS.matmul(*(_first(x, dim, logical) for x, dim in zip((a, b), mapped)), **how), 0


def _linear(info, mapped, x, weight, bias=None, residual=None, **how):
    given = (x, weight, bias, residual)
    mapped = tuple(mapped) + (None,) * (len(given) - len(mapped))
    if mapped[2] is not None or (mapped[0] is None and mapped[1] is None):  # a bias for each, or a residual: in turns
        each = [
            OPS.linear(*(y if dim is None else y.select(dim, i) for y, dim in zip(given, mapped)), **how)
            for i in range(info.batch_size)
        ]
        return torch.stack(each), 0
    logical = max(y.dim() - (dim is not None) for y, dim in zip(given[:2], mapped))
    x, weight, residual = (
        _first(y, dim, logical) for y, dim in ((x, mapped[0]), (weight, mapped[1]), (residual, mapped[3]))
    )
    if residual is not None and mapped[3] is None:
        residual = residual.expand(info.batch_size, *residual.shape)
    return OPS.linear(x, weight, bias, residual, **how), 0


def _matvec(info, mapped, x, matrix, outputs, effort):
    return OPS.matvec(x.movedim(mapped[0], 0), matrix, outputs, effort), 0


for _name, _rule in (("matmul", _matmul), ("linear", _linear), ("matvec", _matvec)):
    torch.library.register_vmap(f"tilewright::{_name}", _rule, lib=LIBRARY)
