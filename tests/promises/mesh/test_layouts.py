# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""What a compiled program sends, layout by layout: collectives by name and bytes to the byte, and that no device makes
the whole product. docs/graph.md has the table."""
import numpy as np
import pytest

from cases import LAYOUTS, compiled, mesh_of, put, whole
from tilewright import graph
from tilewright.graph.program import local_products

N = 256
WHOLE = 4 * N * N
A, B = whole(N, N), whole(N, N, seed=1)
EXACT, SCALE = A.astype(np.float64) @ B.astype(np.float64), np.abs(A).astype(np.float64) @ np.abs(B)
PROMISE = {"fp32": 0, "tf32": 2.0**-10 + 2.0**-22, "bf16": 2.0**-7 + 2.0**-16}
# Powers of two of rows and columns travel besides, 4 bytes each: of one or of both operands, gathered or agreed upon.
POWERS = 4 * 2 * (N + N) * 2


def worst(result, accuracy):
    """The largest error, as a part of what was promised."""
    sums = (N + 2) * 2.0**-24
    return (np.abs(np.asarray(result) - EXACT) / ((PROMISE[accuracy] + sums / (1 - sums)) * SCALE)).max()


def program(layout, **asked):
    specs = LAYOUTS[layout][0]
    mesh = mesh_of((2, 2))
    made, operands = compiled(lambda x, y: graph.matmul(x, y, **asked), mesh, specs, A, B)
    plan = graph.plan(*operands, mesh, out_sharding=specs[-1], **asked)
    return made, operands, plan


@pytest.mark.parametrize("layout", LAYOUTS)
def test_as_they_are(layout):
    _, share, _, names, _ = LAYOUTS[layout]
    made, operands, plan = program(layout)
    sent = graph.collectives(made)
    assert [one.kind for one in sent] == names
    assert sum(one.received for one in sent) == plan.received == share * WHOLE
    assert worst(made(*operands), "fp32") <= 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_same_bits_cost_no_more(layout):
    _, share, _, _, names = LAYOUTS[layout]
    made, operands, plan = program(layout, same_bits=True)
    sent = graph.collectives(made)
    assert [one.kind for one in sent] == names
    assert sum(one.received for one in sent) == plan.received == share * WHOLE
    assert worst(made(*operands), "fp32") <= 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_quarter_of_the_work_on_each_device(layout):
    made, _, plan = program(layout)
    ((a, b, c),) = local_products(made)
    assert np.prod(plan.local) == N**3 / 4
    assert (*c, a[-1]) == plan.local and a == (plan.local[0], plan.local[2]) and b == plan.local[:0:-1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_bf16_sends_half(layout):
    share = LAYOUTS[layout][2]
    made, operands, plan = program(layout, accuracy="bf16")
    sent = graph.collectives(made)
    assert sum(one.received for one in sent) == plan.received == share * WHOLE
    assert all("u16" in one.result for one in sent)
    assert worst(made(*operands), "bf16") <= 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tf32_sends_half_and_the_powers(layout):
    share = LAYOUTS[layout][2]
    made, operands, plan = program(layout, accuracy="tf32")
    sent = graph.collectives(made)
    received = sum(one.received for one in sent)
    assert share * WHOLE <= received == plan.received <= share * WHOLE + POWERS * (share > 0)
    assert all("u16" in one.result or one.received <= POWERS for one in sent)
    assert worst(made(*operands), "tf32") <= 1


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("accuracy", ["fp32", "tf32", "bf16"])
def test_operands_stored_transposed(transpose_a, transpose_b, accuracy):
    for layout in ("2d blocks", "FSDP", "k, C by m"):
        mesh, (a_lies, b_lies, c_lies) = mesh_of((2, 2)), LAYOUTS[layout][0]
        turned = [
            (value.T.copy(), type(spec)(*[*spec, None][:2][::-1])) if is_turned else (value, spec)
            for value, spec, is_turned in ((A, a_lies, transpose_a), (B, b_lies, transpose_b))
        ]
        made, operands = compiled(
            lambda x, y: graph.matmul(
                x, y, transpose_a=transpose_a, transpose_b=transpose_b, accuracy=accuracy
            ),
            mesh, (*(spec for _, spec in turned), c_lies), *(value for value, _ in turned),
        )
        assert worst(made(*operands), accuracy) <= 1
        received = sum(one.received for one in graph.collectives(made))
        assert received <= LAYOUTS[layout][1 if accuracy == "fp32" else 2] * WHOLE + POWERS * (accuracy == "tf32")


def test_a_program_that_names_no_mesh_is_planned_too():
    mesh, (a_lies, b_lies, _) = mesh_of((2, 2)), LAYOUTS["m"][0]
    assert worst(graph.matmul(put(mesh, A, a_lies), put(mesh, B, b_lies)), "fp32") <= 1


@pytest.mark.parametrize(
    "line, received",
    [
        ("((u16[2,8,4]{2,1,0}), u16[2,8,4]{2,1,0}) all-to-all-start(%c), replica_groups={{0,1}}", 64),
        ("((u16[8,4]{1,0}), u16[16,4]{1,0}) all-gather-start(%b), replica_groups=[1,2]<=[2]", 64),
        ("(f32[8,4]{1,0}, f32[16,4]{1,0}) all-gather-start(%b), replica_groups=[1,2]<=[2]", 128),
        ("(f32[8,4]{1,0}, f32[8,4]{1,0}) collective-permute-start(%b), source_target_pairs={{0,1},{1,0}}", 128),
        ("((f32[16,4]{1,0}), f32[8,4]{1,0}) reduce-scatter-start(%c), replica_groups={{0,1}}", 128),
        ("f32[8,4]{1,0} reduce-scatter(%c), replica_groups={{0,1}}", 128),
        ("(u16[1,8,4]{2,1,0}, u16[1,8,4]{2,1,0}) all-to-all(%c, %d), replica_groups={{0,1}}", 64),
    ],
)
def test_a_collective_that_ends_later_counts_its_results_alone(line, received):
    class Compiled:
        def as_text(self):
            return f"  %x = {line}"

    assert sum(one.received for one in graph.collectives(Compiled())) == received
