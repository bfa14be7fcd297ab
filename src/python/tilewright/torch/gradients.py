# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Gradients of the operators, by the operators themselves. Transposes are views: the products read what lies in
memory."""
import torch

from tilewright import _native
from tilewright.torch import operators

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
    is_recorded = torch.is_grad_enabled()  # as it is where a gradient of this gradient will be asked for
    z = inner()
    if not (is_recorded and z.requires_grad):
        z = z.detach().requires_grad_()
    with torch.enable_grad():
        of = torch.nn.functional
        y = of.relu(z) if name == "relu" else of.silu(z) if name == "silu" else of.gelu(z)
        return torch.autograd.grad(y, z, g, create_graph=is_recorded)[0]


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


def _keep_two(context, a, b, product, how):  # by their count: a cut of *given takes a twentieth of a small call
    context.to_save, context.how = (a, b), how  # as save_for_backward has it
    return product[0]  # not a tensor that goes in: it would come out as another view of itself


def _keep_three(context, added, a, b, product, how):
    context.to_save, context.how = (added, a, b), how
    return product[0]


def _keep_four(context, x, weight, bias, residual, product, how):
    context.to_save, context.how = (x, weight, bias, residual), how
    return product[0]


def _recorded(keep, backward):
    """record(*tensors, product, how): the product, which is there, with its gradient, without passing torch's
    dispatcher."""

    class Recorded(torch.autograd.Function):
        forward = staticmethod(keep)

        @staticmethod
        def backward(context, g):
            return *backward(context, g), None, None

    # Past Function.apply, which looks for transforms of functions, and reads forward's signature each time: the product
    # has looked for them, and a small one takes no longer than that.
    return super(torch.autograd.Function, Recorded).apply


_RECORD_MATMUL, _RECORD_ADDMM = _recorded(_keep_two, _matmul), _recorded(_keep_three, _addmm)
_RECORD_LINEAR = _recorded(_keep_four, _linear)
_PLAINLY = {}  # how, where nothing else is said: one for all calls


def text_of(accuracy):
    return "" if accuracy is None else accuracy if isinstance(accuracy, str) else repr(float(accuracy))


def record_matmul(product, a, b, accuracy=None, reproducible=False):
    """A product alone in a tuple, as the native call gives it where a gradient is to be recorded."""
    how = _PLAINLY
    if accuracy is not None or reproducible:
        how = {"accuracy": text_of(accuracy), "reproducible": reproducible}
    return _RECORD_MATMUL(a, b, product, how)


def record_addmm(product, input, a, b, alpha=1.0, activation="none", accuracy=None, reproducible=False):
    how = {"alpha": alpha, "activation": activation, "accuracy": text_of(accuracy), "reproducible": reproducible}
    return _RECORD_ADDMM(input, a, b, product, how)


def record_linear(
    product, x, weight, bias=None, residual=None, activation="none", accuracy=None, reproducible=False
):
    how = _PLAINLY
    if activation != "none" or accuracy is not None or reproducible:
        how = {"activation": activation, "accuracy": text_of(accuracy), "reproducible": reproducible}
    return _RECORD_LINEAR(x, weight, bias, residual, product, how)


def _first_matmul(otherwise):
    def first(keyset, a, b, accuracy=None, reproducible=False):
        product = _native.affine(a, b, None, None, "none", accuracy, reproducible, False, True, 1.0, None)
        if type(product) is tuple:
            return record_matmul(product, a, b, accuracy, reproducible)
        if product is NotImplemented:
            return otherwise(keyset, a, b, accuracy=accuracy or "", reproducible=reproducible)
        return product

    return first


def _first_addmm(otherwise):
    def first(keyset, input, a, b, beta=1.0, alpha=1.0, activation="none", **how):
        product = NotImplemented
        if beta == 1 and input.dim() == 1:
            accuracy, reproducible = how.get("accuracy"), how.get("reproducible", False)
            product = _native.affine(a, b, input, None, activation, accuracy, reproducible, False, True, alpha, None)
        if type(product) is tuple:
            return record_addmm(product, input, a, b, alpha, activation, accuracy, reproducible)
        if product is NotImplemented:
            return otherwise(keyset, input, a, b, beta=beta, alpha=alpha, activation=activation, **how)
        return product

    return first


def _first_linear(otherwise):
    def first(keyset, x, weight, bias=None, residual=None, activation="none", accuracy=None, reproducible=False):
        product = _native.affine(x, weight, bias, residual, activation, accuracy, reproducible, True, True, 1.0, None)
        if type(product) is tuple:
            return record_linear(product, x, weight, bias, residual, activation, accuracy, reproducible)
        if product is NotImplemented:
            how = {"activation": activation, "accuracy": accuracy or "", "reproducible": reproducible}
            return otherwise(keyset, x, weight, bias, residual, **how)
        return product

    return first


class _Before:
    """In the place of the library where torch.library puts an operator's gradients: what needs no more of torch's
    dispatcher is done before. To pass it again, into Python, takes several times what a small product does."""

    def __init__(self, first):
        self.first = first

    def impl(self, name, kernel, key, **how):
        operators.LIBRARY.impl(name, self.first(kernel), key, **how)


for _name, _first, _backward in (
    ("matmul", _first_matmul, _matmul),
    ("addmm", _first_addmm, _addmm),
    ("linear", _first_linear, _linear),
):
    torch.library.register_autograd(f"tilewright::{_name}", _backward, setup_context=_save, lib=_Before(_first))
