#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""`tools/sanitized all` with stand-ins for what builds and tests: all of it, and what was clean not done again."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
PRESETS = ["asan", "asan-clang", "msan", "tsan", "tsan-clang"]


@unittest.skipUnless(shutil.which("git"), "git is not here")
class SanitizedAll(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.calls = self.folder / "build/calls"
        self.calls.parent.mkdir()
        (self.folder / "tools").mkdir()
        for name in "sanitized", "stages.sh", "lanes.sh":
            shutil.copy(TOOLS / name, self.folder / "tools")
        (self.folder / ".gitignore").write_text("build/\n")
        (self.folder / "source").write_text("one")
        self.program("tools/under_valgrind", "")
        for name in "c++", "clang++":
            self.program(f"programs/{name}", "echo a version")
        ends = 'case "$*" in *"build/$FAILS "*) exit 1 ;; esac'
        self.program("programs/cmake", ends)
        self.program("programs/ctest", f'mkdir -p "$2/Testing/Temporary"; {ends}\n'
                     'echo "A.Test 1 2.5" >"$2/Testing/Temporary/CTestCostData.txt"')
        subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/bash\necho "{path.name} $*" >>"{self.calls}"\n{text}\n')
        path.chmod(0o755)

    def outcome(self, fails="nothing"):
        """Its exit status, the presets whose tests ran, and what it said."""
        self.calls.write_text("")
        ended = subprocess.run(
            ["bash", str(self.folder / "tools/sanitized"), "all"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "FAILS": fails, "TW_JOBS": "2", "PATH": f"{self.folder}/programs:{os.environ['PATH']}"},
        )
        lines = self.calls.read_text().splitlines()
        presets = [line.split("build/")[1].split()[0] for line in lines if line.startswith("ctest")]
        return ended.returncode, presets, ended.stdout + ended.stderr

    def test_all_are_tested_and_then_none_until_a_source_changes(self):
        self.assertEqual(self.outcome()[:2], (0, PRESETS))
        self.assertIn("under_valgrind 0.5 valgrind asan", self.calls.read_text())
        for preset in PRESETS[1:]:  # each begins with what took longest before
            self.assertTrue((self.folder / f"build/{preset}/Testing/Temporary/CTestCostData.txt").exists())
        code, presets, said = self.outcome()
        self.assertEqual((code, presets), (0, []))
        self.assertIn("valgrind: clean already", said)
        (self.folder / "source").write_text("two")
        self.assertEqual(self.outcome()[:2], (0, PRESETS))

    def test_one_that_fails_is_said_and_is_done_again(self):
        code, presets, said = self.outcome(fails="msan")  # its build, so its tests don't begin
        self.assertEqual((code, presets), (1, ["asan", "asan-clang", "tsan", "tsan-clang"]))
        self.assertIn("failed: Building for msan", said)
        self.assertEqual(self.outcome()[:2], (0, ["msan"]))


if __name__ == "__main__":
    unittest.main()
