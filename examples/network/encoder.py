# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""A sentence encoder of the BERT family in NumPy, whose linear layers are done by whoever is handed in.

Weights come as {name: array} with the names of the transformers library; `linear(name, x)` returns x W^T without the
bias.
"""

import json
import re
import struct

import numpy as np

TYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def read_safetensors(path):
    """Every tensor of a file that we trust: tw itself reads files that nobody does."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], TYPES[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in header.items()
    }


class Words:
    """Lower-case WordPiece: the longest piece of the vocabulary that fits, again and again."""

    def __init__(self, vocabulary):
        with open(vocabulary, encoding="utf-8") as file:
            self.number = {word.rstrip("\n"): i for i, word in enumerate(file)}

    def pieces(self, word):
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.number:
                    found.append(self.number[piece])
                    start = end
                    break
            else:
                return [self.number["[UNK]"]]
        return found

    def numbers(self, sentence):
        words = re.findall(r"\w+|[^\w\s]", sentence.lower())
        return [self.number["[CLS]"], *(n for word in words for n in self.pieces(word)), self.number["[SEP]"]]


def normalised(x, weights, name, epsilon=1e-12):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weights[name + ".weight"] + weights[name + ".bias"]


def error_function(x):
    """Abramowitz and Stegun 7.1.26: off by at most 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def gelu(x):
    return (0.5 * x * (1 + error_function(x / np.sqrt(2)))).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Encoder:
    def __init__(self, weights, layers, heads):
        self.weights, self.layers, self.heads = weights, layers, heads

    def linear_names(self):
        kinds = [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
            "attention.output.dense",
            "intermediate.dense",
            "output.dense",
        ]
        return [f"encoder.layer.{layer}.{kind}" for layer in range(self.layers) for kind in kinds]

    def embedded(self, numbers):
        w, of = self.weights, "embeddings."
        x = w[of + "word_embeddings.weight"][numbers] + w[of + "position_embeddings.weight"][: len(numbers)]
        return normalised(x + w[of + "token_type_embeddings.weight"][0], w, of + "LayerNorm")

    def attended(self, query, key, value, spans):
        """Each sentence looks at itself; all sentences lie in one array, row after row."""
        width = query.shape[1] // self.heads
        mixed = np.empty_like(query)
        for rows in spans:
            for head in range(self.heads):
                part = (rows, slice(head * width, (head + 1) * width))
                mixed[part] = softmax(query[part] @ key[part].T / np.sqrt(width)) @ value[part]
        return mixed

    def sentences(self, numbers, linear):
        """A unit vector for each list of numbers: the mean of its last states."""
        starts = np.cumsum([0] + [len(n) for n in numbers])
        spans = [slice(a, b) for a, b in zip(starts, starts[1:])]
        x = np.concatenate([self.embedded(n) for n in numbers]).astype(np.float32)

        def apply(name, v):
            return linear(name, v) + self.weights[name + ".bias"]

        for layer in range(self.layers):
            at = f"encoder.layer.{layer}."
            query, key, value = (apply(at + "attention.self." + kind, x) for kind in ("query", "key", "value"))
            mixed = apply(at + "attention.output.dense", self.attended(query, key, value, spans))
            x = normalised(x + mixed, self.weights, at + "attention.output.LayerNorm").astype(np.float32)
            wide = gelu(apply(at + "intermediate.dense", x))
            x = normalised(x + apply(at + "output.dense", wide), self.weights, at + "output.LayerNorm").astype(
                np.float32
            )
        means = np.stack([x[rows].mean(0) for rows in spans])
        return means / np.linalg.norm(means, axis=1, keepdims=True)
