# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What happens to a product on its way out."""
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Epilogue:
    """Times `scale`, plus `bias` (one value a column), through the activation, plus `residual`, in this order.

    >>> import numpy, tilewright
    >>> a = numpy.array([[1.0, -2.0]])
    >>> tilewright.matmul(a.T, a, epilogue=tilewright.Epilogue(bias=numpy.array([1.0, 0.0]), activation="relu"))
    array([[2., 0.],
           [0., 4.]])
    """

    bias: Any = None
    activation: str = "none"
    residual: Any = None
    scale: float = 1.0
