#!/usr/bin/env python3
"""Turns the float32 weights of all-MiniLM-L6-v2 into the int8 file that is compiled in (README.md here says how).

    convert.py MODEL_FOLDER OUT.safetensors GOLDEN.json     # needs numpy, safetensors, tokenizers

Weights are symmetric int8 with a scale an output. Before that, each input channel of a linear layer is scaled down by what
calibration.txt shows of its range and its weights are scaled up by the same, so that one step of 8 bits fits all channels of a
token (Xiao et al. 2022, SmoothQuant, alpha 0.5). GOLDEN.json gets the vectors of the float32 model for a few texts.
"""
import json
import math
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

LAYERS, HEADS, WIDTH, EPSILON, ALPHA = 6, 12, 384, 1e-12, 0.5
GOLDEN_TEXTS = [
    "where is a timer woken",
    "How do I roll back a deployment?",
    "fn parse_args(args: &[String]) -> Result<Config, Error> {\n    todo!()\n}",
    "class RetryPolicy:\n    '''How many attempts a call gets.'''\n    attempts = 5\n",
    "El índice se construye una vez y se actualiza después de cada cambio.",
    "日本語のテキストも数えられる",
    "# Heading\n\nA paragraph with `code`, a list:\n\n- one\n- two\n\nand the end of it.",
    "The writer commits as it goes: a run that is killed continues from its last commit, and readers hold the generation that they "
    "opened. " * 8,
]


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float32])(x)


def norm(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + EPSILON) * gain + bias


def forward(w, ids, seen):
    """The vector of a text; `seen` collects the largest magnitude of every input channel of every linear layer."""

    def linear(x, name):
        seen[name] = np.maximum(seen.get(name, 0), np.abs(x).max(0))
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    e = "embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][: len(ids)]
    x = norm(x + w[e + "token_type_embeddings.weight"][0], w[e + "LayerNorm.weight"], w[e + "LayerNorm.bias"])
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}."
        q, k, v = (heads(linear(x, p + "attention.self." + part)) for part in ("query", "key", "value"))
        a = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(WIDTH // HEADS))
        mixed = (a / a.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = x + linear(mixed, p + "attention.output.dense")
        x = norm(x, w[p + "attention.output.LayerNorm.weight"], w[p + "attention.output.LayerNorm.bias"])
        h = linear(x, p + "intermediate.dense")
        x = x + linear(h * 0.5 * (1 + erf(h / math.sqrt(2))), p + "output.dense")
        x = norm(x, w[p + "output.LayerNorm.weight"], w[p + "output.LayerNorm.bias"])
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def int8(w):
    scale = np.abs(w).max(1) / 127
    return np.round(w / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def main():
    folder, out, golden = map(pathlib.Path, sys.argv[1:])
    w = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    seen = {}
    for text in (pathlib.Path(__file__).parent / "calibration.txt").read_text().split("\n\f\n"):
        forward(w, tokenizer.encode(text).ids[:256], seen)

    tensors = {}

    def linear(to, names):
        weight = np.concatenate([w[n + ".weight"] for n in names])
        bias = np.concatenate([w[n + ".bias"] for n in names])
        inputs = np.maximum.reduce([seen[n] for n in names])
        if len(names) == 3:  # query, key, value: the scale of the scores goes into the query
            part = len(bias) // 3
            weight[:part] /= math.sqrt(WIDTH // HEADS)
            bias[:part] /= math.sqrt(WIDTH // HEADS)
        smooth = np.maximum(inputs, 1e-5) ** ALPHA / np.maximum(np.abs(weight).max(0), 1e-5) ** (1 - ALPHA)
        smooth /= smooth.mean()
        tensors[to + ".weight"], tensors[to + ".scale"] = int8(weight * smooth)
        tensors[to + ".bias"] = bias.astype(np.float32)
        tensors[to + ".input"] = (1 / smooth).astype(np.float32)

    e = "embeddings."
    tensors["words.weight"], tensors["words.scale"] = int8(w[e + "word_embeddings.weight"])
    tensors["positions"] = w[e + "position_embeddings.weight"] + w[e + "token_type_embeddings.weight"][0]

    def copy_norm(to, name):
        tensors[to + ".gain"], tensors[to + ".bias"] = w[name + ".weight"], w[name + ".bias"]

    copy_norm("norm", e + "LayerNorm")
    for layer in range(LAYERS):
        p, to = f"encoder.layer.{layer}.", f"{layer}."
        linear(to + "attention", [p + "attention.self." + part for part in ("query", "key", "value")])
        linear(to + "mixed", [p + "attention.output.dense"])
        copy_norm(to + "attention_norm", p + "attention.output.LayerNorm")
        linear(to + "inner", [p + "intermediate.dense"])
        linear(to + "outer", [p + "output.dense"])
        copy_norm(to + "norm", p + "output.LayerNorm")
    save_file({name: np.ascontiguousarray(t) for name, t in tensors.items()}, out)

    rows = []
    for text in GOLDEN_TEXTS:
        ids = tokenizer.encode(text).ids[:256]
        rows.append({"text": text, "ids": ids, "vector": [round(float(v), 5) for v in forward(w, ids, {})]})
    golden.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n")


main()
