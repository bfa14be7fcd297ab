# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""mpi.py: PBLAS's testers, the calls of each rank, bits, HPL's residuals, ranks that die and a grid
with too few, on four ranks with us.
mpi.py --times: p?gemm of 2048 by panels of 32 and 256, with us and with the BLAS of the system in turns."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
OURS = ROOT / "build/release/libtilewright_blas.so"
PRODUCT = ROOT / "build/clients/mpi_product"
RANKS = 4
SKIPPED = 77  # the exit status by which ctest knows


def need(found, package):
    if not found:
        print(f"skipped: {package} is not installed")
        sys.exit(SKIPPED)
    return found


def ranks(words, folder=None, count=RANKS, preload=OURS, expected=0, **variables):
    """The output of a program on ranks of one thread each."""
    given = {"OPENBLAS_NUM_THREADS": "1", "TW_THREADS": "1", **variables}
    if preload:
        given["LD_PRELOAD"] = preload
    options = [word for name, value in given.items() for word in ("-x", f"{name}={value}")]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(["mpirun", "-np", str(count), "--oversubscribe", *options, *map(str, words)], cwd=folder,
                          env={**os.environ, **allowed}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=600)
    if (done.returncode != 0) != (expected != 0):
        sys.exit(f"{words} ended with {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def counts(said):
    """What each rank's line of TW_LOG=counts says: "8 sgemm_"."""
    return re.findall(r"tilewright blas: (.+)", said)


def testers():
    testers_of_debian = pathlib.Path("/usr/lib").glob("*/scalapack/openmpi-tests/PBLAS/spb3tst")
    folder = need(next(testers_of_debian, None), "scalapack-mpi-test").parent
    for letter in "sdcz":
        with tempfile.TemporaryDirectory() as place:
            shutil.copy(folder / f"P{letter.upper()}BLAS3TST.dat", place)
            said = ranks([folder / f"{letter}pb3tst"], place, TW_LOG="counts")
        table = {name: numbers.split() for name, numbers in re.findall(r"\|\s+(P\w+)((?:\s+\d+){4})", said)}
        failed = [name for name, (total, passed, _, _) in table.items() if total != passed]
        mine = counts(said)
        if failed or table[f"P{letter.upper()}GEMM"] != ["16", "16", "0", "0"] or len(mine) != RANKS:
            sys.exit(f"{letter}pb3tst: {table}, {mine}")
        print(f"{letter}pb3tst: P{letter.upper()}GEMM 16 of 16, and {len(table) - 1} more routines;", "; ".join(mine))


def product(letter, n, rows, cols, repeats=1, **variables):
    """(milliseconds, digest of the bits, what the ranks counted)"""
    words = [PRODUCT, letter, n, 64, rows, cols, repeats]
    said = ranks(words, count=rows * cols, TW_LOG="counts", **variables)
    found = re.search(r"right; .*: ([\d.]+) ms, .*bits (\w+)", said)
    if not found:
        sys.exit(f"{words}: {said}")
    return float(found.group(1)), found.group(2), counts(said)


def calls_and_bits():
    for panel, calls in ((256, 8), (32, 64)):
        for letter in "sd":
            counted = product(letter, 2048, 2, 2, TW_PANEL=panel)[2]
            if counted != [f"{calls} {letter}gemm_"] * RANKS:
                sys.exit(f"p{letter}gemm of 2048 by panels of {panel}: expected {calls} calls a rank, not {counted}")
    print("p?gemm of 2048: 8 calls a rank by panels of 256, 64 by panels of 32")
    same = {product("s", 1000, rows, cols, TW_REPRODUCIBLE=1)[1] for rows, cols in ((2, 2), (2, 2), (1, 2), (2, 1))}
    if len(same) != 1:
        sys.exit(f"grids whose rows and columns have one least common multiple gave other bits: {same}")
    print("the same bits from one grid twice, and from 2 x 2, 1 x 2 and 2 x 1 ranks")


def hpl():
    need(shutil.which("hpcc"), "hpcc")
    example = need(next(pathlib.Path("/usr/share/doc/hpcc/examples").glob("_hpccinf.txt*"), None), "hpcc's example")
    with tempfile.TemporaryDirectory() as place:
        questions = example.read_text().replace("1000         Ns", "600          Ns")
        (pathlib.Path(place) / "hpccinf.txt").write_text(questions)
        counted = counts(ranks(["hpcc"], place, TW_LOG="counts"))
        said = (pathlib.Path(place) / "hpccoutf.txt").read_text()
    residuals = re.findall(r"\|\|Ax-b\|\|.*= +([\d.]+) \.+ (\w+)", said)
    passed = residuals and all(word == "PASSED" for _, word in residuals)
    if "Success=1" not in said or not passed or len(counted) != RANKS:
        sys.exit(f"hpcc: {residuals}, {counted}, {said[-2000:]}")
    print(f"hpcc: HPL's residual {residuals[0][0]} PASSED; {'; '.join(counted)}")


def lives(process):
    """A moment is left to those that are ending; one that nobody has waited for yet (Z) has ended."""
    for _ in range(50):
        status = pathlib.Path(f"/proc/{process}/status")
        try:
            if "State:\tZ" in status.read_text():
                return False
        except (FileNotFoundError, ProcessLookupError):
            return False
        time.sleep(0.1)
    return True


def a_rank_dies():
    """Killed, or gone with a status of its own, while the others wait for it inside a product."""
    for death, told in (((), "signal 9"), ((7,), r"Exit code: +7\b")):
        start = time.monotonic()
        said = ranks([PRODUCT, "s", 512, 64, 2, 2, 3, 1, *death], expected=1)
        processes = [int(number) for number in re.findall(r"is process (\d+)", said)]
        if len(processes) != RANKS or not re.search(told, said) or any(map(lives, processes)):
            sys.exit(f"a rank died: {said}")
        how = "leaves with status 7" if death else "is killed"
        print(f"a rank {how}: mpirun says so, and the others have ended after {time.monotonic() - start:.0f} s")


def a_grid_without_ranks():
    said = ranks([PRODUCT, "s", 512, 64, 3, 3, 1], expected=1)
    if "Illegal grid (3 x 3), #procs=4" not in said:
        sys.exit(f"a grid of 3 x 3 on 4 ranks: {said}")
    print("a grid of 3 x 3 on 4 ranks: BLACS says so, and all end")


def times():
    """Five turns of each; the best of three products in each."""
    deeper = pathlib.Path(tempfile.mkdtemp()) / "libpanel.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", deeper], input="int pilaenv_(void) { return 256; }",
                   text=True, check=True)
    sides = {"BLAS of the system, panel 32": {"preload": None}, "the same, panel 256": {"preload": deeper},
             "ours, panel 32": {"TW_PANEL": "32"}, "ours, panel 256": {}}
    for letter in "sd":
        best = dict.fromkeys(sides, 1e9)
        for _ in range(5):
            for side, given in sides.items():
                said = ranks([PRODUCT, letter, 2048, 64, 2, 2, 3], **given)
                best[side] = min(best[side], float(re.search(r"right; .*: ([\d.]+) ms", said).group(1)))
        told = "; ".join(f"{side} {ms}" for side, ms in best.items())
        print(f"p{letter}gemm 2048, best of 15, ms: {told}", flush=True)


if __name__ == "__main__":
    need(shutil.which("mpirun"), "openmpi-bin")
    need(PRODUCT.exists(), "libscalapack-openmpi-dev, from which build/clients/mpi_product is made,")
    if sys.argv[1:] == ["--times"]:
        times()
    else:
        testers()
        calls_and_bits()
        hpl()
        a_rank_dies()
        a_grid_without_ranks()
        print("right")
