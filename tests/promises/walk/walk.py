#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""walk.py ROOT PROGRAM NM ADDR2LINE: docs/walk.md is what happens.

The page has a list for each way, between <!-- walk: NAME --> and <!-- end -->, of links to functions. PROGRAM
multiplies by that way and says which functions it entered; NM and ADDR2LINE say whose they are. The first entrances of
the functions that the list names must be in the list's order, each in the file that it links to; and no file of the
library may be entered that the page does not name.
"""

import os
import pathlib
import re
import subprocess
import sys

LIST = re.compile(r"<!-- walk: (\w+) -->(.*?)<!-- end -->", re.DOTALL)
LINK = re.compile(r'\]\(\.\./([^)\s"]+) "([^"]+)"\)')


def bare(demangled):
    """`run` of `tw::Status tw::cpu::(anonymous namespace)::run<float>(tw::Call const&)`."""
    text = demangled.replace("(anonymous namespace)::", "")
    while "<" in text and (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return text.split("(")[0].split("::")[-1].split(" ")[-1]


def file_in(root, place):
    """The file of this tree that a path in the debug information means; None: not one of ours. Objects may come from
    a compiler cache that other trees share, and then name another tree's folders."""
    parts = pathlib.PurePosixPath(os.path.normpath(place)).parts
    for i, part in enumerate(parts):
        if part in ("src", "include") and (root / (file := "/".join(parts[i:]))).is_file():
            return file
    return None


def functions_of(program, nm, addr2line, root):
    """{how far from main: (file, name)} of every function that knows its line. (nm would tell lines, too, but of one of
    a constructor's two names where it is declared.)"""
    said = subprocess.run([nm, "-C", program], check=True, capture_output=True, text=True).stdout
    names = {int(at, 16): name for at, name in re.findall(r"^([0-9a-f]+) [tTwWuV] (.*)$", said, re.MULTILINE)}
    said = subprocess.run([addr2line, "-e", program], input="\n".join(map(hex, names)), check=True, capture_output=True,
                          text=True).stdout
    main = next(address for address, name in names.items() if name == "main")
    return {address - main: (file, bare(name)) for (address, name), place in zip(names.items(), said.splitlines())
            if (file := file_in(root, place.rsplit(":", 1)[0]))}


def steps_of(program, way, functions):
    """The functions that were entered, each once, in the order of their first entrances."""
    said = subprocess.run([program, way], check=True, capture_output=True, text=True,
                          env={**os.environ, "TW_FEATURES": "none", "TW_STORE": "/dev/null"}).stdout
    places = map(int, dict.fromkeys(said.split()))  # a loop enters the same ones a million times
    return list(dict.fromkeys(functions[place] for place in places if place in functions))


def complaints(way, listed, steps, named_files):
    places = [steps.index(step) if step in steps else None for step in listed]
    for step, place in zip(listed, places):
        if place is None:
            yield f"{way}: {step[1]} of {step[0]} is not entered"
    entered = [place for place in places if place is not None]
    for (earlier, later, step) in zip(entered, entered[1:], [s for s, p in zip(listed, places) if p is not None][1:]):
        if later < earlier:
            yield f"{way}: {step[1]} of {step[0]} is entered before what the page has in front of it"
    for file, name in steps:
        if file.startswith("src/") and file.endswith(".cpp") and file not in named_files:
            yield f"{way}: {name} of {file} is entered, and the page does not name that file"


def main():
    root, program, *binutils = pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:]
    text = (root / "docs/walk.md").read_text(encoding="utf-8")
    ways = LIST.findall(text)
    named_files = {file for file, _ in LINK.findall(text)}
    functions = functions_of(program, *binutils, root)
    findings = [] if len(ways) >= 3 else ["the page has fewer than three ways"]
    for way, part in ways:
        listed = LINK.findall(part)
        steps = steps_of(program, way, functions)
        if len(listed) < 3 or len(steps) < 3:
            findings.append(f"{way}: {len(listed)} functions listed, {len(steps)} entered")
        findings += complaints(way, listed, steps, named_files)
        if not list(complaints(way, listed[::-1], steps, named_files)):
            findings.append(f"{way}: a list that is read backwards is not noticed")
    print("\n".join(findings) or f"{len(ways)} ways are as the page has them")
    sys.exit(1 if findings else 0)


main()
