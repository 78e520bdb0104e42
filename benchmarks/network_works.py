"""What `networks.py` measures, on which numbers, and what gradtape must reach.

Every system runs the same Keras model on its own backend. The models are in `systems/networks.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from works import Inputs, Work, random

BEST = "the best other"
CLASSES = 10
NODES, EDGES, FEATURES = 2000, 10_000, 128


@dataclass(frozen=True)
class Network(Work):
    """One line of the table.

    Attributes:
      model: the function of `systems/networks.py` that makes the model.
      trains: a step of training is measured; otherwise a prediction.
      drops: steps of training are random, so that only predictions can be compared.
      first: the most seconds that the model and its first step of training may take, where a limit is set.
      warm: the same, with kernels on disk.
    """

    model: str = ""
    trains: bool = True
    drops: bool = False
    first: float | None = None
    warm: float | None = None


def images(size: int, batch: int, classes: int = CLASSES) -> Callable[[float], Inputs]:
    """Images with a class each."""

    def inputs(scale: float) -> Inputs:
        rng, count = random(), max(2, round(batch * scale))
        x = rng.standard_normal((count, size, size, 3), dtype=np.float32)
        return {"x": x, "y": rng.integers(0, classes, count).astype(np.int32)}

    return inputs


def masks(scale: float) -> Inputs:
    """Images with a class for each pixel."""
    rng, count = random(), max(2, round(8 * scale))
    x = rng.standard_normal((count, 64, 64, 3), dtype=np.float32)
    return {"x": x, "y": rng.integers(0, 2, (count, 64, 64)).astype(np.int32)}


def words(vocabulary: int, batch: int, length: int, shifted: bool = False) -> Callable[[float], Inputs]:
    """Sequences of words with a class each; or, shifted, with the next word as the class of each."""

    def inputs(scale: float) -> Inputs:
        rng, count = random(), max(2, round(batch * scale))
        x = rng.integers(1, vocabulary, (count, length + 1)).astype(np.int32)
        y = x[:, 1:] if shifted else rng.integers(0, CLASSES, count).astype(np.int32)
        return {"x": x[:, :-1], "y": y}

    return inputs


def padded_words(scale: float) -> Inputs:
    """Sequences of words that end in zeros, which are masked."""
    found = words(2000, 32, 40)(scale)
    ends = random().integers(10, 40, len(found["x"]))
    found["x"] = np.where(np.arange(40) < ends[:, None], found["x"], 0).astype(np.int32)
    return found


def graph(scale: float) -> Inputs:
    """Features and a class of each node of a graph; its edges are constants of the model."""
    rng = random()
    return {
        "x": rng.standard_normal((NODES, FEATURES), dtype=np.float32),
        "y": rng.integers(0, CLASSES, NODES).astype(np.int32),
    }


def rows(scale: float) -> Inputs:
    """Rows of a table: ten columns of categories, and twenty of numbers."""
    rng, count = random(), max(2, round(256 * scale))
    categories = rng.integers(0, 1000, (count, 10)).astype(np.float32)
    numbers = rng.standard_normal((count, 20), dtype=np.float32)
    return {"x": np.concatenate([categories, numbers], axis=1), "y": rng.integers(0, CLASSES, count).astype(np.int32)}


def sound(scale: float) -> Inputs:
    """Samples of sound in 256 steps; each one's class is the next."""
    rng, count = random(), max(2, round(4 * scale))
    y = rng.integers(0, 256, (count, 1025)).astype(np.int32)
    return {"x": (y[:, :-1, None] / 128 - 1).astype(np.float32), "y": y[:, 1:]}


TRAINING = (
    Network("resnet50", "ResNet50, 16 images of 96x96", images(96, 16), {BEST: 0.6}, "resnet50", first=2.5, warm=1.0),
    Network(
        "mobilenet_v2",
        "MobileNetV2, 16 images of 96x96",
        images(96, 16),
        {BEST: 0.5},
        "mobilenet_v2",
        first=2.5,
        warm=1.0,
    ),
    Network("efficientnet_b0", "EfficientNetB0, 16 images of 96x96", images(96, 16), {}, "efficientnet_b0", drops=True),
    Network("unet", "U-Net with batch norm, 8 images of 64x64", masks, {BEST: 0.5}, "unet"),
    Network("vit", "vision transformer, 32 images of 32x32", images(32, 32), {}, "vit"),
    Network(
        "bert", "BERT-like, 4 layers of 256, 16 texts of 64 words, AdamW", words(20_000, 16, 64), {BEST: 0.6}, "bert"
    ),
    Network("gpt", "GPT-like, 2 layers of 128, 16 texts of 64 words", words(5000, 16, 64, True), {}, "gpt"),
    Network("bilstm", "two-way LSTM with mask, 32 texts of 40 words", padded_words, {}, "bilstm"),
    Network("wavenet", "WaveNet, 10 dilated layers, 4 sounds of 1024 samples", sound, {}, "wavenet"),
    Network(
        "gnn", "graph network: gather, segment sum, 2,000 nodes, 10,000 edges", graph, {BEST: 0.5}, "graph_network"
    ),
    Network("tabular", "embeddings and dense layers, 256 rows of a table", rows, {}, "tabular"),
)
INFERENCE = tuple(
    Network(f"{name}_{batch}", f"prediction: {title}, batch of {batch}", make(batch), {BEST: 0.8}, name, trains=False)
    for name, title, make in (
        ("resnet50", "ResNet50 96x96", lambda batch: images(96, batch)),
        ("mobilenet_v2", "MobileNetV2 96x96", lambda batch: images(96, batch)),
        ("bert", "BERT-like 4x256, 64 words", lambda batch: words(20_000, batch, 64)),
    )
    for batch in (1, 16)
)
WORKS = TRAINING + INFERENCE
