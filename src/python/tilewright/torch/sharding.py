# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Products of DTensors. Importing this registers the operators' rules with torch; same_bits() is a product whose bits
do not depend on the mesh, even where the mesh cuts the dimension that is summed over."""
import torch
import torch.distributed._functional_collectives as collectives
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

import tilewright

OPS = torch.ops.tilewright
SLABS = 8


def _rules(a, b, cols_of_b, sums, beside=()):
    """What one dimension of a mesh may cut: a batch of both, rows of a, columns of b; what is summed over where `sums`
    says so. `beside` are the other operands of the result's shape, or of its last dimensions."""
    out, rest = max(a.ndim, b.ndim), []
    whole = [Replicate()]
    last = out - 1

    def with_beside(cut):
        """The other operands' placements when the result is cut along `cut`."""
        return [
            None if x is None
            else Shard(cut - (out - x.ndim)) if cut is not None and cut >= out - x.ndim and x.shape[cut - out] != 1
            else Replicate()
            for x in beside
        ]

    rest.append((whole, [Replicate(), Replicate(), *with_beside(None)]))
    rest.append(([Shard(out - 2)], [Shard(a.ndim - 2), Replicate(), *with_beside(out - 2)]))
    rest.append(([Shard(last)], [Replicate(), Shard(cols_of_b), *with_beside(last)]))
    for at in range(out - 2):
        in_a, in_b = at - (out - a.ndim), at - (out - b.ndim)
        cuts_a = in_a >= 0 and a.shape[in_a] != 1
        cuts_b = in_b >= 0 and b.shape[in_b] != 1
        operands = [Shard(in_a) if cuts_a else Replicate(), Shard(in_b) if cuts_b else Replicate()]
        rest.append(([Shard(at)], [*operands, *with_beside(at)]))
    if sums:
        of_b = 2 * b.ndim - 3 - cols_of_b
        rest.append(([Partial()], [Shard(a.ndim - 1), Shard(of_b), *with_beside(None)]))
    return rest


@register_sharding(OPS.matmul.default)
def _matmul(a, b, accuracy="", reproducible=0):
    """Parts of what is summed over are added in an order of the mesh's: not where `reproducible` was asked for."""
    return _rules(a, b, b.ndim - 1, not reproducible)


@register_sharding(OPS.linear.default)
def _linear(x, weight, bias=None, residual=None, activation="none", accuracy="", reproducible=0):
    return _rules(x, weight, weight.ndim - 2, False, (bias, residual))


@register_sharding(OPS.addmm.default)
def _addmm(input, a, b, beta=1.0, alpha=1.0, activation="none", accuracy="", reproducible=0):
    return [(out, [placed[2], *placed[:2]]) for out, placed in _rules(a, b, 1, False, (input,))]


def same_bits(a, b, *, slabs=SLABS, accuracy=None):
    """a @ b of two DTensors with two dimensions: the same bits on every mesh, and of one process (a mesh of one, or
    tilewright.matmul with `reproducible` and `slabs`).

    slabs       a power of two: k is cut into so many parts, added in a tree. A mesh that cuts k into parts that divide
                `slabs` sums its own part and adds the others' in that tree; any other mesh gathers k first.
    accuracy    as tilewright.matmul takes it.

    The result is cut along its rows where the mesh cuts k and rows suffice. With gradients, which keep the promise too.
    """
    for name, x in (("a", a), ("b", b)):
        if not isinstance(x, DTensor) or x.dim() != 2:
            raise TypeError(f"tilewright.torch.same_bits: expected DTensors of two dimensions; {name} is "
                            f"{type(x).__name__} of {tuple(x.shape)}")
    if a.device_mesh != b.device_mesh:
        raise ValueError("tilewright.torch.same_bits: expected operands on one mesh")
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"tilewright.torch.same_bits: a is {tuple(a.shape)} and b is {tuple(b.shape)}; expected as "
                         "many rows of b as a has columns")
    if slabs < 1 or slabs & (slabs - 1):
        raise ValueError(f"tilewright.torch.same_bits: expected a power of two of slabs; it is {slabs}")
    return _SameBits.apply(a, b, slabs, accuracy)


class _SameBits(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, slabs, accuracy):
        ctx.save_for_backward(a, b)
        ctx.how = slabs, accuracy
        return _product(a, b, slabs, accuracy)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        of_a = _product(g, b.mH, *ctx.how) if ctx.needs_input_grad[0] else None
        of_b = _product(a.mH, g, *ctx.how) if ctx.needs_input_grad[1] else None
        return of_a, of_b, None, None


def _places(a, b, k, slabs):
    """For each dimension of the mesh (what a, what b and what the result is cut along; None: k is cut)."""
    parts, found = 1, []
    for size, of_a, of_b in zip(a.device_mesh.shape, a.placements, b.placements):
        cuts_k = of_a == Shard(1) or of_b == Shard(0)
        if of_a == Shard(0):
            found.append((of_a, Replicate(), of_a))
        elif of_b == Shard(1):
            found.append((Replicate(), of_b, of_b))
        elif cuts_k and size > 1 and slabs % (parts * size) == 0 and k % (parts * size) == 0:
            parts *= size
            found.append((Shard(1), Shard(0), None))
        else:
            found.append((Replicate(), Replicate(), Replicate()))
    return parts, found


def _product(a, b, slabs, accuracy):
    mesh = a.device_mesh
    parts, places = _places(a, b, a.shape[1], slabs)
    shape = torch.Size((a.shape[0], b.shape[1]))
    dtype = a.dtype
    a = a.redistribute(placements=[place[0] for place in places]).to_local()
    b = b.redistribute(placements=[place[1] for place in places]).to_local()
    out = a.new_empty((a.shape[0], b.shape[1]), dtype=torch.float32 if parts > 1 and dtype.itemsize == 2 else dtype)
    with torch.no_grad():
        tilewright.matmul(a.detach().contiguous(), b.detach().contiguous(), out=out, accuracy=accuracy,
                          reproducible=True, slabs=slabs // parts)
    placements = [place[2] for place in places]
    for at in reversed(range(mesh.ndim)):  # the parts of the last dimension are neighbours
        if placements[at] is None:
            out, placements[at] = _added(out, mesh, at, placements)
    rows, cols = shape
    return DTensor.from_local(out.to(dtype), mesh, placements, run_check=False, shape=shape, stride=(cols, 1))


def _added(own, mesh, at, placements):
    """The parts along a dimension of the mesh, added in a tree: each process its share of the rows, or all of them."""
    count, rows = mesh.size(at), own.shape[0]
    is_cut_elsewhere = any(place == Shard(0) or place is None for place in placements[:at] + placements[at + 1:])
    if rows % count == 0 and rows > 0 and not is_cut_elsewhere:
        parts, place = collectives.all_to_all_single(own, None, None, (mesh, at)), Shard(0)
    else:
        parts, place = collectives.all_gather_tensor(own, 0, (mesh, at)), Replicate()
    parts = list(collectives.wait_tensor(parts).chunk(count))
    while len(parts) > 1:
        parts = [first + second for first, second in zip(parts[::2], parts[1::2])]
    return parts[0], place
