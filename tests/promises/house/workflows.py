#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What the workflows do can be done at home: every step is a make target or a script of tools/, and what costs nothing
is done here, macOS's with stand-ins for Apple's programs. So are the templates: what they point to is there."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKFLOWS = ROOT / ".github" / "workflows"
LINUX, MACOS = WORKFLOWS / "linux.yml", WORKFLOWS / "macos.yml"


def commands(workflow):
    return re.findall(r"^\s+run: (.+)$", workflow.read_text(), re.MULTILINE)


class Workflow(unittest.TestCase):
    def test_every_step_is_a_script_of_ours(self):
        targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        self.assertEqual(sorted(WORKFLOWS.glob("*.yml")), [LINUX, MACOS])
        for workflow in LINUX, MACOS:
            self.assertGreaterEqual(len(commands(workflow)), 4)
            for command in commands(workflow):
                program, *words = command.split()
                if program == "make":
                    self.assertIn(words[0], targets, command)
                else:
                    self.assertTrue(program.startswith("tools/") and os.access(ROOT / program, os.X_OK), command)

    def test_both_halves_of_what_every_change_must_pass_are_steps(self):
        self.assertIn("make test", commands(LINUX))
        self.assertIn("make check", commands(LINUX))

    def package_for(self, compiler):
        return subprocess.run([ROOT / "tools/install_compiler", "--dry-run"], capture_output=True, text=True,
                              env={**os.environ, "TW_COMPILER": compiler})

    def test_every_compiler_of_the_matrix_has_a_package(self):
        compilers = re.findall(r"compiler: ([\w+-]+)\}", LINUX.read_text())
        self.assertGreaterEqual(len(compilers), 4)
        for compiler in compilers:
            ended = self.package_for(compiler)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertRegex(ended.stdout, r"^(g\+\+|clang)-\d+\n$")

    def test_a_compiler_that_nobody_knows_is_refused(self):
        ended = self.package_for("tcc")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("g++-N or clang++-N is expected", ended.stderr)

    def on_macos(self, *words):
        """How tools/on_macos ends, and what it asks of programs that do nothing but note it."""
        with tempfile.TemporaryDirectory() as folder:
            calls = pathlib.Path(folder) / "calls"
            calls.touch()
            for name in "xcrun", "xcodebuild", "brew", "cmake", "ctest":
                program = pathlib.Path(folder) / name
                program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{calls}"\n')
                program.chmod(0o755)
            ended = subprocess.run([ROOT / "tools/on_macos", *words], capture_output=True, text=True,
                                   env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            return ended, calls.read_text().splitlines()

    def test_apples_compiler_reads_every_kernel_but_those_tried_at_run_time(self):
        ended, calls = self.on_macos("kernels")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        read = set(re.findall(r"-std=metal3\.[01] .* -c (\S+) ", "\n".join(calls)))
        there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src/backend/metal").rglob("*.metal")}
        self.assertEqual({name for name in there - read if "async" not in name}, set())
        self.assertGreaterEqual(len(read), 10)
        for call in calls[1:]:
            self.assertEqual("metal3.1" in call, "bfloat" in call, call)

    def test_every_step_of_macos_is_a_word_of_its_script(self):
        for command in commands(MACOS):
            word = command.removeprefix("tools/on_macos ")
            self.assertRegex((ROOT / "tools/on_macos").read_text(), rf"(?m)^    {word}\)", command)
        self.assertTrue(self.on_macos("build")[1][-1].startswith("cmake --build build"))
        ended, calls = self.on_macos("fly")
        self.assertEqual((ended.returncode, calls), (2, []))

    def test_what_the_templates_name_is_there(self):
        pages = [ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md", *(ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")]
        self.assertGreaterEqual(len(pages), 3)
        for page in pages:
            for name in re.findall(r"`(tools/\w+|[A-Z]+\.md|docs/[\w/.]+)`", page.read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page.name} names {name}")


if __name__ == "__main__":
    unittest.main()
