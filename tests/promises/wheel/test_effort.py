# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.EffortMatrix on arrays, from the installed wheel."""
import ml_dtypes
import numpy
import pytest

import tilewright

random = numpy.random.default_rng(1)
WEIGHTS = random.standard_normal((200, 300)).astype(numpy.float32)
VECTOR = random.standard_normal(300).astype(numpy.float32)


def error_of(y, exact):
    return numpy.linalg.norm(y - exact) / numpy.linalg.norm(exact)


@pytest.mark.parametrize("layout", ["buckets", "tiers", "planes"])
@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float16, ml_dtypes.bfloat16])
def test_less_effort_reads_less_and_says_how_far_off_it_is(layout, dtype):
    weights = WEIGHTS.astype(dtype)
    matrix = tilewright.EffortMatrix(weights, layout=layout)
    exact = weights.astype(numpy.float64) @ VECTOR
    errors = []
    for effort in (1, 0.5, 0.25):
        y, report = matrix.matvec(VECTOR, effort=effort)
        assert report.bytes_read <= effort * report.bytes * 1.01
        errors.append(error_of(y, exact))
        if effort < 1:
            assert 0.5 < report.estimated_error / errors[-1] < 2
    assert errors[0] < 0.02 and errors == sorted(errors)


def test_a_largest_error_is_a_budget():
    matrix = tilewright.EffortMatrix(WEIGHTS)
    y, report = matrix.matvec(VECTOR, error=0.1)
    assert report.bytes_read < report.bytes
    assert error_of(y, WEIGHTS.astype(numpy.float64) @ VECTOR) < 0.15


def test_rows_and_experts():
    experts = random.standard_normal((3, 64, 96)).astype(numpy.float32)
    matrix = tilewright.EffortMatrix(experts, layout="tiers")
    v = random.standard_normal((2, 96)).astype(numpy.float32)
    y, reports = matrix.matvec(v, effort=1, experts=[2, 0])
    assert matrix.experts == 3 and y.shape == (2, 64) and len(reports) == 2
    numpy.testing.assert_allclose(y[0], experts[2] @ v[0], rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(y[1], experts[0] @ v[1], rtol=1e-4, atol=1e-4)
    shared, _ = matrix.matvec(v[0], effort=1, experts=[2])
    numpy.testing.assert_array_equal(shared[0], y[0])


def test_a_saved_matrix_answers_the_same(tmp_path):
    matrix = tilewright.EffortMatrix(WEIGHTS, layout="buckets")
    matrix.save(tmp_path / "w.effort")
    again = tilewright.EffortMatrix.load(tmp_path / "w.effort")
    numpy.testing.assert_array_equal(again.matvec(VECTOR, effort=0.3)[0], matrix.matvec(VECTOR, effort=0.3)[0])
    (tmp_path / "w.effort").write_bytes(b"not weights")
    with pytest.raises((ValueError, RuntimeError), match="w.effort"):
        tilewright.EffortMatrix.load(tmp_path / "w.effort")


def test_the_last_plane_may_stay_out_of_memory(tmp_path):
    whole, two = (tilewright.EffortMatrix(WEIGHTS, dense=dense, planes=planes)
                  for dense, planes in (("kept", 3), ("automatic", 2)))
    assert (whole.planes, two.planes) == (3, 2) and two.bytes_held < whole.bytes_held / 3
    exact = WEIGHTS.astype(numpy.float64) @ VECTOR
    y, report = two.matvec(VECTOR, effort=1)
    assert 0.9 < report.estimated_error / error_of(y, exact) < 1.1
    whole.save(tmp_path / "w.effort")
    loaded = tilewright.EffortMatrix.load(tmp_path / "w.effort", planes=2, keeps_dense=False)
    numpy.testing.assert_array_equal(loaded.matvec(VECTOR, effort=1)[0], y)
    assert loaded.bytes_held == two.bytes_held and not loaded.has_dense
    loaded.save(tmp_path / "w.effort")
    with pytest.raises(ValueError, match="it was built without the last plane"):
        tilewright.EffortMatrix.load(tmp_path / "w.effort", planes=3)
    with pytest.raises(ValueError, match="planes may be 3, or 2"):
        tilewright.EffortMatrix(WEIGHTS, layout="tiers", planes=2)


def test_a_matrix_may_stay_in_its_file(tmp_path):
    matrix = tilewright.EffortMatrix(WEIGHTS)
    matrix.save(tmp_path / "w.effort")
    mapped = tilewright.EffortMatrix.load(tmp_path / "w.effort", mapped=True)
    (tmp_path / "w.effort").unlink()
    numpy.testing.assert_array_equal(mapped.matvec(VECTOR, effort=0.5)[0], matrix.matvec(VECTOR, effort=0.5)[0])


def test_rows_are_filled_at_an_effort_or_at_an_error():
    matrix = tilewright.EffortMatrix(WEIGHTS)
    rows, y = numpy.stack([VECTOR, -VECTOR]), numpy.empty((2, len(WEIGHTS)), numpy.float32)
    for named, more in ({"effort": 0.25}, {}), ({"error": 0.25}, {"is_error": True}):
        reports = matrix.fill(rows, y, 0.25, **more)
        expected, report = matrix.matvec(VECTOR, **named)
        numpy.testing.assert_array_equal(y, [expected, -expected])
        assert [one.bytes_read for one in reports] == [report.bytes_read] * 2


def test_a_device_that_is_not_there_is_said():
    matrix = tilewright.EffortMatrix(WEIGHTS)
    matrix.place("cpu")
    for call in (lambda: matrix.place("cuda:99"), lambda: matrix.matvec(VECTOR, effort=0.5, device="cuda:99")):
        with pytest.raises(RuntimeError, match="no product with the effort dial"):
            call()


def test_vectors_of_other_libraries_and_no_rows_at_all():
    matrix = tilewright.EffortMatrix(WEIGHTS)
    y, _ = matrix.matvec(VECTOR, effort=0.5)
    for v in (list(VECTOR), memoryview(VECTOR), VECTOR.astype(numpy.float64)):
        numpy.testing.assert_array_equal(matrix.matvec(v, effort=0.5)[0], y)
    none, reports = matrix.matvec(numpy.empty((0, 300), numpy.float32), effort=0.5)
    assert none.shape == (0, 200) and reports == []


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("exactly one of effort= and error=", lambda: tilewright.EffortMatrix(WEIGHTS).matvec(VECTOR)),
        ("v is 7; expected 300 values", lambda: tilewright.EffortMatrix(WEIGHTS).matvec(VECTOR[:7], effort=1)),
        (
            "layout: expected buckets, tiers or planes; it is 'rows'",
            lambda: tilewright.EffortMatrix(WEIGHTS, layout="rows"),
        ),
        (
            "dense: expected automatic, kept, absent; it is 'maybe'",
            lambda: tilewright.EffortMatrix(WEIGHTS, dense="maybe"),
        ),
        ("effort", lambda: tilewright.EffortMatrix(WEIGHTS).matvec(VECTOR, effort=1.5)),
    ],
)
def test_what_is_wrong_is_said(said, call):
    with pytest.raises(ValueError, match=said):
        call()
