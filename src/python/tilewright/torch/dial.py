# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The effort dial as an operator, and as a layer in the place of torch.nn.Linear."""
import itertools
import weakref

import torch

import tilewright
from tilewright import _native
from tilewright.torch.operators import LIBRARY

ROWS = 3  # that take the dial in one call; from 4 on EffortMatrix reads everything
_held, _numbers = weakref.WeakValueDictionary(), itertools.count(1)


class Held:
    """An EffortMatrix with a number, by which an operator finds it, and what its products have read. `turned` says what
    a product that names no effort may read, when it runs, as (effort, False) or (error, True): what torch.compile made
    then serves every effort. On the CPU `prompt` rows or more are one product at effort 1, whatever was asked for;
    None: only where effort 1 was asked for."""
    prompt = None

    def __init__(self, matrix, threads=0, turned=None):
        self.matrix, self.threads, self.turned, self.number = matrix, threads, turned, next(_numbers)
        self.outputs, self.inputs = matrix.shape
        self.bytes_read = self.calls = 0
        _held[self.number] = self

    def read(self, report, budget, is_error=False):
        """Bytes that a product read. Where only the device knows them: those that the effort lets it read."""
        return report.bytes_read if report.bytes_read >= 0 else round((1 if is_error else budget) * report.bytes)

    def products(self, x, budget, is_error=False):
        rows = x.detach().reshape(-1, x.shape[-1]).to(torch.float32)
        if rows.is_cuda:
            whole = self._on_cuda(rows, budget, is_error)
        else:
            plain = rows.resolve_neg().contiguous().as_subclass(torch.Tensor)
            whole = self.on_host(plain, budget, is_error, is_recorded=False)
        return whole.reshape(*x.shape[:-1], self.outputs).to(x.dtype)

    def on_host(self, x, budget, is_error, is_recorded):
        """NotImplemented where x is not of float32 in the CPU's memory without gaps or, with is_recorded, where torch
        wants to see what is called, or to record its gradient."""
        done = _native.turned(self.matrix._native, x, is_error, budget, self.prompt or 0, self.threads, is_recorded)
        if done is NotImplemented:
            return done
        self.bytes_read += done[1]
        self.calls += 1
        return done[0]

    def products_of_experts(self, x, experts, budget, is_error=False):
        """Row i by expert experts[i], each with the dial: of row i of x, or of its only one."""
        rows = x.detach().to(torch.float32)
        chosen = experts.to(torch.int32) if chooses_there(rows.device, self.inputs) else experts.tolist()
        allowed = {"error" if is_error else "effort": budget}
        y, reports = self.matrix.matvec(rows, experts=chosen, threads=self.threads, **allowed)
        self.bytes_read += sum(self.read(report, budget, is_error) for report in reports)
        self.calls += 1
        return torch.as_tensor(y)

    def _on_cuda(self, rows, budget, is_error):
        parts = [rows.new_empty(0, self.outputs)]
        step = max(len(rows), 1) if budget >= 1 and not is_error else ROWS  # at effort 1 what is read is read once
        allowed = {"error" if is_error else "effort": budget}
        for first in range(0, len(rows), step):
            y, reports = self.matrix.matvec(rows[first:first + step], threads=self.threads, **allowed)
            parts.append(y)
            self.bytes_read += sum(self.read(report, budget, is_error) for report in reports)
        self.calls += 1
        return parts[1] if len(parts) == 2 else torch.cat(parts)


def chooses_there(device, inputs):
    """Whether experts of so many inputs may be chosen by the device itself, so that nothing waits for the host."""
    return device.type == "cuda" and inputs <= 16384 and torch.cuda.get_device_capability(device) == (9, 0)


def _held_as(matrix):
    held = _held.get(matrix)
    if held is None:
        raise ValueError(f"tilewright.torch.matvec: nobody holds matrix {matrix} any more")
    return held


def _matvec(x, matrix, outputs, effort):
    held = _held_as(matrix)
    return held.products(x, *(held.turned() if effort is None else (effort, False)))


def _matvec_experts(x, experts, matrix, outputs):
    held = _held_as(matrix)
    return held.products_of_experts(x, experts, *held.turned())


def _backward(context, g):
    raise NotImplementedError(
        "tilewright.torch.matvec: the effort dial has no gradient: expected torch.no_grad() or operands without one"
    )


LIBRARY.define(
    "matvec(Tensor x, int matrix, int outputs, float? effort) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,)
)
LIBRARY.define(
    "matvec_experts(Tensor x, Tensor experts, int matrix, int outputs) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,)
)
for _place in ("CPU", "CUDA"):
    LIBRARY.impl("matvec", _matvec, _place)
    LIBRARY.impl("matvec_experts", _matvec_experts, _place)
torch.library.register_fake(
    "tilewright::matvec", lambda x, matrix, outputs, effort: x.new_empty((*x.shape[:-1], outputs)), lib=LIBRARY
)
torch.library.register_fake(
    "tilewright::matvec_experts",
    lambda x, experts, matrix, outputs: x.new_empty((experts.shape[0], outputs)),
    lib=LIBRARY,
)
for _name in ("matvec", "matvec_experts"):
    torch.library.register_autograd(f"tilewright::{_name}", _backward, lib=LIBRARY)


def matvec(held, x, effort=None):
    """W x for every vector in the last dimension of x, each at an effort of [0, 1], or at the one that the holder says
    now; `held` is a Held EffortMatrix. The operator takes and gives float32: torch.compile fuses the casts with what is
    around them."""
    effort = None if effort is None else float(effort)
    if not torch.compiler.is_dynamo_compiling() and not x.is_cuda:  # a token's way, past torch's dispatcher
        y = held.on_host(x.to(torch.float32), *(held.turned() if effort is None else (effort, False)), True)
        if y is not NotImplemented:
            return y.to(x.dtype)
    return torch.ops.tilewright.matvec(x.to(torch.float32), held.number, held.outputs, effort).to(x.dtype)


def matvec_experts(held, x, experts):
    """Row i by expert experts[i] of a Held EffortMatrix with experts, at what its holder says now: of row i of x, or of
    its only one."""
    return torch.ops.tilewright.matvec_experts(x.to(torch.float32), experts, held.number, held.outputs)


class Dialled(torch.nn.Module):
    """A linear layer on the effort dial. `effort` may be set between any two calls.

    >>> import torch, tilewright.torch
    >>> layer = tilewright.torch.Dialled(torch.nn.Linear(64, 128), effort=1.0)
    >>> with torch.no_grad():
    ...     layer(torch.ones(2, 64)).shape
    torch.Size([2, 128])
    """

    def __init__(self, linear, effort=0.5, threads=0):
        super().__init__()
        if not torch.isfinite(linear.weight).all():
            raise ValueError("tilewright.torch.Dialled: expected finite weights; there is an Inf or a NaN among them")
        weights = linear.weight.detach().to(device="cpu", dtype=torch.float32)
        self.held, self.effort, self.bias = (
            Held(tilewright.EffortMatrix(weights, dense="absent"), threads),
            effort,
            linear.bias,
        )
        self.in_features, self.out_features = linear.in_features, linear.out_features

    def forward(self, x):
        y = matvec(self.held, x, self.effort)
        return y if self.bias is None else y + self.bias
