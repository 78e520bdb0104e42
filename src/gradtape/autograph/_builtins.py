"""Python's built-in functions on tensors: `len`, `range`, `int`, `sum`, `enumerate` …"""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from gradtape.autograph._ranges import noted
from gradtape.autograph._undefined import as_tensor, is_symbolic, traces
from gradtape.core import convert, dtypes, errors
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor


class Rows:
    """The rows of several tensors at once: what `zip` and `enumerate` give for tensors.

    Attributes:
      structure: tensors with as many rows, in nested tuples.
    """

    def __init__(self, structure: Any) -> None:
        self.structure = structure

    def __iter__(self) -> Iterator[Any]:
        columns = [list(rows(t)) for t in self.structure]
        return iter(list(builtins.zip(*columns, strict=False)))


class Numbered(Rows):
    """What `enumerate` gives for a tensor; where it is not a loop of the graph that goes over it, numbers are Python's."""

    def __init__(self, numbers: Any, values: Any, start: int) -> None:
        super().__init__((numbers, values))
        self._start = start

    def __iter__(self) -> Iterator[Any]:
        values = self.structure[1]
        return iter(list(enumerate(Rows(values) if isinstance(values, tuple) else rows(values), self._start)))


def _spec(x: Any) -> Any:
    from gradtape.tracing.control.block import spec

    return spec(x)


def _library() -> Any:
    return importlib.import_module("gradtape")


def _concerns(*values: Any) -> bool:
    """True if a function of Python is given something that only tensors have a meaning for."""
    return any(is_symbolic(as_tensor(v)) for v in values)


def rows(iterable: Any) -> Any:
    """What a comprehension iterates over: of a tensor, its rows, as many as are known to be there."""
    iterable = as_tensor(iterable)
    if isinstance(iterable, Rows) or not is_symbolic(iterable):
        return iterable
    shape = _spec(iterable).shape
    if not shape or shape[0] is None:
        raise errors.build(
            errors.OperatorNotAllowedInGraphError,
            f"Iterating over a symbolic `tf.Tensor` is not allowed in a comprehension, if its number of rows is not "
            f"known: it is {_spec(iterable)}.",
            "use tf.map_fn, or tf.ensure_shape to fix the number.",
        )
    return list(REGISTRY["unstack"](iterable, axis=0)) if shape[0] else []


def _abs(x: Any) -> Any:
    return abs(as_tensor(x))


def _float(x: Any = 0.0) -> Any:
    return _library().cast(x, dtypes.float32) if _concerns(x) else float(x)


def _int(x: Any = 0, *base: Any, **options: Any) -> Any:
    return _library().cast(x, dtypes.int32) if not base and not options and _concerns(x) else int(x, *base, **options)


def _bool(x: Any = False) -> Any:
    return _library().cast(x, dtypes.bool_) if _concerns(x) else bool(x)


def _len(x: Any) -> Any:
    if hasattr(x, "_staged_steps") and hasattr(x, "cardinality") and traces():
        from gradtape.tracing.control.checks import required

        count = x.cardinality()
        return required(count, count >= 0, "len requires dataset with definitive cardinality, got infinite or unknown.")
    own = as_tensor(x)
    if hasattr(own, "_components") and hasattr(own, "size"):
        return own.size()
    if not is_symbolic(own):
        return len(x)
    shape = _spec(own).shape
    if not shape:
        raise errors.build(
            ValueError,
            "len requires a non-scalar tensor, got one of rank 0.",
            "use the scalar itself, or tf.size(x) for the number of elements.",
        )
    if shape[0] is not None:
        return shape[0]  # a number, so that conditions on it choose one branch while tracing
    from gradtape.tracing.control.tensor_array import COUNT_ROWS

    return COUNT_ROWS(own)


def _range(*bounds: Any) -> Any:
    if any(isinstance(as_tensor(b), Tensor) for b in bounds) and traces():
        return noted(_library().range)(*[as_tensor(b) for b in bounds])
    return range(*bounds)


def _sorted(x: Any, **options: Any) -> Any:
    if not _concerns(x):
        return sorted(x, **options)
    if options.get("key") is not None:
        raise errors.build(
            NotImplementedError, "sorted: a key function cannot be used on a tensor.", "use tf.argsort and tf.gather."
        )
    return _library().sort(x, axis=0, direction="DESCENDING" if options.get("reverse") else "ASCENDING")


def _is_pipeline(x: Any) -> bool:
    """True for a dataset in a trace: what Python's functions make of it is a dataset, over which a loop of the graph goes."""
    return hasattr(x, "_staged_steps") and traces()


def _map(converted: Callable[..., Any], f: Any, *x: Any) -> Any:
    if x and all(_is_pipeline(v) for v in x):
        return (x[0] if len(x) == 1 else _zip(*x)).map(f)
    return map(_called(converted, f), *[rows(v) for v in x])


