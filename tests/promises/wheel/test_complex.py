# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Complex arrays by tilewright.matmul: NumPy's and torch's, conjugates, scalars, and what is refused."""
import numpy
import pytest

import tilewright

random = numpy.random.default_rng(1)
TYPES = [numpy.complex64, numpy.complex128]


def whole(*shape, dtype):
    """Small whole numbers in both parts, so that products are exact."""
    return (random.integers(-4, 5, shape) + 1j * random.integers(-4, 5, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "shapes", [((3, 5), (5, 4)), ((2, 6, 3, 5), (6, 5, 4)), ((5,), (5, 4)), ((40, 30), (30, 50)), ((3, 0), (0, 4))]
)
def test_products_are_numpys(shapes, dtype):
    a, b = (whole(*shape, dtype=dtype) for shape in shapes)
    product = tilewright.matmul(a, b)
    assert product.dtype == dtype
    numpy.testing.assert_array_equal(product, a @ b)
    if a.ndim == 2:
        numpy.testing.assert_array_equal(tilewright.matmul(b.conj().T, a.conj().T), (a @ b).conj().T)


@pytest.mark.parametrize("dtype", TYPES)
def test_scalars_and_epilogues(dtype):
    a, b, c = whole(6, 7, dtype=dtype), whole(7, 5, dtype=dtype), whole(6, 5, dtype=dtype)
    out = c.copy()
    tilewright.matmul(a, b, out=out, alpha=1 - 2j, beta=1j)
    numpy.testing.assert_array_equal(out, (1 - 2j) * (a @ b) + 1j * c)
    epilogue = tilewright.Epilogue(scale=0.5, residual=c)
    numpy.testing.assert_array_equal(tilewright.matmul(a, b, epilogue=epilogue), 0.5 * (a @ b) + c)


def test_torch_tensors_that_are_conjugates():
    torch = pytest.importorskip("torch")
    a, b = (torch.from_numpy(whole(9, 9, dtype=numpy.complex64)) for _ in range(2))
    torch.testing.assert_close(tilewright.matmul(a.conj(), b.mH), a.conj() @ b.mH, rtol=0, atol=0)
    with pytest.raises(ValueError, match="torch conjugates as it reads"):
        tilewright.matmul(a, b, out=torch.empty_like(a).conj())


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_gradients_have_conjugates(dtype):
    torch = pytest.importorskip("torch")
    from tilewright import torch as ours
    of = getattr(torch, dtype)
    a, b = (
        torch.from_numpy(whole(*shape, dtype=numpy.complex128)).to(of).requires_grad_() for shape in ((4, 6), (6, 3))
    )
    g = torch.from_numpy(whole(4, 3, dtype=numpy.complex128)).to(of)
    for call, right in (
        (ours.matmul, torch.matmul),
        (lambda x, y: ours.linear(x, y.T), lambda x, y: torch.nn.functional.linear(x, y.T)),
    ):
        gradients = torch.autograd.grad(call(a, b), (a, b), g)
        for mine, theirs in zip(gradients, torch.autograd.grad(right(a, b), (a, b), g)):
            torch.testing.assert_close(mine, theirs, rtol=0, atol=0)


@pytest.mark.parametrize("sentence, call", [
    ("alpha and beta of real operands are real", lambda a, z: tilewright.matmul(a, a, alpha=1j)),
    ("A and B must both be real or both be complex", lambda a, z: tilewright.matmul(a, z)),
    ("no bias and no activation", lambda a, z: tilewright.matmul(z, z, epilogue="relu")),
    ("complex products are not verified", lambda a, z: tilewright.matmul(z, z, verify=True)),
])
def test_what_is_refused_has_a_sentence(sentence, call):
    a = numpy.ones((4, 4), numpy.float32)
    with pytest.raises(ValueError, match=sentence):
        call(a, a.astype(numpy.complex64))


def test_kernels_are_named():
    assert ".c64" in tilewright._native.kernel_for(100, 100, 100, "complex64")
    assert ".c128" in tilewright._native.kernel_for(100, 100, 100, "complex128")
