"""The functions of `tf.sparse`: places are computed on integers, values pass through ops that have gradients."""

from gradtape.core.sparse import SparseTensor, SparseTensorSpec
from gradtape.names.sparse import public

__all__ = ["SparseTensor", "SparseTensorSpec", "public"]
