#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""readme.py SOURCE_FOLDER BUILD_FOLDER COMPILER: what the README shows is done, block by block.

Each sh block but the two make commands runs with 'bash -e' in a scratch folder where build/release is this build and where
two small matrices, A.npy and B.npy, lie. Each C++ program is compiled and run;
a comment // VALUE behind its last printf says what it prints.
"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write_matrix(path, rows, cols):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {cols}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [((i * 7919) % 2001 - 1000) / 500 for i in range(rows * cols)]
    preamble = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    path.write_bytes(preamble + struct.pack(f"<{len(values)}f", *values))


def run_commands(text, folder):
    if all(line.startswith("make ") for line in text.splitlines()):
        return  # the two commands: tools/clean_clone runs them
    print("--", text.strip().replace("\n", "\n   "), flush=True)
    subprocess.run(["bash", "-e", "-c", text], cwd=folder, check=True, stdin=subprocess.DEVNULL)


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


def main():
    source, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    blocks = BLOCK.findall((source / "README.md").read_text(encoding="utf-8"))
    languages = [language for language, _ in blocks]
    if "sh" not in languages or "cpp" not in languages:
        sys.exit("README.md has no commands or no program: nothing was tested")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.makedirs(folder / "build")
        os.symlink(build, folder / "build" / "release")
        write_matrix(folder / "A.npy", 300, 200)
        write_matrix(folder / "B.npy", 200, 100)
        for language, text in blocks:
            if language == "sh":
                run_commands(text, folder)
            elif language == "cpp":
                run_program(text, folder, source, build, compiler)


main()
