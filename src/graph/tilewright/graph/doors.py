# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The ways to a planned product. Over a mesh's Auto axes the partitioner asks us for it, by the rule below; over
Explicit axes the operands' types say where they lie, and it is a shard_map; inside somebody's shard_map, and on one
device, it is that device's product alone."""
import functools

import jax
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from tilewright.graph import local, placed
from tilewright.graph.planned import planned, run, specs_of
from tilewright.graph.planner import dims_of


def on_mesh(a, b, asked, wanted):
    """a @ b wherever they lie. `wanted`: where C is to lie, a PartitionSpec; None leaves it to us."""
    mesh = mesh_of(a, b)
    kinds = set(mesh.axis_types)
    if AxisType.Explicit in kinds:
        if kinds != {AxisType.Explicit}:
            raise ValueError(
                f"tilewright.matmul: the mesh has axes of several kinds, {mesh.axis_types}; "
                f"expected Explicit ones alone"
            )
        return _explicit(mesh, a, b, asked, wanted)
    if kinds == {AxisType.Manual}:
        return _in_shard_map(a, b, asked)
    c = _partitioned(a, b, asked, mesh)
    return c if wanted is None else jax.lax.with_sharding_constraint(c, wanted)


def _in_shard_map(a, b, asked):
    """C differs on the devices where an operand does; a foreign function's result doesn't say so by itself."""
    c = _whole(a, b, asked, None)
    over = (varying_over(a) | varying_over(b)) - varying_over(c)
    return jax.lax.pcast(c, tuple(sorted(over)), to="varying") if over else c


def mesh_of(a, b):
    meshes = [jax.typeof(x).sharding.mesh for x in (a, b)]
    cut = [mesh for mesh in meshes if not mesh.empty]
    if len(cut) == 2 and cut[0] != cut[1]:
        raise ValueError(
            f"tilewright.matmul: a lies on the mesh {dict(cut[0].shape)} and b on the mesh {dict(cut[1].shape)}; "
            f"expected one mesh"
        )
    return (cut or meshes)[0]


def _explicit(mesh, a, b, asked, wanted):
    lies = tuple(jax.typeof(x).sharding.spec for x in (a, b))
    wanted = where(wanted, natural(lies, len(a.shape), len(b.shape), asked))
    plan = planned(mesh.shape, a, b, asked, (*lies, wanted))
    a_spec, b_spec, c_spec = specs_of(plan)
    one = jax.shard_map(
        functools.partial(run, plan, asked), mesh=mesh, in_specs=(a_spec, b_spec), out_specs=c_spec, check_vma=False
    )
    reshard = jax.sharding.reshard
    return reshard(one(reshard(a, a_spec), reshard(b, b_spec)), wanted)


def where(wanted, natural_one):
    """The caller's wish, dimension by dimension; where there is none, as it comes."""
    spec = wanted.spec if isinstance(wanted, NamedSharding) else wanted
    if spec is None:
        return natural_one
    entries = [*spec, *[None] * (len(natural_one) - len(spec))]
    return PartitionSpec(*(n if e is PartitionSpec.UNCONSTRAINED else e for e, n in zip(entries, natural_one)))


def explicit_spec(x):
    """Where x lies on Explicit axes; None where the partitioner decides."""
    sharding = jax.typeof(x).sharding
    return sharding.spec if AxisType.Explicit in sharding.mesh.axis_types else None


def varying_over(x):
    """The axes of somebody's shard_map over whose devices x differs; jax has had three names for them."""
    kind = jax.typeof(x)
    manual = getattr(kind, "mat", None)
    return getattr(kind, "vma", frozenset()) if manual is None else manual.varying


def laid_as(gradient, like):
    """A gradient as its operand lies. Of an operand that is the same on devices of a shard_map it is their sum."""
    over = varying_over(gradient) - varying_over(like)
    if over:
        gradient = jax.lax.psum(gradient, tuple(sorted(over)))
    spec = explicit_spec(like)
    return gradient if spec is None else jax.sharding.reshard(gradient, spec)


def natural(specs, a_dims, b_dims, asked):
    """Where C lies when nobody says: cut as the operands' own rows, columns and batch are, each axis once."""
    names = dims_of(a_dims, b_dims, asked.transpose_a, asked.transpose_b)
    cuts = {}
    for dims, spec in zip(names, specs):
        for dim, entry in zip(dims, (*spec, *[None] * (len(dims) - len(spec)))):
            cuts.setdefault(dim, () if entry is None else (entry,) if isinstance(entry, str) else tuple(entry))
    taken, entries = set(), []
    for dim in names[2]:
        free = tuple(axis for axis in cuts[dim] if axis not in taken)
        taken.update(free)
        entries.append(free or None)
    return PartitionSpec(*entries)


def _whole(a, b, asked, traced):
    return local.product(a, b, asked, a.dtype)


_partitioned = custom_partitioning(_whole, static_argnums=(2, 3))


def _partition(asked, traced, mesh, operands, result):
    """Shardy has settled where operands and result lie; our plan says how to get from the ones to the other."""
    arrays = (*operands, result)
    if mesh.empty:
        mesh = placed.mesh_for(traced, arrays)
    plan = planned(dict(mesh.shape), *operands, asked, tuple(placed.spec_on(mesh, x) for x in arrays))
    a_lies, b_lies, c_lies = (NamedSharding(mesh, spec) for spec in specs_of(plan))
    return mesh, functools.partial(run, plan, asked), c_lies, (a_lies, b_lies)


def _rule(asked, traced, mesh, operands, results):
    dims = dims_of(*(len(x.shape) for x in operands), asked.transpose_a, asked.transpose_b)
    a, b, c = (" ".join(names) for names in dims)
    return f"{a}, {b} -> {c}", {"reduction_factors": ("k",)}


_partitioned.def_partition(partition=_partition, sharding_rule=_rule)
