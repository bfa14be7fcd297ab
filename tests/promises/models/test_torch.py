# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.torch: the operators as torch tests its own, and rows that do not know their batch."""
import warnings

import pytest

torch = pytest.importorskip("torch", minversion="2.10")

import tilewright.torch as tw  # noqa: E402

OPS = torch.ops.tilewright
ACTIVATIONS = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "silu": torch.nn.functional.silu,
}


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(0)


def numbers(*shape, dtype=torch.float32, wants=True):
    return torch.randn(*shape, dtype=dtype, requires_grad=wants)


@pytest.mark.parametrize(("operator", "given", "named"), [
    ("matmul", lambda: (numbers(5, 7), numbers(7, 6)), {}),
    ("matmul", lambda: (numbers(3, 1, 5, 7), numbers(2, 7, 6)), {"reproducible": True}),
    ("matmul", lambda: (numbers(7, 5).mT, numbers(12, 7)[::2].mT), {"accuracy": "fp32"}),
    ("addmm", lambda: (numbers(6), numbers(5, 7), numbers(7, 6)), {"activation": "gelu"}),
    ("addmm", lambda: (numbers(5, 6), numbers(5, 7), numbers(7, 6)), {"beta": 0.5, "alpha": 2.0}),
    ("linear", lambda: (numbers(2, 5, 7), numbers(6, 7)), {}),
    ("linear", lambda: (numbers(2, 5, 7), numbers(6, 7), numbers(6), numbers(2, 5, 6)), {"activation": "silu"}),
])
def test_torchs_own_checks_of_an_operator(operator, given, named):
    torch.library.opcheck(getattr(OPS, operator).default, given(), named)


def test_torchs_own_checks_of_the_ones_that_write_or_turn_a_dial():
    a, b = numbers(5, 7, wants=False), numbers(7, 6, wants=False)
    torch.library.opcheck(OPS.matmul_out.default, (a, b), {"out": torch.empty(5, 6)})
    layer = tw.Dialled(torch.nn.Linear(64, 128))
    torch.library.opcheck(OPS.matvec.default, (numbers(2, 64, wants=False), layer.held.number, 128, 0.5))


@pytest.mark.parametrize("mapped", [(0, None), (None, 1), (0, 2), (1, 0)])
@pytest.mark.parametrize("batch", [((), ()), ((2,), ()), ((), (2,)), ((2,), (3, 1))])
def test_mapped_over_a_product_is_a_batch(mapped, batch):
    """As the mapped products one by one, bit for bit with `reproducible`, and without torch's slow way."""
    a, b = numbers(*batch[0], 5, 7, wants=False), numbers(*batch[1], 7, 6, wants=False)
    given = [x if dim is None else torch.stack([x, 2 * x, 3 * x], min(dim, x.dim())) for x, dim in zip((a, b), mapped)]
    dims = tuple(None if dim is None else min(dim, x.dim()) for x, dim in zip((a, b), mapped))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = torch.vmap(lambda x, y: OPS.matmul(x, y, reproducible=1), in_dims=dims)(*given)
    for i in range(3):
        one = [x if dim is None else x.select(dim, i) for x, dim in zip(given, dims)]
        assert torch.equal(got[i], OPS.matmul(*one, reproducible=1))


@pytest.mark.parametrize("mapped", [(0, None, None, None), (0, None, None, 0), (None, 0, None, None),
                                    (0, 0, 0, 0), (None, None, 0, None), (1, None, None, None)])
def test_mapped_over_a_linear_layer(mapped):
    whole = numbers(5, 7, wants=False), numbers(6, 7, wants=False), numbers(6, wants=False), numbers(5, 6, wants=False)
    given = [x if dim is None else torch.stack([x, -x, 3 * x], dim) for x, dim in zip(whole, mapped)]

    def layer(*x):
        return OPS.linear(*x, activation="silu", reproducible=1)

    got = torch.vmap(layer, in_dims=mapped)(*given)
    for i in range(3):
        assert torch.equal(got[i], layer(*(x if dim is None else x.select(dim, i) for x, dim in zip(given, mapped))))


def test_mapped_over_a_dial():
    layer = tw.Dialled(torch.nn.Linear(64, 128), effort=0.5)
    x = numbers(3, 64, wants=False)
    with torch.no_grad():
        assert torch.equal(torch.vmap(layer, in_dims=1)(x.T.contiguous()), layer(x))


