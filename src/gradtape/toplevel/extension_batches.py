"""Batchable extension types, for datasets, `tf.map_fn` and `tf.vectorized_map`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradtape.core import errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.toplevel.extension_types import ExtensionType, ExtensionTypeSpec, with_fields


class ExtensionTypeBatchEncoder:
    """The conversion of a BatchableExtensionType to tensors that can be stacked, and back.

    By default, all tensors in the fields are stacked, and fields that are a `tf.TensorShape` get another axis. A class for which this is
    not right overrides the methods, and sets an object of it as `__batch_encoder__`.
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of a batch of values of a spec."""

        def longer(leaf: Any) -> Any:
            return (
                TensorShape([batch_size]).concatenate(leaf)
                if isinstance(leaf, TensorShape)
                else leaf._batch(batch_size)
            )

        return with_fields(spec, {name: _each(longer, value) for name, value in spec._values_of_fields().items()})

    def unbatch(self, spec: Any) -> Any:
        """The spec of one value in a batch."""

        def shorter(leaf: Any) -> Any:
            return leaf[1:] if isinstance(leaf, TensorShape) else leaf._unbatch()

        return with_fields(spec, {name: _each(shorter, value) for name, value in spec._values_of_fields().items()})

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """A nested structure of tensors that stands for a value.

        Args:
          spec: of the value.
          value: to encode.
          minimum_rank: how many leading axes the tensors must share.
        """
        leaves: list[Any] = []
        for name in spec._values_of_fields():
            _each(leaves.append, getattr(value, name), (Tensor, Composite))
        return tuple(leaves)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of a spec for which such a structure stands."""
        rest = iter(encoded_value)

        def leaf(kind: Any) -> Any:
            return kind if isinstance(kind, TensorShape) else next(rest)

        return with_fields(
            spec, {name: _each(leaf, value) for name, value in spec._values_of_fields().items()}, spec.value_type
        )

    def encoding_specs(self, spec: Any) -> Any:
        """The structure of the specs of what `encode` returns."""
        leaves: list[Any] = []
        for value in spec._values_of_fields().values():
            _each(leaves.append, value, (TensorSpec, CompositeSpec))
        return tuple(leaves)


def _each(
    function: Callable[[Any], Any], value: Any, leaves: tuple[type, ...] = (TensorSpec, CompositeSpec, TensorShape)
) -> Any:
    """A field with a function applied to what has rows in it; anything else stays."""
    if isinstance(value, leaves):
        return function(value)
    if isinstance(value, Mapping):
        return {key: _each(function, value[key], leaves) for key in nest.sorted_keys(value)}
    return tuple([_each(function, item, leaves) for item in value]) if type(value) is tuple else value


class BatchableExtensionTypeSpec(ExtensionTypeSpec):
    """The spec of a BatchableExtensionType."""

    def _batch(self, batch_size: int | None) -> Any:
        return self.value_type.__batch_encoder__.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self.value_type.__batch_encoder__.unbatch(self)

    def _encoding_specs(self) -> Any:
        return self.value_type.__batch_encoder__.encoding_specs(self)

    def _encode(self, value: Any, minimum_rank: int = 0) -> Any:
        return self.value_type.__batch_encoder__.encode(self, value, minimum_rank)

    def _decode(self, encoded_value: Any) -> Any:
        return self.value_type.__batch_encoder__.decode(self, encoded_value)


class BatchableExtensionType(ExtensionType):
    """An ExtensionType whose values have rows: datasets batch and unbatch them, and `tf.map_fn` takes them and returns them.

    >>> class Vehicle(tf.experimental.BatchableExtensionType):
    ...     speed: tf.Tensor
    ...     weight: tf.Tensor
    >>> batch = Vehicle([120, 150, 80], [30, 40, 12])
    >>> tf.map_fn(lambda v: v.speed * v.weight, batch, fn_output_signature=tf.int32).numpy()
    array([3600, 6000,  960], dtype=int32)
    """

    _base_of_specs = BatchableExtensionTypeSpec
    __batch_encoder__ = ExtensionTypeBatchEncoder()


