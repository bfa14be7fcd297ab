# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The operators, registered once: schemas, what they do on a CPU and on CUDA, their shapes alone, and autocast."""
import functools

import torch

import tilewright
from tilewright import _native
from tilewright.epilogue import Epilogue

LIBRARY = torch.library.Library("tilewright", "DEF")
HOW = "str accuracy='', int reproducible=0"  # a whole number: torch's rules of sharding are kept by those alone
SCHEMAS = (
    f"matmul(Tensor a, Tensor b, *, {HOW}) -> Tensor",
    f"matmul_out(Tensor a, Tensor b, *, Tensor(a!) out, {HOW}) -> ()",
    f"addmm(Tensor input, Tensor a, Tensor b, *, float beta=1, float alpha=1, str activation='none', {HOW}) -> Tensor",
    "linear(Tensor x, Tensor weight, Tensor? bias=None, Tensor? residual=None, *, str activation='none', "
    f"{HOW}) -> Tensor",
)
OPERATORS = ("matmul", "addmm", "linear")
ACTIVATIONS = ("none", "relu", "gelu", "silu")


def affine(
    a,
    b,
    bias=None,
    residual=None,
    activation="none",
    accuracy="",
    reproducible=False,
    is_transposed=False,
    alpha=1.0,
    out=None,
):
    """activation(alpha a b + bias) + residual of tensors whose gradients somebody else records."""
    reproducible = bool(reproducible)
    product = _native.affine(a, b, bias, residual, activation, accuracy, reproducible, is_transposed, False, alpha, out)
    if product is not NotImplemented:
        return product
    with torch.no_grad():
        epilogue = Epilogue(bias, activation, residual)
        return tilewright.matmul(
            a,
            b.mT if is_transposed else b,
            alpha=alpha,
            accuracy=accuracy or None,
            epilogue=epilogue,
            out=out,
            reproducible=reproducible,
        )


def _matmul(a, b, *, accuracy="", reproducible=False):
    return affine(a, b, accuracy=accuracy, reproducible=reproducible)


def _matmul_out(a, b, *, out, accuracy="", reproducible=False):
    affine(a, b, accuracy=accuracy, reproducible=reproducible, out=out)


def _addmm(input, a, b, *, beta=1.0, alpha=1.0, activation="none", accuracy="", reproducible=False):
    if beta == 1 and input.dim() == 1 and input.shape[0] == b.shape[1]:
        return affine(a, b, input.contiguous(), None, activation, accuracy, reproducible, alpha=alpha)
    added = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype, device=a.device).copy_(input)
    with torch.no_grad():
        return tilewright.matmul(
            a,
            b,
            alpha=alpha,
            beta=beta,
            accuracy=accuracy or None,
            epilogue=activation,
            out=added,
            reproducible=bool(reproducible),
        )


def _linear(x, weight, bias=None, residual=None, *, activation="none", accuracy="", reproducible=False):
    return affine(x, weight, bias, residual, activation, accuracy, reproducible, True)


def _checked(name, a, b, rows_of_b, *others):
    torch._check(
        a.dim() >= 2 and b.dim() >= 2,
        lambda: (
            f"tilewright.torch.{name}: expected matrices or batches of them; they have "
            f"{a.dim()} and {b.dim()} dimensions"
        ),
    )
    torch._check(
        a.shape[-1] == rows_of_b,
        lambda: (
            f"tilewright.torch.{name}: a is {tuple(a.shape)} and b is {tuple(b.shape)}; "
            "the dimension that is summed over must be the same"
        ),
    )
    torch._check(
        all(x is None or x.device == a.device for x in (b, *others)),
        lambda: f"tilewright.torch.{name}: its operands lie on several devices",
    )


def _of_shape(name, a, b, is_transposed, *others):
    _checked(name, a, b, b.shape[-1 if is_transposed else -2], *others)
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return a.new_empty((*batch, a.shape[-2], b.shape[-2 if is_transposed else -1]))


def _fake_addmm(input, a, b, *, activation="none", **how):
    product = _of_shape("addmm", a, b, False, input)
    torch._check(product.dim() == 2, lambda: "tilewright.torch.addmm: expected matrices, no batch")
    torch.broadcast_shapes(input.shape, product.shape)
    return product


FAKES = {
    "matmul": lambda a, b, **how: _of_shape("matmul", a, b, False),
    "matmul_out": lambda a, b, *, out, **how: None,
    "addmm": _fake_addmm,
    "linear": lambda x, weight, bias=None, residual=None, **how: _of_shape("linear", x, weight, True, bias, residual),
}


def _autocast(operator, device, *given, **how):
    """Operands in autocast's type; what is wider than float32 stays as it is."""
    to = torch.get_autocast_dtype(device)
    with torch.autocast(device, enabled=False):
        return operator(
            *(
                x.to(to)
                if isinstance(x, torch.Tensor) and x.dtype in (torch.float32, torch.float16, torch.bfloat16)
                else x
                for x in given
            ),
            **how,
        )


def _register():
    kernels = {"matmul": _matmul, "matmul_out": _matmul_out, "addmm": _addmm, "linear": _linear}
    for schema in SCHEMAS:
        LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for name, kernel in kernels.items():
        for place in ("CPU", "CUDA"):
            LIBRARY.impl(name, kernel, place)
        torch.library.register_fake(f"tilewright::{name}", FAKES[name], lib=LIBRARY)
    for name in OPERATORS:
        operator = getattr(torch.ops.tilewright, name).default
        for place in ("cpu", "cuda"):
            LIBRARY.impl(name, functools.partial(_autocast, operator, place), f"Autocast{place.upper()}")


_register()
