"""The functions of `tf.sparse`: places are computed on integers, values pass through ops that have gradients."""

from gradtape.core.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape.sparse import _overrides as public

__all__ = ["SparseTensor", "SparseTensorSpec", "public"]
