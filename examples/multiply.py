# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""pip install tilewright; python multiply.py"""
import numpy

import tilewright

a = numpy.array([[1, 2, 3], [4, 5, 6]], numpy.float32)
b = numpy.array([[1, 0], [0, 1], [1, 1]], numpy.float32)
product = tilewright.matmul(a, b, accuracy="fp32", verify=True)
print(product)

# Nothing is copied: a transposed operand is read as it lies, and out is written where it is.
tilewright.matmul(b.T, a.T, out=product.T)
print(product)
print(tilewright.Layout.row_major(2, 6))
