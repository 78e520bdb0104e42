"""Matrix products of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import errors
from gradtape.core.doors import adapt
from gradtape.ragged import _construct as construct
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._map_fn import map_fn
from gradtape.ragged._spec import RaggedTensorSpec
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
            f"matmul: `a` and `b` must have the same rank. One is ragged; the ranks are {a.ndim} and {b.ndim}.",
            "repeat one of them, or use x.to_tensor().",
        )
    if a.ndim == 2:
        return matmul(_matrix(a), _matrix(b), **options)
    if not a.get_shape()[:1].is_compatible_with(b.get_shape()[:1]):
        raise errors.build(
            errors.ShapeError,
            f"matmul: Batch dimensions of `a` and `b` do not have the same size: {a.get_shape()} and {b.get_shape()}.",
            "give as many of each.",
        )
    # The columns of the results are those of b: they differ from matrix to matrix only if b's do.
    by_rows = options.get("transpose_b") or options.get("adjoint_b")
    is_open = isinstance(b, RaggedTensor) and (b.ragged_rank == b.ndim - 1 or bool(by_rows))
    depth = a.ndim - 2 if is_open else a.ndim - 3
    spec = RaggedTensorSpec([None] * (a.ndim - 1), a.dtype, depth)

    def of_one(pair: Any) -> Any:
        made = product(matmul, pair[0], pair[1], options)
        if isinstance(made, RaggedTensor) or not depth:
            return made
        return adapt(construct.from_tensor)(made, ragged_rank=depth)

    return map_fn(of_one, (a, b), fn_output_signature=spec)


def _matrix(x: Any) -> Any:
    """A ragged matrix as a dense one; an error if its rows have different lengths."""
    if not isinstance(x, RaggedTensor):
        return x
    even = RaggedTensor(x.values, row_partition.equally_long(x.row_splits, who="matmul"), x._uniform_lengths()[0])
    return even.to_tensor()
