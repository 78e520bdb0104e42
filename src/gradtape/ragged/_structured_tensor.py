"""StructuredTensor: a tensor of structures with the same fields."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, Union, cast

from gradtape.core import errors, state
from gradtape.core.composite import Composite
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.ragged import _construct as construct
from gradtape.ragged import _structured_shape as shapes
from gradtape.ragged._base import axis_of
from gradtape.ragged._dynamic_shape import DynamicRaggedShape
from gradtape.ragged._partition import RowPartition
from gradtape.ragged._partition_spec import RowPartitionSpec
from gradtape.ragged._structured_values import Reading, to_python
from gradtape.ragged._tensor import RaggedTensor
from gradtape.toplevel.extension_batches import BatchableExtensionType, ExtensionTypeBatchEncoder
from gradtape.toplevel.extension_types import ExtensionType, with_fields

_NAME = re.compile("[a-zA-Z][a-zA-Z0-9_]*")


class _Encoder(ExtensionTypeBatchEncoder):
    """Encodes a structured tensor in a dataset as its fields; one without fields, as zeros of its shape."""

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """The tensors of the fields."""
        from gradtape.ragged._shape_overrides import _zeros

        return tuple(value._fields.values()) or (_zeros(value._ragged_shape, "int8"),)

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The structured tensor of such fields."""
        if not spec._fields:
            return StructuredTensor.from_shape(
                shapes.of_fields({"x": encoded_value[0]}, spec.rank, spec._ragged_shape.dtype)
            )
        return StructuredTensor.from_fields(dict(zip(spec._fields, encoded_value, strict=True)), spec.shape)

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of the fields."""
        return tuple(spec._fields.values()) or (_spec_of_zeros(spec),)

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of several values."""
        fields = {k: s._batch(batch_size) for k, s in spec._fields.items()}
        return _of_shape(spec, fields, TensorShape([batch_size]).concatenate(spec.shape))

    def unbatch(self, spec: Any) -> Any:
        """The spec of one of several values."""
        return _of_shape(spec, {k: s._unbatch() for k, s in spec._fields.items()}, spec.shape[1:])


def _spec_of_zeros(spec: Any) -> Any:
    from gradtape.ragged._spec import RaggedTensorSpec

    shape = spec.shape
    return TensorSpec(shape, "int8") if len(shape) < 2 else RaggedTensorSpec(shape, "int8", len(shape) - 1)


def _of_shape(spec: Any, fields: Mapping[str, Any], shape: TensorShape) -> Any:
    dtype, sizes = spec._ragged_shape.dtype, shape.as_list()
    rows: list[RowPartitionSpec] = []
    for n, length in itertools.pairwise(sizes):
        whole = None if rows and rows[-1].nvals is None else n
        rows.append(RowPartitionSpec(nrows=whole, uniform_row_length=length, dtype=dtype))
    inner = TensorShape([None]) if rows else shape
    made = DynamicRaggedShape.Spec(rows, inner, dtype)
    return with_fields(spec, {"_fields": fields, "_ragged_shape": made})


