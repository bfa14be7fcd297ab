# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The command tw, from Python."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(__file__).with_name("tw")


def run(*arguments, **options):
    """Runs tw; a failure is a RuntimeError with what it said."""
    if not PROGRAM.exists():
        raise RuntimeError("this build of the package has no tw: it was configured with TW_CLI off")
    done = subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True, **options)
    if done.returncode:
        raise RuntimeError(f"tw {' '.join(map(str, arguments))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def info():
    """What tilewright finds on this machine, as `tw info` prints it.

    >>> import tilewright
    >>> "tilewright" in tilewright.info()
    True
    """
    return run("info")


def ladder(device="cpu", *, size=None, type="f32", seconds=None, rung=None):
    """Climbs: every rung is judged, then timed. One dictionary a rung, in Google Benchmark's schema.

    >>> import tilewright
    >>> rows = tilewright.ladder(size=64, seconds=0.05, rung="naive")
    >>> "naive" in rows[0]["name"]
    True
    """
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, "ladder.json")
        asked = ["--device", device, "--type", type, "--json", results, "--no-peers"]
        for option, value in (("--size", size), ("--seconds", seconds), ("--rung", rung)):
            if value is not None:
                asked += [option, value]
        run("ladder", *asked)
        with open(results, encoding="utf-8") as file:
            return json.load(file)["benchmarks"]


def tune(*arguments):
    """Measures which kernel and tile suit this machine's shapes and remembers it: `tw tune` with these arguments."""
    return run("tune", *arguments)


def main():
    """The command itself, with this program's own arguments."""
    if not PROGRAM.exists():
        sys.exit("this build of the package has no tw: it was configured with TW_CLI off")
    os.execv(PROGRAM, ["tw", *sys.argv[1:]])
