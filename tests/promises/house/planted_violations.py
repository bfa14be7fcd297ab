#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""The checkers of tools/ are checked: each is shown a small house in order, then the same with one thing wrong."""
import shutil
import subprocess
import unittest

from small_house import HEAD, IN_ORDER, House


class Ladder(House):
    NAMES = ('constexpr RungName rung_names[] = {\n    {"few_rows", ""},\n    {"r1_naive", "naive"},\n    '
        '{"r9_async_pipeline", ""},\n};\n')
    RUNG = "//\n// %s: an idea.\n" + "constexpr Rung rung = Rung::%s;\n"
    TABLE = ('    {.name = "%s.f32",\n     .rung = Rung::%s,\n     .shapes = {{.function = "%s_f32"}},\n     .idea = '
        '""},\n')

    def setUp(self):
        super().setUp()
        self.write("src/plan/names.cpp", self.NAMES)
        self.write("src/backend/cpu/r1_naive.cpp", self.rung("r1_naive", "naive", "cpu.r1_naive.f32"))
        self.write("src/backend/cuda/few_rows_async_sm90.cu", self.rung("few_rows_async", "none",
            "cuda.few_rows_async.f32"))
        self.write("src/backend/metal/r9_plain_loads.metal", "//\n// r9_plain_loads: an idea.\n")
        self.write("src/backend/metal/rungs.hpp", self.TABLE % ("r9_plain_loads", "async_pipeline", "r9_plain_loads"))

    def rung(self, stem, rung, row):
        return self.RUNG % (stem, rung) + f'row("{row}");\n'

    def caught(self, name, text, told):
        self.expect_caught("check_ladder", name, text, told)

    def test_a_row_in_another_rungs_file(self):
        self.caught("src/backend/cpu/r1_naive.cpp", self.rung("r1_naive", "naive", "cpu.r9_async_pipeline.f32"),
            "a row of r9_async_pipeline")

    def test_a_file_without_a_row(self):
        self.caught("src/backend/cpu/few_rows.cpp", self.RUNG % ("few_rows", "none"), "it has no row")

    def test_another_idea_under_a_number(self):
        self.caught("src/backend/cuda/r9_split.cu", self.rung("r9_split", "async_pipeline", "cuda.r9_split.f32"),
            "is r9_async_pipeline on every")

    def test_a_number_for_few_rows(self):
        self.caught("src/backend/cpu/few_rows.cpp", self.rung("few_rows", "naive", "cpu.few_rows.f32"),
            "it says Rung::naive")

    def test_a_head_that_speaks_of_another(self):
        self.caught("src/backend/cpu/few_rows.cpp", self.rung("r1_naive", "none", "cpu.few_rows.f32"),
            "does not begin with")

    def test_a_number_that_no_rung_has(self):
        self.caught("src/backend/cpu/r11_odd.cpp", self.rung("r11_odd", "none", "cpu.r11_odd.f32"),
            "no rung of that number")

    def test_a_row_of_metal_without_a_file(self):
        self.caught("src/backend/metal/rungs.hpp", self.TABLE % ("r1_naive", "naive", "r1_naive"),
            "has no file r1_naive.metal")

    def test_a_row_of_metal_that_runs_anothers_function(self):
        self.caught("src/backend/metal/rungs.hpp", self.TABLE % ("r9_plain_loads", "async_pipeline", "r1_naive"),
            "runs r1_naive_f32")

    def test_a_row_of_metal_that_says_another_rung(self):
        self.caught("src/backend/metal/rungs.hpp", self.TABLE % ("r9_plain_loads", "naive", "r9_plain_loads"),
            "says Rung::naive")

    def test_a_file_of_metal_without_a_row(self):
        self.caught("src/backend/metal/r1_naive.metal", "//\n// r1_naive: an idea.\n", "r1_naive.metal has no row")