class StructuredTensor(BatchableExtensionType):
    """A tensor of structures, each of which has the same fields: dicts in nested lists, held as one tensor for each field.

    Fields are tensors, ragged tensors or structured tensors, whose outer axes are those of the whole. Made by `from_pyval`
    and `from_fields`.

    >>> people = tf.experimental.StructuredTensor.from_pyval([
    ...     {"age": 12, "nicknames": ["Josaphine"]},
    ...     {"age": 82, "nicknames": ["Bob", "Bobby"]}])
    >>> people.shape
    TensorShape([2])
    >>> people[1, "age"].numpy()
    np.int32(82)
    >>> people.field_value("nicknames").to_list()
    [[b'Josaphine'], [b'Bob', b'Bobby']]
    """

    _fields: Mapping[str, Union[Tensor, RaggedTensor, StructuredTensor, ExtensionType]]  # noqa: UP007
    _ragged_shape: DynamicRaggedShape

    _functions = "gradtape.ragged._structured_overrides"
    __batch_encoder__ = _Encoder()

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields = fields
        self._ragged_shape = ragged_shape

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Structures without fields, of a shape.

        >>> shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)])
        >>> tf.experimental.StructuredTensor.from_shape(shape).to_pyval()
        [[{}], [{}, {}]]
        """
        return cls({}, ragged_shape)

    @classmethod
    def from_fields(
        cls,
        fields: Mapping[str, Any],
        shape: Any = (),
        nrows: Any = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """The structured tensor of a value for each field.

        Args:
          fields: tensors, ragged or structured tensors by name, whose outer axes are those of the whole.
          shape: what is known of the shape: its rank, at least.
          nrows: the number of rows, if there are no fields.
          row_partitions: how the structures are cut into rows, if there are no fields.
          validate: fields are always checked.

        >>> tf.experimental.StructuredTensor.from_fields({"x": 1, "y": [1, 2, 3]})["y"].numpy()
        array([1, 2, 3], dtype=int32)
        """
        rank = TensorShape(shape).rank
        partitions = None if row_partitions is None else tuple(row_partitions)
        if rank is None:
            raise _refused("StructuredTensor's shape must have known rank.", "give one size or None for each axis.")
        if not isinstance(fields, dict):
            raise TypeError(
                errors.compose(
                    f"from_fields: fields must be a dictionary, got {type(fields).__name__}.", 'give {"x": tensor}.'
                )
            )
        if rank < 2 and partitions:
            raise _refused("row_partitions must be None or [] if shape.rank<2.", "leave it out.")
        if not rank and nrows is not None:
            raise _refused("nrows must be None if shape.rank==0.", "leave it out.")
        if partitions is not None and len(partitions) != max(0, rank - 1):
            raise _refused("len(row_partitions) must be shape.rank-1.", "give one for each axis but the first.")
        values = {_checked_name(name): _value(value) for name, value in fields.items()}
        dtype = shapes.length_type(values, nrows, partitions)
        values = {k: shapes.with_length_type(v, dtype) for k, v in values.items()}
        found = shapes.shared(values, TensorShape(shape), nrows, partitions)
        if partitions:
            values = {k: shapes.with_partitions(v, found.row_partitions) for k, v in values.items()}
        return cls(values, found)

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: Any = None
    ) -> StructuredTensor:
        """The structured tensor of a value for each field; the first `rank` axes of the fields are those of the structures.

        Args:
          fields: tensors, ragged or structured tensors by name.
          rank: the number of axes.
          validate: fields are always checked.
          dtype: of the lengths of rows.

        >>> tf.experimental.StructuredTensor.from_fields_and_rank({"x": [[1, 2], [3, 4]]}, 1).to_pyval()
        [{'x': [1, 2]}, {'x': [3, 4]}]
        """
        if not fields:
            raise _refused("Must provide at least one field.", "use from_shape for structures without fields.")
        if not isinstance(rank, int) or rank < 0:
            what = "nonnegative" if isinstance(rank, int) else "an integer"
            raise _refused(f"rank must be {what}, got {rank!r}.", "give the number of axes that all fields share.")
        values = {name: _value(value) for name, value in fields.items()}
        wanted = shapes.length_type(values) if dtype is None else dtype
        values = {k: shapes.with_length_type(v, wanted) for k, v in values.items()}
        found = shapes.of_fields(values, rank, wanted)
        return cls({k: shapes.with_partitions(v, found.row_partitions) for k, v in values.items()}, found)

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> Any:
        """The structured tensor of nested dicts and lists; of lists without dicts, a tensor or ragged tensor.

        Args:
          pyval: dicts in nested lists.
          typespec: a `StructuredTensor.Spec`; by default, lists of rank 2 and more become ragged tensors.

        >>> tf.experimental.StructuredTensor.from_pyval({"a": [1, 2], "b": [[3], [4, 5]]})["b"].to_list()
        [[3], [4, 5]]
        """
        return Reading(cls).value(pyval, typespec, ())

    def to_pyval(self) -> Any:
        """Nested dicts and lists.

        >>> tf.experimental.StructuredTensor.from_fields({"a": [1, 2]}, [2]).to_pyval()
        [{'a': 1}, {'a': 2}]
        """
        if state.current.trace is not None or any(type(t) is not Tensor for t in self._components()):
            raise _refused("to_pyval() is only supported in eager mode.", "return the tensor from the function first.")
        return to_python(self)

    def with_updates(self, updates: Mapping[Any, Any], validate: bool = False) -> StructuredTensor:
        """The structured tensor with other fields.

        Args:
          updates: by name or path, the new value, a function of the old one, or None to remove the field.
          validate: fields are always checked.

        >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}])
        >>> x.with_updates({"a": lambda a: a * 10, "b": [3, 4]}).to_pyval()
        [{'a': 10, 'b': 3}, {'a': 20, 'b': 4}]
        """
        paths = {(k,) if isinstance(k, str) else tuple(k): v for k, v in updates.items()}
        for first in paths:
            for other in paths:
                if first != other and other[: len(first)] == first:
                    raise _refused(
                        "`StructuredTensor.with_updates` does not allow both parent and child nodes to be updated: "
                        f"parent={first}, child={other}.",
                        "update the child in the value of the parent.",
                    )
        return self._updated((), paths)

    def _updated(self, before: tuple[str, ...], updates: Mapping[tuple[str, ...], Any]) -> StructuredTensor:
        fields: dict[str, Any] = dict(self._fields)
        for path, value in updates.items():
            if not path or not path[0]:
                raise _refused(f"`StructuredTensor.with_updates` does not allow empty names {before}.", "name a field.")
            name, *rest = path
            _check_update(fields, (*before, *path), name, rest, value)
            if rest:
                fields[name] = fields[name]._updated((*before, name), {tuple(rest): value})
            elif value is None:
                del fields[name]
            else:
                fields[name] = value(fields[name]) if callable(value) else value
        try:
            rows = self.nrows() if self.rank else None
            return StructuredTensor.from_fields(fields, self.shape, rows, self.row_partitions)
        except ValueError as problem:
            where = f" for field {before}" if before else ""
            raise _refused(
                f"`StructuredTensor.with_updates` failed{where}: {problem}",
                "the outer axes of fields are those of the whole.",
            ) from problem

    def promote(self, source_path: Sequence[str], new_name: str) -> StructuredTensor:
        """The structured tensor with a nested field moved one level outward and its axes merged.

        Args:
          source_path: the path of the field.
          new_name: its name beside its parent.

        >>> x = tf.experimental.StructuredTensor.from_pyval([{"docs": [{"tokens": [1, 2]}, {"tokens": [3]}]}])
        >>> x.promote(("docs", "tokens"), "all")[0, "all"].numpy()
        array([1, 2, 3], dtype=int32)
        """
        if not isinstance(new_name, str):
            raise _refused(f"promote: new_name is not a string: {new_name!r}.", "give the name of the new field.")
        if not isinstance(source_path, (list, tuple)) or len(source_path) < 2:
            raise _refused(
                f"promote: source_path must be a list or tuple with length at least two, got {source_path!r}.",
                "give the names from the outermost field to the innermost.",
            )
        path = tuple(source_path)
        found, outer, parent = self.field_value(path), self.field_value(path[:-2]), self.field_value(path[:-1])
        inner = min(parent.rank, (shapes.static_shape(found).rank or 0) - 1)
        if inner > outer.rank != parent.rank:
            found = shapes.merged_axes(found, outer.rank, inner)
        return self.with_updates({(*path[:-2], new_name): found})

    rank = property(lambda self: self._ragged_shape.rank, doc="The number of axes.")
    shape = property(lambda self: self._ragged_shape._to_tensor_shape(), doc="What is known of the shape.")
    row_partitions = property(
        lambda self: tuple(self._ragged_shape.row_partitions),
        doc="How structures are cut into rows: one less than axes.",
    )

    def nrows(self) -> Any:
        """The number of rows; None for a single structure."""
        return self._ragged_shape[0] if self.rank else None

    def with_shape_dtype(self, dtype: Any) -> StructuredTensor:
        """The same with row lengths of another type, int32 or int64."""
        fields = {k: shapes.with_length_type(v, dtype) for k, v in self._fields.items()}
        return type(self)(fields, self._ragged_shape.with_dtype(dtype))

    def field_names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name: Any) -> Any:
        """The value of a field.

        Args:
          field_name: a name, or the names on the path to a nested field.
        """
        if not isinstance(field_name, (list, tuple)):
            return self._fields[field_name]
        value: Any = self
        for name in field_name:
            if not isinstance(value, StructuredTensor):
                raise KeyError(
                    errors.compose(f"Field path {field_name} not found in {self}", "field_names() lists the fields.")
                )
            value = value.field_value(name)
        return value

    def __getitem__(self, key: Any) -> Any:
        keys = tuple(key) if isinstance(key, (list, tuple)) else (key,)
        if not keys:
            return self
        rank, fields = self.rank, cast("Mapping[str, Any]", self._fields)
        if len(keys) > rank:
            name, rest = keys[rank], (*keys[:rank], *keys[rank + 1 :])
            if isinstance(name, (str, bytes)):
                value = fields[name]  # type: ignore[index]
                return value[rest] if rest else value
            if rank or name != slice(None):
                full = "" if rank else " or a full slice (':')"
                raise _refused(
                    f"Key for indexing a StructuredTensor must be a string{full}, got {name!r}.",
                    "index the axes first, and then the field: x[0, 'name'].",
                )
            return type(self).from_fields({k: v[rest] if rest else v for k, v in fields.items()})
        for item in keys:
            if not isinstance(item, (slice, int, Tensor)):
                refusal = _refused(
                    f"Slicing not supported for {'tf.newaxis' if item is None else repr(item)}.",
                    "use ints and slices; fields come after the axes.",
                )
                raise refusal if item is None or item is ... else TypeError(*refusal.args)
        sizes = [
            size if item == slice(None) else None
            for size, item in zip(self.shape.as_list(), (*keys, *[slice(None)] * (rank - len(keys))), strict=True)
            if isinstance(item, slice)
        ]
        return type(self).from_fields({k: v[keys] for k, v in fields.items()}, sizes)

    def __repr__(self) -> str:
        lines = [f'"{k}": ' + str(v).replace("\n", "\n            ") for k, v in sorted(self._fields.items())]
        fields = ",\n        ".join(lines)
        return f"<StructuredTensor(\n    fields={{\n        {fields}}},\n    shape={self.shape})>"

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """The structured tensor with its outermost axis cut into rows.

        Args:
          row_partition: where rows begin and end.

        >>> x = tf.experimental.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}, {"a": 3}])
        >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
        >>> x.partition_outer_dimension(rows).to_pyval()
        [[{'a': 1}, {'a': 2}], [], [{'a': 3}]]
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError(
                errors.compose(
                    f"row_partition must be a RowPartition, got {row_partition!r}.",
                    "use tf.experimental.RowPartition.from_row_lengths(lengths).",
                )
            )
        if not self.rank:
            raise _refused(f"Shape {self.shape} must have rank at least 1.", "a single structure has no rows.")
        found: StructuredTensor = shapes.partitioned(self, row_partition)
        return found

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """The structured tensor with a range of axes merged into one.

        Args:
          outer_axis, inner_axis: the first and the last axis.

        >>> x = tf.experimental.StructuredTensor.from_pyval([[{"a": 1}, {"a": 2}], [{"a": 3}]])
        >>> x.merge_dims(0, 1).to_pyval()
        [{'a': 1}, {'a': 2}, {'a': 3}]
        """
        first, last = (
            axis_of(outer_axis, self.rank, "merge_dims", "outer_axis"),
            axis_of(inner_axis, self.rank, "merge_dims", "inner_axis"),
        )
        if first > last:
            raise _refused(
                f"Expected outer_axis ({first}) to be less than or equal to inner_axis ({last}).", "exchange the axes."
            )
        found: StructuredTensor = shapes.merged_axes(self, first, last)
        return found

    class Spec:
        """The spec of a StructuredTensor."""

        _fields: Any
        _ragged_shape: Any

        @classmethod
        def _from_fields_and_rank(cls, fields: Mapping[str, Any], rank: int) -> Any:
            """The spec of fields whose first `rank` axes are those of the structures."""
            shape = TensorShape([None] * rank)
            for name, spec in fields.items():
                if spec.shape.rank is not None and spec.shape.rank < rank:
                    raise _refused(
                        f"Rank of field {name} is {spec.shape.rank}, but must be at least {rank}.", "lower rank."
                    )
                shape = shape.merge_with(spec.shape[:rank])
            empty = DynamicRaggedShape.Spec((), TensorShape([None]), "int64")
            made = StructuredTensor.Spec(_fields=dict(fields), _ragged_shape=empty)  # type: ignore[call-arg]
            return _of_shape(made, made._fields, shape)

        @classmethod
        def _from_shape(cls, shape: Any) -> Any:
            """The spec of structures without fields."""
            return StructuredTensor.Spec(_fields={}, _ragged_shape=shape)  # type: ignore[call-arg]

        shape = property(lambda self: _static_shape(self._ragged_shape), doc="What is known of the shape.")
        rank = property(lambda self: self._ragged_shape.rank, doc="The number of axes.")


