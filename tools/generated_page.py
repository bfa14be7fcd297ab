# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Pages with a generated part: between <!-- NAME:begin --> and <!-- NAME:end --> a program writes, elsewhere people
do."""

import re
import sys


def part(name):
    return re.compile(rf"(?<=<!-- {name}:begin -->\n).*?(?=<!-- {name}:end -->)", re.DOTALL)


def read_part(page, name):
    found = part(name).search(page.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"{page}: the markers <!-- {name}:begin --> and <!-- {name}:end --> are missing")
    return found.group()


def settle(page, name, text, check, how_to_write):
    """Writes the part, or with `check` fails when it is not what the page says already."""
    if read_part(page, name) == text:
        print(f"{page.name} is current")
        return
    if check:
        sys.exit(f"{page} is not current: run {how_to_write}")
    whole = page.read_text(encoding="utf-8")
    page.write_text(part(name).sub(lambda match: text, whole), encoding="utf-8")
    print(f"{page.name} was brought up to date")