def map_fn(
    fn: Any, elems: Any, dtype: Any = None, parallel_iterations: Any = None, back_prop: Any = True,
    swap_memory: Any = False, infer_shape: Any = True, name: str | None = None, fn_output_signature: Any = None,
) -> Any:  # fmt: skip
    """`tf.map_fn` where extension types are among the elements or the results: it runs on the tensors that stand for them."""
    from gradtape.control_flow.mapping import map_fn as of_tensors
    from gradtape.core.doors import adapt

    specs = nest.map_structure(_batchable, elems)
    encoded = _like(elems, [_encoded(s, v) for s, v in zip(nest.flatten(specs), nest.flatten(elems), strict=True)])
    signature = dtype if fn_output_signature is None else fn_output_signature
    rows: Any = [s._unbatch() if s is not None else None for s in nest.flatten(specs)]
    if signature is None:
        wanted = [s if s is not None else v.dtype for s, v in zip(rows, nest.flatten(elems), strict=True)]
        signature = nest.pack_sequence_as(elems, wanted)
    results = nest.flatten(signature)
    kinds: list[Any] = [s if isinstance(s, ExtensionTypeSpec) else None for s in results]

    def of_row(row: Any) -> Any:
        leaves = _unlike(elems, row)
        values = [v if s is None else s._decode(v) for s, v in zip(rows, leaves, strict=True)]
        result = fn(nest.pack_sequence_as(elems, values))
        nest.assert_same_structure(signature, result)
        return _like(signature, [_encoded(s, v) for s, v in zip(kinds, nest.flatten(result), strict=True)])

    encoding = [s if k is None else k._encoding_specs() for s, k in zip(results, kinds, strict=True)]
    found = adapt(of_tensors)(of_row, encoded, fn_output_signature=_like(signature, encoding))
    leaves = [
        v if k is None else k._batch(None)._decode(v) for k, v in zip(kinds, _unlike(signature, found), strict=True)
    ]
    return nest.pack_sequence_as(signature, leaves)


def vectorized_map(fn: Any, elems: Any, *args: Any, **kwargs: Any) -> Any:
    """`tf.vectorized_map` where extension types are among the elements."""
    from gradtape.core.doors import adapt
    from gradtape.transform.vectorized_map import vectorized_map as of_tensors

    specs = [_batchable(v) for v in nest.flatten(elems)]
    encoded = _like(elems, [_encoded(s, v) for s, v in zip(specs, nest.flatten(elems), strict=True)])
    kinds: list[Any] = []
    structures: list[Any] = []

    def of_row(row: Any) -> Any:
        values = [v if s is None else s._unbatch()._decode(v) for s, v in zip(specs, _unlike(elems, row), strict=True)]
        result = fn(nest.pack_sequence_as(elems, values))
        kinds[:], structures[:] = [_batchable(v) for v in nest.flatten(result)], [result]
        return _like(result, [_encoded(s, v) for s, v in zip(kinds, nest.flatten(result), strict=True)])

    found = adapt(of_tensors)(of_row, encoded, *args, **kwargs)
    made = _unlike(structures[0], found)
    leaves = [v if k is None else k._batch(None)._decode(v) for k, v in zip(kinds, made, strict=True)]
    return nest.pack_sequence_as(structures[0], leaves)


def _batchable(value: Any) -> Any:
    """The spec of an extension type, None for anything else."""
    if not isinstance(value, ExtensionType):
        return None
    spec = value._spec()
    if not isinstance(spec, BatchableExtensionTypeSpec):
        raise errors.build(
            TypeError,
            f"map_fn can not consume {spec} inputs: its values have no rows.",
            "derive the class from tf.experimental.BatchableExtensionType.",
        )
    return spec


def _encoded(spec: Any, value: Any) -> Any:
    return value if spec is None else spec._encode(value, 1)


def _like(structure: Any, leaves: list[Any]) -> Any:
    """A list of the leaves, each of which may be a structure itself; a single one alone."""
    return tuple(leaves) if nest.is_nested(structure) else leaves[0]


def _unlike(structure: Any, made: Any) -> list[Any]:
    return list(made) if nest.is_nested(structure) else [made]
