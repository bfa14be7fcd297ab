#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The stages of `make test`, `make check` and `make test-all`, and the count at their end, with stand-ins for all that
they call."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"


class Stages(unittest.TestCase):
    """tools/test with programs that note what they are asked for, and fail when they are told to."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.calls = self.folder / "calls"
        (self.folder / "tools").mkdir()
        for name in ("test", "stages.sh", "lanes.sh", "check_stages.sh", "longer_stages.sh", "closing_count"):
            shutil.copy(TOOLS / name, self.folder / "tools")
        for name in (
            "tools/install_packages",
            "tools/check_format",
            "tools/check_headers",
            "tools/sanitized",
            "tools/fuzz",
            "tools/clean_clone",
            "tools/bare_debian",
            "tools/under_valgrind",
            "tools/tidy",
            "tools/mutate",
            "tools/soak",
            "examples/network/run",
            "programs/cmake",
            "programs/nvcc",
            "programs/nvdisasm",
            "programs/clang-tidy",
            "programs/debootstrap",
            "programs/qemu-aarch64",
            "programs/valgrind",
            "build/release/tw",
        ):
            ends = "0" if name == "tools/install_packages" else "${ENDS:-0}"
            self.program(name, f'echo "{name} $*" >> "{self.calls}"; exit {ends}')
        self.program(
            "programs/ctest",
            'while [ $# -gt 0 ]; do [ "$1" != --output-junit ] || file=$2; shift; done\n'
            "[ ${ENDS:-0} = 0 ] && status=run || status=fail\n"
            'echo "<testsuite><testcase name=\\"t\\" status=\\"$status\\"/></testsuite>" > "$file"; exit ${ENDS:-0}',
        )

        self.program("programs/id", "echo 1000")  # who is not root makes no bare machine, and clones instead

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def make(self, *what, ends=0, by_turns="", cores=2):
        ended = subprocess.run(
            ["bash", str(self.folder / "tools/test"), *what],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                "ENDS": str(ends),
                "TW_BY_TURNS": by_turns,
                "TW_JOBS": str(cores),
                "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
            },
        )
        return ended.returncode, ended.stdout.splitlines(), ended.stderr

    def test_each_ends_with_its_own_count(self):
        code, said, _ = self.make()
        self.assertEqual((code, said[-1]), (0, "1 passed, 0 failed, 0 skipped"))
        self.assertNotIn("tools/fuzz", self.calls.read_text())
        code, said, _ = self.make("check")
        self.assertEqual(
            (code, said[-1]), (0, "1 passed, 0 failed, 0 skipped")
        )  # the machine code; tools/sanitized counts nothing here
        for stage in (
            "tools/check_format",
            "tools/sanitized build asan-input",
            "tools/sanitized test asan-input",
            "tools/fuzz 60",
            "tw judge --seconds 86400 --cases 5000 --seed 20261124",
            "tw judge --seconds 86400 --cases 5000 --seed 20266124",
            "tw judge --seconds 86400 --cases 750 --device cpu-check --seed 751",
        ):
            self.assertIn(stage, self.calls.read_text())

    def test_a_wrong_product_fails(self):
        self.program("build/release/tw", 'echo "wrong: 3x4x5"; exit 3')
        code, said, errors = self.make("check")
        self.assertEqual(code, 1)
        self.assertIn("wrong: 3x4x5", said)
        self.assertIn("failed: Ten thousand random products, judged", errors)

    def test_every_architecture_is_compiled_at_once_for_who_checks_next(self):
        for variable, words in ("", ["-DTW_CUDA_DRAFT=ON"]), ("1", []):
            self.calls.write_text("")
            with unittest.mock.patch.dict(os.environ, TW_ALL_ARCHITECTURES=variable):
                self.program("programs/nvidia-smi", "exit 1")
                self.make()
            said = self.calls.read_text().split()
            self.assertEqual([word for word in said if "ARCHITECTURES" in word or "DRAFT" in word], words)

    def test_a_stage_that_fails_stops_no_other(self):
        for what, cores in ("check", 2), ("all", 40):
            code, said, errors = self.make(what, ends=1, cores=cores)
            self.assertEqual(code, 1)
            self.assertRegex(said[-1], r"^\d+ passed, \d+ failed, 0 skipped$")
            self.assertIn("failed: The formatting, by clang-format", errors)
            self.assertIn("== Time", said)
        for stage in (
            "tools/fuzz 600",
            "tools/clean_clone",
            "tools/bare_debian trixie",
            "tools/check_headers",
            "tools/soak 500000",
            "examples/network/run",
        ):
            self.assertIn(stage, self.calls.read_text())

    def test_all_ends_with_a_table_of_all_its_stages(self):
        code, said, _ = self.make("all")
        self.assertEqual(code, 0, said)
        stages = [line.removeprefix("== ") for line in said if line.startswith("== ")]
        table = said[said.index("== Time"):]
        for stage in stages[:-1]:
            self.assertTrue(any(line.strip().startswith(stage) for line in table), stage)

    def test_many_cores_do_what_two_do(self):
        def outcome(cores):
            self.calls.write_text("")
            code, said, errors = self.make("all", cores=cores)
            self.assertEqual((code, errors), (0, ""), said)
            stages = [line for line in said[:said.index("== Time")] if line.startswith("== ")]
            alike = re.sub(r"(-j|--cases|--jobs|--trees) \d+|--seed \d+", "", self.calls.read_text())
            return stages, set(alike.splitlines()), said[-1]

        self.assertEqual(outcome(40), outcome(2))

    def test_what_is_missing_is_skipped_and_told(self):
        self.program("tools/install_packages", '[ "$1" != test-all ]')
        (self.folder / "programs/qemu-aarch64").unlink()
        code, said, _ = self.make("all")
        skipped = said[said.index("Skipped:"):]
        self.assertEqual(code, 0)
        self.assertIn("   A network with real weights: packages are missing", skipped)
        if not shutil.which("qemu-aarch64"):
            self.assertIn("   Tests of NEON's kernels: qemu-aarch64 is not here", skipped)

    def test_five_days_do_what_the_whole_does(self):
        def titles(said):
            return {line.removeprefix("== ") for line in said if line.startswith("== ")}

        everything = titles(self.make("all")[1])
        done = set()
        for day in range(20000, 20005):
            self.program("programs/date", f'[ "$1" = +%s ] && echo {day * 86400} || echo 20241004')
            code, said, _ = self.make("all", by_turns="1")
            self.assertEqual(code, 0, said)
            others = said[said.index("Other days' turns (without TW_BY_TURNS all are done at once):"):]
            for title in everything - titles(said):
                if "tests" not in title.lower() and "Conversions" not in title:  # these follow a build that is told
                    self.assertIn("   " + title, others)
            self.assertGreater(len(everything - titles(said)), 5)
            done |= titles(said)
        self.assertEqual(everything - done, set())

    def test_all_goes_on_from_a_stage_and_repeats_one_alone(self):
        self.make("all")
        self.calls.write_text("")
        code, said, _ = self.make("all", "--from", "a minute of fuzzing the parsers")
        self.assertEqual(code, 0, said)
        calls = self.calls.read_text()
        self.assertIn("tools/fuzz 60 fuzz-memory", calls)
        for left_out in "tools/mutate", "build msan", "check_format":
            self.assertNotIn(left_out, calls)
        passed = int(said[-1].split()[0])
        self.assertGreater(passed, 5, "those of the run before are counted, too")
        self.calls.write_text("")
        code, said, _ = self.make("all", "--only", "Five hundred thousand mixed calls")
        self.assertEqual((code, said[-1].split()[0]), (0, str(passed)), said)
        calls = [call for call in self.calls.read_text().splitlines() if call.startswith("tools/")]
        self.assertEqual(calls[2:], ["tools/soak 500000"])
        self.make("all", "--only", "Forty small mistakes", by_turns="1")
        self.assertIn("tools/mutate --count 40", self.calls.read_text(), "who names a stage gets it on any day")

    def test_what_runs_ends_with_it(self):
        begun = self.folder / "begun"
        self.program("programs/cmake", f'sleep 300 & echo $! > "{begun}.new"; mv "{begun}.new" "{begun}"; wait')
        for cores in 2, 40:  # alone; and another one in a lane
            begun.unlink(missing_ok=True)
            script = subprocess.Popen(
                ["bash", str(self.folder / "tools/test"), "all"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={
                    **os.environ,
                    "TW_JOBS": str(cores),
                    "PATH": f"{self.folder}/programs:{os.environ['PATH']}",
                },
            )
            while not begun.exists():
                self.assertIsNone(script.poll())
                time.sleep(0.01)
            script.terminate()
            self.assertNotEqual(script.wait(), 0)
            sleeping = pathlib.Path("/proc") / begun.read_text().strip()
            for _ in range(6000):
                if not sleeping.exists() or "(sleep) Z" in (sleeping / "stat").read_text():
                    break
                time.sleep(0.01)
            else:
                self.fail("a build goes on behind a script that was ended")

    def test_a_stage_that_nobody_has_is_told(self):
        code, _, errors = self.make("all", "--from", "no such thing")
        self.assertEqual((code, errors.strip()), (2, "no stage begins with 'no such thing'"))
        self.assertEqual(self.make("check", "--from", "Fuzzing")[0], 2)
        self.assertEqual(self.make("all", "--after", "Fuzzing")[0], 2)


class Count(unittest.TestCase):
    def count(self, *cases):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "release.xml"
            path.write_text("<testsuite>" + "".join(f'<testcase name="t{i}" status="{status}"/>' for i, status in
                                                    enumerate(cases)) + "</testsuite>")
            ended = subprocess.run(
                [sys.executable, str(TOOLS / "closing_count"), str(path)], capture_output=True, text=True
            )
            return ended.returncode, ended.stdout.splitlines()[-1]

    def test_all_pass(self):
        self.assertEqual(self.count("run", "run"), (0, "2 passed, 0 failed, 0 skipped"))

    def test_one_fails(self):
        self.assertEqual(self.count("run", "fail", "notrun"), (1, "1 passed, 1 failed, 1 skipped"))

    def test_none_ran(self):
        self.assertEqual(self.count(), (1, "0 passed, 0 failed, 0 skipped"))
        self.assertEqual(self.count("notrun"), (1, "0 passed, 0 failed, 1 skipped"))


if __name__ == "__main__":
    os.umask(0o022)
    unittest.main()
