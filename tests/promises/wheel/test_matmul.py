# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.matmul on other libraries' arrays, from the installed wheel."""
import array
import threading

import ml_dtypes
import numpy
import pytest

import tilewright

random = numpy.random.default_rng(0)


def whole(*shape, dtype=numpy.float32):
    """Whole numbers: their products are exact in every type, so results are compared for equality."""
    return random.integers(-8, 9, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [numpy.float64, numpy.float32])
@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 5), (5, 4)),
        ((2, 6, 3, 5), (6, 5, 4)),
        ((7, 1, 3, 5), (2, 5, 4)),
        ((5,), (5, 4)),
        ((3, 5), (5,)),
        ((5,), (5,)),
        ((0, 5), (5, 4)),
        ((3, 0), (0, 4)),
        ((0, 3, 5), (5, 4)),
        ((6, 3, 5), (5, 4)),
        ((2, 6, 3, 5), (5, 4)),
        ((6, 1, 5), (5, 4)),
    ],
)
def test_shapes_and_broadcasting_are_numpys(shapes, dtype):
    a, b = (whole(*shape, dtype=dtype) for shape in shapes)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b), a @ b)


def test_what_overlaps_the_result_is_read_as_it_was():
    b = whole(64, 64)
    for first, step in [(0, 1), (0, -1), (100, 1), (100, -1), (200, 1)]:
        memory = whole(400, 64)
        expected = memory[:200][::step] @ b
        tilewright.matmul(memory[:200][::step], b, out=memory[first : first + 200])
        numpy.testing.assert_array_equal(memory[first : first + 200], expected)
    memory = whole(200, 128)
    expected = memory[:, :64] @ b
    tilewright.matmul(memory[:, :64], b, out=memory[:, 32:96])
    numpy.testing.assert_array_equal(memory[:, 32:96], expected)


@pytest.mark.parametrize("dtype", [numpy.float16, ml_dtypes.bfloat16])
def test_narrow_types_and_a_wide_result(dtype):
    a, b = whole(9, 30, dtype=dtype), whole(30, 7, dtype=dtype)
    exact = a.astype(numpy.float32) @ b.astype(numpy.float32)
    out = numpy.empty((9, 7), numpy.float32)
    assert tilewright.matmul(a, b, out=out) is out
    numpy.testing.assert_array_equal(out, exact)
    product = tilewright.matmul(a, b)
    assert product.dtype == dtype
    numpy.testing.assert_array_equal(product, exact.astype(dtype))


def test_views_are_read_and_written_where_they_lie():
    a, b, store = whole(20, 30), whole(30, 40), numpy.full((40, 40), 9, numpy.float32)
    out = store[::-2, 1:21].T
    tilewright.matmul(a[::-1], b[:, ::2], out=out)
    numpy.testing.assert_array_equal(out, a[::-1] @ b[:, ::2])
    assert (store[0::2] == 9).all() and (store[:, 0] == 9).all() and (store[:, 21:] == 9).all()


def test_read_only_operands_and_the_buffer_protocol():
    a = whole(4, 4, dtype=numpy.float64)
    a.flags.writeable = False
    plain = memoryview(array.array("d", range(16))).cast("B").cast("d", (4, 4))
    numpy.testing.assert_array_equal(tilewright.matmul(a, plain), a @ numpy.asarray(plain))
    numpy.testing.assert_array_equal(tilewright.matmul(plain, a), numpy.asarray(plain) @ a)


def test_alpha_beta_epilogue_and_verify():
    a, b, c = whole(6, 5), whole(5, 4), whole(6, 4)
    bias, residual = whole(4), whole(6, 4)
    out = c.copy()
    epilogue = tilewright.Epilogue(bias=bias, activation="relu", residual=residual)
    tilewright.matmul(a, b, out=out, alpha=2, beta=3, epilogue=epilogue, verify=False)
    numpy.testing.assert_array_equal(out, numpy.maximum(2 * (a @ b) + 3 * c + bias, 0) + residual)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b, verify=True), a @ b)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b, epilogue="relu"), numpy.maximum(a @ b, 0))