class Rooms(House):
    def caught(self, name, include, told):
        self.expect_caught("check_rooms", name, HEAD + f"#include {include}\n", told)

    def test_looking_up(self):
        self.caught("src/base/odd.cpp", '"plan/choose.hpp"', "may not look up to plan")

    def test_looking_up_with_angle_brackets(self):
        self.caught("src/reference/odd.cpp", "<multiply/check.hpp>", "may not look up to multiply")

    def test_a_sibling(self):
        self.caught("src/measure/odd.cpp", '"effort/matrix.hpp"', "are siblings")

    def test_a_sibling_backend(self):
        self.caught("src/backend/cpu/odd.cpp", '"backend/cuda/device/device.hpp"', "are siblings")

    def test_reference_and_backend(self):
        self.caught("src/reference/odd.cpp", '"backend/contract.hpp"', "may not look up")

    def test_the_contract_knows_no_backend(self):
        self.caught("src/backend/contract.hpp", '"backend/cpu/ladder.hpp"', "are siblings")

    def test_a_public_header_with_an_internal_one(self):
        self.caught("include/tilewright/odd.hpp", '"base/clock.hpp"', "a public header includes nothing internal")

    def test_a_door_with_an_internal_header(self):
        self.caught("src/blas/odd.cpp", '"base/clock.hpp"', "public headers only")

    def test_dots(self):
        self.caught("src/base/odd.cpp", '"../plan/choose.hpp"', "not by '..'")

    def test_a_higher_wing(self):
        self.caught("src/measure/basis/odd.cpp", '"measure/rows/row.hpp"',
            "the wing basis (rank 0) may not look up to rows (rank 3)")

    def test_the_top_of_a_room_from_a_wing(self):
        self.caught("src/backend/cpu/micro/odd.cpp", '"backend/cpu/ladder.hpp"', "may not look up to the top")

    def test_a_sibling_wing(self):
        self.caught("src/measure/rows/odd.cpp", '"measure/peers/search.hpp"', "are siblings")

    def test_a_wing_nobody_knows(self):
        self.caught("src/measure/attic/odd.cpp", '"base/clock.hpp"', "no room of the house, and no wing")

    def test_a_wing_may_include_the_face_and_lower_wings(self):
        self.write("src/backend/cuda/tiles/fine.cuh", HEAD +
            '#include "backend/cuda/backend.hpp"\n#include "backend/cuda/ptx/wgmma.cuh"\n')
        self.expect_order("check_rooms")

    def test_a_full_folder(self):
        for i in range(41):
            self.write(f"src/base/piece{i}.cpp", HEAD)
        ended = self.run_checker("check_rooms", self.root)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("give it wings", ended.stdout)

    def test_a_room_nobody_knows(self):
        self.caught("src/attic/odd.cpp", '"base/clock.hpp"', "no room of the house")

    def test_an_empty_house_is_no_pass(self):
        shutil.rmtree(self.root / "src")
        shutil.rmtree(self.root / "include")
        self.assertEqual(self.run_checker("check_rooms", self.root).returncode, 1)


class Sizes(House):
    def test_a_long_file(self):
        self.expect_caught("check_sizes", "tests/base/long_test.cpp", "\n" * 401, "401 lines")

    def test_a_long_kernel(self):
        self.expect_caught("check_sizes", "src/backend/cpu/r2_coalesced.cpp", "\n" * 251, "251 lines")

    def test_a_long_shader(self):
        self.expect_caught("check_sizes", "src/backend/metal/r3_tiled.metal", "\n" * 251, "251 lines")

    def test_a_long_cuda_kernel_anywhere(self):
        self.expect_caught("check_sizes", "src/backend/cuda/tiles/odd.cuh", "__global__ void kernel();\n" +
            "\n" * 250, "251 lines")

    def test_a_long_part_of_a_cuda_kernel(self):
        part = "__device__ void part();\n" + "\n" * 250
        self.expect_caught("check_sizes", "src/backend/cuda/tiles/odd.cuh", part, "251 lines")

    def test_a_wide_line(self):
        for name in ("src/base/wide.cpp", "tools/wide.py", "tools/wide.sh", "cmake/Wide.cmake", "src/CMakeLists.txt"):
            self.expect_caught("check_sizes", name, "## " + "x" * 118 + "\n", "121 columns")
            (self.root / name).unlink()

    def test_a_long_function(self):
        body = "    step();\n" * 79
        self.expect_caught("check_functions", "src/base/odd.cpp", "void long_one(int\n              x) {\n" + body +
            "}\n", "long_one has 82 lines")

    def test_a_long_method(self):
        body = "        step();\n" * 79
        self.expect_caught("check_functions", "src/base/odd.hpp", "struct S {\n    int of() const {\n" + body +
            "    }\n};\n", "of has 81 lines")

    def test_a_function_of_80_lines_passes(self):
        self.write("src/base/fine.cpp", "void fine() {\n" + "    step();\n" * 78 + "}\n\nstruct S {\n" +
            "    int x;\n" * 90 + "};\n")
        self.expect_order("check_functions")

    def test_a_listed_function_that_is_no_longer_long(self):
        kernel = "__global__ void few_rows() {\n" + "%s" + "}\n"
        self.write("src/backend/cuda/few_rows.cu", kernel % ("    step();\n" * 79))
        short = kernel % ("    step();\n" * 78)
        self.expect_caught("check_functions", "src/backend/cuda/few_rows.cu", short, "few_rows is listed as longer")

    def test_a_heavy_median(self):
        self.expect_order("check_sizes")
        for i in range(10):
            self.write(f"src/base/piece{i}.cpp", "\n" * 200)
        ended = self.run_checker("check_sizes", self.root)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("the median", ended.stdout)


