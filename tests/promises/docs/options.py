#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""options.py ROOT TW: every `tw ...` that a page mentions names verbs and options that there are.

Pages are README, CONTRIBUTING, RELEASING and all of docs/; commands stand in code, in a line or in a block. An example
of a command that is wrong on purpose is no option of ours: '...' and words in capitals pass.
"""

import pathlib
import re
import subprocess
import sys

INLINE = re.compile(r"`((?:build/release/)?tw [^`\n]+)`")
IN_BLOCK = re.compile(r"^(?:\$ )?(?:build/release/)?(tw [a-z-].*)$", re.MULTILINE)
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
VERB = re.compile(r"[a-z][a-z-]*")


class Help:
    """What `tw VERB... --help` lists."""

    def __init__(self, program):
        self.program, self.known = program, {}

    def of(self, verbs):
        if verbs not in self.known:
            said = subprocess.run([self.program, *verbs, "--help"], check=True, capture_output=True, text=True).stdout
            listed = re.search(r"^Options:\n(.*?)^(?=\S)", said + "\n.", re.MULTILINE | re.DOTALL)
            below = re.search(r"^Subcommands:\n(.*?)^(?=\S|$)", said, re.MULTILINE | re.DOTALL)
            heads = [line.strip() for line in listed[1].splitlines() if re.match(r"  -", line)]
            options = {word for head in heads for word in OPTION.findall(re.split(r"\s{2,}", head)[0])}
            names = {line.split()[0] for line in below[1].splitlines() if line.strip()} if below else set()
            self.known[verbs] = options, names
        return self.known[verbs]


def commands_of(text):
    for block in BLOCK.findall(text):
        yield from IN_BLOCK.findall(block.replace("\\\n", " "))
    yield from (command.removeprefix("build/release/") for command in INLINE.findall(BLOCK.sub("", text)))


def complaints(command, known):
    """What is wrong with one command."""
    command = re.split(r" [|>#&] | \|\| |;", command)[0]
    words, verbs = command.split()[1:], ()
    while words and known.of(verbs)[1]:
        if not VERB.fullmatch(words[0]):
            break
        if words[0] not in known.of(verbs)[1]:
            yield f"there is no verb '{words[0]}'"
            return
        verbs += (words.pop(0),)
    for option in OPTION.findall(" ".join(re.sub(r'"[^"]*"', "", word) for word in words)):
        if option not in known.of(verbs)[0]:
            yield f"there is no option {option}"


def main():
    root, known = pathlib.Path(sys.argv[1]).resolve(), Help(sys.argv[2])
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / "RELEASING.md", *sorted(root.glob("docs/**/*.md"))]
    seen, findings = 0, []
    for page in pages:
        for command in commands_of(page.read_text(encoding="utf-8")):
            seen += 1
            findings += [f"{page.relative_to(root)}: `{command}`: {text}" for text in complaints(command, known)]
    if not list(complaints("tw multipli A B", known)) or not list(complaints("tw ladder --sise 4", known)):
        findings.append("a wrong verb or option is not noticed")
    print("\n".join(findings) or f"{seen} commands name verbs and options that there are")
    sys.exit(1 if findings or seen < 100 else 0)


main()
