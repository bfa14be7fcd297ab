# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Which tests look at which file of src, for tools/mutate: first those that docs/tests.md names for it, then the
programs that test its room and those above."""
import importlib.util
import pathlib
import platform
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What only torch, jax, dask or CuPy call is tested where they are, and left out.
# By where a file lies below src, the programs in which a mistake there may show, the quick ones first.
PROGRAMS = [
    (r"measure/", "measure cli"), (r"cli/", "cli measure"), (r"reference/", "reference mutants multiply plan"),
    (r"backend/cpu/effort/", "backend_cpu effort"), (r"effort/|formats/|backend/effort_contract", "effort failures"),
    (r"scheme/", "scheme multiply plan"),
    (r"backend/cuda/", "backend_cuda"), (r"backend/metal/on_mac/", "metal_host"),
    (r"backend/metal/on_linux/", "backend_metal"), (r"backend/metal/", "metal_host backend_metal"),
    (r"backend/(cpu/|[^/]+$)", "first_product multiply plan backend_cpu mutants"),
    (r"multiply/c/", "multiply c_face"), (r"multiply/", "multiply failures"),
    (r"plan/|carry/", "multiply failures effort plan"), (r"epilogue/", "base effort multiply backend_cpu mutants"),
    (r"base/", "base first_product failures effort multiply plan backend_cpu mutants"), (r"blas/", "blas blas_callers"),
    (r"python/(?!affine|turned|watch|cupy|tilewright/(torch|transformers|generate|steps|dask|picture))", "python"),
]

# googletest's programs whose folders have rules of their own.
FOLDERS = {"test_blas": "rooms/blas", "test_failures": "promises/failures", "test_backend_cuda": "rooms/backend/cuda",
           "test_backend_metal": "rooms/backend/metal", "test_metal_host": "rooms/backend/metal/on_mac"}

# Other tests: what they want built, and what runs them in the build folder; {python} lies below it.
WHEEL = ["test_matmul", "test_complex", "test_effort", "test_cupy",
         *(["test_graph"] if importlib.util.find_spec("jax") else [])]
OTHERS = {
    "test_blas_callers": ("blas_wide_test blas_caller blas_settings_caller tilewright_blas complete_blas",
                          "ctest --test-dir tests/rooms/blas -R ^Blas[.] --stop-on-failure --timeout 60"),
    "test_c_face": ("c_face_test", "tests/promises/c_face/c_face_test"),
    "test_python": ("tilewright_native tw", "python3 -m pytest -q -x -p no:cacheprovider "
                    + " ".join(f"../../tests/promises/wheel/{name}.py" for name in WHEEL)),
}

INSTRUCTIONS = [("_vnni_avx512", "avx512_vnni"), ("_avx512", "avx512bw"), ("_amx", "amx_tile"), ("_avx2", "avx2"),
                ("_neon", "asimd")]


def has_python():
    """Whether Python's door can be built and tested: pip install nanobind numpy ml_dtypes pytest brings all of it."""
    return all(importlib.util.find_spec(name) for name in ("nanobind", "numpy", "pytest"))


def absent(has_cuda):
    """The programs that can't be built."""
    of_clang = () if shutil.which("clang++") else ("test_metal_host", "test_backend_metal")
    return {*(() if has_python() else ("test_python",)), *(() if has_cuda else ("test_backend_cuda",)), *of_clang}


def tests_by_file():
    """The table of docs/tests.md: a file's path without its ending, and the tests that look at it."""
    table = {}
    for line in (ROOT / "docs/tests.md").read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| `([^`]+)` \| (.+) \|$", line):
            table[row[1]] = row[2].split(", ")
    return table


def programs():
    """By folder of tests, the program that it is built into."""
    found = {folder: name for name, folder in FOLDERS.items() if (ROOT / "tests" / folder).exists()}
    text = (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8")
    for name, folders in re.findall(r"test_program\((\w+) ([^)]+)\)", text):
        for folder in folders.split():
            found[folder] = "test_" + name
    return found


def program_of(test, by_folder):
    """The program that a test is built into, or None: others bring a CMakeLists.txt of their own."""
    path = test if test.startswith(("promises/", "support/")) else "rooms/" + test
    for above in map(str, pathlib.PurePosixPath(path).parents):
        if path.endswith(".cpp") and not path.endswith("_on_device_test.cpp") and above in by_folder:
            return by_folder[above]
        if (ROOT / "tests" / above / "CMakeLists.txt").exists():
            return None
    return None


def suites(test):
    """The names of a file's tests; none where it only helps others."""
    path = ROOT / "tests" / (test if test.startswith("promises/") else "rooms/" + test)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return set(re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+)", text, re.MULTILINE))


class Looking:
    """What there is to run, asked once."""

    def __init__(self, has_cuda):
        self.table, self.by_folder, self.absent = tests_by_file(), programs(), absent(has_cuda)
        self.all = set(self.by_folder.values()) | set(OTHERS)

    def runs_for(self, name):
        """What to run for a file of src, in order: (program, filter) of the tests named for it, then whole programs.
        Nothing where its room's own can't be built: the file would not be either."""
        above = next((programs for where, programs in PROGRAMS if re.match(where, name)), "").split()
        above = [(f"test_{program}", "*") for program in above if f"test_{program}" in self.all - self.absent]
        if not above:
            return []
        stem = re.sub(r"(_(portable|vnni_avx512|avx2|avx512|amx))+$", "", name.rpartition(".")[0])
        named = {}
        for test in self.table.get(stem, []):
            if (program := program_of(test, self.by_folder)) and program not in self.absent:
                named.setdefault(program, set()).update(suites(test))
        first = [(program, ":".join(f"{one}.*:*/{one}.*:{one}/*.*:*/{one}/*" for one in sorted(names)))
                 for program, names in sorted(named.items()) if names]
        # A rung is swept by its rows' names.
        if rung := re.match(r"backend/cpu/((r\d+|few)_\w+)$", stem):
            first.insert(0, ("test_plan", f"*EveryKernel.*{rung[1]}*"))
        return first + above


def runs_here(path):
    """Whether this machine has a file's instructions."""
    wanted = next((flag for ending, flag in INSTRUCTIONS if ending in path.stem), None)
    if wanted == "asimd" or not pathlib.Path("/proc/cpuinfo").exists():
        return wanted is None or (wanted == "asimd") == (platform.machine() in ("aarch64", "arm64"))
    return wanted is None or re.search(rf"\b{wanted}\b", pathlib.Path("/proc/cpuinfo").read_text()) is not None