class Changelog(House):
    IN_ORDER = (
        "# What changed\n\n## 0.2.0\n\n### Added\n\nDoors\n- A door.\n\n### Fixed\n\n- A crash\n  (of a kind).\n\n"
        "## 0.1.0\n"
    )

    def caught(self, was, becomes, told):
        self.write("CHANGELOG.md", self.IN_ORDER)
        self.assertIn(was, self.IN_ORDER)
        self.expect_caught("check_changelog", "CHANGELOG.md", self.IN_ORDER.replace(was, becomes, 1), told)

    def test_kinds_out_of_order(self):
        self.caught("### Added", "### Security", "'Fixed' stands after 'Security'")

    def test_a_kind_twice(self):
        self.caught("### Fixed", "### Added", "'Added' stands after 'Added'")

    def test_a_kind_that_is_none(self):
        self.caught("### Added", "### Improved", "'Improved' is no kind")

    def test_versions_out_of_order(self):
        self.caught("## 0.1.0", "## 0.10.0", "an older version stands above")

    def test_text_that_is_no_bullet(self):
        self.caught("- A door.", "A door.", "neither a bullet nor the title of some")

    def test_a_bullet_that_is_no_sentence(self):
        self.caught("(of a kind).", "of a kind", "does not end as a sentence")


class Spdx(House):
    def test_no_licence(self):
        self.expect_caught("check_spdx", "src/base/odd.cpp", "int x;\n", "lack 'SPDX")

    def test_no_holder(self):
        self.expect_caught("check_spdx", "src/base/odd.cpp", HEAD.splitlines()[0] + "\n", "lack 'Copyright")

    def test_another_licence(self):
        self.expect_caught("check_spdx", "src/base/odd.cpp", HEAD.replace("Apache-2.0 OR ", ""), "lack 'SPDX")

    def test_a_script_without_a_suffix(self):
        self.expect_caught("check_spdx", "tools/odd", "#!/bin/sh\n", "tools/odd")