@pytest.mark.parametrize(
    "shapes",
    [
        ((4,), (4,)),
        ((4,), (4, 5)),
        ((3, 4), (4,)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (5, 4, 6)),
        ((0, 4), (4, 5)),
        ((3, 0), (0, 5)),
    ],
)
def test_shapes_are_torchs(shapes):
    a, b = (numbers(*shape, dtype=torch.float64, wants=False) for shape in shapes)
    torch.testing.assert_close(tw.matmul(a, b), torch.matmul(a, b))
    out = torch.empty_like(torch.matmul(a, b))
    assert tw.matmul(a, b, out=out) is out
    torch.testing.assert_close(out, torch.matmul(a, b))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_are_right(activation):
    x, w, bias, residual = (numbers(*shape, dtype=torch.float64) for shape in ((2, 3, 4), (5, 4), (5,), (2, 3, 5)))
    given = (x, w, bias, residual)
    assert torch.autograd.gradcheck(lambda *of: tw.linear(*of[:3], residual=of[3], activation=activation), given)
    ours = torch.autograd.grad(tw.linear(x, w, bias, residual=residual, activation=activation).square().sum(), given)
    y = ACTIVATIONS[activation](torch.nn.functional.linear(x, w, bias)) + residual
    for of_ours, of_torch in zip(ours, torch.autograd.grad(y.square().sum(), given)):
        torch.testing.assert_close(of_ours, of_torch)
    added = numbers(3, 5, dtype=torch.float64)
    assert torch.autograd.gradcheck(
        lambda i, a, b: tw.addmm(i, a, b, beta=0.5, alpha=2, activation=activation),
        (added, x[0].detach().requires_grad_(), w.detach().t().requires_grad_()),
    )
    assert torch.autograd.gradcheck(tw.matmul, (x, numbers(2, 1, 4, 3, dtype=torch.float64)))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_have_gradients(activation):
    x, w, bias, residual = (numbers(*shape, dtype=torch.float64) for shape in ((2, 3), (4, 3), (4,), (2, 4)))
    for linear, addmm in ((tw.linear, tw.addmm), (OPS.linear, OPS.addmm)):
        assert torch.autograd.gradgradcheck(
            lambda *of: linear(of[0], of[1], bias=of[2], residual=of[3], activation=activation), (x, w, bias, residual)
        )
        assert torch.autograd.gradgradcheck(
            lambda i, a, b: addmm(i, a, b, alpha=2.0, activation=activation), (bias, x, w.detach().t().requires_grad_())
        )


def test_a_sum_sends_back_a_gradient_without_steps():
    a, b = numbers(3, 4), numbers(4, 5)
    tw.matmul(a, b).sum().backward()
    torch.testing.assert_close(a.grad, b.sum(1).expand(3, 4))
    torch.testing.assert_close(b.grad, a.sum(0)[:, None].expand(4, 5))


