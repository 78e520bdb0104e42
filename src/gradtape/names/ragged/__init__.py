"""Ragged tensors: rows of different lengths. Partitions are computed on integers, values pass through ops with gradients."""

from gradtape.names.ragged import public

__all__ = ["public"]