@pytest.mark.parametrize(
    "residual", [whole(4), whole(6, 4), whole(5, 6, 4), whole(3, 1, 6, 4), whole(3, 5, 6, 8)[..., ::2]]
)
def test_a_batch_and_whatever_its_residual_is_broadcast_from(residual):
    a, b, out = whole(3, 5, 6, 7), whole(5, 7, 4), numpy.full((3, 5, 6, 8), 9, numpy.float32)
    if residual.ndim == 1:
        residual = numpy.broadcast_to(residual, (6, 4))
    tilewright.matmul(a, b, out=out[..., ::2], epilogue=tilewright.Epilogue(residual=residual))
    numpy.testing.assert_array_equal(out[..., ::2], a @ b + residual)
    assert (out[..., 1::2] == 9).all()
    with pytest.raises(ValueError, match="residual"):
        tilewright.matmul(a, b, epilogue=tilewright.Epilogue(residual=whole(6, 5)))


@pytest.mark.parametrize(
    "algorithm", ["naive", "coalescing", "tiled", "tiled_register", "block_tiled", "block_tiled_vectorized"]
)
def test_every_algorithm_by_name(algorithm):
    a, b = whole(33, 65), whole(65, 17)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b, algorithm=algorithm), a @ b)


@pytest.mark.parametrize(
    ("error", "said", "call"),
    [
        (
            ValueError,
            "a is 2 x 3 and b is 2 x 3; b's rows must be as many as a's columns",
            lambda a, b: tilewright.matmul(a, a),
        ),
        (
            ValueError,
            "out is 3 x 3; expected 2 x 4",
            lambda a, b: tilewright.matmul(a, b, out=numpy.empty((3, 3), numpy.float32)),
        ),
        (ValueError, "there is no out", lambda a, b: tilewright.matmul(a, b, beta=1)),
        (ValueError, "accuracy: expected fp64", lambda a, b: tilewright.matmul(a, b, accuracy="best")),
        (ValueError, "activation: expected none", lambda a, b: tilewright.matmul(a, b, epilogue="tanh")),
        (ValueError, "no kernel of that name", lambda a, b: tilewright.matmul(a, b, algorithm="quantum")),
        (ValueError, "no kernel of that", lambda a, b: tilewright.matmul(*2 * [whole(300, 300)], algorithm="quantum")),
        (ValueError, "its type must be A's", lambda a, b: tilewright.matmul(a, b.astype(numpy.float64))),
        (
            TypeError,
            "a: expected float64, float32, float16, bfloat16, complex128 or complex64; it is int64",
            lambda a, b: tilewright.matmul(a.astype(numpy.int64), b),
        ),
        (TypeError, "expected an array with DLPack", lambda a, b: tilewright.matmul("text", b)),
        (TypeError, "byte order", lambda a, b: tilewright.matmul(a.astype(">f4"), b)),
        (
            ValueError,
            "device: expected cpu, cuda, cuda:1, cuda:* or metal; it is 'abacus'",
            lambda a, b: tilewright.matmul(a, b, device="abacus"),
        ),
        (
            TypeError,
            "device: expected a name such as 'cpu' or 'cuda:1'; it is 3",
            lambda a, b: tilewright.matmul(a, b, device=3),
        ),
        (TypeError, "the name of a rung or kernel; it is 6", lambda a, b: tilewright.matmul(a, b, algorithm=6)),
        (ValueError, "stream: expected a stream's address", lambda a, b: tilewright.matmul(a, b, stream=-1)),
        (
            TypeError,
            "stream: expected a whole number; it is 'first'",
            lambda a, b: tilewright.matmul(a, b, stream="first"),
        ),
        (TypeError, "threads: expected a whole number; it is '2'", lambda a, b: tilewright.matmul(a, b, threads="2")),
        (TypeError, "threads: expected a whole number; it is 1.5", lambda a, b: tilewright.matmul(a, b, threads=1.5)),
        (
            TypeError,
            "a: expected an array without a mask",
            lambda a, b: tilewright.matmul(numpy.ma.masked_equal(a, 1), b),
        ),
        (
            TypeError,
            "out: expected an array without a mask",
            lambda a, b: tilewright.matmul(a, b, out=numpy.ma.zeros((2, 4), numpy.float32)),
        ),
        (
            TypeError,
            "b: expected float64, float32, float16, bfloat16, complex128 or complex64; it is object",
            lambda a, b: tilewright.matmul(a, b.astype(object)),
        ),
        (
            TypeError,
            "it is float128",
            lambda a, b: tilewright.matmul(a.astype(numpy.longdouble), b.astype(numpy.longdouble)),
        ),
        (ValueError, "accuracy: expected fp64", lambda a, b: tilewright.matmul(a, b, accuracy=float("inf"))),
        (ValueError, "it is 'nan'", lambda a, b: tilewright.matmul(a, b, accuracy=float("nan"))),
        (ValueError, "it is '1e400'", lambda a, b: tilewright.matmul(a, b, accuracy="1e400")),
        (ValueError, "a positive number; it is '0.0'", lambda a, b: tilewright.matmul(a, b, accuracy=0)),
        (ValueError, "it is '-0.001'", lambda a, b: tilewright.matmul(a, b, accuracy=-1e-3)),
        (ValueError, "it is ''", lambda a, b: tilewright.matmul(a, b, accuracy="")),
        (
            ValueError,
            "verify: expected True, False or \"correct\"; it is 'yes'",
            lambda a, b: tilewright.matmul(a, b, verify="yes"),
        ),
    ],
)
def test_errors_are_sentences(error, said, call):
    with pytest.raises(error) as raised:
        call(whole(2, 3), whole(3, 4))
    assert said in str(raised.value)