class Words(House):
    def caught(self, name, text, told):
        self.expect_caught("check_words", name, text, told)

    def test_unfinished_work(self):
        self.caught("src/base/odd.cpp", "// TO" + "DO: later\n", "unfinished")

    @unittest.skipUnless(shutil.which("git"), "no git")
    def test_only_what_git_tracks_is_looked_at(self):
        self.run_git("init", "--quiet")
        self.run_git("add", ".")
        self.write("notes.log", "TO" + "DO: of the user's own\n")
        self.expect_order("check_words")
        self.run_git("add", "notes.log")
        self.assertIn("notes.log:1", self.run_checker("check_words", self.root).stdout)

    def run_git(self, *words):
        subprocess.run(["git", "-C", str(self.root), *words], check=True)

    def test_a_file_name(self):
        self.caught("src/base/string_utils.cpp", "", "'utils' in a file's name")

    def test_a_folder_name(self):
        self.caught("src/misc/clock.cpp", "", "'misc' in a file's name")

    def test_snake_case(self):
        self.caught("src/base/odd.cpp", "int new_size = 0;\n", "'new' in the name new_size")

    def test_camel_case(self):
        self.caught("src/base/odd.cpp", "struct FastPath {};\n", "'fast' in the name FastPath")

    def test_a_numbered_name(self):
        self.caught("src/base/odd.cpp", "void pack_v2();\n", "'v2' in the name pack_v2")

    def test_words_that_contain_others_are_fine(self):
        self.write("src/base/odd.cpp", 'int newton, breakfast, steadfast_v21; const char* s = "a fast one";\n')
        self.expect_order("check_words")

    def test_names_that_others_gave_are_fine(self):
        self.write("src/base/odd.cpp", "std::uint_fast32_t x; auto y = cuMemAlloc_v2; auto z = __fast_thing;\n")
        self.expect_order("check_words")

    def test_a_path_of_one_machine(self):
        for i, path in enumerate(["/ho" + "me/me/tilewright", "'/ro" + "ot'", "cd /wo" + "rk/main", "/Us" +
            "ers/me/x"]):
            name = f"docs/odd{i}.md"
            with self.subTest(path):
                self.caught(name, f"Look at {path} there.\n", "a path of one machine")
                (self.root / name).unlink()


class Headers(House):
    def setUp(self):
        super().setUp()
        self.write("include/tilewright/view.hpp", HEAD + "#pragma once\n#include <string>\nstd::string text();\n")
        self.write("src/scheme/scheme.hpp", HEAD)

    def test_one_that_needs_what_the_one_before_it_included(self):
        odd = "#pragma once\nstd::string word();\n"
        self.expect_caught("check_headers", "src/base/odd.hpp", odd, "odd.hpp does not compile alone")

    def test_one_of_a_library_that_is_not_here_is_skipped(self):
        self.write("src/base/bound.hpp", "#pragma once\n#include <nanobind/nowhere.h>\n")
        self.assertIn("1 skipped", self.run_checker("check_headers", self.root).stdout)
        self.expect_order("check_headers")

    def test_one_of_ours_that_is_not_here_is_not_skipped(self):
        self.expect_caught("check_headers", "src/base/odd.hpp", '#include "base/nowhere.hpp"\n', "nowhere.hpp")


class Links(House):
    def caught(self, link, told):
        self.expect_caught("check_links", "docs/odd.md", f"# A page\n\nSee [there]({link}).\n", told)

    def test_no_such_file(self):
        self.caught("../src/base/gone.cpp", "no such file")

    def test_no_such_heading(self):
        self.caught("#another-page", "no heading")

    def test_no_such_name_in_the_file(self):
        self.caught('../src/cli/main.cpp "make"', "'make' does not stand there")

    def test_out_of_the_repository(self):
        self.caught("../..", "out of the repository")

    def test_what_is_there_is_found(self):
        self.write("docs/fine.md",
            '# A page\n\n[a](#a-page) [b](../src) [c](../src/cli/main.cpp "made") [d](https://x.org)\n')
        self.expect_order("check_links")


class Weak(House):
    def compiled(self, text):
        source = self.root / "odd_avx2.cpp"
        source.write_text(text)
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        subprocess.run([compiler, "-O0", "-c", str(source), "-o", f"{source}.o"], check=True)
        return self.run_checker("check_weak", self.root)

    def test_nothing_weak(self):
        ended = self.compiled("static int twice(int x) { return 2 * x; } int four() { return twice(2); }\n")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_an_inline_function(self):
        ended = self.compiled("inline int twice(int x) { return 2 * x; } int four() { return twice(2); }\n")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("twice(int) is weak", ended.stdout)

    def test_a_template_and_its_variable(self):
        ended = self.compiled("template <class T> T zero; int none() { return zero<int>; }\n")
        self.assertEqual(ended.returncode, 1)

    def test_no_objects_is_no_pass(self):
        self.assertEqual(self.run_checker("check_weak", self.root).returncode, 1)
        self.assertEqual(self.run_checker("check_weak", "--none-is-fine", self.root).returncode, 0)


if __name__ == "__main__":
    unittest.main()
