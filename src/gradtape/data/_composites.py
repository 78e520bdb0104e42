"""Elements that hold sparse and ragged tensors: their rows, batches and specs."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradtape.core import errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.data._nested import Datasets
from gradtape.toplevel.extension_batches import BatchableExtensionType, BatchableExtensionTypeSpec

# The names in a tuple of arrays that TensorFlow takes for a sparse tensor, `tf.compat.v1.SparseTensorValue`.
SPARSE = ("indices", "values", "dense_shape")


class RowSpec(TensorSpec):
    """The spec of a row of a ragged tensor: a tensor, which is part of a ragged tensor again when it is batched."""

    ragged_rank = 0

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec that holds both."""
        found = super().most_specific_compatible_type(other)
        return RowSpec(found.shape, found.dtype) if isinstance(other, RowSpec) else found

    def __repr__(self) -> str:
        return f"RaggedTensorSpec({self.shape!r}, {self.dtype!r}, 0, tf.int64)"


def holds(structure: Any) -> bool:
    """True if a structure holds sparse or ragged tensors, several datasets, or None. Lists are tensors and may be
    long: only their first item, which may be a dataset, is examined."""
    if is_of_arrays(structure):
        return True
    if isinstance(structure, tuple):
        return any(item is None or holds(item) for item in structure)
    if isinstance(structure, Mapping):
        return any(item is None or holds(item) for item in structure.values())
    if isinstance(structure, list):
        return bool(structure) and hasattr(structure[0], "_stage")
    if isinstance(structure, (Composite, Datasets)):
        return True
    return nest.has_parts(structure) and any(holds(part) for part in nest.parts(structure))


def holds_rows(spec: Any) -> bool:
    """True if elements of a spec hold rows of ragged tensors."""
    return any(isinstance(s, RowSpec) or _has_rows(s) for s in nest.flatten(spec))


def _has_rows(spec: Any) -> bool:
    """True if an extension type has fields that are rows of ragged tensors."""
    return isinstance(spec, BatchableExtensionTypeSpec) and any(
        getattr(s, "ragged_rank", None) == 0 or _has_rows(s) for s in nest.flatten(spec._encoding_specs())
    )


def is_of_arrays(value: Any) -> bool:
    """True for the arrays of a sparse or ragged tensor, of a class of `tf.compat.v1`."""
    if isinstance(value, (Composite, Tensor)):
        return False
    return getattr(value, "_fields", None) == SPARSE or hasattr(value, "nested_row_splits")


def of_arrays(value: Any) -> Any:
    """The sparse or ragged tensor of its arrays."""
    if not hasattr(value, "_fields"):
        from gradtape.ragged._construct import from_nested_row_splits

        return from_nested_row_splits(value.flat_values, value.nested_row_splits)
    return SparseTensor(*value)


def count(leaf: Any) -> int | None:
    """The number of rows of a tensor, dense or not; None for a scalar."""
    if isinstance(leaf, BatchableExtensionType):
        return next((count(part) for part in nest.flatten(leaf._spec()._encode(leaf, 1))), None)
    shape = getattr(leaf, "shape", None)
    if not isinstance(shape, TensorShape):
        raise TypeError(
            errors.compose(
                f"from_tensor_slices: {leaf!r} has no rows.", "give tensors, or use from_tensors for a single element."
            )
        )
    return None if not shape.rank else int(shape[0])


def slices(value: Any) -> Iterator[Any]:
    """The rows of a structure of tensors."""
    leaves = nest.flatten(value)
    number = next((count(leaf) for leaf in leaves if leaf is not None), 0)
    rows = [[None] * (number or 0) if leaf is None else list(_rows(leaf)) for leaf in leaves]
    for parts in zip(*rows, strict=True):
        yield nest.pack_sequence_as(value, list(parts))


def _rows(leaf: Any) -> Iterator[Any]:
    if isinstance(leaf, BatchableExtensionType):
        spec = leaf._spec()
        row = spec._unbatch()
        return (row._decode(part) for part in slices(spec._encode(leaf, 1)))
    if isinstance(leaf, SparseTensor):
        from gradtape.sparse._rearrange import reshape, split

        dims = leaf.shape.as_list()
        return iter([reshape(part, dims[1:]) for part in split(leaf, dims[0], 0)] if dims[0] else [])
    return iter(leaf)


def stacked(who: str, column: Sequence[Any], spec: Any = None) -> Any:
    """Sparse or ragged tensors or extension types, one for each element, as one of a higher rank; of a spec, if it is given."""
    if isinstance(column[0], BatchableExtensionType):
        own = column[0]._spec()
        whole = own._batch(len(column)) if spec is None else spec
        parts = [own._encode(value) for value in column]
        stack_parts = importlib.import_module("gradtape.data._structure")
        made = stack_parts.stack_rows(who, parts, nest.flatten(whole._encoding_specs()))
        return whole._decode(made)
    if isinstance(column[0], SparseTensor):
        from gradtape.sparse._rearrange import concat, expand_dims

        if len({len(sp.shape) for sp in column}) > 1:
            raise errors.build(
                errors.ShapeError,
                f"{who}: cannot batch sparse tensors of different ranks.",
                "give them the same rank first.",
            )
        return concat(0, [expand_dims(sp, 0) for sp in column], expand_nonconcat_dims=True)
    if not hasattr(column[0], "nested_row_splits") and isinstance(column[0], Composite):
        raise TypeError(
            errors.compose(
                f"{who}: elements must not be of {type(column[0]).__name__}, which has no rows.",
                "derive the class from tf.experimental.BatchableExtensionType, or use map to turn it into tensors.",
            )
        )
    from gradtape.ragged._rearrange import stack

    return stack(list(column))


