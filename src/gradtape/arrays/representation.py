"""Values in other forms: their bits as another dtype, their text, a fingerprint; positions as coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, integers, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.tensor import Tensor
from gradtape.ops.representation import AsString, Bitcast, Fingerprint, UnravelIndex


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bits of numbers, read as numbers of another dtype.

    Args:
      input: numbers.
      type: a dtype. If it is narrower, the result has one more axis, for the parts of each number; if it is wider, the last
        axis of the input must hold the parts of one number.

    Returns:
      A tensor. There is no gradient.

    >>> tf.bitcast([1.0, -2.0], tf.uint32).numpy()
    array([1065353216, 3221225472], dtype=uint32)
    """
    return Bitcast(tensor(input), dtype=dtypes.as_dtype(type))


def as_string(
    input: Any,
    precision: Any = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: Any = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """The text of each number.

    Args:
      input: numbers, bools or strings.
      precision: how many digits behind the point; 6 by default. Not for integers.
      scientific: write a power of ten.
      shortest: write a power of ten where that is shorter, and no zeros at the end.
      width: the least length of the text.
      fill: how to fill it up: `" "` or `"0"` in front, `"-"` with blanks behind, `"+"` with a sign in front.

    Returns:
      Strings, in the shape of the input. There is no gradient.

    >>> tf.as_string([3.14159, -2.5], precision=2).numpy()
    array([b'3.14', b'-2.50'], dtype=object)
    """
    x = tensor(input)
    digits, length = integer(precision, "as_string", "precision"), integer(width, "as_string", "width")
    if (scientific or shortest or digits >= 0) and (x.dtype.is_integer or x.dtype.is_bool):
        raise errors.build(
            errors.InvalidArgumentError,
            f"as_string: precision, scientific and shortest have no meaning for {x.dtype.name}.",
            "convert to floating point first, or leave them out.",
        )
    if scientific and shortest:
        raise errors.build(
            errors.InvalidArgumentError, "as_string: scientific and shortest are both true.", "choose one of them."
        )
    if fill not in ("", " ", "+", "-", "0", "#"):
        raise errors.build(
            errors.InvalidArgumentError,
            f"as_string: fill must be one of ' ', '+', '-', '0' and '#', got {fill!r}."
            f"{' Fill string must be one or fewer characters.' if len(fill) > 1 else ''}",
            "use one of ' ', '+', '-', '0' and '#'.",
        )
    letter = "e" if scientific else "g" if shortest else "f"
    if x.dtype.is_integer or x.dtype.kind in "bO":
        letter = "d" if x.dtype.is_integer else "s"
    form = f"%{fill}{length if length >= 0 else ''}{f'.{digits}' if digits >= 0 else ''}{letter}"
    return AsString(x, form=form)


def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """A fingerprint of each row of a tensor: equal rows have equal fingerprints, different rows almost never.

    Args:
      data: a tensor whose first axis counts what is to be hashed.
      method: `"farmhash64"`, the only one.

    Returns:
      Bytes `[rows, 8]` of uint8, the same on every machine. There is no gradient.

    >>> tf.fingerprint([["hello"], ["world"]]).numpy()[0]
    array([232,  12,  56,  49, 169, 229, 139, 180], dtype=uint8)
    """
    chosen = np.asarray(convert.convert_to_tensor(method))[()]
    if chosen != b"farmhash64":
        raise errors.build(
            errors.InvalidArgumentError,
            f'fingerprint: the method must be "farmhash64", got {method!r}.',
            'use "farmhash64".',
        )
    return Fingerprint(tensor(data))


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The coordinates of positions in a flattened tensor.

    Args:
      indices: integers, from 0 up to the product of `dims`.
      dims: the shape of the tensor.

    Returns:
      Integers; the first axis holds one coordinate for each of `dims`.

    >>> tf.unravel_index([2, 5, 7], [3, 3]).numpy()
    array([[0, 1, 2],
           [2, 2, 1]], dtype=int32)
    """
    shape = integers(dims, "unravel_index", "dims")
    if not shape or min(shape) < 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"unravel_index: dims must hold positive lengths, got {list(shape)}: dims cannot contain a dim of zero.",
            "give positive lengths.",
        )
    positions = tensor(indices)
    if math.prod(shape) > positions.dtype.max:
        raise errors.build(
            errors.InvalidArgumentError,
            f"unravel_index: Input dims product is causing integer overflow of {positions.dtype.name}: {list(shape)}.",
            "use indices of int64.",
        )
    return UnravelIndex(positions, dims=shape)
