# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""A transformers model on the effort dial: generate() as it is, while the weights that are read become fewer or
more."""
import contextlib

import torch
from torch import nn

import tilewright
from tilewright.torch.dial import Held, chooses_there, matvec, matvec_experts

ROWS = 64  # of a mixture's input that go through its experts at a time

TOGETHER = (
    ("q_proj", "k_proj", "v_proj"),
    ("gate_proj", "up_proj"),
)  # take one vector: one matrix, whose rows are chosen once


class Dial:
    """What turns a model's dial. `effort` may be set at any time, or `error` in its place: the largest relative error
    that a product is predicted to have, for which each reads what it takes. `bytes_read` counts what the products have
    read."""

    def __init__(self, effort, last):
        self._effort, self._error, self.last, self.held = _effort(effort), None, _effort(last), []
        self.replayed = 0  # bytes read by steps that were captured: no product passes here then
        self.waits = False  # whether a product waits for the host: a mixture's does where it has to know the experts

    @property
    def effort(self):
        return self._effort

    @effort.setter
    def effort(self, value):
        self._effort, self._error = _effort(value), None

    @property
    def error(self):
        """None while an effort is what counts. The host chooses by it, so that a step on CUDA is not captured."""
        return self._error

    @error.setter
    def error(self, value):
        value = float(value)
        if not value >= 0:
            raise ValueError(f"tilewright.transformers: expected an error that is not negative; it is {value}")
        self._error = value

    def of_most(self):
        """What a product may read: (effort, False) or (error, True)."""
        return (self._effort, False) if self._error is None else (self._error, True)

    def of_last(self):
        return self.last, False

    @contextlib.contextmanager
    def at(self, effort=None, *, error=None):
        """The model at another effort, or error, for a while."""
        before = self._effort, self._error
        try:
            if effort is not None:
                self.effort = effort
            if error is not None:
                self.error = error
            yield self
        finally:
            self._effort, self._error = before

    @property
    def bytes_read(self):
        return self.replayed + sum(held.bytes_read for held in self.held)

    @property
    def nbytes(self):
        """Of the layouts: what effort 1 reads for one token, all experts counted."""
        return sum(held.matrix.nbytes * held.matrix.experts for held in self.held)

    @property
    def bytes_held(self):
        """Of everything that the matrices keep in memory."""
        return sum(held.matrix.bytes_held for held in self.held)


def dial(model, effort=0.5, *, last=1.0, planes=3, threads=0):
    """Puts every linear layer of a transformers model on the effort dial, in place, and returns the Dial that turns it.

    q/k/v and gate/up become one matrix each; Mixtral's experts become one matrix with experts; the layer that makes the
    logits stays at the effort of `last`, which halves the error at equal bytes. Weights are copied in planes, to the
    CPU's memory and to the CUDA device where they were, and the model's own are let go. `planes=2`, on
    the CPU alone, leaves the last plane out: 4.5 bits of a weight are held instead of 8.5, of the last layer's all.
    ValueError, with the model as it was, for weights that are not finite or that no dial takes. tilewright.steps makes
    tokens of a model on CUDA by steps that are captured in graphs.

    >>> import torch, transformers, tilewright.transformers
    >>> config = transformers.LlamaConfig(vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=1,
    ...                                   num_attention_heads=2)
    >>> model = transformers.LlamaForCausalLM(config).eval()
    >>> dial = tilewright.transformers.dial(model, effort=.5)
    >>> model.generate(torch.tensor([[1, 2, 3]]), max_new_tokens=2, do_sample=False, pad_token_id=0).shape
    torch.Size([1, 5])
    >>> dial.effort = 0.25
    """
    turned = Dial(effort, last)
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    with torch.no_grad():
        made = [
            change
            for name, module in model.named_modules()
            for change in _changes(name, module, head, turned, planes, threads)
        ]
    if not made:
        raise ValueError(
            "tilewright.transformers.dial: expected a model with torch.nn.Linear layers; it has none "
            "(was it dialled before?)"
        )
    for change in made:
        change()
    return turned


def _effort(value):
    value = float(value)
    if not 0 <= value <= 1:
        raise ValueError(f"tilewright.transformers: expected an effort from 0 to 1; it is {value}")
    return value


def _changes(name, module, head, turned, planes, threads):
    """What is to be done to a module once all matrices could be made."""
    if _has_experts(module):
        yield _on_experts(name, module, turned, planes, threads)
    children = {called: child for called, child in module.named_children() if type(child) is nn.Linear}
    groups = [called for called in TOGETHER if all(one in children for one in called)]
    groups += [(one,) for one in children if not any(one in called for called in groups)]
    for called in groups:
        layers = [children[one] for one in called]
        weights = torch.cat([_plain(layer.weight) for layer in layers])
        is_last = layers[0] is head
        held = _matrix(f"{name}.{'/'.join(called)}", weights, turned, 3 if is_last else planes, threads,
                       layers[0].weight.device)
        held.turned = turned.of_last if is_last else turned.of_most
        stack = Stack(held, [layer.out_features for layer in layers])
        for place, (one, layer) in enumerate(zip(called, layers)):
            yield lambda one=one, part=Part(stack, place, layer): setattr(module, one, part)


def _plain(weight):
    """As it is where it is: half of float32's bytes come from a device, and are looked through there."""
    weight = weight.detach()
    return weight if weight.dtype in (torch.float16, torch.bfloat16) else weight.to(torch.float32)


