"""Writes resized.npz: what TensorFlow's `tf.image.resize` gives for the cases of `images/test_resizing_reference.py`.

Needs TensorFlow: `python tests/image/data/make_resized.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

METHODS = ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
SIZES = ((3, 4), (10, 5), (7, 13), (1, 1))


def picture(dtype: type = np.float32) -> np.ndarray:
    """An image of 6 by 9 pixels with edges and slopes, the same on every machine."""
    i, j = np.meshgrid(np.arange(6), np.arange(9), indexing="ij")
    values = (37 * i * i + 11 * j + 101 * ((i + j) % 3)) % 256
    return values[:, :, None].astype(dtype)


def cases() -> list[dict[str, object]]:
    """Arguments of `resize` besides the image."""
    found: list[dict[str, object]] = []
    for method in METHODS:
        for size in SIZES:
            found += [{"size": size, "method": method, "antialias": flag} for flag in (False, True)]
        found.append({"size": (4, 4), "method": method, "preserve_aspect_ratio": True})
        found.append({"size": (20, 15), "method": method, "preserve_aspect_ratio": True, "antialias": True})
    return found


if __name__ == "__main__":
    import tensorflow as tf

    results = [tf.image.resize(picture(), **case).numpy() for case in cases()]
    shapes = np.array([result.shape for result in results])
    values = np.concatenate([result.ravel() for result in results])
    np.savez_compressed(Path(__file__).parent / "resized.npz", shapes=shapes, values=values)
