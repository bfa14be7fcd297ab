# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Matrix multiplication as fast as this machine allows, at the accuracy asked for.

>>> import numpy, tilewright
>>> a = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
>>> tilewright.matmul(a, a.T)
array([[ 5., 14.],
       [14., 50.]], dtype=float32)
"""
from tilewright import product
from tilewright._native import Layout, entrance_before, version as __version__
from tilewright.command import info, ladder, tune
from tilewright.effort import EffortMatrix
from tilewright.epilogue import Epilogue
from tilewright.picture import svg_of

matmul = entrance_before(product.matmul)
Layout._repr_svg_ = svg_of

__all__ = ["EffortMatrix", "Epilogue", "Layout", "info", "ladder", "matmul", "tune", "__version__"]