def test_a_product_may_be_checked_or_corrected():
    a, b = whole(30, 40), whole(40, 20)
    for verify in (False, True, "correct"):
        assert (tilewright.matmul(a, b, verify=verify) == a @ b).all()
        assert (
            tilewright.matmul(a, b, verify=verify, epilogue=tilewright.Epilogue(activation="relu"))
            == numpy.maximum(a @ b, 0)
        ).all()


def test_others_run_while_a_product_is_computed():
    a = numpy.ones((600, 600), numpy.float32)
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.0005):
            ticks.append(1)

    other = threading.Thread(target=tick)
    other.start()
    tilewright.matmul(a, a, algorithm="naive", threads=1)
    done.set()
    other.join()
    assert ticks


def test_layouts_and_their_pictures():
    layout = tilewright.Layout.row_major(4, 6)
    assert layout.tile(2, 2, 1, 2)(1, 1) == 3 * 6 + 5
    assert layout.transposed() == tilewright.Layout.col_major(6, 4)
    assert "| 23 |" in str(layout)
    assert layout._repr_svg_().startswith("<svg") and layout._repr_svg_().count("<rect") == 24
    assert repr(layout.vectorize(2, 3)) == "Layout(2, 2, row_step=12, col_step=3, offset=0)"
    assert repr(layout.tile(3, 4, 1, 1)) == "Layout(1, 2, row_step=6, col_step=1, offset=22)"
    threads = tilewright.Layout.row_major(2, 3)
    assert repr(layout.distribute(threads, 4)) == "Layout(2, 2, row_step=12, col_step=3, offset=7)"
    made = tilewright.Layout(3, 5, 7, 2, 11)
    assert [made.rows, made.cols, made.row_step, made.col_step, made.offset] == [3, 5, 7, 2, 11]
    assert made == tilewright.Layout(3, 5, 7, 2, offset=11) and hash(made) == hash(tilewright.Layout(3, 5, 7, 2, 11))
    assert made != tilewright.Layout(3, 5, 7, 2) and made(2, 4) == 11 + 2 * 7 + 4 * 2
    for wrong in [(0, 1, 0, 0), (1, 0, 0, 0)]:
        with pytest.raises(ValueError, match="tile: expected at least one row and one column"):
            layout.tile(*wrong)
    for wrong in [(0, 1), (1, 0)]:
        with pytest.raises(ValueError, match="vectorize: expected at least one row and one column"):
            layout.vectorize(*wrong)
    with pytest.raises(ValueError, match="a layout of at least one thread"):
        layout.distribute(tilewright.Layout.row_major(0, 3), 0)


