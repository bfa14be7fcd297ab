# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Where tools/mutate puts its mistakes: copies of the house that are built, or layers over one that is."""
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from source_tree import ours
from tests_that_look import FOLDERS, OTHERS, has_python

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = ROOT / "build/mutants"
# Of a test program, which a mistake may make endless: of waiting, and of computing.
MOST_SECONDS, MOST_COMPUTING = 400, 240
MOST_MEMORY = 12 << 30  # that a test program may write to: a mistake in a size shall not take the machine's

# What an edit costs is links and discovery of tests, unless: archives only name their objects, the linker is a quick
# one, and nobody asks the programs for their tests.
CHEAP = ["-DCMAKE_CXX_ARCHIVE_CREATE=<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>",
         "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"]


def with_limits():
    """A shell that starts this in the background ignores its interrupts, which tests send to their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_COMPUTING, MOST_COMPUTING))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ended(command, seconds, **more):
    """How a command ends, -1 where it takes longer, and what it said. What it started ends with it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               start_new_session=True, text=True, errors="replace", **more)
    said = ""
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode(errors="replace") if isinstance(late.stdout, bytes) else late.stdout or ""
        return -1, said
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    return process.returncode, said


class Tree:
    """A copy of the house with a build folder of its own, as deep as in the tree itself: a compiler cache knows the
    files again. What has not changed since the last time is not built again."""

    def __init__(self, name, jobs, has_cuda):
        self.root, self.jobs, self.has_cuda = PLACE / name, jobs, has_cuda
        self.build_folder = self.built_as = self.root / "build/release"
        self.seconds = {"building": 0.0, "testing": 0.0}

    def prepare(self):
        known = set()
        for path in ours(ROOT):
            copy = self.root / path.relative_to(ROOT)
            known.add(copy)
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, copy)
        for path in ours(self.root):
            if path not in known:
                path.unlink()
        linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") else []
        cuda = ["-DTW_CUDA=ON", "-DCMAKE_CUDA_ARCHITECTURES=90a-real"] if self.has_cuda else ["-DTW_CUDA=OFF"]
        python = ["-DTW_PYTHON=ON"] if has_python() else []
        if ended(["cmake", "-S", self.root, "-B", self.build_folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                  "-DTW_TESTS=ON", *cuda, *python, *CHEAP, *linker], 600)[0]:
            sys.exit("tools/mutate: the copy can't be configured")

    def plant(self, name, number, becomes):
        """A line of a file of src as it becomes; what it was is kept for undo()."""
        path = self.root / "src" / name
        self.whole = path.read_text(encoding="utf-8")
        lines = self.whole.splitlines(keepends=True)
        lines[number] = becomes + "\n"
        path.write_text("".join(lines), encoding="utf-8")

    def undo(self, name):
        (self.root / "src" / name).write_text(self.whole, encoding="utf-8")

    def inside(self, command, place=None):
        """What runs a command in this tree."""
        return command if place is None else ["sh", "-c", 'cd "$0" && exec "$@"', place, *command]

    def build(self, programs):
        """True when all of them can be built."""
        start = time.monotonic()
        targets = sorted({target for program in programs for target in OTHERS.get(program, (program,))[0].split()})
        status, _ = ended(self.inside(["ninja", "-C", self.built_as, "-j", str(self.jobs), *targets]), 7200)
        self.seconds["building"] += time.monotonic() - start
        return status == 0

    def run(self, program, tests):
        """How it ends, and in which test, if it tells."""
        start = time.monotonic()
        if program in OTHERS:
            command, place, more = shlex.split(OTHERS[program][1]), self.built_as, self.environment()
        else:
            place = self.built_as / "tests" / FOLDERS.get(program, "")
            command, more = [f"./{program}", "--gtest_filter=" + tests, "--gtest_fail_fast"], {}
        status, said = ended(self.inside(command, place), MOST_SECONDS, preexec_fn=with_limits, **more)
        self.seconds["testing"] += time.monotonic() - start
        failed = re.findall(r"^\[  FAILED  \] ([^\s,(]+)", said, re.MULTILINE)
        failed += re.findall(r"^FAILED \S+::(\S+)", said, re.MULTILINE)
        begun = re.findall(r"^\[ RUN      \] (\S+)", said, re.MULTILINE)
        return status, (failed[:1] or begun[-1:] or [tests])[0]

    def environment(self):
        """For Python, a package of links: its sources, and what was built."""
        package = self.build_folder / "package/tilewright"
        package.mkdir(parents=True, exist_ok=True)
        for path in [*(self.root / "src/python/tilewright").iterdir(), *self.build_folder.glob("src/_native*.so"),
                     *self.build_folder.glob("_native*.so"), *self.build_folder.glob("libtilewright.so*"),
                     *self.build_folder.glob("tw")]:
            link = package / path.name
            if not link.is_symlink():
                link.symlink_to(self.built_as.parent.parent / path.relative_to(self.root))
        return {"env": {**os.environ, "PYTHONPATH": str(self.built_as / "package"), "PYTHONDONTWRITEBYTECODE": "1"}}


class Layer(Tree):
    """A tree that is built, seen through a layer of its own that takes what a mistake changes. To undo it is to empty
    the layer: nothing is built again. What runs in it finds it where the tree below lies, so that all that was built
    there holds. Wants a namespace of mounts: in_namespace()."""

    def __init__(self, number, below):
        self.below, self.jobs = below, below.jobs
        self.top = PLACE / f"layer{number}"
        self.root = self.top / "tree"
        self.build_folder, self.built_as = self.root / "build/release", below.build_folder
        self.seconds, self.is_laid = {"building": 0.0, "testing": 0.0}, False
        self.undo(None)

    def undo(self, name):
        if self.is_laid:
            subprocess.run(["umount", "--lazy", self.root], check=True)
        shutil.rmtree(self.top, ignore_errors=True)
        for folder in ("tree", "changed", "work"):
            (self.top / folder).mkdir(parents=True)
        subprocess.run(laid_over(self.below.root, self.top), check=True)
        self.is_laid = True

    def inside(self, command, place=None):
        where_it_lies = 'mount --bind "$0" "$1" && cd "$2" && shift 2 && exec "$@"'
        return ["unshare", "--mount", "sh", "-c", where_it_lies, self.root, self.below.root, place or self.built_as,
                *command]


def laid_over(below, top):
    return ["mount", "-t", "overlay", "overlay", "-o", f"lowerdir={below},upperdir={top}/changed,workdir={top}/work",
            top / "tree"]


def has_layers():
    """Whether this system lets us lay folders over folders: root on Linux, and not everywhere."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    PLACE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PLACE) as top:
        for folder in ("below", "tree", "changed", "work"):
            pathlib.Path(top, folder).mkdir()
        laid = laid_over(pathlib.Path(top, "below"), pathlib.Path(top))
        return subprocess.run(["unshare", "--mount", *laid], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0


def in_namespace():
    """Begins this program again where its mounts are its own, and end with it."""
    if os.environ.get("TW_MUTANT_LAYERS") == str(os.getpid()):
        return
    os.environ["TW_MUTANT_LAYERS"] = str(os.getpid())
    os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
