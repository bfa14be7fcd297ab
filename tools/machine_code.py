# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The machine code inside libtilewright_cuda, as nvdisasm writes it: from the toolkit, or from the Python package
nvidia-cuda-nvdisasm."""
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
