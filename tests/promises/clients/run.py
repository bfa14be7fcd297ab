# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""run.py CLIENT: runs the command that docs/clients.md gives under the heading CLIENT, and checks what it says there.
run.py --times: runs each with us and without, on one thread, and prints a table of the processor's times."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/clients.md"
SECTION = re.compile(r"^## (.+)\n((?:(?!^##|```).*\n)*)```sh\n(.+)\n```", re.MULTILINE)
OURS = re.compile(r"(?:-x )?\b(LD_PRELOAD|TW_LOG)=\S+ ?|\bLD_LIBRARY_PATH=build/release/blas ")

SKIPPED = 77  # the exit status by which ctest knows


def sections():
    return {name: (text, command) for name, text, command in SECTION.findall(PAGE.read_text(encoding="utf-8"))}


def run(command, **variables):
    if "mpirun" in command and not shutil.which("mpirun"):
        print("skipped: mpirun is not installed (openmpi-bin)")
        sys.exit(SKIPPED)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=3000,
                          env={**os.environ, **variables})
    if done.returncode == SKIPPED:
        print(done.stdout.strip())
        sys.exit(SKIPPED)
    if done.returncode or "right" not in done.stdout:
        sys.exit(f"{command}\nended with {done.returncode}: {done.stdout[-2000:]} {done.stderr[-2000:]}")
    return done.stdout, done.stderr


def check(client):
    text, command = sections()[client]
    out, told = run(command)
    wanted = re.findall(r"`(\w*gemm\w*)`", text.split("takes", 1)[1]) if "takes" in text else []
    counted = dict(reversed(pair.split(" ")) for line in re.findall(r"tilewright blas: ([^;\n]+)", told)
                   for pair in line.split(", "))
    missing = [name for name in wanted if int(counted.get(name, 0)) < 1]
    print(out.strip(), "|", told.strip())
    if missing or "not as asked" in told:
        sys.exit(f"these calls were not ours: {', '.join(missing)}")


def milliseconds(said):
    return float(re.search(r": ([\d.]+) ms", said).group(1))


def times():
    """With us and without in turns, so that both see the same machine; the best of five turns each. What other work a
    machine does is in nobody's processor time, and one thread waits for no other."""
    alone = {"OPENBLAS_NUM_THREADS": "1", "TW_THREADS": "1"}
    print("| client | what | OpenBLAS, ms | ours, ms | ours counted |\n|---|---|--:|--:|---|")
    for name, (_, command) in sections().items():
        if "TW_LOG=counts" not in command:
            continue
        own, other = [], []
        for _ in range(5):
            said, told = run(command, **alone)
            own.append(milliseconds(said))
            other.append(milliseconds(run(OURS.sub("", command), **alone)[0]))
        what = re.search(r"right; (.+): [\d.]+ ms", said).group(1)
        counted = re.search(r"tilewright blas: (.+)", told).group(1)
        print(f"| {name} | {what} | {min(other)} | {min(own)} | {counted} |", flush=True)


if __name__ == "__main__":
    times() if sys.argv[1] == "--times" else check(sys.argv[1])