def _static_shape(spec: Any) -> TensorShape:
    """The static sizes in the spec of a ragged shape."""
    inner = spec._static_inner_shape
    if not spec._row_partitions:
        found: TensorShape = inner
        return found
    first = spec._row_partitions[0]
    return TensorShape([first.nrows, *[p.uniform_row_length for p in spec._row_partitions]]).concatenate(inner[1:])


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(
            errors.compose(f"from_fields: Unexpected type for key in `fields`: {name!r}.", "names of fields are texts.")
        )
    if not _NAME.fullmatch(name):
        raise _refused(
            f"Field name {name!r} is not currently allowed.", "begin with a letter; then letters, digits and _."
        )
    return name


def _value(value: Any) -> Any:
    if isinstance(value, (Tensor, Composite)):
        return value
    try:
        return construct.tensor(value)
    except (TypeError, ValueError) as problem:
        raise TypeError(
            errors.compose(
                f"from_fields: Unexpected type for value in `fields`: {value!r}.",
                "give a tensor, ragged tensor or structured tensor.",
            )
        ) from problem


def _check_update(fields: Mapping[str, Any], path: tuple[str, ...], name: str, rest: Sequence[str], value: Any) -> None:
    """Refuse an update of a field that is not there, or has no fields."""
    what = "`StructuredTensor.with_updates` cannot "
    if rest and name not in fields:
        raise _refused(
            f"{what}create new sub-field {path} if parent field {path[: len(path) - len(rest)]} is not set.",
            "set the parent first.",
        )
    if rest and not isinstance(fields[name], StructuredTensor):
        raise _refused(
            f"{what}create new sub-field {path} if parent structure {name!r} is not a `StructuredTensor` that can contain "
            f"sub-structures -- it is a `{type(fields[name])}`.",
            "replace the parent by a StructuredTensor.",
        )
    if not rest and name not in fields and (value is None or callable(value)):
        how = "delete" if value is None else "update"
        raise _refused(f"{what}{how} field {path} because it is not present.", f"the fields are {', '.join(fields)}.")


def _refused(what: str, fix: str) -> ValueError:
    return ValueError(errors.compose(what, fix))
