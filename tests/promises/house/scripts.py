#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The scripts behind the Makefile, on machines that are made up: a folder of stand-ins is all that they find in
PATH."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
ORDINARY = ["bash", "env", "dirname", "grep", "mktemp", "rm", "tail", "cat", "uname"]


class Machine(unittest.TestCase):
    """apt-get, sudo, dpkg-query, brew and id as each test wants them; what was called is written down."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.calls = self.folder / "calls"
        self.calls.touch()
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        for name in ORDINARY:
            (self.programs / name).symlink_to(shutil.which(name))
        tools = self.folder / "tools"
        tools.mkdir()
        shutil.copy(TOOLS / "install_packages", tools)
        (tools / "packages.txt").write_text(
            "# comment\nrun libone one-formula - the first\nrun libtwo - two-command the second\n"
            "test libthree three-formula - the third\n"
        )
        self.script = tools / "install_packages"

    def program(self, name, text):
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def noted(self, name, text="exit 0"):
        self.program(name, f'echo "{name} $*" >> "{self.calls}"\n{text}')

    def debian(self, installed=(), user=0):
        known = " | ".join(f'*" {name}"' for name in installed) or "nothing"
        self.program("dpkg-query", f'case " $*" in {known}) printf installed ;; *) exit 1 ;; esac')
        self.noted("apt-get")
        self.program("id", f"echo {user}")

    def run_script(self, *groups, **environment):
        return subprocess.run(["bash", str(self.script), *groups], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={"PATH": str(self.programs), **environment})

    def called(self):
        return self.calls.read_text().splitlines()

    def test_nothing_is_missing(self):
        self.debian(installed=["libone", "libtwo"])
        ended = self.run_script("run")
        self.assertEqual((ended.returncode, ended.stdout, self.called()), (0, "", []))

    def test_a_command_that_is_there_needs_no_package(self):
        self.debian(installed=["libone"])
        self.program("two-command", "exit 0")
        self.assertEqual(self.run_script("run").returncode, 0)
        self.assertEqual(self.called(), [])

    def test_root_without_a_terminal_goes_ahead(self):
        self.debian(installed=["libone"])
        ended = self.run_script("run")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("libtwo", ended.stdout)
        self.assertEqual(self.called(), ["apt-get update -q", "apt-get install -y --no-install-recommends libtwo"])

    def test_only_the_groups_asked_for(self):
        self.debian()
        self.assertNotIn("libthree", self.run_script("run").stdout)
        self.assertIn("libthree", self.run_script("run", "test").stdout)

    def test_without_a_network_what_is_cached_is_installed(self):
        self.debian(installed=["libone"])
        self.noted("apt-get", '[ "$1" != update ]')
        self.assertEqual(self.run_script("run").returncode, 0)
        self.assertEqual(len(self.called()), 2)

    def test_a_failing_installation_fails(self):
        self.debian()
        self.noted("apt-get", '[ "$1" = update ] || { echo "no such package"; exit 100; }')
        ended = self.run_script("run")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("no such package", ended.stdout)

    def test_without_rights_the_line_is_printed(self):
        self.debian(user=1000)
        ended = self.run_script("run", YES="1")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("apt-get update && apt-get install -y --no-install-recommends libone libtwo", ended.stdout)
        self.assertEqual(self.called(), [])

    def test_sudo_and_yes(self):
        self.debian(user=1000)
        self.noted("sudo")
        ended = self.run_script("run", YES="1")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(self.called()[-1], "sudo apt-get install -y --no-install-recommends libone libtwo")

    def test_sudo_without_yes_and_without_a_terminal(self):
        self.debian(user=1000)
        self.noted("sudo")
        ended = self.run_script("run")
        self.assertEqual(ended.returncode, 1)
        self.assertNotIn("install", " ".join(self.called()))

    def test_homebrew(self):
        self.program("id", "echo 501")
        self.noted("brew", '[ "$1" != list ]')
        ended = self.run_script("run", YES="1")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertEqual(self.called()[-1], "brew install one-formula")

    def test_neither_of_them(self):
        self.program("id", "echo 0")
        ended = self.run_script("run")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("libtwo", ended.stdout)


class Run(unittest.TestCase):
    """tools/run with a cmake that notes what it is asked for, and says that there is an nvcc or none."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.calls = self.folder / "calls"
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("run", "stages.sh"):
            shutil.copy(TOOLS / name, tools)
        self.program(tools / "install_packages", "exit 0")
        self.program(self.folder / "build/release/tw", f'echo "tw $*" >> "{self.calls}"')

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def run_with(self, compiler, device, clang=False):
        says = "built with nvcc 13.0" if compiler else "absent, no nvcc was found"
        metal = "built with clang 14.0.6" if clang else "absent, it needs a clang of version 14 to 19"
        self.program(
            self.folder / "programs/cmake",
            f'echo "-- CUDA backend: {says}"\necho "-- Metal executor: {metal}"\n'
            f'case $1 in --build) shift 4; echo "build $*" >> "{self.calls}" ;; esac',
        )
        self.program(self.folder / "programs/nvidia-smi", f"exit {0 if device else 9}")
        ended = subprocess.run(
            ["bash", str(self.folder / "tools/run")],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={
                **{name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"},
                "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
            },
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stdout, self.calls.read_text().splitlines()

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has an NVIDIA device")
    def test_kernels_that_no_device_here_runs_are_not_waited_for(self):
        said, calls = self.run_with(compiler=True, device=False)
        self.assertEqual(calls, ["build --target tw", "tw tune --machine", "tw ladder"])
        self.assertIn("the CUDA kernels are left to make check", said)
        self.assertNotIn("the CUDA kernels are left to make check", self.run_with(compiler=False, device=False)[0])

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has an NVIDIA device")
    def test_metal_kernels_can_be_executed_where_there_is_a_clang(self):
        calls = self.run_with(compiler=False, device=False, clang=True)[1]
        self.assertEqual(calls, ["build --target tw", "tw tune --machine", "tw ladder",
                                 "build --target tilewright_metal_check"])

    def test_the_cpu_climbs_before_the_kernels_of_a_device_are_compiled(self):
        calls = self.run_with(compiler=True, device=True)[1]
        self.assertEqual(calls, ["build --target tw", "tw tune --machine", "tw ladder --device cpu",
                                 "build --target tilewright_cuda", "tw ladder --device cuda"])

    def architecture(self, device, all_of_them=""):
        """What tools/stages.sh tells a build where nvidia-smi names these devices."""
        self.program(self.folder / "programs/nvidia-smi", f'printf "{device}\\n"' if device else "exit 9")
        ended = subprocess.run(
            ["bash", "-c", f"source '{self.folder}/tools/stages.sh'; local_architecture"],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
                "TW_ALL_ARCHITECTURES": all_of_them,  # CI says 1 to the tests, too
            },
        )
        self.assertEqual(ended.stderr, "")
        return ended.stdout.replace("--with ", "").strip()

    def test_kernels_are_compiled_for_the_device_that_is_here(self):
        whole = "-DTW_CUDA_DRAFT=OFF -DCMAKE_CUDA_ARCHITECTURES="
        devices = {"": "-DTW_CUDA_DRAFT=ON", "9.0\n9.0": whole + "90a-real", "8.0": whole + "80", "12.0": whole + "80"}
        for device, words in devices.items():
            self.assertEqual(self.architecture(device), words)
        self.assertEqual(self.architecture("9.0", "1"), "")
        cache = self.folder / "build/release/CMakeCache.txt"
        cache.write_text("TW_CUDA_DRAFT:BOOL=ON\n")
        for device, words in devices.items():
            self.assertEqual(self.architecture(device), words)
        self.assertEqual(self.architecture("", "1"), "-DTW_CUDA_DRAFT=OFF -UCMAKE_CUDA_ARCHITECTURES")
        cache.write_text("TW_CUDA_DRAFT:BOOL=OFF\n")
        for device in devices:
            self.assertEqual(self.architecture(device), "")

    def test_a_device_without_a_compiler_is_told(self):
        said, calls = self.run_with(compiler=False, device=True)
        self.assertEqual(calls, ["build --target tw", "tw tune --machine", "tw ladder"])
        self.assertIn("no nvcc was found", said)


class Mutants(unittest.TestCase):
    """tools/mutate on a house of one file, with stand-ins for the build and for the test program."""

    FILE = """// a comment: x < y
int base(int a, int b) {
    if (a < b) return 1;
    return a;
}
"""

    TESTS = "build/mutants/tree/build/release/tests/test_base"

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for folder in ["tools", "src/base", "docs", "tests/rooms/base", "programs"]:
            (self.root / folder).mkdir(parents=True)
        (self.root / self.TESTS).parent.mkdir(parents=True)
        for name in ["mutate", "mutant_trees.py", "small_mistakes.py", "source_tree.py", "tests_that_look.py"]:
            shutil.copy(TOOLS / name, self.root / "tools")
        (self.root / "tools/equivalent_mutants.txt").write_text("# none\n")
        (self.root / "src/base/one.cpp").write_text(self.FILE)
        (self.root / "docs/tests.md").write_text("| `base/one` | base/one_test.cpp |\n")
        (self.root / "tests/CMakeLists.txt").write_text("test_program(base rooms/base)\n")
        (self.root / "tests/rooms/base/one_test.cpp").write_text("TEST(One, Works) {}\n")
        self.program("programs/cmake", "exit 0")
        self.program("programs/ninja", "exit 0")

    def program(self, name, text):
        (self.root / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.root / name).chmod(0o755)

    def mutate(self, *words):
        path = f"{self.root}/programs:{os.environ['PATH']}"
        return subprocess.run([sys.executable, self.root / "tools/mutate", *words], capture_output=True, text=True,
                              env={**os.environ, "PATH": path})

    def test_edits_are_of_code_alone_and_those_that_are_explained_are_left_out(self):
        told = self.mutate("--list").stdout
        self.assertEqual(sorted(told.splitlines()), [
            "base/one.cpp:3: bound: if (a < b) return 1;  ->  if (a <= b) return 1;",
            "base/one.cpp:3: dropped: if (a < b) return 1;  ->  ;"])
        (self.root / "tools/equivalent_mutants.txt").write_text(
            "base/one.cpp | without if (a < b) return 1; | nobody asks\n")
        self.assertNotIn("dropped", self.mutate("--list").stdout)

    def test_edits_are_of_what_is_built_in_the_language_that_it_is_written_in(self):
        sys.path.insert(0, str(TOOLS))
        from small_mistakes import edits_of
        text = "#ifndef NDEBUG\n    if (a < b) f();\n#endif\n    if (a < b) f();\n"
        self.assertEqual({edit[0] for edit in edits_of(text, ".cpp")}, {3})
        text = '"""a < b and\nc < d\n"""\nif a < b and not c:  # True\n'
        self.assertEqual(sorted(edit[3] for edit in edits_of(text, ".py")), [
            "if a < b and c:  # True", "if a < b or not c:  # True", "if a <= b and not c:  # True"])

    def test_a_test_that_fails_only_once_saw_nothing(self):
        self.program(self.TESTS, f"[ -e {self.root}/seen ] || {{ touch {self.root}/seen; exit 1; }}")
        self.assertIn("2 ran, 0 killed, 2 survived", self.mutate().stdout)

    def test_a_survivor_is_told_and_the_tree_is_left_as_it_was(self):
        tree = self.root / "build/mutants/tree/src/base/one.cpp"
        self.program(self.TESTS,
                     f"case $1 in *One.*) grep -q return.1 {tree} ;; *) exit 0 ;; esac")
        ended = self.mutate()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("survived  base/one.cpp:3: bound", ended.stdout)
        self.assertIn("killed  base/one.cpp:3: dropped", ended.stdout)
        self.assertIn("2 ran, 1 killed, 1 survived", ended.stdout)
        self.assertEqual((self.root / "src/base/one.cpp").read_text(), self.FILE)
        self.assertEqual(tree.read_text(), self.FILE)
        self.program(self.TESTS, f"grep -q 'a < b' {tree}")
        self.assertEqual(self.mutate().returncode, 0)

    def test_what_the_named_tests_do_not_see_is_put_before_the_whole_program(self):
        tree = self.root / "build/mutants/tree/src/base/one.cpp"
        self.program(self.TESTS, f"case $1 in *One.*) exit 0 ;; *) grep -q 'a < b' {tree} ;; esac")
        self.assertIn("2 ran, 2 killed, 0 survived", self.mutate().stdout)

    def test_trees_in_layers_or_copied_tell_the_same(self):
        for name in ["tree", "tree1"]:
            tests = self.TESTS.replace("/tree/", f"/{name}/")
            (self.root / tests).parent.mkdir(parents=True, exist_ok=True)
            self.program(tests, "sleep 0.2; ! grep -q 'a <= b' ../../../src/base/one.cpp")   # of its own tree alone
        for words in [("--trees", "2"), ("--trees", "2", "--copies")]:
            told = self.mutate(*words).stdout
            self.assertIn("killed  base/one.cpp:3: bound", told)
            self.assertIn("survived  base/one.cpp:3: dropped", told)

    def test_when_time_is_up_no_further_mistake_is_tried(self):
        self.program(self.TESTS, "exit 0")
        ended = self.mutate("--seconds", "0")
        self.assertIn("0 ran, 0 killed, 0 survived; ", ended.stdout)
        self.assertIn("; 2 were not tried, for time was up; ", ended.stdout)
        self.assertEqual(ended.returncode, 0)

    def test_tests_that_fail_without_a_mistake_prove_nothing(self):
        self.program(self.TESTS, "exit 1")
        ended = self.mutate()
        self.assertEqual(ended.returncode, 1)
        self.assertIn("test_base fails as it is", ended.stderr)


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
