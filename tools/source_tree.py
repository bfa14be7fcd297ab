# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What the checkers in tools/ share: which files are ours, and how a finding is told."""
import argparse
import pathlib
import subprocess
import sys

NOT_OURS = {"build", "__pycache__", "LICENSES"}
HIDDEN_BUT_OURS = {".ci", ".github", ".clang-format", ".editorconfig", ".gitignore"}
CODE = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".metal", ".c"}


def tracked(root):
    """The files that git knows, or None where there is no clone (a tarball) or no git."""
    if not (root / ".git").exists():
        return None
    try:
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return {root / name for name in listed.stdout.decode().split("\0") if name}


def ours(root, *folders):
    """Every file of the project under these folders (all of it when none is named), in a fixed order. In a clone these
    are the files that git tracks: what a user leaves beside them, a log for instance, is none of ours."""
    known = tracked(root)
    found = []
    for start in [root / folder for folder in folders] if folders else [root]:
        below = start.rglob("*") if known is None else (path for path in known if start in path.parents)
        for path in sorted(below):
            parts = path.relative_to(root).parts
            hidden = any(part.startswith(".") and part not in HIDDEN_BUT_OURS for part in parts)
            if not hidden and not NOT_OURS.intersection(parts) and path.is_file():
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
