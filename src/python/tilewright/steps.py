# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""One token after another from a transformers model. On CUDA a step is captured in a graph, once for each effort, and
replayed."""
import collections
import inspect

import torch
from transformers import DynamicCache, StaticCache
from transformers.cache_utils import StaticLayer


class Steps:
    """The steps of one text of at most `length` tokens; dial None: of a model that is not on a dial.

    read() and step() only ask for work, token() waits for the oldest token that was asked for: the token that a step
    begins with never leaves the device, so the next step may be asked for before. A graph has its effort in it: another
    effort is another graph, captured when it is first asked for. is_compiled: a step goes through torch.compile before,
    which takes a minute of a large model, once for all efforts, and fuses what lies between the products.
    """

    def __init__(self, model, dial, length, is_compiled=False):
        self.model, self.dial, self.graphs, self.asked = model, dial, {}, collections.deque()
        name = _cache_name(model)

        def next_token(ids, cache):
            return first_largest(model(ids, **{name: cache}, use_cache=True, logits_to_keep=1).logits[:, -1])

        self.next = next_token
        self.compiled = self._compiled() if is_compiled else self.next
        self.cache = _cache(model, length)
        self.last = torch.zeros(1, 1, dtype=torch.long, device=model.device)

    @staticmethod
    def can(model, dial):
        """Whether a step can be captured: nothing in it may wait for the host, nor a cache keep its length there."""
        if model.device.type != "cuda" or (dial is not None and (dial.waits or dial.error is not None)):
            return False
        return not any(layer.is_sliding for layer in StaticCache(config=model.config, max_cache_len=1).layers)

    def _compiled(self):
        from tilewright.attention import of_one_token  # it needs Triton, as torch.compile does
        compiled = _compiled(self.next, self.model.device)

        def next_token(ids, cache):
            with of_one_token(self.model):
                return compiled(ids, cache)
        return next_token

    def read(self, ids):
        """The prompt, of which the first token comes."""
        self.cache.reset()
        self._run(self.next, torch.tensor([ids], device=self.model.device))
        self._ask()

    def step(self):
        if self.dial is not None and self.dial.error is not None:
            raise ValueError(
                "tilewright.steps: a captured step can't choose by an error; expected dial.effort to be set"
            )
        effort = self.dial and (self.dial.effort, self.dial.last)
        if effort not in self.graphs:
            self.graphs[effort] = self._captured()
        graph, read = self.graphs[effort]
        graph.replay()
        if self.dial is not None:
            self.dial.replayed += read
        self._ask()

    def token(self):
        copy, is_there = self.asked.popleft()
        is_there.synchronize()
        return int(copy)

    def _ask(self):
        copy, is_there = torch.empty(1, 1, dtype=torch.long, pin_memory=True), torch.cuda.Event()
        copy.copy_(self.last, non_blocking=True)
        is_there.record()
        self.asked.append((copy, is_there))

    def _run(self, next_token, ids):
        self.last.copy_(next_token(ids, self.cache))

    def _captured(self):
        """The graph of a step, and how many bytes of weights it reads. The step that warms up is undone: the cache is
        as long as before, and the token is the one that was."""
        last, side, before = self.last.clone(), torch.cuda.Stream(), self.dial and self.dial.bytes_read
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self._run(self.compiled, self.last)
        torch.cuda.current_stream().wait_stream(side)
        for length in {id(layer.cumulative_length): layer.cumulative_length for layer in self.cache.layers}.values():
            length.sub_(1)
        self.last.copy_(last)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._run(self.compiled, self.last)
        if self.dial is None:
            return graph, 0
        read = self.dial.bytes_read - before  # of two steps, of which neither wrote a token
        self.dial.replayed -= read
        return graph, read // 2


class _Layer(StaticLayer):
    """A layer of a static cache whose length is that of all layers: the last one counts."""

    def update(self, key_states, value_states, *args, **kwargs):
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        rows = key_states.shape[-2]
        places = torch.arange(rows, device=self.device) + self.cumulative_length
        if self.is_last:
            self.cumulative_length.add_(rows)
        self.keys.index_copy_(2, places, key_states)
        self.values.index_copy_(2, places, value_states)
        return self.keys, self.values


def _cache(model, length):
    """transformers' static cache; with one length in place of one a layer, each of which would take a kernel a step."""
    cache = StaticCache(config=model.config, max_cache_len=length)
    if all(type(layer) is StaticLayer for layer in cache.layers):
        cache.layers = [_Layer(length) for _ in cache.layers]
        counted = torch.zeros((), dtype=torch.long, device=model.device)
        for layer in cache.layers:
            layer.cumulative_length, layer.is_last = counted, layer is cache.layers[-1]
    return cache


def _cache_name(model):
    """The argument of a model's forward that takes a cache: `past_key_values` was its name before `cache`."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def first_largest(logits):
    """argmax of each row, keeping the dimension; of a large vocabulary by parts, since torch's kernel gives a row to
    one block."""
    part = next((size for size in (1024, 512, 256, 128) if logits.shape[-1] % size == 0), 0)
    if not part:
        return logits.argmax(-1, keepdim=True)
    most, place = logits.unflatten(-1, (-1, part)).max(-1)
    chosen = most.argmax(-1, keepdim=True)
    return chosen * part + place.gather(-1, chosen)


def _compiled(function, device):
    """Through torch.compile, which has settings against many small kernels: those that wait for nothing of each other
    become one, what the parts of attention add up to is computed where it is read, and on Hopper kernels may begin
    while the one in front ends, as the dial's do."""
    from torch._inductor import config
    options = {"combo_kernels": True, "realize_reads_threshold": 16}
    options = {name: value for name, value in options.items() if hasattr(config, name)}
    if torch.cuda.get_device_capability(device) >= (9, 0) and hasattr(config.triton, "enable_pdl"):
        options["triton.enable_pdl"] = True
    return torch.compile(function, dynamic=False, options=options)


@torch.no_grad()
def tokens_of(model, dial, ids, most, is_compiled=False):
    """At most `most` greedy tokens after those of `ids`, one after another. On CUDA a step is asked for while the token
    before it is on its way, so that another effort counts from the next token but one."""
    if Steps.can(model, dial):
        steps = Steps(model, dial, len(ids) + most, is_compiled)
        steps.read(ids)
        for made in range(1, most + 1):
            if made < most:
                steps.step()
            yield steps.token()
        return
    cache, x = {_cache_name(model): DynamicCache(config=model.config)}, torch.tensor([ids], device=model.device)
    forward = torch.compile(model.forward) if is_compiled else model.forward
    for _ in range(most):
        x = forward(x, **cache, use_cache=True, logits_to_keep=1).logits[:, -1].argmax(-1, keepdim=True)
        yield int(x)
