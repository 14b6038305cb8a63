# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs for the test models, and the outputs that ONNX Runtime gives for them."""

import json
import os

import numpy as np

# Batch sizes, batch x length, and the like: what each case of a model runs.
CASES = {
    "minilm": [(4, 17), (1, 12), (1, 32), (2, 7), (3, 129), (1, 256)],
    "magika": [1, 5, 16, 1],
    "cls": [(1, 48, 192), (2, 48, 192), (3, 48, 192), (6, 48, 192), (2, 48, 100)],
    "det": [(1, 320, 320), (2, 64, 96), (1, 160, 224)],
    "rec": [(1, 48, 320), (6, 48, 104), (2, 48, 33)],
    "vadseq": [1, 31, 7, 128],
}
RTOL = 1e-3
ATOL = 1e-4

# magika's token for "no byte here", and the bytes it takes from either end.
MAGIKA_PADDING = 256
MAGIKA_END = 1024

# BERT's tokens around a sentence, and its ordinary words.
CLS_TOKEN, SEP_TOKEN = 101, 102
WORDS = (1000, 30000)

VAD_RATE = 16000
VAD_CONTEXT, VAD_FRAME, VAD_STATE = 64, 512, 128


def inputs_of(name, index):
    """The input arrays of case `index` of model `name`; the same on every run."""
    rng = np.random.default_rng([index, *name.encode()])
    return {
        "minilm": _sentences,
        "magika": _files,
        "cls": _text_lines,
        "det": _text_lines,
        "rec": _text_lines,
        "vadseq": _speech,
    }[name](rng, CASES[name][index], index)


def _sentences(rng, case, _):
    batch, length = case
    ids = np.zeros((batch, length), np.int64)
    mask = np.zeros_like(ids)
    for row in range(batch):
        used = length if row == 0 else int(rng.integers(3, length + 1))
        ids[row, :used] = rng.integers(*WORDS, used)
        ids[row, 0], ids[row, used - 1] = CLS_TOKEN, SEP_TOKEN
        mask[row, :used] = 1
    return [ids, mask]


def _files(rng, batch, _):
    tokens = np.full((batch, 2 * MAGIKA_END), MAGIKA_PADDING, np.int32)
    for row in range(batch):
        size = int(rng.integers(16, 2 * MAGIKA_END))
        lowest, highest = (32, 127) if row % 2 == 0 else (0, 256)
        data = rng.integers(lowest, highest, size)
        head, tail = data[:MAGIKA_END], data[-MAGIKA_END:]
        tokens[row, : len(head)] = head
        tokens[row, 2 * MAGIKA_END - len(tail) :] = tail
    return [tokens]


def _text_lines(rng, case, _):
    batch, height, width = case
    # Dark strokes on light paper, as a scanned line has, scaled to -1 … 1.
    paper = rng.uniform(0.6, 1.0, (batch, 3, height, width))
    strokes = rng.random((batch, 1, height // 4, -(-width // 4))) < 0.3
    strokes = np.repeat(np.repeat(strokes, 4, axis=2), 4, axis=3)[..., :width]
    return [np.where(strokes, -0.8, paper).astype(np.float32)]


def _speech(rng, frames, index):
    time = np.arange(VAD_CONTEXT + frames * VAD_FRAME) / VAD_RATE
    pitch = 120 + 30 * np.sin(2 * np.pi * 1.5 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / VAD_RATE
    voice = sum(np.sin(k * phase) / k for k in range(1, 20))
    syllables = np.maximum(0, np.sin(2 * np.pi * 3 * time))
    signal = 0.1 * voice * syllables + 0.003 * rng.standard_normal(time.size)
    window = VAD_CONTEXT + VAD_FRAME
    starts = range(0, frames * VAD_FRAME, VAD_FRAME)
    sound = np.stack([signal[at : at + window] for at in starts]).astype(np.float32)
    state = [np.zeros((1, 1, VAD_STATE), np.float32) for _ in range(2)]
    if index % 2:
        state = [rng.uniform(-0.5, 0.5, s.shape).astype(np.float32) for s in state]
    return [sound, *state]


def write_cases(name, onnx_path, entry, folder):
    """Writes `caseK/inJ.npy`, `caseK/outJ.npy` and `meta.json` into `folder`.

    The outputs are ONNX Runtime's, without its optimisations: another engine's
    reading of the same file.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    )
    session = onnxruntime.InferenceSession(
        onnx_path, options, providers=["CPUExecutionProvider"]
    )
    names = [value.name for value in session.get_inputs()]
    shapes = []
    for index in range(len(CASES[name])):
        case = os.path.join(folder, f"case{index}")
        os.makedirs(case)
        arrays = inputs_of(name, index)
        outputs = session.run(None, dict(zip(names, arrays, strict=True)))
        shapes.append([list(array.shape) for array in arrays])
        for kind, values in (("in", arrays), ("out", outputs)):
            for place, array in enumerate(values):
                np.save(os.path.join(case, f"{kind}{place}.npy"), array)
    meta = {"inputs": names, "cases": shapes, "rtol": RTOL, "atol": ATOL}
    with open(os.path.join(folder, "meta.json"), "w") as file:
        json.dump(meta | {"entry": entry}, file, indent=1)
        file.write("\n")
