"""`tf.ragged`: tensors whose rows have different lengths.

Rows of different lengths: partitions are computed on integers, values pass through ops that have gradients.

    _base.py           What modules below `_tensor.py` know of RaggedTensor: how to tell one, and how to make one
    _broadcast.py      Broadcasting of ragged tensors
    _construct.py      Ragged tensors from values and a description of the rows
    _conversion.py     Ragged tensors as dense and as sparse ones
    _dynamic_shape.py  DynamicRaggedShape: the shape of a ragged tensor, with the lengths of all rows
    _dynamic_shape_spec.py  The form and the spec of ragged shapes
    _elementwise.py    Functions of elements on ragged tensors: they run on the flat values
    _functions.py      The functions of `tf.ragged` that make ragged tensors
    _gather.py         Rows and elements of ragged tensors at indices
    _getitem.py        Indexing of ragged tensors
    _map_fn.py         `tf.map_fn` over the rows of ragged and sparse tensors, or with such results
    _map_loop.py       Results of different sizes, collected in a loop whose number of steps is not known while tracing
    _operators.py      Python's operators on ragged tensors: they broadcast, and run on the flat values
    _overrides.py      Functions of `tf` that take ragged tensors
    _partition.py      RowPartition: the partition of a sequence of values into rows
    _partition_spec.py  The form and the spec of row partitions
    _products.py       Matrix products of ragged tensors
    _rearrange.py      Ragged tensors joined, with other axes
    _reductions.py     Reductions of ragged tensors
    _row_partition.py  How values are cut into rows: functions of row splits and the like, without a derivative
    _shape_overrides.py  Functions of `tf` that take the shapes of ragged tensors
    _spec.py           The form and the spec of ragged tensors
    _structured_overrides.py  Functions of `tf` that take structured tensors
    _structured_shape.py      The shape that the fields of a StructuredTensor share
    _structured_tensor.py     StructuredTensor: a tensor of structures with the same fields
    _structured_values.py     StructuredTensors from nested dicts and lists, and back
    _tensor.py         RaggedTensor: values, and how they are cut into rows
    _text.py           The rows of ragged tensors as text
    _values.py         Functions of `tf` that take the arrays of sparse and ragged tensors
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.sparse._crosses": "cross=ragged_cross cross_hashed=ragged_cross_hashed",
    "gradtape.ragged._rearrange": "stack",
    "gradtape.ragged._elementwise": "map_flat_values",
    "gradtape.ragged._functions": (
        "boolean_mask constant range row_splits_to_segment_ids segment_ids_to_row_splits stack_dynamic_partitions"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