def _matrix(name, weights, turned, planes, threads, device):
    if not torch.isfinite(weights).all():
        raise ValueError(f"tilewright.transformers.dial: {name} has an Inf or a NaN among its weights")
    try:
        held = Held(tilewright.EffortMatrix(weights.cpu(), dense="absent", planes=planes), threads)
        if device.type == "cuda":
            held.matrix.place(f"cuda:{device.index or 0}")
    except (ValueError, RuntimeError, MemoryError) as error:
        raise ValueError(f"tilewright.transformers.dial: {name}: {error}") from None
    turned.held.append(held)
    return held


class Stack:
    """Linear layers of one input, one below the other. The first that asks has all of them computed; a result is let go
    when each has taken its part, or another input comes."""

    def __init__(self, held, sizes):
        self.held, self.sizes, self.kept = held, sizes, None

    def __call__(self, x, place):
        if len(self.sizes) == 1:
            return matvec(self.held, x)
        kept = self.kept
        if kept is None or kept[0] is not x or kept[1][place] is None:
            kept = (x, list(matvec(self.held, x).split(self.sizes, -1)))
        y, kept[1][place] = kept[1][place], None
        self.kept = kept if any(part is not None for part in kept[1]) else None
        return y


class Part(nn.Module):
    """One layer of a stack, in the place of its nn.Linear."""

    def __init__(self, stack, place, layer):
        super().__init__()
        self.stack, self.place, self.bias = stack, place, layer.bias
        self.in_features, self.out_features = layer.in_features, layer.out_features

    def forward(self, x):
        y = self.stack(x, self.place)
        return y if self.bias is None else y + self.bias

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, on the effort dial"


def _has_experts(module):
    """transformers 5 keeps a mixture's experts in two parameters, experts x outputs x inputs: what EffortMatrix
    takes."""
    both, down = getattr(module, "gate_up_proj", None), getattr(module, "down_proj", None)
    return (isinstance(both, nn.Parameter) and isinstance(down, nn.Parameter) and both.dim() == down.dim() == 3
            and not getattr(module, "is_transposed", False) and not hasattr(module, "gate_up_proj_bias")
            and tuple(down.shape) == (both.shape[0], both.shape[2], both.shape[1] // 2))


def _on_experts(name, module, turned, planes, threads):
    device = module.down_proj.device
    both = _matrix(f"{name}.gate_up_proj", _plain(module.gate_up_proj), turned, planes, threads, device)
    down = _matrix(f"{name}.down_proj", _plain(module.down_proj), turned, planes, threads, device)
    both.turned = down.turned = turned.of_most
    turned.waits = turned.waits or not all(chooses_there(device, held.inputs) for held in (both, down))

    def of_rows(x, chosen, shares):
        each, experts = chosen.shape[-1], chosen.reshape(-1)
        v = x if len(x) == 1 else x.repeat_interleave(each, 0)
        gate, up = matvec_experts(both, v, experts).chunk(2, -1)
        y = shares.reshape(-1, 1) * matvec_experts(down, module.act_fn(gate) * up, experts)
        return y.reshape(len(x), each, -1).sum(1).to(x.dtype)

    def forward(x, chosen, shares):
        parts = [of_rows(*part) for part in zip(x.split(ROWS), chosen.split(ROWS), shares.split(ROWS))]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def change():
        del module.gate_up_proj, module.down_proj
        module.forward = forward
    return change
