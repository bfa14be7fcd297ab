# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What a compiled program sends: the collectives of its HLO, and the bytes that a device receives by each."""
import math
import re
from typing import NamedTuple

KINDS = "all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute"
LINE = re.compile(rf"= (\(?[^=]*?\)?) ({KINDS})(-start)?\(")
SHAPE = re.compile(r"\b(pred|[a-z]+(\d+)[a-z0-9]*)\[([\d,]*)\]")
GROUPS = re.compile(r"replica_groups=(?:\{\{([\d,]+)\}|\[\d+,(\d+)\]<=|mesh\[([^\]]*)\] \{([^}]*)\})")
LAYOUTS, OPERANDS = re.compile(r"\{[^}]*\}"), re.compile(r"^\(\([^()]*\), ")
COMMENT = re.compile(r"/\*.*?\*/")  # tuples of more than five carry /*index=5*/


class Collective(NamedTuple):
    kind: str
    result: str  # as HLO spells its shape, without layouts
    devices: int  # of a group
    received: float  # bytes, by a device


def collectives(compiled):
    """The collectives of a program that jax has compiled: jax.jit(f).lower(...).compile()."""
    found = []
    for line in COMMENT.sub("", compiled.as_text()).splitlines():
        hit = LINE.search(line)
        if hit:
            kind, devices = hit[2], 1 if hit[2] == "collective-permute" else _group(line)
            written = LAYOUTS.sub("", hit[1]).strip()
            # What starts an operation that ends later may carry its operands before its results, in a tuple or plainly.
            result = OPERANDS.sub("(", written) if hit[3] else written
            shapes = [_bytes(*shape.groups()) for shape in SHAPE.finditer(result)]
            if hit[3] and result == written and kind in ("all-gather", "collective-permute"):
                shapes = shapes[len(shapes) // 2 :]
            found.append(Collective(kind, result, devices, _received(kind, sum(shapes), devices)))
    return found


def local_products(compiled, target="tilewright_matmul"):
    """The products that each device makes: the extents of A, B and C."""
    text = compiled.as_text()
    made = rf"(%\S+) = \w+\[([\d,]*)\]\S* custom-call\(([^)]*)\)[^\n]*{target}"
    found = []
    for hit in re.finditer(made, text):
        operands = re.findall(r"%[\w.-]+", hit[3])
        shapes = [re.search(rf"{re.escape(name)} = \w+\[([\d,]*)\]", text)[1] for name in operands]
        found.append(tuple(tuple(int(d) for d in shape.split(",")) for shape in (*shapes, hit[2])))
    return found


def _received(kind, result, devices):
    others = (devices - 1) / devices
    return {
        "all-gather": result * others,
        "all-reduce": 2 * result * others,
        "reduce-scatter": result * (devices - 1),
        "all-to-all": result * others,
        "collective-permute": result,
    }[kind]


def _group(line):
    """How many devices a group has: groups are lists, sizes of a grid, or axes of a mesh by their names."""
    hit = GROUPS.search(line)
    if hit is None:
        raise ValueError(f"tilewright.graph.collectives: no groups of devices in: {line.strip()}")
    if hit[1]:
        return len(hit[1].split(","))
    if hit[2]:
        return int(hit[2])
    sizes = dict(re.findall(r"'(\w+)'=(\d+)", hit[3]))
    return math.prod(int(sizes[axis]) for axis in re.findall(r"'(\w+)'", hit[4]))


def _bytes(kind, bits, dims):
    count = math.prod(int(d) for d in dims.split(",") if d)
    return count * (1 if kind == "pred" else int(bits) // 8)
