"""Values of several replicas: one for each, at the places of a structure where they differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gradtape.api.structure import Part, emptied, filled
from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite, CompositeSpec, Form
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable


class DistributedValues:
    """Base of values that differ between replicas."""

    __slots__ = ()

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the replicas."""
        raise NotImplementedError


class PerReplica(DistributedValues, Composite):
    """A value for each replica: a leaf of structures, which passes through functions. Operators refuse it."""

    __slots__ = ("_values",)

    def __init__(self, values: Iterable[Any]) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, in the order of the replicas."""
        return self._values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __getitem__(self, replica: int) -> Any:
        return self._values[replica]

    def __repr__(self) -> str:
        lines = [f"  {i}: {value!r}" for i, value in enumerate(self)]
        return "PerReplica:{\n" + ",\n".join(lines) + "\n}"

    def _refuse(self, *others: Any) -> Any:
        raise TypeError(_unreduced(self))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __neg__ = __matmul__ = __rmatmul__ = __float__ = __int__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse

    def _components(self) -> list[Any]:
        tensors: list[Any] = []
        emptied(self._read(), tensors)
        return tensors

    def _form(self) -> Form:
        return _PerReplicaForm(emptied(self._read(), []))

    def _spec(self) -> Any:
        return _PerReplicaSpec(self._form(), [TensorSpec.from_tensor(t) for t in self._components()])

    def _read(self) -> tuple[Any, ...]:
        """The values, with tensors in place of variables."""
        return tuple([v.read_value() if isinstance(v, Variable) else v for v in self._values])


@dataclasses.dataclass(frozen=True)
class _PerReplicaForm(Form):
    """The static part of the values."""

    part: Part

    def assembled(self, parts: Sequence[Any]) -> PerReplica:
        """The values with these tensors."""
        return PerReplica(filled(self.part, list(parts)))

    def described(self, specs: Sequence[TensorSpec]) -> Any:
        """The spec of values with these tensors."""
        return _PerReplicaSpec(self, specs)


class _PerReplicaSpec(CompositeSpec):
    """The spec of values of replicas, as functions see it."""

    __slots__ = ("_own_form", "_specs")

    shape, dtype = TensorShape(None), dtypes.resource

    def __init__(self, form: Form, specs: Sequence[TensorSpec]) -> None:
        self._own_form, self._specs = form, list(specs)

    def _component_specs(self) -> list[TensorSpec]:
        return self._specs

    def _form(self) -> Form:
        return self._own_form


def _unreduced(value: PerReplica) -> str:
    return errors.compose(
        f"a value for each of {len(value)} replicas cannot be used as one tensor.",
        "combine them with strategy.reduce(...), or take them apart with strategy.experimental_local_results(...).",
        depth=2,
    )


def _no_tensor(value: Any, dtype: Any) -> Any:
    raise errors.ConversionError(_unreduced(value))


convert.CONVERTERS.append((PerReplica, _no_tensor))


def regroup(results: Sequence[Any]) -> Any:
    """The structures of all replicas combined into one. Leaves are PerReplica, unless all replicas returned the same object
    that is no tensor: a variable, or None."""
    first = results[0]
    if len(results) == 1:
        return first
    for other in results[1:]:
        nest.assert_same_structure(first, other)
    columns = zip(*[nest.flatten(r) for r in results], strict=True)
    leaves = [row[0] if _is_shared(row) else PerReplica(row) for row in columns]
    return nest.pack_sequence_as(first, leaves) if nest.is_nested(first) else leaves[0]


def _is_shared(row: Sequence[Any]) -> bool:
    return all(leaf is row[0] for leaf in row) and not isinstance(row[0], (Tensor, IndexedSlices, TensorSpec))


def map_values(function: Callable[[Any], Any], structure: Any) -> Any:
    """Map a function over the leaves of a structure that may hold PerReplica values."""
    if not nest.is_nested(structure):
        return function(structure)
    return nest.pack_sequence_as(structure, [function(leaf) for leaf in nest.flatten(structure)])


def select(replica: int, structure: Any) -> Any:
    """A structure as one replica sees it."""
    return map_values(lambda leaf: leaf[replica] if isinstance(leaf, PerReplica) else leaf, structure)
