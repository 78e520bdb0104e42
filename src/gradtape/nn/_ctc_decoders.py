"""CTC decoders: the best class of each frame, or a beam search for the most probable labels."""

from __future__ import annotations

from typing import Any

import numpy as np


def greedy(logits: Any, lengths: Any, blank: int, merge_repeated: bool) -> list[Any]:
    """A sequence of labels for each column of `[frames, batch, classes]`: the largest class of each frame."""
    best = np.argmax(logits, axis=2)
    keep = (best != blank) & (np.arange(len(best))[:, None] < lengths)
    if merge_repeated:
        keep[1:] &= best[1:] != best[:-1]
    return [best[keep[:, i], i] for i in range(best.shape[1])]


def beam_search(log_probs: Any, width: int, top: int) -> tuple[list[list[int]], Any]:
    """The most probable sequences of labels of one `[frames, classes]`, and the logarithms of their probabilities.

    The last class is the blank. A beam is a beginning of a sequence; its paths end in a blank or in its last label, and
    are counted apart, since a label goes on after itself but is new after a blank.
    """
    beams = _Beams(log_probs.shape[1] - 1)
    for frame in log_probs:
        beams.advance(frame, width)
    return beams.best(top)


class _Beams:
    """The beginnings that are kept.

    Attributes:
      nodes: for each beginning ever kept, the one before it and its last label.
      at: the nodes of the beams.
      after_blank, after_label: the logarithms of the probabilities of the beams' paths, by their last class.
    """

    def __init__(self, blank: int) -> None:
        self.blank = blank
        self.nodes: list[tuple[int, int]] = [(-1, -1)]
        self.numbers: dict[tuple[int, int], int] = {}
        self.at = [0]
        self.after_blank, self.after_label = np.zeros(1), np.full(1, -np.inf)

    def advance(self, frame: Any, width: int) -> None:
        """Go on by one frame, and keep the most probable."""
        labels = frame[: self.blank]
        last = np.array([self.nodes[n][1] for n in self.at])
        total = np.logaddexp(self.after_blank, self.after_label)
        longer = total[:, None] + labels
        rows = np.flatnonzero(last >= 0)
        # A label after itself is new only if there was a blank between.
        longer[rows, last[rows]] = self.after_blank[rows] + labels[last[rows]]
        blank = total + frame[self.blank]
        same = np.full(len(total), -np.inf)
        same[rows] = self.after_label[rows] + labels[last[rows]]
        self._merge(longer, same)
        self._keep(longer, blank, same, width)

    def _merge(self, longer: Any, same: Any) -> None:
        """A beam and a label may spell another beam: its probability goes there."""
        place = {n: i for i, n in enumerate(self.at)}
        for i, n in enumerate(self.at):
            before, label = self.nodes[n]
            j = place.get(before)
            if j is not None:
                same[i] = np.logaddexp(same[i], longer[j, label])
                longer[j, label] = -np.inf

    def _keep(self, longer: Any, blank: Any, same: Any, width: int) -> None:
        scores = np.concatenate([np.logaddexp(blank, same), longer.ravel()])
        best = np.argpartition(-scores, width - 1)[:width] if len(scores) > width else np.arange(len(scores))
        best = best[np.argsort(-scores[best], kind="stable")]
        best = best[scores[best] > -np.inf]
        count = len(blank)
        is_old = best < count
        parents, labels = np.divmod(best - count, max(self.blank, 1))
        old = np.where(is_old, best, 0)
        self.after_blank = np.where(is_old, blank[old], -np.inf)
        self.after_label = np.where(is_old, same[old], scores[best])
        choices = zip(is_old, best, parents, labels, strict=True)
        self.at = [self.at[k] if stays else self._node(self.at[p], int(c)) for stays, k, p, c in choices]

    def _node(self, before: int, label: int) -> int:
        key = (before, label)
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def best(self, top: int) -> tuple[list[list[int]], Any]:
        """The most probable sequences and their scores."""
        scores = np.logaddexp(self.after_blank, self.after_label)
        order = np.argsort(-scores, kind="stable")[:top]
        return [self._spell(self.at[i]) for i in order], scores[order]

    def _spell(self, node: int) -> list[int]:
        labels = []
        while node:
            node, label = self.nodes[node]
            labels.append(label)
        return labels[::-1]
