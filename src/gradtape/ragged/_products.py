"""Matrix products of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import errors
from gradtape.ragged import _construct as construct
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged._tensor import RaggedTensor


def product(matmul: Callable[..., Any], a: Any, b: Any, options: dict[str, Any]) -> Any:
    """The products of matrices of different sizes.

    Args:
      matmul: of dense tensors.
      a, b: tensors of one rank, at least one of them ragged: along all but the last two axes, matrices.
      options: further arguments of `matmul`.
    """
    a, b = construct.tensor(a), construct.tensor(b)
    if a.ndim != b.ndim:
        raise errors.build(
            errors.ShapeError,
            f"matmul: a and b must have the same rank where one is ragged, got {a.ndim} and {b.ndim}.",
            "repeat one of them, or use x.to_tensor().",
        )
    if a.ndim == 2:
        return matmul(_matrix(a), _matrix(b), **options)
    if a.get_shape()[0] != b.get_shape()[0]:
        raise errors.build(
            errors.ShapeError,
            f"matmul: a and b must hold equally many matrices, got {a.get_shape()} and {b.get_shape()}.",
            "give as many of each.",
        )
    rows = [product(matmul, a[i], b[i], options) for i in range(a.get_shape()[0])]
    return rearrange.stack([r if isinstance(r, RaggedTensor) else construct.from_tensor(r) for r in rows])


def _matrix(x: Any) -> Any:
    """A ragged matrix as a dense one; an error if its rows have different lengths."""
    if not isinstance(x, RaggedTensor):
        return x
    whole = x.to_tensor()
    if whole.get_shape().num_elements() != x.flat_values.get_shape().num_elements():
        raise errors.build(
            errors.ShapeError,
            f"matmul: the rows of a matrix must be equally long, got lengths {x.row_lengths().numpy().tolist()[:20]}.",
            "use x.to_tensor() to pad them with zeros.",
        )
    return whole
