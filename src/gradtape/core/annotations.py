"""Aliases for annotations, which `tf.types` shows.

They are values at run time too, so that `typing.get_type_hints` works on whatever is annotated with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, Union

import numpy as np

from gradtape.core.composite import Composite
from gradtape.core.dtypes import DType as _DType
from gradtape.core.shape import TensorShape
from gradtape.core.tensor_operators import Operators


class SupportsArray(Protocol):
    """An object that NumPy can read: an array of another library, a data frame, a Keras variable."""

    @property
    def __array__(self) -> Callable[..., Any]: ...


Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Scalar: TypeAlias = bool | int | float | complex | str | bytes | np.generic
# Tensors and variables are both `Operators`; ragged and sparse tensors are composites.
TensorLike: TypeAlias = Union[  # noqa: UP007 - recursive, and a value at run time
    Operators, Composite, Scalar, SupportsArray, Sequence["TensorLike"]
]
Shape: TypeAlias = Union[TensorShape, Operators, SupportsArray, Sequence[Union[int, Operators, np.integer[Any], None]]]  # noqa: UP007
DType: TypeAlias = Union[_DType, str, type, np.dtype[Any]]  # noqa: UP007
Axis: TypeAlias = Union[int, np.integer[Any], Sequence[int], Operators, SupportsArray, None]  # noqa: UP007
