"""`tf.map_fn` over the rows of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors, nest
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorSpec
from gradtape.arrays import joining
from gradtape.control_flow.mapping import adapted
from gradtape.ragged import _rearrange as arranging
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
    """The results of a function on each row, stacked; ragged where the signature is, or where `elems` is by default."""
    leaves: list[Any] = [x if isinstance(x, Composite) else convert.convert_to_tensor(x) for x in nest.flatten(elems)]
    counts = {leaf.get_shape()[0] for leaf in leaves}
    if len(counts) != 1 or None in counts:
        raise ValueError(
            errors.compose(
                f"map_fn: the numbers of rows are {sorted(map(str, counts))}.",
                "give as many rows of each, in a tf.function a known number.",
            )
        )
    signature = dtype if fn_output_signature is None else fn_output_signature
    pattern = elems if signature is None else signature
    call = adapted(fn)
    rows = [[leaf[i] for i in range(counts.copy().pop())] for leaf in leaves]
    results = []
    for row in zip(*rows, strict=True):
        result = call(nest.pack_sequence_as(elems, list(row)))
        nest.assert_same_structure(pattern, result)
        results.append(nest.flatten(result))
    wanted = nest.flatten(pattern)
    columns = zip(*results, strict=True) if results else [()] * len(wanted)
    return nest.pack_sequence_as(pattern, [_stacked(c, w) for c, w in zip(columns, wanted, strict=True)])


def _stacked(column: Any, wanted: Any) -> Any:
    values: list[Any] = [v if isinstance(v, Composite) else convert.convert_to_tensor(v) for v in column]
    if not values:
        raise ValueError(errors.compose("map_fn: a ragged tensor without rows.", "there must be at least one row."))
    if isinstance(wanted, (RaggedTensor, RaggedTensorSpec)) or any(isinstance(v, RaggedTensor) for v in values):
        return arranging.stack(values) if len(values) > 1 else arranging.alone(values[0])
    if isinstance(wanted, TensorSpec) and values[0].dtype is not wanted.dtype:
        raise TypeError(errors.compose(f"map_fn: fn gave {values[0].dtype.name}, not {wanted.dtype.name}.", "cast it."))
    return joining.stack(values)
