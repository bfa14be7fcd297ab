# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""NumPy products of whole numbers, which every correct BLAS gets exactly right; then one on the processor's clock."""
import statistics
import time

import numpy

random = numpy.random.default_rng(1)
for element in (numpy.float32, numpy.float64):
    for m, n, k in ((1, 300, 7), (257, 129, 65), (300, 200, 400)):
        a, b = random.integers(-8, 9, (m, k)), random.integers(-8, 9, (k, n))
        for left, right in ((a, b), (a[::-1].copy()[::-1], b), (a, numpy.asfortranarray(b))):
            product = left.astype(element) @ right.astype(element)
            assert (product == left @ right).all(), (element, m, n, k)

a = random.standard_normal((1000, 1000)).astype(numpy.float32)
b = random.standard_normal((1000, 1000)).astype(numpy.float32)
a @ b
times = []
for _ in range(7):
    started = time.process_time()
    a @ b
    times.append(time.process_time() - started)
print(f"right; float32 1000 x 1000 @ 1000 x 1000: {1e3 * statistics.median(times):.1f} ms")
