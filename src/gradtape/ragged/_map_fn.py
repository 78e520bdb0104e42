"""`tf.map_fn` over the rows of ragged and sparse tensors, or with ragged and sparse results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.arrays import creation, indexing, joining, shapes
from gradtape.control_flow.mapping import adapted
from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.doors import adapt
from gradtape.core.shape import TensorSpec
from gradtape.core.sparse_tensor import SparseTensor, SparseTensorSpec
from gradtape.math import _reductions as reductions
from gradtape.math._conversion import cast
from gradtape.ragged import _map_loop as map_loop
from gradtape.ragged import _rearrange as rearrange
from gradtape.ragged import _row_partition as row_partition
from gradtape.ragged._spec import RaggedTensorSpec
from gradtape.ragged._tensor import RaggedTensor


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """The results of a function on each row, stacked; ragged or sparse where the signature is, or `elems` by default."""
    leaves: list[Any] = [x if isinstance(x, Composite) else convert.convert_to_tensor(x) for x in nest.flatten(elems)]
    counts = {leaf.get_shape()[0] for leaf in leaves}
    if len(counts - {None}) > 1:
        raise errors.build(
            errors.ShapeError,
            f"map_fn: elems must have equally many rows, got {sorted(map(str, counts))}.",
            "give as many rows of each.",
        )
    signature = dtype if fn_output_signature is None else fn_output_signature
    pattern = elems if signature is None else signature
    wanted = [_kind(w) for w in nest.flatten(pattern)]
    call = adapted(fn)

    def results(i: Any) -> list[Any]:
        result = call(nest.pack_sequence_as(elems, [_row(leaf, i) for leaf in leaves]))
        nest.assert_same_structure(pattern, result)
        values = [v if isinstance(v, Composite) else convert.convert_to_tensor(v) for v in nest.flatten(result)]
        return [_checked(v, w) for v, w in zip(values, wanted, strict=True)]

    if None in counts:
        found = map_loop.collect(results, _count(leaves[0]), wanted)
        return nest.pack_sequence_as(pattern, found)
    columns: Any = list(zip(*[results(i) for i in range(counts.pop())], strict=True)) or [()] * len(wanted)
    return nest.pack_sequence_as(pattern, [_stacked(c, w) for c, w in zip(columns, wanted, strict=True)])


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """The results of a function on each row, stacked. Rows of ragged tensors may differ in shape, so it runs on one at a time."""
    leaves: list[Any] = [x if isinstance(x, Composite) else convert.convert_to_tensor(x) for x in nest.flatten(elems)]
    if any(isinstance(leaf, SparseTensor) for leaf in leaves):
        raise errors.build(
            TypeError, "vectorized_map: elems holds a sparse tensor, which has no rows.", "tf.map_fn takes its rows."
        )
    counts = {leaf.get_shape()[0] for leaf in leaves} - {1}
    if not fallback_to_while_loop or None in counts or 0 in counts or len(counts) > 1:
        raise errors.build(
            ValueError,
            f"vectorized_map: rows of ragged tensors are not vectorized, and a loop needs one number of them, got {counts}.",
            "use tf.map_fn with fn_output_signature.",
        )
    count = counts.pop() if counts else 1
    rows = [[leaf[0 if leaf.get_shape()[0] == 1 else i] for leaf in leaves] for i in range(count)]
    results = [fn(nest.pack_sequence_as(elems, row)) for row in rows]
    return nest.map_structure(lambda *values: None if values[0] is None else _of_rows(values), *results)


def _of_rows(values: Any) -> Any:
    found = [v if isinstance(v, Composite) else convert.convert_to_tensor(v) for v in values]
    return _stacked(found, found[0]._spec() if isinstance(found[0], Composite) else TensorSpec(None, found[0].dtype))


def _row(leaf: Any, i: Any) -> Any:
    if not isinstance(leaf, SparseTensor):
        return leaf[i]
    positions, places = row_partition.row_of_sparse(leaf.indices, cast(convert.convert_to_tensor(i), dtypes.int64))
    return SparseTensor(places, adapt(indexing.gather)(leaf.values, positions), leaf.dense_shape[1:])


def _count(leaf: Any) -> Any:
    """How many rows there are, as a tensor."""
    if isinstance(leaf, SparseTensor):
        return leaf.dense_shape[0]
    return leaf.nrows() if isinstance(leaf, RaggedTensor) else shapes.shape(leaf, dtypes.int64)[0]


def _kind(wanted: Any) -> Any:
    """The spec of one result, from the signature or from a tensor whose rows are like the results."""
    if isinstance(wanted, Composite):
        whole = wanted._spec()
        if isinstance(whole, RaggedTensorSpec):
            return RaggedTensorSpec(whole.shape[1:], whole.dtype, whole.ragged_rank - 1, whole.row_splits_dtype)
        return whole._with_shape(whole.shape[1:])
    if isinstance(wanted, (CompositeSpec, TensorSpec)):
        return wanted
    if hasattr(wanted, "get_shape"):
        return TensorSpec(wanted.get_shape()[1:], wanted.dtype)
    return TensorSpec(None, dtypes.as_dtype(wanted))


def _checked(value: Any, wanted: Any) -> Any:
    if value.dtype is not wanted.dtype:
        raise errors.build(
            errors.DTypeError,
            f"map_fn: fn must return {wanted.dtype.name}, got {value.dtype.name}.",
            "cast it, or pass its dtype: fn_output_signature=tf.int32.",
        )
    return value


def _stacked(values: Any, wanted: Any) -> Any:
    """Results as rows of one tensor."""
    if isinstance(wanted, SparseTensorSpec):
        return _stack_sparse(list(values), wanted)
    if not values:
        if isinstance(wanted, RaggedTensorSpec):
            return map_loop.nothing(wanted)
        # Without a single result, a size that the signature does not tell is 0, as in TensorFlow.
        inner = [] if wanted.shape.rank is None else [0 if d is None else d for d in wanted.shape.as_list()]
        return creation.zeros([0, *inner], wanted.dtype)
    if isinstance(wanted, RaggedTensorSpec) or any(isinstance(v, RaggedTensor) for v in values):
        rows = rearrange.stack(values) if len(values) > 1 else rearrange.alone(values[0])
        return rows.with_row_splits_dtype(getattr(wanted, "row_splits_dtype", dtypes.int64))
    return joining.stack(values)


def _stack_sparse(values: list[SparseTensor], wanted: SparseTensorSpec) -> SparseTensor:
    if not values:
        result: SparseTensor = map_loop.nothing(wanted)
        return result
    places = [map_loop.behind(i, v.indices) for i, v in enumerate(values)]
    sizes = reductions.reduce_max(joining.stack([v.dense_shape for v in values]), 0)
    whole = joining.concat([convert.convert_to_tensor([len(values)], dtypes.int64), sizes], 0)
    return SparseTensor(joining.concat(places, 0), joining.concat([v.values for v in values], 0), whole)
