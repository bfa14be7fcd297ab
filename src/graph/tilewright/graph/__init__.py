# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.matmul as an operation of a compiled graph: jax.jit, jax.grad and jax.vmap go through it, on one device or
on a mesh of them.

>>> import jax, jax.numpy as jnp
>>> from tilewright import graph
>>> product = jax.jit(lambda a, b: graph.matmul(a, b, algorithm="tiled_register", accuracy="fp32"))
>>> product(jnp.ones((2, 3)), jnp.ones((3, 2)))
Array([[3., 3.],
       [3., 3.]], dtype=float32)
"""
from tilewright.graph.bound import lower_bound
from tilewright.graph.local import ALGORITHMS
from tilewright.graph.operation import matmul
from tilewright.graph.program import collectives
from tilewright.graph.report import plan

__all__ = ["ALGORITHMS", "collectives", "lower_bound", "matmul", "plan"]
