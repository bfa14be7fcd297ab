# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Gradients of the operators, by the operators themselves. Transposes are views: the products read what lies in
memory."""
import torch

from tilewright.torch.operators import LIBRARY

OPS = torch.ops.tilewright


def _summed(gradient, shape):
    """Over the dimensions that broadcasting added or stretched."""
    return gradient if gradient.shape == shape else gradient.sum_to_size(shape)


def _save(ctx, inputs, keyword_only_inputs, output):  # torch calls it by these names
    ctx.save_for_backward(*inputs)
    ctx.how = keyword_only_inputs


def _plain(how):
    """Gradients are at the accuracy of the product."""
    return {name: how[name] for name in ("accuracy", "reproducible") if name in how}


def _of_product(context, g, a, b, how, wants=(0, 1)):
    """dA = g B' and dB = A' g, with the conjugate transposes of complex operands: a real matrix is its own
    conjugate."""
    of_a = _summed(OPS.matmul(g, b.mH, **how), a.shape) if context.needs_input_grad[wants[0]] else None
    of_b = _summed(OPS.matmul(a.mH, g, **how), b.shape) if context.needs_input_grad[wants[1]] else None
    return of_a, of_b


def _behind_activation(g, name, inner):
    """The gradient of what goes into the activation; `inner` computes that again: it was never kept."""
    if name == "none":
        return g
    with torch.enable_grad():
        z = inner().detach().requires_grad_()
        of = torch.nn.functional
        y = of.relu(z) if name == "relu" else of.silu(z) if name == "silu" else of.gelu(z)
        return torch.autograd.grad(y, z, g)[0]


def _matmul(context, g):
    a, b = context.saved_tensors
    return _of_product(context, g, a, b, _plain(context.how))


def _addmm(context, g):
    added, a, b = context.saved_tensors
    how, plain = context.how, _plain(context.how)
    beta, alpha = how.get("beta", 1.0), how.get("alpha", 1.0)
    g = _behind_activation(
        g, how.get("activation", "none"), lambda: OPS.addmm(added, a, b, beta=beta, alpha=alpha, **plain)
    )
    of_a, of_b = _of_product(context, g if alpha == 1 else alpha * g, a, b, plain, (1, 2))
    return _summed(g if beta == 1 else beta * g, added.shape) if context.needs_input_grad[0] else None, of_a, of_b


def _linear(context, g):
    x, weight, bias, residual = context.saved_tensors
    plain = _plain(context.how)
    of_residual = _summed(g, residual.shape) if residual is not None and context.needs_input_grad[3] else None
    g = _behind_activation(g, context.how.get("activation", "none"), lambda: OPS.linear(x, weight, bias, **plain))
    of_bias = _summed(g, bias.shape) if bias is not None and context.needs_input_grad[2] else None
    of_x, of_weight = None, None
    if context.needs_input_grad[0]:
        of_x = _summed(OPS.matmul(g, weight.conj(), **plain), x.shape)
    if context.needs_input_grad[1]:
        if weight.dim() == 2:  # one product over all rows of the batch
            g, x = g.reshape(-1, g.shape[-1]), x.reshape(-1, x.shape[-1])
        of_weight = _summed(OPS.matmul(g.mT, x.conj(), **plain), weight.shape)
    return of_x, of_weight, of_bias, of_residual


for _name, _backward in (("matmul", _matmul), ("addmm", _addmm), ("linear", _linear)):
    torch.library.register_autograd(f"tilewright::{_name}", _backward, setup_context=_save, lib=LIBRARY)
