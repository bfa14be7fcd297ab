#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""A small house in order, on which a checker of tools/ is run."""
import contextlib
import io
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
sys.path.insert(0, str(TOOLS))  # where a checker that is started finds what it imports
HEAD = "// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause\n// Copyright 2026 The tilewright authors\n"
IN_ORDER = {
    "include/tilewright/view.hpp": HEAD + '#include "tilewright/types.hpp"\n',
    "src/base/clock.cpp": HEAD + '#include "base/clock.hpp"\n#include "tilewright/view.hpp"\n',
    "src/backend/contract.hpp": HEAD + '#include "scheme/scheme.hpp"\n',
    "src/backend/cpu/r1_naive.cpp": HEAD + '#include "backend/contract.hpp"\n#include "backend/cpu/ladder.hpp"\n',
    "src/backend/metal/on_linux/run.cpp": HEAD + '#include "backend/metal/ladder.hpp"\n#include "base/clock.hpp"\n',
    "src/plan/choose.cpp": HEAD + '#include "backend/cpu/backend.hpp"\n#include "base/clock.hpp"\n',
    "src/blas/sgemm.cpp": HEAD + '#include "tilewright/multiply.hpp"\n',
    "src/cli/main.cpp": HEAD + '#include "measure/bench.hpp"\nint* made() { return new int; }  // the new row\n',
    "README.md": "A house in order.\n",
}


class House(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in IN_ORDER.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_checker(self, checker, *arguments):
        """In this process: to start a Python for each of them takes most of the time."""
        words, code = [str(TOOLS / checker), *map(str, arguments)], 0
        said, complained = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said), \
                contextlib.redirect_stderr(complained):
            try:
                runpy.run_path(words[0], run_name="__main__")
            except SystemExit as ended:
                code = ended.code
        if isinstance(code, str):
            complained.write(code)
            code = 1
        return subprocess.CompletedProcess(words, int(code or 0), said.getvalue(), complained.getvalue())

    def expect_order(self, checker):
        ended = self.run_checker(checker, self.root)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def expect_caught(self, checker, name, text, told):
        self.expect_order(checker)
        self.write(name, text)
        ended = self.run_checker(checker, self.root)
        self.assertEqual(ended.returncode, 1, f"{checker} missed it: {ended.stdout}{ended.stderr}")
        self.assertIn(told, ended.stdout)
