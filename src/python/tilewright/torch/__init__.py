# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright's products as torch has them: with gradients, autocast, torch.compile, and rows that do not know their
batch.

The operators are torch.ops.tilewright.matmul, addmm, linear, matmul_out and matvec; what stands here calls them, or
goes straight to the product where nobody watches. tilewright.torch.sharding has their rules for DTensors.
"""
from tilewright.torch import batching, packets  # noqa: F401: rules of torch.vmap; calls of torch.ops.tilewright
from tilewright.torch.dial import Dialled, matvec
from tilewright.torch.invariant import batch_invariant
from tilewright.torch.products import addmm, linear, matmul

__all__ = ["Dialled", "addmm", "batch_invariant", "linear", "matmul", "matvec"]
