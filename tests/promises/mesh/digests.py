# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The bits of one product in every layout, over all devices of all processes. Run by itself it is one of several
processes: digests.py RANK PROCESSES DEVICES PORT prints them as JSON from rank 0."""
import hashlib
import json
import sys

import jax

SHAPES = ((128, 96, 256), (8, 512, 192))


def digests(mesh, same_bits=True):
    """{shape and layout: the bits of C}"""
    from jax.experimental import multihost_utils

    from cases import ON_ONE_AXIS, compiled, whole
    from tilewright import graph

    found = {}
    for m, n, k in SHAPES:
        a, b = whole(m, k), whole(k, n, seed=1)
        for layout, specs in ON_ONE_AXIS.items():
            made, operands = compiled(lambda x, y: graph.matmul(x, y, same_bits=same_bits), mesh, specs, a, b)
            c = multihost_utils.process_allgather(made(*operands), tiled=True)
            found[f"{m} x {n} x {k}, {layout}"] = hashlib.sha256(jax.device_get(c).tobytes()).hexdigest()
    return found


if __name__ == "__main__":
    rank, processes, devices, port = (int(word) for word in sys.argv[1:])
    jax.config.update("jax_num_cpu_devices", devices)
    jax.distributed.initialize(f"127.0.0.1:{port}", processes, rank)
    from cases import mesh_of

    here = digests(mesh_of((jax.device_count(),)))
    if rank == 0:
        print("digests", json.dumps(here))
