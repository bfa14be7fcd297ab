# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Steps that are captured write what steps one by one write."""
import pytest

torch = pytest.importorskip("torch", minversion="2.10")
transformers = pytest.importorskip("transformers", minversion="5")

import tilewright.transformers  # noqa: E402
from tilewright.steps import Steps, tokens_of  # noqa: E402

IDS = [3, 141, 59, 26, 53]


def model_of(kind="Llama", device="cpu", **more):
    torch.manual_seed(2)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=256, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, **more)
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(3)
    return model.to(device)


def test_tokens_are_those_of_generate():
    model = model_of()
    asked = model.generate(torch.tensor([IDS]), max_new_tokens=12, do_sample=False, pad_token_id=0, eos_token_id=None)
    assert list(tokens_of(model, None, IDS, 12)) == asked[0, len(IDS):].tolist()
    assert not Steps.can(model, None)


gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no device")


@gpu
@pytest.mark.parametrize("is_dialled", [False, True])
def test_a_compiled_step_writes_the_same(is_dialled):
    model = model_of(device="cuda")
    dial = tilewright.transformers.dial(model, 0.5) if is_dialled else None
    with torch.no_grad():
        plain, compiled = Steps(model, dial, 32), Steps(model, dial, 32, is_compiled=True)
        for steps in (plain, compiled):
            steps.read(IDS)
            for _ in range(8):
                steps.step()
        assert [plain.token() for _ in range(9)] == [compiled.token() for _ in range(9)]


@gpu
@pytest.mark.parametrize("is_dialled", [False, True])
def test_a_captured_step_is_the_step(is_dialled):
    model = model_of(device="cuda")
    dial = tilewright.transformers.dial(model, 0.5) if is_dialled else None
    assert Steps.can(model, dial)
    captured = list(tokens_of(model, dial, IDS, 20))
    steps = Steps(model, dial, len(IDS) + 20)
    with torch.no_grad():
        steps.read(IDS)
        alone = [steps.token()]
        for _ in range(19):
            steps._run(steps.next, steps.last)
            alone.append(int(steps.last))
    assert captured == alone


@gpu
def test_another_effort_is_another_graph_and_all_that_is_read_is_counted():
    model = model_of(device="cuda")
    dial = tilewright.transformers.dial(model, 0.3)
    with torch.no_grad():
        steps = Steps(model, dial, len(IDS) + 20)
        steps.read(IDS)
        read = []
        for effort in (0.3, 0.3, 1.0, 0.3):
            before, dial.effort = dial.bytes_read, effort
            steps.step()
            read.append(dial.bytes_read - before)
    assert len(steps.graphs) == 2
    assert read[0] == read[1] == read[3] > 0 and read[2] > read[0]
    assert read[2] == dial.nbytes


@gpu
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_mixture_is_captured_where_the_device_chooses_its_experts(is_compiled):
    """Each replay takes the experts of its own token: the tokens of steps one by one, on the host's word."""
    from tilewright.torch import dial as place
    model = model_of("Mixtral", "cuda", num_local_experts=4, num_experts_per_tok=2)
    dial = tilewright.transformers.dial(model, 0.6)
    there = place.chooses_there(model.device, 256)
    assert Steps.can(model, dial) == there
    if not there:
        return
    with torch.no_grad():
        steps = Steps(model, dial, 32, is_compiled)
        steps.read(IDS)
        for _ in range(20):
            steps.step()
        captured = [steps.token() for _ in range(21)]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(place, "chooses_there", lambda device, inputs: False)
            alone = Steps(model, dial, 32)
            alone.read(IDS)
            told = [alone.token()]
            for _ in range(20):
                alone._run(alone.next, alone.last)
                told.append(int(alone.last))
    assert captured == told
