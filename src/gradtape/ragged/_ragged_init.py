"""Ragged tensors: rows of different lengths. Partitions are computed on integers, values pass through ops with gradients."""

from gradtape.ragged import _overrides as public

__all__ = ["public"]