def _filter(converted: Callable[..., Any], f: Any, x: Any) -> Any:
    if _is_pipeline(x) and f is not None:
        return x.filter(f)
    return filter(_called(converted, f) if f is not None else None, rows(x))


def _enumerate(x: Any, start: int = 0) -> Any:
    x = as_tensor(x)
    if _is_pipeline(x):
        return x.enumerate(start)
    if not (isinstance(x, (Tensor, Rows)) and traces()):
        return enumerate(x, start)
    first = x.structure[0] if isinstance(x, Rows) else x
    count = _len(first)
    numbers = _library().range(start, count + start if start else count)
    return Numbered(numbers, x.structure if isinstance(x, Rows) else x, start)


def _zip(*columns: Any, **options: Any) -> Any:
    own = [as_tensor(c) for c in columns]
    if own and all(_is_pipeline(c) for c in own):
        return type(own[0]).zip(tuple(own))
    if not own or not traces() or not any(isinstance(c, (Tensor, Rows)) for c in own):
        return builtins.zip(*columns, **options)  # noqa: B905 - the user says so or not
    if all(isinstance(c, (Tensor, Rows)) for c in own):
        return Rows(tuple([c.structure if isinstance(c, Rows) else c for c in own]))
    return builtins.zip(*[rows(c) for c in own], **options)  # noqa: B905


_JOIN = {"any": "logical_or", "all": "logical_and"}


def _reduced(name: str) -> Callable[[Any], Any]:
    """`any`, `all`: over all rows of a tensor of one dimension; over an iterable of scalars."""

    def function(x: Any) -> Any:
        own = as_tensor(x)
        if is_symbolic(own):
            return REGISTRY[f"reduce_{name}"](own, axis=(0,), keepdims=False)
        if _is_pipeline(own) and hasattr(own, "reduce"):
            start = convert.convert_to_tensor(name == "all")
            return own.reduce(start, lambda before, item: REGISTRY[_JOIN[name]](before, item))
        items = list(x)
        if not _concerns(*items):
            return getattr(builtins, name)(items)
        found: Any = None
        for item in items:
            found = (
                item
                if found is None
                else REGISTRY[_JOIN[name]](convert.convert_to_tensor(found), convert.convert_to_tensor(as_tensor(item)))
            )
        return found

    return function


def _extreme(name: str) -> Callable[..., Any]:
    """`max`, `min`."""

    def function(*values: Any, **options: Any) -> Any:
        own = [as_tensor(v) for v in values]
        if len(own) == 1 and is_symbolic(own[0]):
            return REGISTRY[f"reduce_{name}"](own[0], axis=(0,), keepdims=False)
        items = list(own[0]) if len(own) == 1 and not isinstance(own[0], Tensor) else own
        if options or not _concerns(*items):  # an iterator among the values is used up by now
            return getattr(builtins, name)(*([items] if len(values) == 1 else values), **options)
        combine = getattr(_library(), "maximum" if name == "max" else "minimum")
        found = items[0]
        for item in items[1:]:
            found = combine(found, item) if isinstance(found, Tensor) else combine(item, found)
        return found

    return function


def _sum(x: Any, start: Any = 0) -> Any:
    own = as_tensor(x)
    if not is_symbolic(own):
        return sum(x, start)
    total = REGISTRY["reduce_sum"](own, axis=(0,), keepdims=False)
    return total if isinstance(start, int) and start == 0 else total + start


def print_values(*values: Any, **options: Any) -> None:
    """`print` that shows the values of tensors, when the function runs."""
    from gradtape.transform.py_function import numpy_function

    own = [as_tensor(v) for v in values]
    tensors = [v for v in own if is_symbolic(v)]

    def show(*arrays: Any) -> tuple[()]:
        rest = iter(arrays)
        print(*[next(rest) if is_symbolic(v) else v for v in own], **options)
        return ()

    if tensors:
        numpy_function(show, tensors, [])
    else:
        print(*values, **options)


OVERLOADS: dict[Any, Callable[..., Any]] = {
    abs: _abs, float: _float, int: _int, bool: _bool, len: _len, range: _range, sorted: _sorted, enumerate: _enumerate,
    zip: _zip, any: _reduced("any"), all: _reduced("all"), max: _extreme("max"), min: _extreme("min"), sum: _sum,
    list: lambda *x: list(*[rows(v) for v in x]), tuple: lambda *x: tuple(*[rows(v) for v in x]),
    reversed: lambda x: REGISTRY["reverse"](as_tensor(x), axis=(0,)) if _concerns(x) else reversed(x),
}  # fmt: skip


# These call functions of the user: they take what rewrites those first.
CALLING: dict[Any, Callable[..., Any]] = {map: _map, filter: _filter}


def _called(converted: Callable[..., Any], function: Any) -> Any:
    return converted(function) if callable(function) else function
