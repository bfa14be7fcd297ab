# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""cosma.py: COSMA's own tests of its products, on the ranks that they are made for, with us.
cosma.py --times: its miniapp's product of 2048 on four ranks, with us and with the BLAS of the system in turns."""
import re
import sys

from mpi import ROOT, counts, need, ranks

COSMA = ROOT / "build/clients/cosma"
# Its tests make windows on several communicators at once, over which Open MPI's osc/rdma stumbles with any BLAS.
OPTIONS = ["--mca", "osc", "^rdma", "-x", "OMP_NUM_THREADS=1"]
TESTS = {"multiply": (16, 40), "multiply_using_layout": (4, 1), "scalar_matmul": (8, 4)}  # ranks, tests


def tests():
    for name, (count, expected) in TESTS.items():
        said = ranks([*OPTIONS, COSMA / f"tests/test.{name}"], count=count, TW_LOG="counts")
        mine = counts(said)
        if not re.search(rf"PASSED.*\D{expected} tests?\.", said) or not mine:
            sys.exit(f"COSMA's test.{name}: {mine}, {said[-2000:]}")
        print(f"COSMA's test.{name} on {count} ranks: {expected} passed; {mine[0]} on one of {len(mine)}")


def product():
    """Of odd sizes; COSMA's miniapp compares it with a product of its own."""
    words = [COSMA / "miniapp/cosma_miniapp", "-m", 1000, "-n", 900, "-k", 1100, "-t", "float", "-r", 1, "--test"]
    said = ranks([*OPTIONS, *words], TW_LOG="counts")
    mine = counts(said)
    if "Result is CORRECT" not in said or len(mine) != 4 or not all("cblas_sgemm" in each for each in mine):
        sys.exit(f"COSMA's miniapp: {mine}, {said[-2000:]}")
    print(f"COSMA's miniapp, 1000 x 900 x 1100 on 4 ranks, finds its product correct; {'; '.join(mine)}")


def times():
    words = [COSMA / "miniapp/cosma_miniapp", "-m", 2048, "-n", 2048, "-k", 2048, "-r", 3]
    for kind in ("float", "double"):
        best = {"BLAS of the system": 1e9, "ours": 1e9}
        for _ in range(5):
            for side, given in (("BLAS of the system", {"preload": None}), ("ours", {})):
                said = ranks([*OPTIONS, *words, "-t", kind], **given)
                best[side] = min(best[side], *map(float, re.search(r"TIMES \[ms\] = ([\d. ]+)", said).group(1).split()))
        told = "; ".join(f"{side} {ms}" for side, ms in best.items())
        print(f"COSMA, {kind} 2048 on 4 ranks, best of 15, ms: {told}", flush=True)


if __name__ == "__main__":
    need((COSMA / "tests/test.multiply").exists(), "COSMA, built in build/clients/cosma (docs/clients.md),")
    if sys.argv[1:] == ["--times"]:
        times()
    else:
        tests()
        product()
        print("right")