def ragged(column: Sequence[Any], spec: Any) -> Any:
    """Tensors of different sizes, combined into one tensor of a spec."""
    from gradtape.ragged._construct import from_row_lengths, from_tensor
    from gradtape.ragged._rearrange import stack
    from gradtape.ragged._spec import RaggedTensorSpec

    if column[0] is None:
        return None
    if isinstance(column[0], Composite):
        return stacked("ragged_batch", column, spec)
    arrays = [host(t._array) for t in column]
    if not isinstance(spec, RaggedTensorSpec):
        for i, array in enumerate(arrays):
            if array.shape != arrays[0].shape:
                raise errors.build(
                    errors.InvalidArgumentError,
                    "ragged_batch: Cannot batch tensors with different shapes, where the rank is not known: the first element "
                    f"had shape {list(arrays[0].shape)} and element {i} had shape {list(array.shape)}.",
                    "use tf.ensure_shape in a map before.",
                )
        return wrap(np.stack(arrays))
    if spec.ragged_rank > 1:
        made = stack([from_tensor(t, ragged_rank=spec.ragged_rank - 1) for t in column])
    else:
        made = from_row_lengths(wrap(np.concatenate(arrays)), [len(a) for a in arrays])
    return made.with_row_splits_dtype(spec.row_splits_dtype)


def sparse(column: Sequence[Any], row_shape: Any) -> SparseTensor:
    """Dense tensors as one sparse tensor, with a shape that all of them fit."""
    dims = [-1 if d is None else int(d) for d in TensorShape(row_shape).as_list()]
    arrays = [np.asarray(t) for t in column]
    for array in arrays:
        if array.ndim != len(dims):
            raise errors.build(
                errors.InvalidArgumentError,
                f"sparse_batch: Input element had shape {list(array.shape)} that is incompatible with the row shape {dims}.",
                "give one size for each axis.",
            )
    largest = np.max([a.shape for a in arrays], axis=0) if dims else np.zeros(0, np.int64)
    lengths = [int(m) if d < 0 else d for d, m in zip(dims, largest, strict=True)]
    if any(m > n for m, n in zip(largest, lengths, strict=True)):
        raise errors.build(
            errors.DataLossError,
            f"sparse_batch: an element of shape {largest.tolist()} must not be larger than the row shape {lengths}.",
            "give a larger row_shape, or None for as much as is needed.",
        )
    places = [np.argwhere(np.ones(a.shape, bool)) for a in arrays]
    rows = [np.concatenate([np.full((len(p), 1), i), p], 1) for i, p in enumerate(places)]
    values = np.concatenate([a.ravel() for a in arrays])
    return SparseTensor(np.concatenate(rows), values, [len(arrays), *lengths])


def with_rows(spec: Any, rows: int | None) -> Any:
    """The spec of a batch of sparse or ragged tensors."""
    if isinstance(spec, RowSpec):
        from gradtape.ragged._spec import RaggedTensorSpec

        return RaggedTensorSpec(TensorShape([rows]).concatenate(spec.shape), spec.dtype, 1)
    return spec._batch(rows)


def without_rows(spec: Any) -> Any:
    """The spec of a row of a sparse or ragged tensor."""
    if getattr(spec, "ragged_rank", None) == 1:
        return RowSpec(spec.shape[1:], spec.dtype)
    return spec._unbatch()


def ragged_spec(spec: Any, rows: int | None, splits: Any) -> Any:
    """The spec of a batch of tensors whose sizes may differ."""
    from gradtape.ragged._spec import RaggedTensorSpec

    if spec is None:
        return None
    if isinstance(spec, (CompositeSpec, RowSpec)):
        return with_rows(spec, rows)
    shape = TensorShape([rows]).concatenate(spec.shape)
    if not spec.shape.rank or spec.shape.is_fully_defined():
        return TensorSpec(shape, spec.dtype)
    unknown = [k for k, d in enumerate(shape.as_list()) if d is None and k]
    return RaggedTensorSpec(shape, spec.dtype, max(unknown), splits)


def components(specs: Sequence[Any]) -> list[TensorSpec]:
    """The specs of all tensors; None has none, and a dataset is in a box."""
    return [part for s in specs if s is not None for part in _components(s)]


def _components(spec: Any) -> list[TensorSpec]:
    if isinstance(spec, CompositeSpec):
        return spec._component_specs()
    return [spec._boxed()] if hasattr(spec, "_boxed") else [spec]


def packed(spec: Any, tensors: Sequence[Any]) -> Any:
    """An element of a spec from its tensors."""
    rest, leaves = iter(tensors), []
    for s in nest.flatten(spec):
        if isinstance(s, CompositeSpec):
            leaves.append(s._build([next(rest) for _ in s._component_specs()]))
        elif s is None:
            leaves.append(None)
        else:
            leaves.append(s._from_box(next(rest)) if hasattr(s, "_from_box") else next(rest))
    return nest.pack_sequence_as(spec, leaves)
