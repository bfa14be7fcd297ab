# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.dask.matmul: right, with the same bits for any chunks of rows and columns and any workers."""
import subprocess
import sys

import numpy
import pytest

pytest.importorskip("dask.array", reason="dask is not installed (pip install tilewright[dask])")
import dask
import dask.array

import tilewright
import tilewright.dask

random = numpy.random.default_rng(5)


def whole(*shape, dtype=numpy.float32):
    return random.integers(-8, 9, shape).astype(dtype)


def real(*shape):
    return random.standard_normal(shape, numpy.float32)


@pytest.mark.parametrize("dtype", [numpy.float64, numpy.float32, numpy.float16])
@pytest.mark.parametrize("chunks", [(7, 11, 5), (60, 90, 70), (13, 90, 70), (60, 1, 70), ((20, 40), (1, 89), (70,))])
def test_any_chunks_are_right(dtype, chunks):
    a, b = whole(60, 90, dtype=dtype), whole(90, 70, dtype=dtype)
    rows, depth, cols = chunks
    c = tilewright.dask.matmul(dask.array.from_array(a, (rows, depth)), dask.array.from_array(b, (depth, cols)))
    assert c.dtype == dtype and c.shape == (60, 70)
    exact = (a.astype(numpy.float64) @ b.astype(numpy.float64)).astype(dtype)
    numpy.testing.assert_array_equal(c.compute(scheduler="threads"), exact)


def test_k_cut_differently_and_edges():
    a, b = whole(20, 30), whole(30, 40)
    c = tilewright.dask.matmul(dask.array.from_array(a, (20, 7)), dask.array.from_array(b, (11, 16)))
    assert c.chunks == ((20,), (16, 16, 8))
    numpy.testing.assert_array_equal(c, a @ b)
    for m, n, k in ((0, 4, 5), (3, 0, 5), (3, 4, 0)):
        nothing = tilewright.dask.matmul(dask.array.zeros((m, k), dtype="f4"), dask.array.zeros((k, n), dtype="f4"))
        numpy.testing.assert_array_equal(nothing.compute(), numpy.zeros((m, n), numpy.float32))


def test_narrow_chunks_are_added_wide():
    """4096 and 1 and -4096: as float16 the 1 would be lost on the way."""
    a = numpy.array([[4096, 1, -4096]], numpy.float16)
    b = numpy.ones((3, 1), numpy.float16)
    assert (
        tilewright.dask.matmul(dask.array.from_array(a, (1, 1)), dask.array.from_array(b, (1, 1))).compute()[0, 0] == 1
    )


def products(a, b, depth):
    for rows, cols in ((200, 150), (64, 150), (200, 1), (17, 33)):
        yield tilewright.dask.matmul(dask.array.from_array(a, (rows, depth)), dask.array.from_array(b, (depth, cols)))


def test_the_same_bits_for_any_chunks_of_rows_and_columns():
    a, b = real(200, 500), real(500, 150)
    for depth in (500, 128):
        digests = {c.compute(scheduler=scheduler).tobytes() for c in products(a, b, depth)
                   for scheduler in ("threads", "synchronous")}
        assert len(digests) == 1
    alone = tilewright.matmul(a, b, reproducible=True)
    assert next(products(a, b, 500)).compute().tobytes() == alone.tobytes()


def test_the_same_bits_from_workers():
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    a, b = real(200, 500), real(500, 150)
    here = next(products(a, b, 128)).compute(scheduler="synchronous").tobytes()
    for workers, threads in ((1, 2), (2, 1)):
        with distributed.LocalCluster(n_workers=workers, threads_per_worker=threads, dashboard_address=None,
                                      host="127.0.0.1", processes=True) as cluster, distributed.Client(cluster):
            for c in products(a, b, 128):
                assert c.compute().tobytes() == here


def test_one_partial_sum_of_a_block_at_a_time():
    """Of 16 partial sums, each with its operands released: never more than two blocks of the result's size are
    alive."""
    alive = most = 0

    class Counted(numpy.ndarray):
        def __del__(self):
            nonlocal alive
            alive -= 1

    link = tilewright.dask._link

    def counted(*arguments):
        nonlocal alive, most
        alive += 1
        most = max(most, alive)
        return link(*arguments).view(Counted)

    tilewright.dask._link = counted
    try:
        a, b = whole(32, 64), whole(64, 32)
        c = tilewright.dask.matmul(dask.array.from_array(a, (32, 4)), dask.array.from_array(b, (4, 32)))
        result = c.compute(scheduler="synchronous", optimize_graph=False)
    finally:
        tilewright.dask._link = link
    numpy.testing.assert_array_equal(result, a @ b)
    assert 1 <= most <= 2


def test_accuracy_reaches_the_product():
    a, b = dask.array.ones((4, 4), dtype="f4"), dask.array.ones((4, 4), dtype="f4")
    with pytest.raises(ValueError, match="accuracy"):
        tilewright.dask.matmul(a, b, accuracy="best").compute(scheduler="synchronous")
    numpy.testing.assert_array_equal(
        tilewright.dask.matmul(a, b, accuracy="tf32", same_bits=False), 4 * numpy.ones((4, 4))
    )


def test_a_users_mistakes_get_a_sentence():
    a, b = dask.array.ones((4, 5), dtype="f4"), dask.array.ones((5, 3), dtype="f4")
    with pytest.raises(ValueError, match=r"a is \(4, 5\) and b is \(4, 5\); expected two dimensions"):
        tilewright.dask.matmul(a, a)
    with pytest.raises(TypeError, match="a is float32 and b is float64; a product takes one type"):
        tilewright.dask.matmul(a, b.astype("f8"))
    with pytest.raises(TypeError, match="expected dask arrays; a is ndarray"):
        tilewright.dask.matmul(numpy.ones((4, 5)), b)
    with pytest.raises(ValueError, match="chunks of unknown size"):
        tilewright.dask.matmul(a[a[:, 0] > 0], b)


def test_imported_on_use():
    subprocess.run([sys.executable, "-c", "import sys, tilewright; sys.exit('dask' in sys.modules)"], check=True)
