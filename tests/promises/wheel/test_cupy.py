# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.matmul on CuPy's arrays. Skipped where there is no CuPy or no device."""
import numpy
import pytest

import tilewright

cupy = pytest.importorskip("cupy")
if not cupy.is_available():
    pytest.skip("no device", allow_module_level=True)

random = numpy.random.default_rng(0)


def whole(*shape, dtype=numpy.float32):
    """Whole numbers: their products are exact in every type."""
    return cupy.asarray(random.integers(-8, 9, shape).astype(dtype))


def same(a, b):
    numpy.testing.assert_array_equal(cupy.asnumpy(a), cupy.asnumpy(b))


@pytest.mark.parametrize("dtype", [numpy.float64, numpy.float32, numpy.float16])
@pytest.mark.parametrize("shapes", [((3, 5), (5, 4)), ((2, 6, 3, 5), (6, 5, 4)), ((5,), (5, 4)), ((3, 5), (5,)),
                                    ((0, 5), (5, 4))])
def test_shapes_types_and_whose_the_result_is(dtype, shapes):
    a, b = (whole(*shape, dtype=dtype) for shape in shapes)
    product = tilewright.matmul(a, b)
    assert type(product) is cupy.ndarray and product.dtype == dtype
    same(product, a @ b)


def test_views_are_read_where_they_lie():
    a, b = whole(20, 30), whole(50, 40)
    same(tilewright.matmul(a[::2, 3:23], b[10:50:2, ::-1]), a[::2, 3:23] @ b[10:50:2, ::-1])
    c = whole(7, 20)
    same(tilewright.matmul(a.T, c.T), a.T @ c.T)


def test_out_and_beta():
    a, b, out = whole(6, 8), whole(8, 5), whole(6, 5)
    expected = 2 * (a @ b) + 3 * out
    assert tilewright.matmul(a, b, out=out, alpha=2, beta=3) is out
    same(out, expected)
    with pytest.raises(ValueError, match="out is 6 x 5; expected 6 x 8"):
        tilewright.matmul(a, whole(8, 8), out=out)


def test_work_joins_the_stream_that_cupy_is_on():
    a, b = whole(700, 700), whole(700, 700)
    cupy.cuda.Device().synchronize()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        a *= 2
        product = tilewright.matmul(a, b)
        product += 1
    stream.synchronize()
    same(product, a @ b + 1)


def test_what_is_no_matrix_of_floats_is_a_sentence():
    with pytest.raises(TypeError, match="expected float64, float32, float16 or bfloat16"):
        tilewright.matmul(whole(3, 3, dtype=numpy.int32), whole(3, 3, dtype=numpy.int32))
    with pytest.raises(ValueError, match="b's rows must be as many"):
        tilewright.matmul(whole(3, 3), whole(4, 3))