def test_torch_when_it_is_there():
    torch = pytest.importorskip("torch")
    a, b = torch.arange(12.0).reshape(3, 4), torch.arange(20.0).reshape(4, 5)
    assert torch.equal(tilewright.matmul(a, b), a @ b)
    assert torch.equal(tilewright.matmul(a.T, a.T.T), a.T @ a)
    narrow = a.bfloat16()
    assert torch.equal(
        tilewright.matmul(narrow, narrow.T).float(), (narrow.float() @ narrow.float().T).bfloat16().float()
    )
    out = torch.empty(2, 3, 5)
    assert tilewright.matmul(a.expand(2, 3, 4), b, out=out) is out
    assert torch.equal(out, (a @ b).expand(2, 3, 5))
    negated = torch.complex(a, a).conj().imag
    assert negated.is_neg() and torch.equal(tilewright.matmul(negated, b), -a @ b)
    with pytest.raises(ValueError, match="out: expected memory to write numbers to"):
        tilewright.matmul(a, b, out=torch.complex(a @ b, a @ b).conj().imag)


def test_a_tensor_that_asks_for_a_gradient_is_refused_where_gradients_are_recorded():
    torch = pytest.importorskip("torch")
    a, b = torch.nn.Parameter(torch.arange(12.0).reshape(3, 4)), torch.arange(20.0).reshape(4, 5)
    for call in (
        lambda: tilewright.matmul(a, b),
        lambda: tilewright.matmul(b.T, a.T),
        lambda: tilewright.matmul(b.T, a.T, epilogue="relu"),
    ):
        with pytest.raises(ValueError, match="asks for no gradient.*tilewright.torch.matmul"):
            call()
        with torch.no_grad():
            call()
    with torch.inference_mode():
        assert torch.equal(tilewright.matmul(a, b), a @ b)


def test_the_quick_way_and_the_general_one_agree():
    import inspect
    import pickle
    from tilewright import product
    assert inspect.signature(tilewright.matmul) == inspect.signature(product.matmul)
    assert (
        tilewright.matmul.__doc__ == product.matmul.__doc__
        and pickle.loads(pickle.dumps(tilewright.matmul)) is tilewright.matmul
    )
    for dtype in (numpy.float64, numpy.float32, numpy.float16):
        a, b = whole(70, 80, dtype=dtype), whole(80, 90, dtype=dtype)
        for asked in (
            {},
            {"alpha": 2},
            {"accuracy": 1e-3},
            {"accuracy": "fp32"},
            {"reproducible": True},
            {"threads": 1},
            {"algorithm": "naive"},
            {"verify": True},
            {"out": numpy.empty((70, 90), dtype), "beta": 0.0},
        ):
            numpy.testing.assert_array_equal(tilewright.matmul(a, b, **asked), product.matmul(a, b, **asked))
        out = whole(70, 90, dtype=dtype)
        expected = out + 2 * (a.astype(numpy.float32) @ b.astype(numpy.float32))
        tilewright.matmul(a, b, alpha=2, beta=1, out=out)
        numpy.testing.assert_array_equal(out, expected.astype(dtype))


