# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""torch.ops.tilewright.matmul, addmm and linear as Python calls them. Where nobody watches they go to the product at
once: torch's dispatcher would come back into Python for it, which takes longer than a small product. Everybody else's
calls (a graph's, C++'s, by an overload's name) pass the dispatcher as before."""
import torch

from tilewright import _native
from tilewright.torch.gradients import record_addmm, record_linear, record_matmul

OPS = torch.ops.tilewright


def _matmul(a, b, *, accuracy=None, reproducible=0):
    product = _native.affine(a, b, None, None, "none", accuracy, reproducible, False, True, 1.0, None)
    return record_matmul(product, a, b, accuracy, reproducible) if type(product) is tuple else product


def _linear(x, weight, bias=None, residual=None, *, activation="none", accuracy=None, reproducible=0):
    product = _native.affine(x, weight, bias, residual, activation, accuracy, reproducible, True, True, 1.0, None)
    if type(product) is tuple:
        return record_linear(product, x, weight, bias, residual, activation, accuracy, reproducible)
    return product


def _addmm(input, a, b, *, beta=1, alpha=1, activation="none", accuracy=None, reproducible=0):
    if beta != 1 or input.dim() != 1:
        return NotImplemented
    product = _native.affine(a, b, input, None, activation, accuracy, reproducible, False, True, alpha, None)
    if type(product) is tuple:
        return record_addmm(product, input, a, b, alpha, activation, accuracy, reproducible)
    return product


def _shorten(packet, tried, record):
    """Its class is what Python asks for a call; all else that torch knows of the packet stays as it is."""
    operator = packet.op

    def by_name(*given, **named):
        try:
            product = tried(*given, **named)
        except (TypeError, AttributeError):  # arguments that are wrong: the dispatcher says so
            product = NotImplemented
        return operator(*given, **named) if product is NotImplemented else product

    class Short(type(packet)):
        # no method: it is given no self
        __call__ = _native.called_by_place(packet.__name__, (operator, by_name, record))

    packet.__class__ = Short


for _packet, _tried, _record in (
    (OPS.matmul, _matmul, record_matmul),
    (OPS.addmm, _addmm, record_addmm),
    (OPS.linear, _linear, record_linear),
):
    _shorten(_packet, _tried, _record)
