# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""tilewright.torch.sharding on meshes of 2 and 4 processes (gloo): the rules of the operators, and the same bits."""
import multiprocessing
import os
import traceback

import pytest

torch = pytest.importorskip("torch", minversion="2.10")
if not torch.distributed.is_available():
    pytest.skip("this torch has no torch.distributed", allow_module_level=True)

import torch.distributed as dist  # noqa: E402
from torch.distributed.device_mesh import init_device_mesh  # noqa: E402
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor  # noqa: E402

import tilewright  # noqa: E402
import tilewright.torch as tw  # noqa: E402
from tilewright.torch.sharding import same_bits  # noqa: E402

S0, S1, R = Shard(0), Shard(1), Replicate()
OPS = torch.ops.tilewright


def _process(rank, count, place, works, failed):
    torch.set_num_threads(1)
    try:
        dist.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=count)
        for work in works:
            work(count)
        dist.destroy_process_group()
    except BaseException:
        failed.put(f"process {rank}\n{traceback.format_exc()}")
        os._exit(1)


def on(count, works, folder):
    """Does each work(count) in as many processes, which take longer to start than to do it."""
    context = multiprocessing.get_context("spawn")
    failed = context.SimpleQueue()
    processes = [
        context.Process(target=_process, args=(rank, count, str(folder / "meet"), works, failed))
        for rank in range(count)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(240)
    for process in processes:
        process.kill()
    assert all(process.exitcode == 0 for process in processes), "no word" if failed.empty() else failed.get()


def meshes(count):
    yield init_device_mesh("cpu", (count,))
    if count == 4:
        yield init_device_mesh("cpu", (2, 2))


def numbers(*shape, seed=0, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def each_placing(mesh, of_one):
    """What operands may be cut along, dimension by dimension of the mesh; of two dimensions a third of all pairs."""
    if mesh.ndim == 1:
        return [[pair] for pair in of_one]
    return [[one, other] for one in of_one for other in of_one][::3]


def rules(count):
    """Every way to cut the operands gives the rows of one process, with its bits under `reproducible`."""
    a, b, bias, residual = numbers(12, 40), numbers(40, 8, seed=1), numbers(8, seed=2), numbers(12, 8, seed=3)
    pairs = [(x, y) for x in (R, S0, S1) for y in (R, S0, S1)]
    calls = {
        "matmul": lambda x, y, s, t: OPS.matmul(x, y, reproducible=True),
        "linear": lambda x, y, s, t: OPS.linear(x, y.t(), s, t, activation="silu", reproducible=True),
        "addmm": lambda x, y, s, t: OPS.addmm(s, x, y, activation="relu", reproducible=True),
    }
    for mesh in meshes(count):
        for places in each_placing(mesh, pairs):
            da = distribute_tensor(a, mesh, [place[0] for place in places])
            db = distribute_tensor(b, mesh, [place[1] for place in places])
            beside = [distribute_tensor(x, mesh, [R] * mesh.ndim) for x in (bias, residual)]
            for name, call in calls.items():
                got = call(da, db, *beside)
                assert torch.equal(got.full_tensor(), call(a, b, bias, residual)), (name, places)
            free = OPS.matmul(da, db)
            assert not any(isinstance(place, Partial) for place in OPS.matmul(da, db, reproducible=True).placements)
            assert torch.allclose(free.full_tensor(), a @ b, atol=1e-4), places


def sums(count):
    """Rows that are cut along k meet in a pending sum, as torch's own products do, where nothing was promised."""
    mesh = init_device_mesh("cpu", (count,))
    a, b = numbers(12, 40), numbers(40, 8, seed=1)
    got = OPS.matmul(distribute_tensor(a, mesh, [S1]), distribute_tensor(b, mesh, [S0]))
    assert got.placements == (Partial(),)
    many, few = numbers(6, 12, 40), numbers(6, 40, 8, seed=1)
    got = OPS.matmul(distribute_tensor(many, mesh, [S0]), distribute_tensor(few, mesh, [S0]), reproducible=True)
    assert got.placements == (S0,) and torch.equal(got.full_tensor(), OPS.matmul(many, few, reproducible=True))


def bits(count):
    """same_bits has the bits of one process for every cut, for every type, with k that no mesh divides, too."""
    pairs = [(x, y) for x in (R, S0, S1) for y in (R, S0, S1)]
    for mesh in meshes(count):
        for dtype in (torch.float32, torch.bfloat16):
            for rows, k, cols in ((16, 320, 8), (5, 328, 3), (6, 37, 7)):
                a, b = numbers(rows, k, dtype=dtype), numbers(k, cols, seed=1, dtype=dtype)
                want = tilewright.matmul(a, b, out=a.new_empty(rows, cols), reproducible=True, slabs=8)
                for places in each_placing(mesh, pairs):
                    da = distribute_tensor(a, mesh, [place[0] for place in places])
                    db = distribute_tensor(b, mesh, [place[1] for place in places])
                    got = same_bits(da, db)
                    assert got.dtype == dtype and got.shape == want.shape
                    assert torch.equal(got.full_tensor(), want), (dtype, rows, k, cols, places)


def gradients(count):
    mesh = init_device_mesh("cpu", (count,))
    a, b, g = numbers(16, 64), numbers(64, 8, seed=1), numbers(16, 8, seed=2)
    found = []
    for places in ((R, R), (S1, S0), (S0, R)):
        da, db = (distribute_tensor(x, mesh, [place]).requires_grad_() for x, place in zip((a, b), places))
        same_bits(da, db).backward(distribute_tensor(g, mesh, [R]))
        found.append((da.grad.full_tensor(), db.grad.full_tensor()))
    assert all(torch.equal(x, y) for some in found for x, y in zip(some, found[0]))
    assert torch.allclose(found[0][0], g @ b.T, atol=1e-4) and torch.allclose(found[0][1], a.T @ g, atol=1e-4)


def by_torchs_rule(count):
    """Gradients of the operators through torch's own recording, on a mesh."""
    mesh = init_device_mesh("cpu", (count,))
    a, b = numbers(12, 40), numbers(40, 8, seed=1)
    da, db = (distribute_tensor(x, mesh, [S0 if x is a else R]).requires_grad_() for x in (a, b))
    OPS.matmul(da, db, reproducible=True).sum().backward()
    assert torch.allclose(da.grad.full_tensor(), torch.ones(12, 8) @ b.T, atol=1e-4)
    assert torch.allclose(db.grad.full_tensor(), a.T @ torch.ones(12, 8), atol=1e-4)


@pytest.mark.parametrize("count", (2, 4))
def test_on_a_mesh(count, tmp_path):
    on(count, (rules, sums, bits, gradients, by_torchs_rule), tmp_path)


def test_what_is_no_product_of_dtensors_is_said():
    with pytest.raises(TypeError, match="expected DTensors of two dimensions; a is Tensor of"):
        same_bits(torch.ones(2, 3), torch.ones(3, 2))


def test_operators_take_a_whole_number_for_reproducible():
    a, b = numbers(3, 4), numbers(4, 5)
    assert torch.equal(OPS.matmul(a, b, reproducible=1), tw.matmul(a, b, reproducible=True))
