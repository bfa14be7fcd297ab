# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""judges.py: netlib's testers of level 3, stock and with sizes up to 65, over every kernel of this machine's CPU.

xblat3 and xcblat3 of all four types: gemm is ours and its calls are counted; the other routines are the BLAS
underneath. The complete libblas.so.3 is judged too."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / "build/release"
FOLDER = next(pathlib.Path("/usr/lib").glob("*/blas/xblat3s")).parent
SIZES = "0 1 2 3 7 17 31 33 65"
GEMM_CALLS = {"stock": 17496, "sizes to 65": 59049}
ERROR_EXITS = {"s": 28, "d": 28, "c": 60, "z": 60}  # of Fortran; C tries 28 of every type in each layout
LETTERS = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}
COARSER_THAN_F32 = ("cpu.r8_matrix_unit.f32", ".bf16x3", ".int8x6")  # the testers ask for what an f32 product promises


def kernels():
    """Every CPU kernel of the sources that keeps its type's promise and that this machine can run."""
    names = set()
    for path in (ROOT / "src/backend/cpu").glob("*.cpp"):
        names.update(re.findall(r'"(cpu\.(?:r\d+|few)_\w+\.[fc]\d+[^"]*)"', path.read_text(encoding="utf-8")))
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8") if os.path.exists("/proc/cpuinfo") else ""
    lacking = [
        name
        for name, flag in (("avx2", "avx2"), ("avx512", "avx512f"), ("amx", "amx_tile"), ("neon", "asimd"))
        if flag not in flags
    ]
    return sorted(name for name in names if not any(part in name for part in (*lacking, *COARSER_THAN_F32)))


def judge(program, sizes, environment):
    """Runs one tester; returns how many of our calls it made. Raises with what it said when anything failed."""
    is_c = "cblat" in program
    letter = program[1] if is_c else program[-1]
    questions = (FOLDER / (f"{letter}in3" if is_c else f"{letter}blat3.in")).read_text(encoding="ascii")
    if sizes != "stock":
        questions = re.sub(
            r"(?m)^\d+( +NUMBER OF VALUES OF N.*\n).*", rf"{len(SIZES.split())}\g<1>{SIZES}     VALUES OF N", questions
        )
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [str(FOLDER / program)],
            input=questions,
            cwd=folder,
            text=True,
            capture_output=True,
            timeout=600,
            env={**os.environ, **environment, "TW_LOG": "counts"},
        )
        said = run.stdout + "".join(path.read_text() for path in pathlib.Path(folder).glob("*.out"))
    wrong = re.search(r"(?im)^.*(\*\*\*|fail|suspect|abandon).*$", said)
    if run.returncode or wrong or "END OF TESTS" not in said:
        raise SystemExit(
            f"{program} ({sizes}, {environment}): {wrong.group() if wrong else said[-600:]} {run.stderr[-600:]}"
        )
    counted = re.search(rf"tilewright blas: (\d+) {'cblas_' if is_c else ''}{letter}gemm_?(.*)", run.stderr)
    expected = 2 * (GEMM_CALLS[sizes] + 28) if is_c else GEMM_CALLS[sizes] + ERROR_EXITS[letter]
    if not counted or counted.group(2) or int(counted.group(1)) != expected:
        raise SystemExit(
            f"{program} ({sizes}, {environment}): expected {expected} calls, all as asked: {run.stderr[-300:]}"
        )
    return expected


def main():
    preload = {"LD_LIBRARY_PATH": str(FOLDER), "LD_PRELOAD": str(BUILD / "libtilewright_blas.so")}
    complete = {"LD_LIBRARY_PATH": str(BUILD / "blas"), "TW_BLAS": str(FOLDER / "libblas.so.3")}
    calls = runs = 0
    for kernel in kernels():
        letter = LETTERS[kernel.split(".")[2]]
        for program in (f"xblat3{letter}", f"x{letter}cblat3"):
            for sizes in GEMM_CALLS:
                for threads in "12":
                    calls += judge(program, sizes, {**preload, "TW_KERNEL": kernel, "TW_THREADS": threads})
                    runs += 1
        print(f"{kernel}: right", flush=True)
    for program in [name for letter in "sdcz" for name in (f"xblat3{letter}", f"x{letter}cblat3")]:
        for environment in (preload, complete):
            calls += judge(program, "stock", environment)
            runs += 1
    print(f"right; {runs} runs of netlib's testers, {calls} calls of gemm, all ours")


if __name__ == "__main__":
    sys.exit(main())
