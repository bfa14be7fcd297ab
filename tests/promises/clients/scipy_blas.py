# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""SciPy's own door to BLAS, by the Fortran names, with alpha, beta and transposes; then one product on the processor's
clock."""

import statistics
import time

import numpy
from scipy.linalg import blas

random = numpy.random.default_rng(2)
for gemm, element in ((blas.sgemm, numpy.float32), (blas.dgemm, numpy.float64)):
    a, b = random.integers(-8, 9, (90, 70)), random.integers(-8, 9, (110, 90))
    c = random.integers(-8, 9, (70, 110))
    product = gemm(2, a.astype(element), b.astype(element), 3, c.astype(element), trans_a=1, trans_b=1)
    assert (product == 2 * (a.T @ b.T) + 3 * c).all(), element

a = numpy.asfortranarray(random.standard_normal((800, 800)))
b = numpy.asfortranarray(random.standard_normal((800, 800)))
times = []
for _ in range(8):
    started = time.process_time()
    blas.dgemm(1, a, b)
    times.append(time.process_time() - started)
print(f"right; dgemm 800 x 800 x 800: {1e3 * statistics.median(times[1:]):.1f} ms")
