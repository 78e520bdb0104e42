# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor

__all__ = [
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "invert",
    "left_shift",
    "right_shift",
]

def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that both integers have, elementwise.

    Args:
      x: a tensor, or a value that becomes one: signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.bitwise.bitwise_and([6, 5], 3).numpy()
    array([2, 1], dtype=int32)
    """

def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that one integer or both have, elementwise.

    Args:
      x: a tensor, or a value that becomes one: signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.bitwise.bitwise_or([6, 5], 3).numpy()
    array([7, 7], dtype=int32)
    """

def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that exactly one integer has, elementwise.

    Args:
      x: a tensor, or a value that becomes one: signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.bitwise.bitwise_xor([6, 5], 3).numpy()
    array([5, 6], dtype=int32)
    """

def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit of x turned over, elementwise.

    Args:
      x: a tensor, or a value that becomes one: signed integers or unsigned integers.
      name: ignored.

    >>> tf.bitwise.invert([5, -1]).numpy()
    array([-6,  0], dtype=int32)
    """

def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The first integer shifted left by the number of bits in the second, elementwise.

    Args:
      x: a tensor, or a value that becomes one: signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.bitwise.left_shift([1, 3], 2).numpy()
    array([ 4, 12], dtype=int32)
    """

def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The first integer shifted right by the number of bits in the second, elementwise; the sign is kept.

    Args:
      x: a tensor, or a value that becomes one: signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.bitwise.right_shift([4, -8], 2).numpy()
    array([ 1, -2], dtype=int32)
    """
