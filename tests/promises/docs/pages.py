#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""pages.py SOURCE_FOLDER BUILD_FOLDER COMPILER PAGE...: what the pages show is done, block by block.

Each sh block but the commands that build runs with 'bash -e' in a scratch folder where build/release is this build,
examples are there, and two small matrices, A.npy and B.npy, lie. A console block has commands behind '$ ' and what
they print: each of those lines must be printed, in that order; times aside, and '...' stands for any lines. In tables,
`tw ...` is a command. Each C++ and each Python program is run; a comment // VALUE behind a program's printf says what
it prints. What needs a device or a package that is not here is named and left out.
"""

import importlib.util
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IN_TABLE = re.compile(r"`(tw [^`]+)`")
TIME = re.compile(r"\d+\.\d+ s\b")
BUILDS = ("make ", "cmake --build ", "pip install ", "cmake --install ")
SHORTER = {"tw ladder": "tw ladder --size 256"}  # the rungs that are slow on purpose take 20 s at its own size
ELSEWHERE = {"a CUDA device": r"--device cuda\b", "a Mac": r"--device metal\b(?!-)"}


def write_matrix(path, rows, cols):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {cols}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [((i * 7919) % 2001 - 1000) / 500 for i in range(rows * cols)]
    preamble = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path.write_bytes(preamble + struct.pack(f"<{len(values)}f", *values))


def what_is_missing(command, build):
    """Why this command can't run here; None when it can."""
    if "metal-check" in command and not list(build.glob("libtilewright_metal_check.*")):
        return "metal-check, which is built where there is a clang"
    if re.search(r"\bpython3?\b", command) and not importlib.util.find_spec("tilewright"):
        return "the package tilewright"
    return next((what for what, words in ELSEWHERE.items() if re.search(words, command)), None)


def is_left_out(command, build):
    if command.startswith(BUILDS):
        return True
    missing = what_is_missing(command, build)
    if missing:
        print(f"-- not here: {missing}: {command}", flush=True)
    return bool(missing)


def run_commands(text, folder, build):
    whole = text.replace("\\\n", " ")  # a command of several lines is left out whole
    text = "".join(line for line in whole.splitlines(keepends=True) if not is_left_out(line, build))
    if text.strip():
        print("--", text.strip().replace("\n", "\n   "), flush=True)
        subprocess.run(["bash", "-e", "-c", text], cwd=folder, check=True, stdin=subprocess.DEVNULL)


def check_console(text, folder, build):
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *expected = part.rstrip().splitlines()
        while command.endswith("\\"):
            command = command[:-1] + expected.pop(0)
        if is_left_out(command, build):
            continue
        print("-- $", command, flush=True)
        printed = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.splitlines()
        rest = iter(TIME.sub("T s", line.rstrip()) for line in printed)
        for line in expected:
            if line.strip() not in ("", "...") and TIME.sub("T s", line.rstrip()) not in rest:
                sys.exit("\n".join(["it printed", *printed, "", f"and not, at its place: {line}"]))


def check_tables(text, folder, build):
    seen = set()
    for line in text.splitlines():
        for command in IN_TABLE.findall(line) if line.startswith("|") else []:
            command = command.replace("\\|", "|")
            if command in seen or seen.add(command):
                continue
            if not is_left_out(command, build):
                print("--", command, flush=True)
                done = subprocess.run(["bash", "-c", SHORTER.get(command, command)], cwd=folder, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                if done.returncode:
                    sys.exit(f"it ended with {done.returncode}:\n{done.stdout}")


def run_program(text, folder, source, build, compiler):
    program = folder / "program.cpp"
    program.write_text(text)
    library = build / "libtilewright_static.a"
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{source}/include", str(program), str(library),
               "-pthread", "-ldl", "-o", str(folder / "program")]
    subprocess.run(command, check=True)
    printed = subprocess.run([str(folder / "program")], check=True, capture_output=True, text=True).stdout.split()
    said = re.findall(r"printf\(.*// *(.+)$", text, re.MULTILINE)
    print(f"-- a program printed {printed}, and its comments say {said}", flush=True)
    if said and printed != said:
        sys.exit("the program does not print what its comments say")


def run_python(text, folder):
    wanted = re.findall(r"^(?:import|from) ([\w, ]+?)(?: import .*)?$", text, re.MULTILINE)
    missing = [
        name for names in wanted for name in names.split(", ") if not importlib.util.find_spec(name.split(" ")[0])
    ]
    if missing:
        print("-- not here: the package", ", ".join(missing), flush=True)
    else:
        subprocess.run([sys.executable, "-c", text], cwd=folder, check=True)


def check_page(page, folder, source, build, compiler):
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    print(f"{page.name}: {len(blocks)} blocks", flush=True)
    for language, block in blocks:
        if language == "sh":
            run_commands(block, folder, build)
        elif language == "console":
            check_console(block, folder, build)
        elif language == "cpp" and "int main" in block:
            run_program(block, folder, source, build, compiler)
        elif language == "python":
            run_python(block, folder)
    check_tables(BLOCK.sub("", text), folder, build)
    return {language for language, _ in blocks}


def main():
    source, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.makedirs(folder / "build")
        os.symlink(build, folder / "build" / "release")
        os.symlink(source / "examples", folder / "examples")
        os.environ["PATH"] = f"{build}:{os.environ['PATH']}"
        os.environ["TW_HISTORY"] = str(folder / "history.sqlite")
        os.environ["TW_STORE"] = str(folder / "store")
        write_matrix(folder / "A.npy", 300, 200)
        write_matrix(folder / "B.npy", 200, 100)
        languages = [check_page(source / page, folder, source, build, compiler) for page in sys.argv[4:]]
    if not languages or "sh" not in languages[0] or "cpp" not in languages[0]:
        sys.exit("the first page has no commands or no program: nothing was tested")


main()
