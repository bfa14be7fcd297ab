#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""passes.py [EFFORT ...]: launches and gaps of a network's pass on a CUDA device, one token, its linear layers on the
dial.

Needs torch and the tilewright package with CUDA. The weights are N(0, 1): what is launched, and when, does not depend
on them. A pass is captured in a graph once and replayed; torch's profiler says when each kernel began and ended.
Matrices with one input are stacked into one, so that one choice serves them all: query, key and value; the gate and
what it gates. Where a product is expected to take longer than the dense one, it is the dense one."""

import json
import statistics
import sys
import tempfile

import torch

import tilewright

NETWORKS = {
    "MiniLM's six layers": {"width": 384, "key": 384, "wide": 1536, "layers": 6, "gated": False},
    "two layers of 4096 and 14336": {"width": 4096, "key": 1024, "wide": 14336, "layers": 2, "gated": True},
}
REPLAYS = 5


class Network:
    """Layers of: query, key and value; what is mixed; up and down. A token alone attends to itself: what is mixed is
    its value."""

    def __init__(self, width, key, wide, layers, gated):
        self.width, self.key, self.wide, self.gated = width, key, wide, gated
        shapes = [(width + 2 * key, width), (width, width), ((2 if gated else 1) * wide, width), (width, wide)]
        self.layers = [[self.made(shape) for shape in shapes] for _ in range(layers)]

    @staticmethod
    def made(shape):
        matrix = tilewright.EffortMatrix(
            (torch.randn(shape, device="cuda") / shape[1] ** 0.5).half().cpu(), dense="kept"
        )
        matrix.place("cuda")
        return matrix

    def products(self):
        return sum(len(layer) for layer in self.layers)

    def __call__(self, x, effort):
        def product(matrix, v):
            return matrix.matvec(v, effort=effort, dense="when_quicker")[0]

        for into_heads, out_of_heads, up, down in self.layers:
            heads = product(into_heads, torch.nn.functional.layer_norm(x, x.shape))
            value = heads[self.width + self.key :].repeat(self.width // self.key)
            x = x + product(out_of_heads, value)
            raised = product(up, torch.nn.functional.layer_norm(x, x.shape))
            inner = (
                torch.nn.functional.silu(raised[: self.wide]) * raised[self.wide :]
                if self.gated
                else torch.nn.functional.gelu(raised)
            )
            x = x + product(down, inner)
        return x


def captured(network, x, effort):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        network(x, effort)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            y = network(x, effort)
    graph.replay()
    torch.cuda.synchronize()
    return graph, y


def timeline(graph):
    """(name, start, end) of every kernel of REPLAYS passes, in microseconds, in the order in which they began."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(REPLAYS):
            graph.replay()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profile.export_chrome_trace(file.name)
        with open(file.name, encoding="utf-8") as text:
            events = json.load(text)["traceEvents"]
    kernels = [
        (e["name"], e["ts"], e["ts"] + e["dur"])
        for e in events
        if e.get("cat") in ("kernel", "gpu_memset", "gpu_memcpy")
    ]
    return sorted(kernels, key=lambda kernel: kernel[1])


def seconds_of_pass(graph):
    times = []
    for _ in range(15):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3)
    return statistics.median(times)


def said_of(network, effort, x):
    graph, y = captured(network, x, effort)
    graph.replay()
    torch.cuda.synchronize()
    plain = network(x, effort)
    same = bool((y == plain).all())
    kernels = timeline(graph)
    size = len(kernels) // REPLAYS
    kernels = kernels[-size:]  # of the last pass
    ours = ["tw::cuda" in name for name, _, _ in kernels]
    gaps = [later[1] - earlier[2] for earlier, later in zip(kernels, kernels[1:])]
    idle = sum(gap for gap in gaps if gap > 0)
    whole = kernels[-1][2] - kernels[0][1]
    return {
        "effort": effort, "products": network.products(), "launches": sum(ours), "others": size - sum(ours), "pass":
        whole, "idle": idle, "overlap": -sum(gap for gap in gaps if gap < 0), "longest gap": max(gaps), "unprofiled":
        1e6 * seconds_of_pass(graph),
        "captured is plain": same,
    }  # fmt: skip


def main():
    efforts = [float(word) for word in sys.argv[1:]] or [1, 0.5, 0.25, 0.1]
    torch.manual_seed(1)
    print(torch.cuda.get_device_name())
    for name, shape in NETWORKS.items():
        network = Network(**shape)
        x = torch.randn(shape["width"], device="cuda")
        print(name)
        for effort in efforts:
            row = said_of(network, effort, x)
            print(
                "  "
                + ", ".join(
                    f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in row.items()
                ),
                flush=True,
            )
            assert row["captured is plain"] and row["launches"] <= 2 * row["products"]


main()
