# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Where an array lies, when the partitioner says so without naming a mesh's axes: as it does in programs whose
operands come from outside of any mesh. The axes are found by trying: some way of cutting by them gives each device the
same part."""
import itertools

import numpy
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec


def mesh_for(traced, arrays):
    """The mesh that the program was traced on, of the devices that it is compiled for; if there was none, one with an
    axis for each prime factor of their number."""
    array = next(x for x in arrays if x.sharding is not None)
    # Of extents that any cut divides: only the devices' order is asked for.
    devices = list(array.sharding.devices_indices_map((array.sharding.num_devices,) * len(array.shape)))
    if not traced.empty and traced.size == len(devices):
        sizes, names = traced.axis_sizes, traced.axis_names
    else:
        sizes = _prime_factors(len(devices))
        names = tuple(f"axis{number}" for number in range(len(sizes)))
    return Mesh(numpy.array(devices).reshape(sizes), names, axis_types=(AxisType.Auto,) * len(names))


def spec_on(mesh, array):
    sharding, dims = array.sharding, len(array.shape)
    if sharding is None:
        return PartitionSpec()
    if isinstance(sharding, NamedSharding):
        return sharding.spec
    for order in itertools.permutations(mesh.axis_names):
        for cut in itertools.product((None, *range(dims)), repeat=len(order)):
            entries = [tuple(axis for axis, dim in zip(order, cut) if dim == d) or None for d in range(dims)]
            if sharding.is_equivalent_to(NamedSharding(mesh, PartitionSpec(*entries)), dims):
                return PartitionSpec(*entries)
    return PartitionSpec()  # parts that no axes make: it is gathered first


def _prime_factors(number):
    factors = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return tuple(factors) or (1,)
