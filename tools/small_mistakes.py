# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Small mistakes, for tools/mutate: what a tired hand would have written in place of a line."""
import re

# Each takes a line of code to what a tired hand would have written. Operators stand between spaces, so templates are
# left alone.
NO_STATEMENT = "return|break|continue|case|default|using|goto|throw|delete|const|auto|static|else|if|for|while|do"
EDITS = [
    ("bound", r" <= ", " < "), ("bound", r" >= ", " > "), ("bound", r" < (?=[\w(])", " <= "),
    ("bound", r" > (?=[\w(])", " >= "), ("comparison", r" == ", " != "), ("comparison", r" != ", " == "),
    ("logic", r" && ", " || "), ("logic", r" \|\| ", " && "), ("sign", r" \+ ", " - "),
    ("sign", r"(?<=[\w)]) - ", " + "), ("constant", r" ([+-]) 1\b", r" \1 2"), ("constant", r" = 0;", " = 1;"),
    ("constant", r" = 1;", " = 0;"), ("answer", r"\breturn true;", "return false;"),
    ("answer", r"\breturn false;", "return true;"), ("extreme", r"std::min(?=[<(])", "std::max"),
    ("extreme", r"std::max(?=[<(])", "std::min"), ("negation", r"\(!(?=\w)", "("),
    ("arguments", r"\b(?!min\(|max\()(\w+)\((\w+), (\w+)\)", r"\1(\3, \2)"),
    ("dropped", rf"^(\s+)(?!{NO_STATEMENT})[\w.>()\[\]:-]+(\(.*\)| [-+*/|&^]?= .*);$", r"\1;"),
    ("dropped", r"^(\s+)if \(.*\) (return|break|continue)\b.*;$", r"\1;"),
]
# Of Python, where they are written otherwise.
PYTHON_EDITS = [edit for edit in EDITS if edit[0] in ("bound", "comparison", "sign", "constant")] + [
    ("logic", r" and ", " or "), ("logic", r" or ", " and "), ("negation", r"\bnot (?!in\b)", ""),
    ("answer", r"\bTrue\b", "False"), ("answer", r"\bFalse\b", "True"), ("constant", r" = 0$", " = 1"),
    ("dropped", rf"^(\s+)(?!{NO_STATEMENT})[\w.\[\]]+(\(.*\)| = .*)$", r"\1pass"),
]
# Texts, declarations and types are left alone, and so is what only asks for memory, or for it ahead of time.
NO_CODE = re.compile(r'^\s*(//|/\*|\*|#|template|using|namespace|static_assert|friend|public|private|EXPECT|ASSERT)'
                     r'|"|\boperator\b|requires|prefetch|\b[Aa]head|\bask_for|\.reserve\(')
# What a release on Linux does not compile, up to the next line of the preprocessor's.
NOT_BUILT = re.compile(r"#\s*(ifndef NDEBUG|ifdef __APPLE__|if defined\((__APPLE__|__aarch64__|__arm))")


def edits_of(text, ending):
    """(line number, kind, the line as it is, the line as it becomes) for every edit that the text offers."""
    found, is_text, is_built = [], False, True
    edits, remark = (PYTHON_EDITS, "#") if ending == ".py" else (EDITS, "//")
    for number, line in enumerate(text.splitlines()):
        is_text ^= line.count('"""') % 2 == 1
        if line.startswith("#"):
            is_built = not NOT_BUILT.match(line)
        if is_text or not is_built or NO_CODE.search(line):
            continue
        code, comment = re.match(rf"(.*?)(\s*{remark}.*)?$", line).groups()
        for kind, pattern, instead in edits:
            for hit in re.finditer(pattern, code):
                becomes = code[:hit.start()] + hit.expand(instead) + code[hit.end():]
                if becomes != code:
                    found.append((number, kind, line, becomes + (comment or "")))
    return found
