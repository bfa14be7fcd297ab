# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Attention of one token, for steps that go through torch.compile on CUDA.

torch's own kernels for it want a key and a value for every head, so that those which several heads share are copied out
first, the whole cache of them, and one block reads all keys of a head. Here some blocks of a head read some of its keys
each, where they lie; their sums are put together by plain operations, which torch.compile fuses with what follows.
"""
import contextlib

import torch
import triton
import triton.language as tl
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "tilewright_one_token"
KEYS, MOST_PARTS = 64, 32  # at a time; blocks of a head


@triton.jit
def _part(query, key, value, seen, found, weight, heads, keys, seen_apart, SHARING: tl.constexpr,
          SIZE: tl.constexpr, OF_PART: tl.constexpr, AT_ONCE: tl.constexpr):
    """For one head what the keys of one part find alone, and the logarithm of their sum of exp(score)."""
    head, part = tl.program_id(0), tl.program_id(1)
    place = tl.arange(0, SIZE)
    asked = tl.load(query + head * SIZE + place)
    shared = (head // SHARING).to(tl.int64) * keys * SIZE
    most, sum_of_shares, sums = -float("inf"), 0.0, tl.zeros([SIZE], tl.float32)
    for first in range(0, OF_PART, AT_ONCE):
        one = part * OF_PART + first + tl.arange(0, AT_ONCE)
        there = one < keys
        at = shared + one[:, None] * SIZE + place[None, :]
        of_key = tl.load(key + at, mask=there[:, None], other=0.0).to(tl.float32)
        of_value = tl.load(value + at, mask=there[:, None], other=0.0).to(tl.float32)
        is_seen = tl.load(seen + head // heads * seen_apart + one, mask=there, other=0)
        scores = tl.where(is_seen, tl.sum(of_key * asked[None, :], 1), -float("inf"))
        now = tl.maximum(most, tl.max(scores, 0))
        base = tl.where(now == -float("inf"), 0.0, now)
        shares, kept = tl.exp(scores - base), tl.exp(most - base)
        sum_of_shares = sum_of_shares * kept + tl.sum(shares, 0)
        sums = sums * kept + tl.sum(shares[:, None] * of_value, 0)
        most = now
    to = head * tl.num_programs(1) + part
    tl.store(found + to * SIZE + place, sums / tl.where(sum_of_shares > 0, sum_of_shares, 1.0))
    tl.store(weight + to, most + tl.log(sum_of_shares))


@torch.library.triton_op("tilewright::attention_parts", mutates_args=())
def _parts(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
           seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of each head in `query` (heads, size; float32, scaled) and each part of its keys (batch, shared heads, keys,
    size); `seen` is for all of a batch, or for each."""
    heads, size = query.shape
    batch, shared, keys, _ = key.shape
    of_part = max(-(-keys // MOST_PARTS // KEYS) * KEYS, KEYS)
    parts = -(-keys // of_part)
    found = torch.empty(heads, parts, size, dtype=torch.float32, device=query.device)
    weight = torch.empty(heads, parts, dtype=torch.float32, device=query.device)
    torch.library.wrap_triton(_part)[(heads, parts)](
        query, key, value, seen, found, weight, heads // batch, keys, keys if len(seen) > 1 else 0,
        SHARING=heads // (batch * shared), SIZE=size, OF_PART=of_part, AT_ONCE=KEYS)
    return found, weight


def _takes(query, key, value, mask, more):
    size = query.shape[-1]
    return (query.shape[2] == 1 and mask is not None and mask.dtype == torch.bool
            and mask.shape in ((1, 1, 1, key.shape[2]), (query.shape[0], 1, 1, key.shape[2]))
            and key.shape == value.shape and all(one.is_contiguous() for one in (key, value, mask))
            and size & (size - 1) == 0 and 16 <= size <= 256
            and more.get("position_bias") is None and not more.get("dropout"))


def attend(module, query, key, value, mask, scaling=None, **more):
    """What transformers' attention of this name computes: (output, None). Of one token in float32, with what heads
    share read where it lies; anything else goes to torch's."""
    if not _takes(query, key, value, mask, more):
        return sdpa_attention_forward(module, query, key, value, mask, scaling=scaling, **more)
    batch, heads, _, size = query.shape
    scale = size ** -0.5 if scaling is None else scaling
    found, weight = torch.ops.tilewright.attention_parts(
        (query.float() * scale).reshape(batch * heads, size), key, value, mask)
    together = (found * weight.softmax(-1)[..., None]).sum(1)
    return together.reshape(batch, 1, heads, size).to(query.dtype), None


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)


@contextlib.contextmanager
def of_one_token(model):
    """The model with this attention for a while, where it has torch's."""
    config = model.config
    own = config._attn_implementation
    if own == "sdpa":
        config._attn_implementation = NAME
    try:
        yield
    finally:
        config._attn_implementation = own
