"""StructuredTensors from nested dicts and lists, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.ragged._functions import constant
from gradtape.ragged._spec import RaggedTensorSpec
from gradtape.ragged._tensor import RaggedTensor


class Reading:
    """Makes a StructuredTensor, or a field of one, of a Python value.

    Attributes:
      kind: the class.
    """

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def value(self, given: Any, spec: Any, path: tuple[str, ...]) -> Any:
        """The dense, ragged or structured tensor for a value at a path of fields."""
        if isinstance(given, dict):
            return self._structure(given, spec, path)
        if not isinstance(given, (list, tuple)):
            if spec is not None and not (isinstance(spec, TensorSpec) and spec.shape.rank == 0):
                raise _other(path, spec, given)
            return self._made(path, lambda: convert.constant(given, None if spec is None else spec.dtype))
        names: dict[str, None] = {}
        depth = _depth_of_dicts(given, names)
        if depth is not None:
            return self._structures(given, list(names), depth, spec, path)
        return self._list(given, spec, path)

    def _structure(self, given: dict[str, Any], spec: Any, path: tuple[str, ...]) -> Any:
        if spec is not None and not (
            isinstance(spec, self.kind.Spec) and spec.rank == 0 and set(given) == set(spec._fields)
        ):
            raise _other(path, given, spec)
        specs = {} if spec is None else spec._fields
        fields = {k: self.value(v, specs.get(k), (*path, k)) for k, v in given.items()}
        return self.kind.from_fields(fields)

    def _structures(self, given: Any, names: list[str], depth: int, spec: Any, path: tuple[str, ...]) -> Any:
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for child in given:
            _append(child, columns, 1)
        if spec is None:
            fields = {k: self.value(v, None, (*path, k)) for k, v in columns.items()}
            if not fields:
                return self._made(path, lambda: self.kind.from_shape(_shape_of_dicts(given, depth)))
            return self._made(path, lambda: self.kind.from_fields(fields, [None] * depth))
        if not isinstance(spec, self.kind.Spec) or set(columns) - set(spec._fields):
            raise _other(path, given, spec)
        if spec.rank < depth:
            raise _other(path, given, spec, " (rank mismatch)")
        fields = {k: self.value(columns.get(k, []), s, (*path, k)) for k, s in spec._fields.items()}
        return self._made(path, lambda: self.kind.from_fields(fields, spec.shape))

    def _list(self, given: Any, spec: Any, path: tuple[str, ...]) -> Any:
        if spec is None:
            return self._made(path, lambda: constant(given))
        if isinstance(spec, TensorSpec):
            found = self._made(path, lambda: convert.constant(given, spec.dtype))
            if not spec.shape.is_compatible_with(found.get_shape()):
                raise _other(path, spec, given)
            return found
        if isinstance(spec, RaggedTensorSpec):
            inner = spec.shape[spec.ragged_rank + 1 :]
            return self._made(
                path, lambda: constant(given, spec.dtype, spec.ragged_rank, inner, None, spec.row_splits_dtype)
            )
        depth = _depth_of_nothing(given) if isinstance(spec, self.kind.Spec) else None
        if depth is None:
            raise _other(path, spec, given)
        return self._structures(given, [], depth, spec, path)

    def _made(self, path: tuple[str, ...], make: Callable[[], Any]) -> Any:
        try:
            return make()
        except Exception as problem:
            raise ValueError(
                errors.compose(
                    f"StructuredTensor.from_pyval: Error parsing path {path!r}: {problem}",
                    "all values of a field have one type, and as many axes.",
                )
            ) from problem


def to_python(value: Any) -> Any:
    """Nested dicts and lists of a StructuredTensor."""
    fields = {name: _plain(field) for name, field in value._fields.items()}
    if not value.rank:
        return fields
    if not fields:
        from gradtape.ragged._shape_overrides import _zeros

        rows = _plain(_zeros(value._ragged_shape))
        return _each(rows, value.rank, lambda _: {})
    return _regrouped(list(fields), list(fields.values()), value.rank)


def _plain(field: Any) -> Any:
    if isinstance(field, Tensor):
        return field.numpy().tolist() if field.ndim or field.dtype.name != "string" else field.numpy()
    if isinstance(field, RaggedTensor):
        return field.to_list()
    return field.to_pyval() if hasattr(field, "to_pyval") else field


def _each(rows: Any, depth: int, make: Callable[[Any], Any]) -> Any:
    return [_each(row, depth - 1, make) for row in rows] if depth else make(rows)


def _regrouped(names: list[str], columns: list[Any], depth: int) -> Any:
    """A list of dicts from a list for each name."""
    if not depth:
        return dict(zip(names, columns, strict=True))
    return [_regrouped(names, list(row), depth - 1) for row in zip(*columns, strict=True)]


def _depth_of_dicts(given: Any, names: dict[str, None]) -> int | None:
    """The nesting depth of the dicts, whose keys are noted; None if there are none."""
    if isinstance(given, dict):
        names.update(dict.fromkeys(given))
        return 0
    if not isinstance(given, (list, tuple)):
        return None
    depths = {d for d in [_depth_of_dicts(child, names) for child in given] if d is not None}
    if len(depths) > 1:
        raise ValueError(
            errors.compose(
                f"StructuredTensor.from_pyval: Inconsistent depth of dictionaries: {sorted(depths)} lists around them.",
                "give dicts in equally many lists.",
            )
        )
    return depths.pop() + 1 if depths else None


def _append(child: Any, columns: dict[str, list[Any]], depth: int) -> None:
    """Append the values of dicts to their columns, at the same nesting."""
    if not isinstance(child, (dict, list, tuple)):
        raise ValueError(
            errors.compose(
                f"StructuredTensor.from_pyval: Expected dict or nested list/tuple of dict, got {child!r}.",
                "give dicts in equally many lists.",
            )
        )
    for name, column in columns.items():
        for _ in range(1, depth):
            column = column[-1]
        column.append(child[name] if isinstance(child, dict) else [])
    for item in child if isinstance(child, (list, tuple)) else ():
        _append(item, columns, depth + 1)


def _depth_of_nothing(given: Any) -> int | None:
    """The nesting depth of lists without elements; None if there is an element."""
    if not isinstance(given, list):
        return None
    depths = [_depth_of_nothing(child) for child in given]
    return None if None in depths else max([d for d in depths if d is not None], default=0) + 1


def _shape_of_dicts(given: Any, depth: int) -> Any:
    """The shape of lists of empty dicts."""
    from gradtape.ragged._dynamic_shape import DynamicRaggedShape

    zeros = constant(_each(given, depth, lambda _: 0))
    shape = DynamicRaggedShape.from_tensor(zeros)
    return shape if depth > 1 else DynamicRaggedShape([], TensorShape([len(given)]))


def _other(path: tuple[str, ...], given: Any, spec: Any, more: str = "") -> ValueError:
    return ValueError(
        errors.compose(
            f"StructuredTensor.from_pyval: Value at {path!r} does not match typespec{more}: {given!r} vs {spec!r}",
            "give a value of that spec, or leave the spec out.",
        )
    )
