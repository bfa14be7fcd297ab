#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""run.py CASE TW COMPILER: a stranger's library and compiler are laid where `tw` might look; neither may run.

Without root, and where a file system ignores the set-user-id bit, only `argument_0` can be tried: 77, skipped.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534
LIBRARY = """
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void run(void) { (void)!write(2, "STRANGER\\n", 9); }
"""
KERNEL = "#include <metal_stdlib>\nkernel void k(device float* x [[buffer(0)]]) { x[0] = 1; }\n"


def said_by(program, arguments, name, privileged, **variables):
    """What the program says, run under another argv[0] and, where asked, by a user without rights."""
    drop = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if privileged else {}
    environment = {"PATH": "/usr/bin:/bin", **variables}
    done = subprocess.run([name, *arguments], executable=program, env=environment, cwd="/", timeout=100,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **drop)
    return done.stdout.decode(errors="replace")


def lay_out(folder, compiler):
    """The stranger's files: libraries in lib/ and in a Python environment, compilers in bin/."""
    source = folder / "library.c"
    source.write_text(LIBRARY)
    for name in ("lib/libtilewright_cuda.so", "lib/libtilewright_metal_check.so",
                 "lib/python3.11/site-packages/libxsmm/lib/libxsmm.so"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / name, source], check=True)
    (folder / "bin").mkdir()
    (folder / "marks").mkdir()
    (folder / "marks").chmod(0o777)
    for name in ("clang", "clang-14", "clang-19"):
        (folder / "bin" / name).write_text(f"#!/bin/sh\n: > {folder}/marks/clang\n")
        (folder / "bin" / name).chmod(0o755)
    (folder / "kernel.metal").write_text(KERNEL)


def set_user_id_copy(tw, folder):
    """A copy that any user runs with root's rights, and what is installed beside it; None where that can't be made."""
    if os.geteuid() != 0 or os.statvfs(folder).f_flag & os.ST_NOSUID:
        return None
    for library in pathlib.Path(tw).parent.glob("libtilewright*.so*"):
        shutil.copy2(library, folder)
    copy = shutil.copy2(tw, folder / "tw")
    os.chmod(copy, 0o4755)
    return copy


def run(case, tw, compiler):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        folder.chmod(0o755)
        lay_out(folder, compiler)
        argv0 = str(folder / "lib" / "x")
        if case == "argument_0":
            said = said_by(tw, ["info"], argv0, privileged=False)
            return ["STRANGER" in said and "argv[0] chose a library",
                    "CPU" not in said.upper() and "tw info said: " + said]
        (folder / "safe").mkdir()
        copy = set_user_id_copy(tw, folder / "safe")
        if not copy:
            sys.exit(77)
        if case == "set_user_id":
            said = said_by(copy, ["info"], argv0, privileged=True)
        elif case == "variables":
            said = said_by(copy, ["bench", "--m", "24", "--seconds", "0.1", "--peers"], "tw", privileged=True,
                           VIRTUAL_ENV=place, CONDA_PREFIX=place, HOME=place,
                           TW_PEER_LIBXSMM=str(folder / "lib/libtilewright_cuda.so"))
        else:
            clang = str(folder / "bin" / "clang")
            arguments = ["metal-check", str(folder / "kernel.metal"), "--kernel", "k", "--grid", "1", "--threads", "1"]
            said = said_by(copy, arguments, copy, privileged=True, TW_METAL_CLANG=clang,
                           PATH=str(folder / "bin") + ":/usr/bin:/bin")
        ran = "STRANGER" in said or list((folder / "marks").iterdir())
        return [ran and "a stranger's code ran: " + said]


if __name__ == "__main__":
    complaints = [complaint for complaint in run(*sys.argv[1:]) if complaint]
    print("\n".join(complaints) or "nothing of the caller's choosing ran")
    sys.exit(bool(complaints))
