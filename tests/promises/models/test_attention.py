# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Attention of one token beside the exact one."""
import types

import pytest

torch = pytest.importorskip("torch", minversion="2.10")
transformers = pytest.importorskip("transformers", minversion="5")
pytest.importorskip("triton")

from tilewright import attention  # noqa: E402

if not torch.cuda.is_available():
    pytest.skip("no device", allow_module_level=True)


def operands(batch, heads, shared, keys, size, kind):
    torch.manual_seed(keys)
    query, key, value = (torch.randn(batch, count, rows, size, device="cuda", dtype=kind)
                         for count, rows in ((heads, 1), (shared, keys), (shared, keys)))
    seen = torch.rand(batch, 1, 1, keys, device="cuda") < 0.4
    seen[..., keys // 2:] = False  # whole parts of which none is seen, too
    seen[..., 0] = True
    return query, key, value, seen


def exact(query, key, value, seen, scale):
    sharing = query.shape[1] // key.shape[1]
    key, value = (one.double().repeat_interleave(sharing, 1) for one in (key, value))
    scores = (query.double() @ key.transpose(-1, -2) * scale).masked_fill(~seen, -torch.inf)
    return (scores.softmax(-1) @ value).transpose(1, 2)


SHAPES = [(1, 32, 8, 256, 128), (1, 4, 2, 32, 32), (2, 4, 4, 100, 64), (3, 8, 2, 3001, 64), (1, 8, 1, 9000, 256)]


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("kind, off", [(torch.bfloat16, 4e-3), (torch.float32, 3e-6)])
@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_the_exact_one(shape, kind, off, is_compiled):
    query, key, value, seen = operands(*shape, kind)
    value[~seen.expand(-1, shape[2], -1, -1).transpose(-1, -2).expand_as(value)] = 1e4  # counts for nothing
    module = types.SimpleNamespace(num_key_value_groups=shape[1] // shape[2])
    attend = torch.compile(attention.attend, dynamic=False) if is_compiled else attention.attend
    if is_compiled and shape != SHAPES[0]:
        pytest.skip("one shape is compiled")
    found, _ = attend(module, query, key, value, seen, scaling=0.2)
    right = exact(query, key, value, seen, 0.2)
    assert found.shape == right.shape and found.dtype == kind
    assert ((found.double() - right).norm() / right.norm()).item() <= off


def test_the_model_has_its_own_attention_again():
    config = transformers.LlamaConfig(vocab_size=64, hidden_size=64, intermediate_size=64, num_hidden_layers=1,
                                      num_attention_heads=4)
    model = transformers.LlamaForCausalLM(config)
    before = model.config._attn_implementation
    with attention.of_one_token(model):
        assert model.config._attn_implementation == (attention.NAME if before == "sdpa" else before)
    assert model.config._attn_implementation == before
