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

EM_CUDA = 190


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
    """Every ELF file for a CUDA device inside the library."""
    at = 0
    while (at := image.find(b"\x7fELF\x02\x01", at + 1)) >= 0:
        machine, = struct.unpack_from("<H", image, at + 18)
        if machine != EM_CUDA:
            continue
        program_at, section_at = struct.unpack_from("<QQ", image, at + 32)
        program_size, program_count, section_size, section_count = struct.unpack_from("<HHHH", image, at + 54)
        yield image[at:at + max(section_at + section_size * section_count, program_at + program_size * program_count)]


def disassembly(nvdisasm, cubin):
    """(architecture, lines)"""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        text = subprocess.run([nvdisasm, "-c", file.name], check=True, capture_output=True, text=True).stdout
    architecture = re.search(r"\.target\s+(sm_\w+)", text)
    return architecture.group(1) if architecture else "?", text.splitlines()


def kernel_begun(line):
    """The name of the kernel whose code begins with this line, or None."""
    started = re.match(r"\s*\.section\s+\.text\.(\S+?)[,\s]", line)
    return started.group(1) if started else None
