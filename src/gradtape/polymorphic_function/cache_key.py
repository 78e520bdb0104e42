"""The cache key of a call: the trace for its arguments, and the tensors to pass to it.

Tensors count by dtype and shape, variables by those and by which of them are the same, everything else by its value.
Objects are compared by `==` and held weakly, so that the cache of a function keeps none of them alive.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import ANY, Spec, TensorShape, TensorSpec, spec_of
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable

_LITERALS = (type(None), bool, int, float, complex, str, bytes, dtypes.DType)


class Leaves:
    """What an encoded structure holds.

    Attributes:
      tensors: in order.
      variables: without repetitions, in the order of their first appearance.
      captured: identities of variables that the function also knows by another name. No other variable can take the place of
        these, so they count by identity and are not among `variables`.
    """

    __slots__ = ("captured", "tensors", "variables")

    def __init__(self, captured: frozenset[int] = frozenset()) -> None:
        self.tensors: list[Tensor] = []
        self.variables: list[Variable] = []
        self.captured = captured


class _Weak:
    """An object in a key: equal to what the object is equal to, as long as it lives."""

    __slots__ = ("_hash", "_reference")

    def __init__(self, target: Any) -> None:
        if isinstance(target, weakref.ref):
            raise TypeError(
                errors.compose(
                    f"weakref input {target!r} is not supported for tf.function: what it refers to may be gone at the next call.",
                    "pass the object itself.",
                    depth=3,
                )
            )
        try:
            self._hash = hash(target)
        except TypeError:
            raise TypeError(
                errors.compose(
                    f"Could not generate a generic TraceType for {target!r}. Please verify that it is "
                    "immutable/hashable.",
                    "pass it as a list, tuple or dict of tensors, or give its class __hash__ and __eq__.",
                    depth=3,
                )
            ) from None
        try:
            self._reference: Any = weakref.ref(target)
        except TypeError:
            self._reference = lambda: target

    def target(self) -> Any:
        """The object, None if it is gone."""
        return self._reference()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, _Weak) or self._hash != other._hash:
            return False
        own, its = self._reference(), other._reference()
        return own is not None and (own is its or bool(own == its))


def encode(value: Any, leaves: Leaves) -> Any:
    """The key of an argument; the tensors and variables in it are added to `leaves`."""
    if isinstance(value, Tensor):
        leaves.tensors.append(value)
        return spec_of(value)
    if isinstance(value, np.generic):  # before literals: np.float64 is a float
        return encode(convert.convert_to_tensor(value), leaves)
    if isinstance(value, _LITERALS):
        return math.nan if isinstance(value, float) and value != value else value  # one nan is like another
    if isinstance(value, Variable):
        return _encode_variable(value, leaves)
    if isinstance(value, np.ndarray):
        return encode(convert.convert_to_tensor(value), leaves)
    if isinstance(value, (list, tuple)):
        return type(value), tuple([encode(v, leaves) for v in value])
    if isinstance(value, Mapping):
        keys = sorted(value, key=str)
        return type(value), tuple(keys), tuple([encode(value[k], leaves) for k in keys])
    if isinstance(value, IndexedSlices):
        parts = (value.values, value.indices, value.dense_shape)
        return IndexedSlices, tuple([encode(p, leaves) for p in parts])
    if isinstance(value, Composite):
        leaves.tensors += value._components()
        return *_encode_parts(value), Sizes.of(value._spec())
    if isinstance(value, CompositeSpec):
        return *_encode_parts(value), Sizes.of(value)
    if isinstance(value, TensorSpec):
        return spec_of(value)
    if isinstance(value, TensorShape):
        return TensorShape, None if value.rank is None else tuple(value)
    if hasattr(type(value), "_argument_key"):
        return _encode_boxed(value, leaves)
    if nest.has_parts(value):
        own = [encode(p, leaves) for p in nest.parts(value)]
        return type(value), (*own, encode(nest.besides_parts(value), Leaves()))
    return _Weak(value)


class Sizes:
    """The shape of a composite value in a key, as far as its tensors do not tell it. Known sizes are known in the trace."""

    __slots__ = ("shape",)

    def __init__(self, shape: Any) -> None:
        self.shape = shape

    @classmethod
    def of(cls, spec: CompositeSpec) -> Sizes:
        """Those of values of a kind."""
        return cls(ANY if spec.shape.rank is None else tuple(spec.shape))

    @property
    def is_known(self) -> bool:
        """Whether no size is left open."""
        return self.shape is not ANY and None not in self.shape

    def covers(self, other: Sizes) -> bool:
        """Whether values of the other shape have this one."""
        return self.shape is ANY or (
            other.shape is not ANY
            and len(self.shape) == len(other.shape)
            and all(m in (None, n) for m, n in zip(self.shape, other.shape, strict=True))
        )

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Sizes) and bool(self.shape == other.shape)

    def __hash__(self) -> int:
        return hash(self.shape)

    def __repr__(self) -> str:
        return f"shape {self.shape}"


class _Exactly:
    """A part of a key in which no sizes are open: the kind of what is in a box."""

    __slots__ = ("_key",)

    def __init__(self, key: Any) -> None:
        self._key = key

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Exactly) and bool(self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"elements of {self._key}"


def _encode_boxed(value: Any, leaves: Leaves) -> Any:
    """The key of a dataset or iterator, which goes into a trace in a box: what its elements are like. By identity if nobody knows."""
    key = value._argument_key()
    if key is None:
        return _Weak(value)
    box = value._boxed()
    if isinstance(box, Tensor):
        leaves.tensors.append(box)
    return "box", spec_of(box), _Exactly(key)


def is_boxed(value: Any) -> bool:
    """True for what goes into a trace in a box."""
    return hasattr(type(value), "_argument_key") and value._argument_key() is not None


def _encode_parts(value: Any) -> Any:
    """The key of a composite value, or of the spec of one: how many elements it holds does not count."""
    return value._form(), tuple([spec_of(s) for s in open_specs(value)])


def open_specs(value: Any) -> list[TensorSpec]:
    """The specs of the tensors in a composite value, with the sizes open that differ from value to value."""
    return (value._spec() if isinstance(value, Composite) else value)._component_specs()


def _encode_variable(variable: Variable, leaves: Leaves) -> Any:
    if variable._id in leaves.captured:
        return Variable, variable._id, spec_of(variable._value), variable.trainable, "captured"
    for i, known in enumerate(leaves.variables):
        if known is variable:
            return Variable, i
    leaves.variables.append(variable)
    return Variable, len(leaves.variables) - 1, spec_of(variable._value), variable.trainable


def covers(general: Any, key: Any) -> bool:
    """True if a trace for one key serves another: the same, but for sizes that the first leaves open."""
    if isinstance(general, Spec):
        return (
            isinstance(key, Spec)
            and general.dtype is key.dtype
            and (
                general.shape is ANY
                or (
                    len(general.shape) == len(key.shape)
                    and key.shape is not ANY
                    and all(m in (None, n) for m, n in zip(general.shape, key.shape, strict=True))
                )
            )
        )
    if isinstance(general, Sizes) and isinstance(key, Sizes):
        return general.covers(key)
    if not _is_structure(general, key):
        return bool(general == key)
    return all(covers(a, b) for a, b in zip(general, key, strict=True))


def widened(key: Any, other: Any) -> Any:
    """The key of a trace that serves both: sizes that differ are left open. None if the keys differ in more."""
    if isinstance(key, Spec) and isinstance(other, Spec):
        if key.dtype is not other.dtype:
            return None
        return Spec(_common(key.shape, other.shape), key.dtype)
    if isinstance(key, Sizes) and isinstance(other, Sizes):
        return Sizes(_common(key.shape, other.shape))
    if not _is_structure(key, other):
        return key if key == other else None
    parts = [(a, widened(a, b)) for a, b in zip(key, other, strict=True)]
    return None if any(new is None and old is not None for old, new in parts) else tuple([new for _, new in parts])


def _common(a: Any, b: Any) -> Any:
    if a is ANY or b is ANY or len(a) != len(b):
        return ANY
    return tuple([m if m == n else None for m, n in zip(a, b, strict=True)])


def _is_structure(a: Any, b: Any) -> bool:
    """True for the keys of two structures that may differ inside. Those of variables count as a whole."""
    return (
        type(a) is type(b) is tuple
        and len(a) == len(b)
        and not (a and a[0] is Variable)
        and not (b and b[0] is Variable)
    )


def is_open(key: Any) -> bool:
    """True if a key leaves sizes open."""
    return any(not spec.is_known for spec in _sized(key))


def specs(key: Any) -> Iterator[Spec]:
    """The specs of the tensors in a key, in their order."""
    return (part for part in _sized(key) if isinstance(part, Spec))


def _sized(key: Any) -> Iterator[Any]:
    """The specs of the tensors in a key, and the shapes of composite values behind those of their parts."""
    if isinstance(key, (Spec, Sizes)):
        yield key
    elif type(key) is tuple and not (key and key[0] is Variable):
        for part in key:
            yield from _sized(part)


def is_gone(key: Any) -> bool:
    """True if a key refers to an object that no longer exists: no call can match it."""
    if isinstance(key, _Weak):
        return key.target() is None
    return type(key) is tuple and any(is_gone(part) for part in key)


def rebuild(
    value: Any,
    tensor: Callable[[Any], Any],
    variable: Callable[[Variable], Any],
    other: Callable[[Any], Any] = lambda value: value,
) -> Any:
    """The argument with its tensors, variables and other leaves replaced, in the order in which `encode` met them."""
    if isinstance(value, (Tensor, np.ndarray, np.generic, TensorSpec)):
        return tensor(value)
    if isinstance(value, Variable):
        return variable(value)
    if isinstance(value, (list, tuple)):
        items = [rebuild(v, tensor, variable, other) for v in value]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return items if type(value) is list else type(value)(items)
    if isinstance(value, Mapping):
        made = {k: rebuild(value[k], tensor, variable, other) for k in sorted(value, key=str)}
        ordered = {k: made[k] for k in value}
        return ordered if type(value) is dict else type(value)(ordered)  # type: ignore[call-arg]
    if isinstance(value, IndexedSlices):
        parts = (value.values, value.indices, value.dense_shape)
        return IndexedSlices(*[rebuild(p, tensor, variable, other) for p in parts])
    if isinstance(value, CompositeSpec):
        return value._build([tensor(p) for p in _traced_parts(value)])
    if isinstance(value, Composite):
        return value._spec()._build([tensor(p) for p in _traced_parts(value)])
    if is_boxed(value):
        return value._from_box(tensor(value._boxed()))
    if nest.has_parts(value):
        return nest.with_parts(value, [rebuild(p, tensor, variable, other) for p in nest.parts(value)])
    return other(value)


def _traced_parts(value: Any) -> list[Any]:
    """What a trace is made with: the specs of a composite value; the tensors of one that is in a trace already."""
    held = value._components() if isinstance(value, Composite) else []
    return held if any(type(x) is not Tensor for x in held) else open_specs(value)


class Description:
    """An object of an argument, in words: what a trace remembers of it."""

    def __init__(self, target: Any) -> None:
        self._text = repr(target)

    def __repr__(self) -> str:
        return self._text


def described(value: Any) -> Any:
    """A literal as it is, another object in words, so that it is not kept alive."""
    return value if isinstance(value, (*_LITERALS, TensorShape)) else Description(value)


def same_structure(before: Any, after: Any) -> bool:
    """True if a structure still holds what it held: the same objects at the same places."""
    if isinstance(before, (list, tuple)):
        return (
            isinstance(after, (list, tuple))
            and len(before) == len(after)
            and all(same_structure(a, b) for a, b in zip(before, after, strict=True))
        )
    if isinstance(before, Mapping):
        return (
            isinstance(after, Mapping)
            and list(before) == list(after)
            and all(same_structure(before[k], after[k]) for k in before)
        )
    if isinstance(before, IndexedSlices) and isinstance(after, IndexedSlices):
        parts = ("values", "indices", "dense_shape")
        return all(getattr(before, part) is getattr(after, part) for part in parts)
    if isinstance(before, Composite) and isinstance(after, Composite):
        return all(a is b for a, b in zip(before._components(), after._components(), strict=True))
    if is_boxed(before) and type(before) is type(after):
        return True
    if nest.has_parts(before) and type(before) is type(after):
        return same_structure(nest.parts(before), nest.parts(after))
    return before is after