def test_autocast_narrows_the_operands():
    a, b = numbers(5, 7), numbers(7, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for product in (tw.matmul(a, b), tw.linear(a, b.t()), tw.addmm(numbers(6), a, b)):
            assert product.dtype == torch.bfloat16
        tw.matmul(a, b).float().sum().backward()
    assert a.grad.dtype == torch.float32


def test_a_compiled_function_is_one_graph():
    a, b, bias = numbers(5, 7), numbers(7, 6), numbers(6)

    def net(a, b, bias):
        return torch.relu(tw.addmm(bias, a, b, activation="silu") * 2) + tw.matmul(a, b) + tw.linear(a, b.t(), bias)

    compiled = torch.compile(net, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(a, b, bias), net(a, b, bias))
    torch.testing.assert_close(
        torch.autograd.grad(compiled(a, b, bias).sum(), (a, b)), torch.autograd.grad(net(a, b, bias).sum(), (a, b))
    )
    layer = tw.Dialled(torch.nn.Linear(64, 128))
    with torch.no_grad():
        x = numbers(3, 64, wants=False)
        torch.testing.assert_close(torch.compile(layer, backend="aot_eager", fullgraph=True)(x), layer(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_epilogues_of_narrow_types(dtype):
    x, w, bias = (
        numbers(2, 9, 33, dtype=dtype, wants=False),
        numbers(17, 33, dtype=dtype, wants=False),
        numbers(17, dtype=dtype, wants=False),
    )
    for activation, of_torch in ACTIVATIONS.items():
        y = tw.linear(x, w, bias, activation=activation)
        assert y.dtype == dtype
        exact = of_torch(torch.nn.functional.linear(x.double(), w.double(), bias.double()))
        torch.testing.assert_close(
            y.double(),
            exact,
            rtol=2e-2 if dtype == torch.bfloat16 else 2e-3,
            atol=1e-2 if dtype != torch.float32 else 1e-4,
        )


@pytest.mark.parametrize(("said", "call"), [
    ("rows must be as many as", lambda a, b: tw.matmul(a, a)),
    ("summed over", lambda a, b: tw.matmul(a.to("meta"), a.to("meta"))),
    ("activation", lambda a, b: tw.linear(a, b.t(), activation="tanh")),
    ("accuracy", lambda a, b: tw.matmul(a, b, accuracy="best")),
    ("out= has no gradient", lambda a, b: tw.matmul(a.requires_grad_(), b, out=torch.empty(5, 6))),
])
def test_errors_are_sentences(said, call):
    with pytest.raises((ValueError, RuntimeError), match=said):
        call(numbers(5, 7, wants=False), numbers(7, 6, wants=False))


def test_a_dial_has_no_gradient_and_says_so():
    layer = tw.Dialled(torch.nn.Linear(64, 128))
    with pytest.raises(NotImplementedError, match="the effort dial has no gradient"):
        layer(numbers(2, 64)).sum().backward()
    broken = torch.nn.Linear(64, 128)
    with torch.no_grad():
        broken.weight[3, 5] = float("nan")
    with pytest.raises(ValueError, match="Inf or a NaN"):
        tw.Dialled(broken)


def products_of(a, b):
    return tw.matmul(a, b), OPS.matmul(a, b), OPS.matmul(b=b, a=a), OPS.linear(a, b.mT), OPS.addmm(a[0], a, b) - a[0]


def test_a_trace_and_a_profile_see_the_operator():
    a, b = numbers(5, 5, wants=False), numbers(5, 5, wants=False)
    for got in torch.jit.trace(products_of, (a, b))(b, a):
        torch.testing.assert_close(got, b @ a)
    with torch.profiler.profile() as profile:
        products_of(a, b)
    seen = {event.key: event.count for event in profile.key_averages()}
    assert (seen["tilewright::matmul"], seen["tilewright::linear"], seen["tilewright::addmm"]) == (3, 1, 1)


def test_whoever_begins_to_watch_is_seen_between_two_calls():
    """Answers that are remembered with a thread's keys: everybody comes after a call that nobody watched."""
    a, b, seen = numbers(5, 5, wants=False), numbers(5, 5, wants=False), []

    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, given=(), named=None):
            seen.append(str(function))
            return function(*given, **(named or {}))

    for call in (tw.matmul, OPS.matmul):
        for _ in range(2):
            plain = call(a, b)
            with torch.autocast("cpu", torch.bfloat16):
                assert call(a, b).dtype == torch.bfloat16
            assert torch.equal(call(a, b), plain)
            with Mode():
                call(a, b)
            assert "tilewright.matmul.default" in seen
            seen.clear()
            torch.testing.assert_close(torch.vmap(lambda x: call(x[None], b)[0])(a), plain)
            with torch.no_grad(), torch.inference_mode():
                assert torch.equal(call(a, b), plain)
            assert str(torch.jit.trace(call, (a, b), check_trace=False).graph).count("tilewright::matmul") == 1
            assert torch.equal(call(a, b), plain) and not seen


def test_a_call_from_python_has_the_dispatchers_answers_and_sentences():
    a, b, row = numbers(5, 7, wants=False), numbers(7, 6, wants=False), numbers(6, wants=False)
    for operator, given, named in (("matmul", (a, b), {"reproducible": 1}), ("matmul", (a.half(), b.half()), {}),
                                   ("addmm", (row, a, b), {"alpha": 2.0, "activation": "relu"}),
                                   ("addmm", (row, a, b), {"beta": 0.5}), ("linear", (a, b.mT.contiguous(), row), {})):
        packet = getattr(OPS, operator)
        assert torch.equal(packet(*given, **named), packet.default(*given, **named))
    for wrong in ((a,), (a, 3), (a, b, b)):
        with pytest.raises(RuntimeError, match="tilewright::matmul"):
            OPS.matmul(*wrong)
    a.requires_grad_()
    OPS.matmul(a, b).sum().backward()
    torch.testing.assert_close(a.grad, b.sum(1).expand(5, 7))


def test_a_dials_product_has_the_operators_bits_and_count():
    """What goes past torch's dispatcher, and what can't: vectors without and with gaps, alone and many, narrow ones."""
    held = tw.Dialled(torch.nn.Linear(64, 128)).held
    many = numbers(40, 64, wants=False)
    with torch.no_grad():
        for prompt in (None, 8):
            held.prompt = prompt
            for x in (many[0], many[:1], many[:3], many[:5], many.reshape(2, 20, 64), many[:, None, :][:, -1:],
                      many.mT.contiguous().mT, many[::2], many[:0], many.bfloat16(),
                      many.to(torch.complex64).conj().imag):
                for effort in (0.4, 1.0):
                    before = held.bytes_read, held.calls
                    got = tw.matvec(held, x, effort)
                    between = held.bytes_read, held.calls
                    expected = OPS.matvec(x.to(torch.float32), held.number, held.outputs, effort).to(x.dtype)
                    assert torch.equal(got, expected) and got.shape == expected.shape and got.dtype == x.dtype
                    assert held.bytes_read - between[0] == between[0] - before[0]
                    assert held.calls - between[1] == between[1] - before[1] == 1


def test_a_mode_of_torchs_sees_the_operator():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, given=(), named=None):
            names.append(str(function))
            return function(*given, **named or {})

    names = []
    with Names():
        tw.matmul(numbers(5, 7, wants=False), numbers(7, 6, wants=False))
    assert "tilewright.matmul.default" in names


ROWS = {
    "mm": (lambda x, w: torch.mm(x, w), (300, 200)),
    "matmul": (lambda x, w: x @ w, (300, 200)),
    "linear": (lambda x, w: torch.nn.functional.linear(x, w, w[:, 0].contiguous()), (200, 300)),
    "addmm": (lambda x, w: torch.addmm(w[0], x, w, beta=0.5), (300, 200)),
    "mean": (lambda x, w: x.pow(2).mean(-1, keepdim=True), (1, 1)),
    "log_softmax": (lambda x, w: torch.log_softmax(x, -1), (1, 1)),
    "softmax": (lambda x, w: torch.softmax(x, -1), (1, 1)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", ROWS)
def test_a_rows_bits_do_not_depend_on_its_batch(name, dtype):
    call, shape = ROWS[name]
    w = torch.randn(shape).to(dtype)
    x = torch.randn(70, 70000 if shape == (1, 1) else 300).to(dtype)
    with torch.no_grad(), tw.batch_invariant():
        alone = call(x[:1], w)
        for rows in (2, 7, 64):
            assert torch.equal(call(x[:rows], w)[:1], alone)
    torch.testing.assert_close(alone.float(), call(x[:1], w).float(), rtol=2e-2, atol=2e-2)


def test_batches_of_matrices_and_vectors_too():
    a, b = torch.randn(9, 30, 40), torch.randn(9, 40, 50)
    with tw.batch_invariant():
        assert torch.equal(torch.bmm(a, b)[3:4], torch.bmm(a[3:4], b[3:4]))
        assert torch.equal(torch.bmm(a, b)[3, 5:6], torch.bmm(a[3:4, 5:6], b[3:4])[0])
        assert torch.equal(a[0, 0] @ b[0], (a[0] @ b[0])[0])
        assert torch.equal(torch.baddbmm(a @ b, a, b), 2 * (a @ b))
        assert torch.equal(torch.mm(a[0], b[0], out=torch.empty(30, 50)), a[0] @ b[0])


def test_what_tilewright_has_no_products_of_stays_with_torch():
    a, c = torch.arange(12).reshape(3, 4), torch.randn(3, 4, dtype=torch.complex64)
    with tw.batch_invariant():
        assert torch.equal(a @ a.T, (a.double() @ a.T.double()).long())
        torch.testing.assert_close(c @ c.T, (c.to(torch.complex128) @ c.T.to(torch.complex128)).to(torch.complex64))


def test_the_switch_counts_and_goes_back():
    x, w = numbers(3, 300), numbers(300, 20)
    before = (x @ w).detach()
    with tw.batch_invariant():
        with tw.batch_invariant():
            pass
        assert tw.batch_invariant.is_enabled()
        (x @ w).sum().backward()
    assert not tw.batch_invariant.is_enabled()
    assert x.grad is not None and torch.equal(x.detach() @ w.detach(), before)
    with pytest.raises(RuntimeError, match="without an enable"):
        tw.batch_invariant.disable()


def test_a_models_logits_do_not_depend_on_the_batch():
    transformers = pytest.importorskip("transformers")
    for dtype in (torch.float32, torch.bfloat16):
        config = transformers.LlamaConfig(
            vocab_size=512,
            hidden_size=128,
            intermediate_size=352,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            attn_implementation="eager",
        )
        model = transformers.LlamaForCausalLM(config).to(dtype).eval()
        ids = torch.randint(0, 512, (64, 33))
        with torch.no_grad(), tw.batch_invariant():
            alone = model(ids[:1]).logits
            for size in (2, 7, 64):
                assert torch.equal(model(ids[:size]).logits[:1], alone)
                assert torch.equal(model(ids[:size].flip(0)).logits[-1:], alone)
