# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The machine code inside libtilewright_cuda, as nvdisasm writes it: from the toolkit, or from the Python package
nvidia-cuda-nvdisasm."""
import array
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

FAT_BINARY = 0xBA55ED50
MACHINE_CODE = 2  # beside PTX, which is 1
ZSTD = bytes.fromhex("28b52ffd")


def find_nvdisasm():
    found = shutil.which("nvdisasm") or shutil.which("/usr/local/cuda/bin/nvdisasm")
    if found:
        return found
    for folder in sys.path:
        for part in ("cu13", "cu12", "cuda_nvdisasm"):
            candidate = os.path.join(folder, "nvidia", part, "bin", "nvdisasm")
            if os.access(candidate, os.X_OK):
                return candidate
    return None


def cubins(image):
    """Every ELF file for a CUDA device inside the library. One fat binary for each source file holds them, each behind
    a header of its own that says its size and whether zstd has been at it."""
    at = 0
    while (at := image.find(struct.pack("<I", FAT_BINARY), at + 1)) >= 0:
        header, size = struct.unpack_from("<HQ", image, at + 6)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, header, padded, packed = struct.unpack_from("<H2xIQI", image, entry)
            content = image[entry + header:entry + header + padded]
            if content.startswith(ZSTD):
                content = subprocess.run(["zstd", "-dcq"], input=content[:packed], check=True,
                                         capture_output=True).stdout
            if kind == MACHINE_CODE:
                yield content
            entry += header + padded


def disassembly(nvdisasm, cubin, *options):
    """(architecture, lines)"""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([nvdisasm, "-c", *options, file.name], check=True, capture_output=True, text=True).stdout
    architecture = re.search(r"\.target\s+(sm_\w+)", text)
    return architecture.group(1) if architecture else "?", text.splitlines()


def kernel_begun(line):
    """The name of the kernel whose code begins with this line, or None."""
    started = re.match(r"\s*\.section\s+\.text\.(\S+?)[,\s]", line)
    return started.group(1) if started else None


def kernels(cubin):
    """(name, machine code) of each kernel: the ELF file's sections .text.NAME."""
    headers, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<3H", cubin, 58)
    sections = [struct.unpack_from("<I20xQQ", cubin, headers + i * size) for i in range(count)]
    for name, offset, length in sections:
        begin = sections[names][1] + name
        word = cubin[begin:cubin.index(b"\0", begin)].decode()
        if word.startswith(".text."):
            yield word.removeprefix(".text."), cubin[offset:offset + length]


OPCODE = 0xFFF  # of the first of an instruction's two words: what it is and what its operands are, but not which


def opcodes(code):
    return [word & OPCODE for word in array.array("Q", code)[::2]]


def instruction(line):
    """The name of the instruction in a line of nvdisasm's, or None."""
    found = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*)", line)
    return found.group(1) if found else None


def names_of_opcodes(nvdisasm, architecture, codes):
    """{opcode: name}. To have all of the code written out takes a minute, and an opcode's name is always the same: a
    few dozen instructions of each are, from as many kernels, and must agree."""
    samples = collections.defaultdict(list)
    for code in codes:
        here = opcodes(code)
        for opcode in set(here):
            if len(samples[opcode]) < 48:
                at = 16 * here.index(opcode)
                samples[opcode].append(code[at:at + 16])
    order = [opcode for opcode, some in samples.items() for _ in some]
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(one for some in samples.values() for one in some))
        file.flush()
        text = subprocess.run([nvdisasm, "-b", architecture.replace("sm_", "SM"), file.name], check=True,
                              capture_output=True, text=True).stdout
    found = [name for line in text.splitlines() if (name := instruction(line))]
    names = dict(zip(order, found, strict=True))
    for opcode, name in zip(order, found):
        if names[opcode] != name:
            sys.exit(f"opcode {opcode:#x} of {architecture} is {name} and {names[opcode]}")
    return names
