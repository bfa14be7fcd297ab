# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What the checkers in tools/ share: which files are ours, and how a finding is told."""
import argparse
import pathlib
import sys

NOT_OURS = {"build", "__pycache__", "LICENSES"}
HIDDEN_BUT_OURS = {".ci", ".github", ".clang-format", ".editorconfig", ".gitignore"}
CODE = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".metal", ".c"}


def ours(root, *folders):
    """Every file of the project under these folders (all of it when none is named), in a fixed order."""
    starts = [root / folder for folder in folders] if folders else [root]
    found = []
    for start in starts:
        for path in sorted(start.rglob("*")) if start.is_dir() else []:
            parts = path.relative_to(root).parts
            hidden = any(part.startswith(".") and part not in HIDDEN_BUT_OURS for part in parts)
            if path.is_file() and not hidden and not NOT_OURS.intersection(parts):
                found.append(path)
    return found


def text_of(path):
    """A file's text, or None for a file that is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    return parser


def tell(findings, looked_at):
    """Prints each finding; ends the program, with failure when there was one, or when nothing was looked at."""
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings in {looked_at} files")
    sys.exit(1 if findings or not looked_at else 0)