def test_the_quick_way_takes_plain_calls_without_python():
    from tilewright import _native, product

    def nobody(*arguments, **named):
        raise AssertionError("the general function was asked")

    quick = _native.entrance_before(nobody)
    try:
        a, b = whole(3, 4, 5), whole(5, 6)
        numpy.testing.assert_array_equal(quick(a[::2, ::-1], b.T.copy().T), a[::2, ::-1] @ b)
        numpy.testing.assert_array_equal(
            quick(a[0], b, out=numpy.empty((4, 6), numpy.float32), reproducible=True), a[0] @ b
        )
        with pytest.raises(AssertionError, match="the general function"):
            quick(b, b)
    finally:
        _native.entrance_before(product.matmul)


@pytest.mark.parametrize(
    "lie",
    [lambda x: x[::2], lambda x: x[:10][::-1], lambda x: numpy.broadcast_to(x[3], (10,)), lambda x: x[None, 1:20:2]],
)
def test_a_bias_may_lie_anywhere(lie):
    a, b, values = whole(8, 6), whole(6, 10), whole(20)
    numpy.testing.assert_array_equal(
        tilewright.matmul(a, b, epilogue=tilewright.Epilogue(bias=lie(values))), a @ b + lie(values)
    )


def test_an_epilogues_operands_that_do_not_fit_are_refused():
    a, b = whole(5, 8, 6), whole(6, 10)
    for shape in [(2, 8, 10), (3, 5, 8, 10), (1, 10), (10,)]:
        with pytest.raises(ValueError, match="residual"):
            tilewright.matmul(a, b, epilogue=tilewright.Epilogue(residual=whole(*shape)))
    for shape in [(8, 10), (10, 1), (1, 1, 10), (9,)]:
        with pytest.raises(ValueError, match="bias"):
            tilewright.matmul(a, b, epilogue=tilewright.Epilogue(bias=whole(*shape)))
    with pytest.raises(TypeError, match="bias: expected an array"):
        tilewright.matmul(a, b, epilogue=tilewright.Epilogue(bias=[1.0] * 10))
    for shape in [(8, 10), (1, 8, 10), (5, 8, 10)]:
        residual = whole(*shape)
        numpy.testing.assert_array_equal(
            tilewright.matmul(a, b, epilogue=tilewright.Epilogue(residual=residual)), a @ b + residual
        )


@pytest.mark.parametrize("size", [6, 300])
def test_out_may_be_an_operand(size):
    a, b = whole(size, size), whole(size, size)
    product = a @ b
    x, y = a.copy(), b.copy()
    numpy.testing.assert_array_equal(tilewright.matmul(x, b, out=x), product)
    numpy.testing.assert_array_equal(tilewright.matmul(a, y, out=y.T), product)
    numpy.testing.assert_array_equal(y.T, product)
    y = b.copy()
    numpy.testing.assert_array_equal(tilewright.matmul(a, y, out=y[::-1]), product)
    c = whole(size, size)
    expected = 2 * c + product
    numpy.testing.assert_array_equal(
        tilewright.matmul(a, b, out=c, beta=1.0, epilogue=tilewright.Epilogue(residual=c)), expected
    )


def test_arrays_that_no_matrix_can_be_are_refused():
    a, b = whole(8, 6), whole(6, 10)
    fixed = numpy.zeros((8, 10), numpy.float32)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="out: expected an array that can be written to"):
        tilewright.matmul(a, b, out=fixed)
    packed = numpy.zeros(8, dtype=[("values", numpy.float32, 6), ("mark", numpy.int8)])["values"]
    with pytest.raises(ValueError, match="a: expected steps of whole elements of 4 bytes"):
        tilewright.matmul(packed, b)


def test_vectors_come_through_the_buffer_protocol_too():
    a, b = whole(6), whole(6, 10)
    numpy.testing.assert_array_equal(tilewright.matmul(memoryview(a), b), a @ b)
    numpy.testing.assert_array_equal(tilewright.matmul(b.T, array.array("f", a)), b.T @ a)


def test_a_layout_too_large_to_draw_is_spelled():
    assert str(tilewright.Layout.row_major(10**6, 10**6)) == repr(tilewright.Layout.row_major(10**6, 10**6))
