#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What the Linux workflow does can be done at home: every step is a make target or a script of tools/, and what costs
nothing is done here. So are the templates: what they point to is there."""
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LINUX = ROOT / ".github" / "workflows" / "linux.yml"


def commands():
    return re.findall(r"^\s+run: (.+)$", LINUX.read_text(), re.MULTILINE)


class Workflow(unittest.TestCase):
    def test_every_step_is_a_script_of_ours(self):
        self.assertGreaterEqual(len(commands()), 4)
        targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        for command in commands():
            program, *words = command.split()
            if program == "make":
                self.assertIn(words[0], targets, command)
            else:
                self.assertTrue(program.startswith("tools/") and os.access(ROOT / program, os.X_OK), command)

    def test_both_halves_of_what_every_change_must_pass_are_steps(self):
        self.assertIn("make test", commands())
        self.assertIn("make check", commands())

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

    def test_what_the_templates_name_is_there(self):
        pages = [ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md", *(ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")]
        self.assertGreaterEqual(len(pages), 3)
        for page in pages:
            for name in re.findall(r"`(tools/\w+|[A-Z]+\.md|docs/[\w/.]+)`", page.read_text()):
                self.assertTrue((ROOT / name).exists(), f"{page.name} names {name}")


if __name__ == "__main__":
    unittest.main()
