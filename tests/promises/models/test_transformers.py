# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Small models with random weights on the effort dial."""
import io
import os

import pytest

torch = pytest.importorskip("torch", minversion="2.10")
transformers = pytest.importorskip("transformers", minversion="5")

import torch._dynamo.testing  # noqa: E402
import tilewright.transformers  # noqa: E402
from tilewright import generate  # noqa: E402
from tilewright.steps import Steps  # noqa: E402

SMALL = dict(
    vocab_size=256,
    hidden_size=128,
    intermediate_size=256,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
)


def model_of(kind="Llama", **more):
    torch.manual_seed(1)
    config = getattr(transformers, f"{kind}Config")(**SMALL, **more)
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    with torch.no_grad():
        for weights in model.parameters():  # wide enough that a token's neighbours matter
            if weights.dim() > 1:
                weights.mul_(3)
    return model


def logits(model, ids):
    with torch.no_grad():
        return model(ids).logits


IDS = torch.randint(0, 256, (2, 7), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize(("kind", "more"), [("Llama", {}), ("Mistral", {"sliding_window": None}), ("Qwen2", {}),
                                            ("Mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2})])
def test_effort_one_is_the_model_and_less_is_less(kind, more):
    model = model_of(kind, **more)
    exact = logits(model, IDS)
    dial = tilewright.transformers.dial(model, 1.0)
    assert not any(type(module) is torch.nn.Linear for module in model.modules()) or kind == "Mixtral"
    errors, read = [], []
    for effort in (1.0, 0.5, 0.2):
        before = dial.bytes_read
        with dial.at(effort):
            errors.append(float((logits(model, IDS) - exact).norm() / exact.norm()))
        read.append(dial.bytes_read - before)
    assert errors[0] < 0.05 and errors[0] < errors[1] < errors[2]
    assert read[0] > read[1] > read[2] > 0
    assert dial.effort == 1.0


def test_without_the_last_plane_half_as_much_is_held():
    models = [model_of() for _ in range(2)]
    exact = logits(models[0], IDS)
    dials = [tilewright.transformers.dial(model, 1.0, planes=planes) for model, planes in zip(models, (3, 2))]
    assert sorted({held.matrix.planes for held in dials[1].held}) == [2, 3]  # the last layer keeps all
    assert dials[1].bytes_held < 0.75 * dials[0].bytes_held
    errors = [float((logits(model, IDS) - exact).norm() / exact.norm()) for model in models]
    assert errors[0] < errors[1] < 0.5


def test_generate_works_as_it_is():
    model = model_of()
    asked = dict(max_new_tokens=8, do_sample=False, pad_token_id=0)
    exact = model.generate(IDS[:1], **asked)
    dial = tilewright.transformers.dial(model, 1.0)
    assert torch.equal(model.generate(IDS[:1], **asked)[:, :9], exact[:, :9])
    dial.effort = 0.3
    assert model.generate(IDS, **asked).shape == (2, 15)


def test_the_last_layer_keeps_its_own_effort():
    model, halved = model_of(), model_of()
    exact = logits(model, IDS)
    tilewright.transformers.dial(model, 0.3)
    tilewright.transformers.dial(halved, 0.3, last=0.3)
    assert (logits(model, IDS) - exact).norm() < (logits(halved, IDS) - exact).norm()


@pytest.mark.parametrize(("kind", "more"), [("Llama", {}), ("Mixtral", {"num_local_experts": 4})])
def test_a_dialled_model_is_one_graph_for_every_effort(kind, more):
    model, counted = model_of(kind, **more), torch._dynamo.testing.CompileCounter()
    dial = tilewright.transformers.dial(model, 1.0)
    compiled = torch.compile(model.forward, backend=counted, fullgraph=True)
    with torch.no_grad():
        for effort in (1.0, 0.5, 0.3):
            dial.effort = effort
            assert torch.equal(compiled(IDS).logits, model(IDS).logits)
    assert counted.frame_count == 1


def test_stacked_layers_see_an_input_that_was_changed_in_place():
    model = model_of()
    dial = tilewright.transformers.dial(model, 1.0)
    layer = model.model.layers[0].self_attn
    x = torch.randn(1, 1, 128)
    with torch.no_grad():
        q, k = layer.q_proj(x), layer.k_proj(x)
        x.mul_(2)
        torch.testing.assert_close(layer.q_proj(x), 2 * q, rtol=1e-2, atol=1e-2)
        assert k.shape == (1, 1, 64) and dial.bytes_read > 0


def test_what_no_dial_takes_leaves_the_model_as_it_was():
    model = model_of()
    with torch.no_grad():
        model.model.layers[1].mlp.down_proj.weight[0, 0] = float("inf")
    with pytest.raises(ValueError, match=r"layers\.1\.mlp\.down_proj has an Inf or a NaN"):
        tilewright.transformers.dial(model)
    assert type(model.model.layers[0].self_attn.q_proj) is torch.nn.Linear
    with pytest.raises(ValueError, match="an effort from 0 to 1"):
        tilewright.transformers.dial(model_of(), 2)
    twice = model_of()
    tilewright.transformers.dial(twice)
    with pytest.raises(ValueError, match="it has none"):
        tilewright.transformers.dial(twice)


def test_text_comes_out(tmp_path, capsys):
    model_of().save_pretrained(tmp_path)
    generate.main([str(tmp_path), "text", "--tokens", "5", "--effort", "0.5"])
    said = capsys.readouterr().out
    assert said.startswith("text") and "effort 0.50: 5 tokens" in said and "MB of weights read" in said
    generate.main([str(tmp_path), "text", "--tokens", "5", "--compare", "0.2", "1"])
    said = capsys.readouterr().out
    assert "KL of effort 0.2 to 1 over 9 tokens" in said and float(said.split("tokens: ")[1].split()[0]) > 0


def test_keys_turn_the_effort_while_it_writes(monkeypatch):
    model = model_of()
    dial, pressed = tilewright.transformers.dial(model, 0.5), iter("-+-q")

    class Keys:
        def __enter__(self):
            return lambda: next(pressed)

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(generate, "keys", Keys)
    out = io.StringIO()
    made, figures = generate.write(model, generate.Bytes(), dial, [1, 2, 3], 100, out=out)
    assert (
        len(made) == 4
        and dial.effort == pytest.approx(0.45)
        and "[0.45]" in out.getvalue()
        and "effort 0.45" in figures
    )


def test_an_error_reads_what_it_takes():
    """A smaller error reads more and is closer; an effort that is set afterwards is what counts again."""
    model = model_of()
    exact = logits(model, IDS)
    dial = tilewright.transformers.dial(model, 0.5)
    found = []
    for error in (0.02, 0.1, 0.3):
        before = dial.bytes_read
        with dial.at(error=error):
            off = float((logits(model, IDS) - exact).norm() / exact.norm())
        found.append((dial.bytes_read - before, off))
    assert found[0][0] > found[1][0] > found[2][0] > 0 and found[0][1] < found[1][1] < found[2][1]
    assert dial.error is None and dial.effort == 0.5
    dial.error = 0.1
    generate.turn(dial, True)
    assert dial.error == pytest.approx(0.08) and generate.spelled(dial) == "error 0.08"
    with pytest.raises(ValueError, match="can't choose by an error"):
        Steps(model, dial, 8).step()
    dial.effort = 0.4
    assert dial.error is None
    with pytest.raises(ValueError, match="not negative; it is nan"):
        dial.error = float("nan")


def test_from_pretrained_puts_a_model_on_the_dial(tmp_path):
    """As dial() does, bit for bit; what can't be saved again, or has no finite weights, is said."""
    from tilewright.pretrained import EffortConfig
    model_of().save_pretrained(tmp_path)
    by_hand = transformers.AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    tilewright.transformers.dial(by_hand, 0.4)
    load = transformers.AutoModelForCausalLM.from_pretrained
    model = load(tmp_path, quantization_config=EffortConfig(effort=0.4)).eval()
    assert torch.equal(logits(model, IDS), logits(by_hand, IDS))
    assert model.dial.effort == 0.4 and model.dial.bytes_read > 0 and model.is_quantized
    model.dial.effort = 1.0
    assert not torch.equal(logits(model, IDS), logits(by_hand, IDS))
    with pytest.raises(ValueError, match="not serializable"):
        model.save_pretrained(tmp_path / "again")
    broken = model_of()
    with torch.no_grad():
        broken.model.layers[0].mlp.down_proj.weight[0, 0] = float("inf")
    broken.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="Inf or a NaN"):
        load(tmp_path, quantization_config=EffortConfig())
    with pytest.raises(ValueError, match="an effort from 0 to 1; it is 2"):
        load(tmp_path, quantization_config=EffortConfig(effort=2))


def test_a_mixture_takes_an_error_too():
    model = model_of("Mixtral", num_local_experts=4, num_experts_per_tok=2)
    exact = logits(model, IDS)
    dial = tilewright.transformers.dial(model, 1.0)
    dial.error = 0.02
    assert (logits(model, IDS) - exact).norm() < 0.2 * exact.norm()


@pytest.mark.parametrize(
    ("said", "spoil"),
    [
        ("no config.json", lambda folder: os.remove(folder / "config.json")),
        ("missing from its file", lambda folder: _without_a_tensor(folder)),
        (
            "model.safetensors|header|deserializ|file|incomplete",
            lambda folder: os.truncate(folder / "model.safetensors", 1000),
        ),
    ],
)
def test_a_folder_that_is_no_model_is_a_sentence(said, spoil, tmp_path):
    model_of().save_pretrained(tmp_path)
    spoil(tmp_path)
    with pytest.raises(SystemExit, match=said):
        generate.main([str(tmp_path), "text"])


def _without_a_tensor(folder):
    from safetensors.torch import load_file, save_file
    tensors = load_file(folder / "model.safetensors")
    del tensors["model.layers.0.mlp.up_proj.weight"]
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
