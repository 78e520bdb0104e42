"""The layout of the objectives of ADBench, in NumPy: where numbers of a parameter vector belong, as constant indices."""

from __future__ import annotations

import numpy as np

from adbench_works import BONES, THETA


def triangle(d: int) -> np.ndarray:
    """For each place of a matrix, the number of the factor in it: the logarithms of the diagonal come first, then the triangle below.

    Places above the diagonal have the number d (d + 1) / 2, which stands for 0.
    """
    found = np.full((d, d), d * (d + 1) // 2, np.int32)
    rows, columns = np.tril_indices(d, -1)
    order = np.lexsort((rows, columns))
    found[rows[order], columns[order]] = d + np.arange(len(rows))
    return found


def angles() -> np.ndarray:
    """For each bone and axis, the number of the angle in theta; THETA stands for 0.

    The first six numbers turn and move the whole hand. A finger has two angles in its first joint, and one in each of the next two.
    """
    found = np.full((BONES, 3), THETA, np.int32)
    for finger in range(5):
        first, bone = 6 + 4 * finger, 1 + 4 * finger
        found[bone, :2] = first, first + 1
        found[bone + 1, 0] = first + 2
        found[bone + 2, 0] = first + 3
    return found


def parents(given: np.ndarray) -> list[list[int]]:
    """The bones by their distance from the wrist: those of a level turn with those of the level before."""
    depth = [0] * len(given)
    for bone, parent in enumerate(given):
        depth[bone] = 0 if parent < 0 else depth[parent] + 1
    return [[b for b, d in enumerate(depth) if d == level] for level in range(max(depth) + 1)]
