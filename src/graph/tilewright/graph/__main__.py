# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""python -m tilewright.graph: every algorithm in a graph of one operation, on random matrices, beside jax's own
product.

With --benchmark: how fast each is, over the same operation."""

import argparse
import statistics
import time

import jax
import numpy

from tilewright.graph import ALGORITHMS, matmul

UNIT = 2.0**-24


def bound_of(a, b, accuracy):
    """The largest elementwise error allowed: what a plain float32 sum keeps, and two rounded operands for the narrow
    units."""
    k = a.shape[1]
    relative = (max(k, 32) + 2) * UNIT + (2.0**-10 if accuracy == "tf32" else 2.0**-7 if accuracy == "bf16" else 0)
    return 1.01 * relative * (abs(a).astype(numpy.float64) @ abs(b).astype(numpy.float64))


def graph_of(algorithm, a, b):
    """The compiled one-operation graph, and the accuracy that it keeps; ValueError says why there is none."""
    failure = None
    for accuracy in ("fp32", "tf32", "bf16"):
        try:
            compiled = jax.jit(lambda x, y: matmul(x, y, algorithm=algorithm, accuracy=accuracy)).lower(a, b).compile()
            return compiled, accuracy
        except ValueError as error:
            failure = failure or error
    raise failure


def seconds_of(compiled, a, b, budget):
    compiled(a, b).block_until_ready()
    times, ends = [], time.perf_counter() + budget
    while len(times) < 3 or (time.perf_counter() < ends and len(times) < 200):
        started = time.perf_counter()
        compiled(a, b).block_until_ready()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(prog="python -m tilewright.graph", description=__doc__)
    parser.add_argument("--benchmark", action="store_true", help="time the algorithms")
    parser.add_argument(
        "--size", type=int, help="N of N x N x N; 256, or for --benchmark 1024 on a CPU and 4096 on a GPU"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to time each")
    asked = parser.parse_args()
    device = jax.devices()[0]
    size = asked.size or ((1024 if device.platform == "cpu" else 4096) if asked.benchmark else 256)
    if size < 1:
        parser.error(f"--size: expected at least 1, and {size} came")

    random = numpy.random.default_rng(0)
    a = random.standard_normal((size, size), dtype=numpy.float32)
    b = random.standard_normal((size, size), dtype=numpy.float32)
    exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
    on_device = jax.device_put(a), jax.device_put(b)

    print(f"{size} x {size} x {size}, float32, on {device.platform} ({device.device_kind})")
    print(f"{'algorithm':<24}{'accuracy':>9}{'error / bound':>15}" + (f"{'GFLOP/s':>12}" if asked.benchmark else ""))
    wrong = []
    for algorithm in ALGORITHMS:
        try:
            compiled, accuracy = graph_of(algorithm, *on_device)
        except ValueError as error:
            print(f"{algorithm:<24}{error}")
            continue
        product = numpy.asarray(compiled(*on_device))
        share = float((abs(product - exact) / bound_of(a, b, accuracy)).max())
        if not share <= 1:
            wrong.append(algorithm)
        speed = f"{2e-9 * size**3 / seconds_of(compiled, *on_device, asked.seconds):>12.1f}" if asked.benchmark else ""
        print(f"{algorithm:<24}{accuracy:>9}{share:>15.3f}{speed}", flush=True)
    if asked.benchmark:
        own = jax.jit(lambda x, y: jax.lax.dot(x, y, precision="highest")).lower(*on_device).compile()
        print(
            f"{'jax itself':<24}{'fp32':>9}{'':>15}{2e-9 * size**3 / seconds_of(own, *on_device, asked.seconds):>12.1f}"
        )
    if wrong:
        raise SystemExit(f"These are wrong: {', '.join(wrong)}")
    print("All results agree with the product in float64, within the bound of their accuracy.")


if __name__ == "__main__":
    main()
