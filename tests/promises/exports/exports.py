# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""exports.py LIST LIBRARY: the library shows exactly the names of the list. With --write, writes the list instead."""
import pathlib
import subprocess
import sys


def shown_by(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return sorted({line.split()[-1] for line in lines.splitlines()})


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    listed_in, library = pathlib.Path(arguments[0]), arguments[1]
    shown = shown_by(library)
    if "--write" in sys.argv:
        listed_in.write_text("".join(name + "\n" for name in shown), encoding="utf-8")
        return
    listed = listed_in.read_text(encoding="utf-8").split()
    for name in sorted(set(shown) - set(listed)):
        print(f"{library} shows {name}, which {listed_in.name} does not list")
    for name in sorted(set(listed) - set(shown)):
        print(f"{library} lacks {name}, which {listed_in.name} lists")
    print(f"{len(shown)} names shown, {len(listed)} listed")
    sys.exit(shown != listed or not shown)


main()
