# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""matmul, addmm and linear for torch's tensors. Where nobody watches (no gradient, no autocast, no torch.compile, no
mode) a call goes to the product without passing torch's dispatcher."""
import torch

from tilewright import _native
from tilewright.torch.gradients import record_addmm, record_linear, record_matmul, text_of

OPS = torch.ops.tilewright
is_traced = (
    torch.compiler.is_dynamo_compiling
)  # it rewrites this; other ways of tracing are modes, which the product looks for


def matmul(a, b, *, out=None, accuracy=None, reproducible=False):
    """a @ b with torch.matmul's shapes, at an accuracy ("fp32", "tf32", a number: docs/accuracy.md). reproducible: the
    bits of a row depend on that row, on b and on nothing else.

    >>> import torch, tilewright.torch
    >>> a = torch.ones(2, 3, requires_grad=True)
    >>> tilewright.torch.matmul(a, torch.ones(3, 4)).sum().backward()
    >>> a.grad
    tensor([[4., 4., 4.],
            [4., 4., 4.]])
    """
    if not is_traced():
        product = _native.affine(a, b, None, None, "none", accuracy, reproducible, False, True, 1.0, out)
        if type(product) is tuple:
            return record_matmul(product, a, b, accuracy, reproducible)
        if product is not NotImplemented:
            return product
    text = text_of(accuracy)
    if a.dim() == 1 or b.dim() == 1:
        return _of_vectors(a, b, out, text, reproducible)
    if out is None:
        return OPS.matmul(a, b, accuracy=text, reproducible=reproducible)
    _refuse_recorded(out, a, b)
    OPS.matmul_out(a, b, out=out, accuracy=text, reproducible=reproducible)
    return out


def _refuse_recorded(out, *operands):
    if torch.is_grad_enabled() and any(x.requires_grad for x in (out, *operands)):
        raise ValueError("tilewright.torch: out= has no gradient: expected operands that ask for none, or no out")


def _of_vectors(a, b, out, text, reproducible):
    is_row, is_column = a.dim() == 1, b.dim() == 1
    product = OPS.matmul(
        a[None] if is_row else a, b[:, None] if is_column else b, accuracy=text, reproducible=reproducible
    )
    product = product.squeeze(-1) if is_column else product
    product = product.squeeze(-1 if is_column else -2) if is_row else product
    if out is None:
        return product
    _refuse_recorded(out, a, b)
    return out.copy_(product)


def linear(x, weight, bias=None, *, activation="none", residual=None, accuracy=None, reproducible=False):
    """activation(x weight' + bias) + residual, as torch.nn.functional.linear has it; activations: none, relu, gelu
    (erf), silu."""
    if not is_traced():
        product = _native.affine(x, weight, bias, residual, activation, accuracy, reproducible, True, True, 1.0, None)
        if type(product) is tuple:
            return record_linear(product, x, weight, bias, residual, activation, accuracy, reproducible)
        if product is not NotImplemented:
            return product
    text = text_of(accuracy)
    if x.dim() == 1:
        row = None if residual is None else residual[None]
        return OPS.linear(x[None], weight, bias, row, activation=activation, accuracy=text, reproducible=reproducible)[
            0
        ]
    return OPS.linear(x, weight, bias, residual, activation=activation, accuracy=text, reproducible=reproducible)


def addmm(input, a, b, *, beta=1.0, alpha=1.0, activation="none", accuracy=None, reproducible=False):
    """activation(beta input + alpha a b), as torch.addmm has it; input is a matrix, or a vector that every row gets."""
    if beta == 1 and input.dim() == 1 and not is_traced():
        product = _native.affine(a, b, input, None, activation, accuracy, reproducible, False, True, float(alpha), None)
        if type(product) is tuple:
            return record_addmm(product, input, a, b, float(alpha), activation, accuracy, reproducible)
        if product is not NotImplemented:
            return product
    text = text_of(accuracy)
    return OPS.addmm(
        input,
        a,
        b,
        beta=float(beta),
        alpha=float(alpha),
        activation=activation,
        accuracy=text,
        reproducible=reproducible,
    )
