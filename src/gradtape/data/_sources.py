"""Sources of elements: tensors, ranges, generators, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, nest
from gradtape.core.composite import Composite, CompositeSpec
from gradtape.core.shape import TensorShape, TensorSpec, spec_of
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.tensor import host, wrap
from gradtape.data import _composites as composites
from gradtape.data import _seeds as seeds
from gradtape.data import _structure as structure
from gradtape.data._deferred import Awaited
from gradtape.data._failure import Failure, attempt
from gradtape.data._nested import is_nested
from gradtape.data._stage import INFINITE, PORTION, UNKNOWN, Stage, Table, integer
from gradtape.data._user_functions import Function

# Numbers of a range that are kept as an array.
_MOST = 1 << 20


class Slices(Stage):
    """The rows of tensors."""

    def __init__(self, value: Any) -> None:
        if value is None:
            raise ValueError(errors.compose("from_tensor_slices: None has no rows.", "give tensors."))
        try:
            self._value = structure.tensors(value)
        except errors.ConversionError as problem:
            if not isinstance(value, list) or "non-rectangular" not in str(problem):
                raise
            what = "from_tensor_slices: a list becomes one tensor, and its rows must have the same length."
            fix = "a tuple makes one element of a row of each, from_tensor_slices((x, y)); rows of different lengths: tf.ragged.constant(rows)."
            raise errors.build(errors.ConversionError, f"{what} {str(problem).splitlines()[0]}", fix) from None
        if any(is_nested(leaf) for leaf in nest.flatten(self._value)):
            raise ValueError(
                errors.compose(
                    "from_tensor_slices: Slicing dataset elements is not supported for rank 0.",
                    "give a list of datasets, or use from_tensors.",
                )
            )
        columns = [host(t._array) for t in nest.flatten(self._value)]
        shown = ", ".join(str(spec_of(c)) for c in columns)
        if not columns or any(not c.ndim for c in columns):
            raise errors.build(
                errors.ShapeError,
                f"from_tensor_slices: tensors must have rank 1 or more, got {shown or 'none'}.",
                "use from_tensors for a single element.",
            )
        if len({c.shape[0] for c in columns}) > 1:
            raise errors.build(
                errors.ShapeError,
                f"from_tensor_slices: the first dimensions differ: {shown}.",
                "give as many rows of each.",
            )
        self._table = Table(self._value, columns)

    def table(self) -> Table:
        return self._table

    def rows(self) -> Iterator[Any]:
        yield range(self.cardinality())

    def cardinality(self) -> int:
        return int(self._table.columns[0].shape[0])

    def spec(self) -> Any:
        return structure.without_rows(structure.spec(self._value))


def awaited_slices(value: Any) -> Awaited:
    """The rows of tensors, some of them without a value yet."""
    tensors = structure.tensors(value)
    specs = structure.spec(tensors)
    counts = {s.shape[0] for s in nest.flatten(specs) if s.shape.rank}
    count = counts.pop() if len(counts) == 1 else None
    return Awaited(tensors, Slices, structure.without_rows(specs), UNKNOWN if count is None else count)


class Pieces(Stage):
    """The rows of tensors, some of them sparse or ragged."""

    def __init__(self, value: Any) -> None:
        self._value = structure.tensors(value)
        for leaf in nest.flatten(self._value):
            if isinstance(leaf, SparseTensor) and leaf.shape.rank == 1:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"from_tensor_slices: Rank of input SparseTensor should be > 1, got {leaf!r}.",
                    "use from_tensors for a single element.",
                )
        counts = {composites.count(leaf) for leaf in nest.flatten(self._value) if leaf is not None}
        if len(counts) > 1 or None in counts:
            raise errors.build(
                errors.ShapeError,
                f"from_tensor_slices: the first dimensions differ: {sorted(map(str, counts))}.",
                "give as many rows of each.",
            )
        self._count = int(counts.pop() or 0)

    def elements(self) -> Iterator[Any]:
        return composites.slices(self._value)

    def keeps_rows(self) -> bool:
        return True

    def cardinality(self) -> int:
        return self._count

    def spec(self) -> Any:
        return structure.without_rows(structure.spec(self._value))


class Single(Stage):
    """One element."""

    def __init__(self, value: Any) -> None:
        self._value = structure.tensors(value)
        if not nest.flatten(self._value) or self._value is None:
            raise errors.build(
                errors.InvalidArgumentError,
                f"from_tensors: tensors must hold at least one tensor, got {errors.brief(value)}.",
                "tf.data.Dataset.from_tensors(x), with numbers, arrays or tensors.",
            )

    def elements(self) -> Iterator[Any]:
        yield self._value

    def cardinality(self) -> int:
        return 1

    def spec(self) -> Any:
        return structure.spec(self._value)


def awaited_single(value: Any) -> Awaited:
    """One element, with tensors that have no value yet."""
    tensors = structure.tensors(value)
    return Awaited(tensors, Single, structure.spec(tensors), 1)


class Range(Stage):
    """Equally spaced integers or other numbers. Unless there are very many, they are rows of an array."""

    def __init__(self, start: int, stop: int, step: int, dtype: dtypes.DType) -> None:
        self._range = range(start, stop, step)
        self._dtype = dtype
        self._table: Table | None = None

    def elements(self) -> Iterator[Any]:
        kind = self._dtype.numpy.type
        return (wrap(kind(i)) for i in self._range)

    def table(self) -> Table | None:
        if len(self._range) > _MOST:
            return None
        if self._table is None:
            numbers = np.arange(self._range.start, self._range.stop, self._range.step, dtype=np.int64)
            self._table = Table(0, [numbers.astype(self._dtype.numpy)])
        return self._table

    def rows(self) -> Iterator[Any]:
        yield range(len(self._range))

    def cardinality(self) -> int:
        return len(self._range)

    def spec(self) -> Any:
        return TensorSpec([], self._dtype)


def range_of(numbers: Any, dtype: dtypes.DType) -> Range:
    """The stage of `Dataset.range` with one to three numbers."""
    if dtype.kind not in "iufcV" or dtype.is_bool:
        raise errors.build(
            errors.InvalidArgumentError,
            f"range: output_type must be numeric, got {dtype.name}.",
            "use an int or a float.",
        )
    given = [integer("range", "a number", n) for n in numbers]
    start, stop = (0, given[0]) if len(given) == 1 else given[:2]
    if len(given) == 3 and not given[2]:
        raise errors.build(errors.InvalidArgumentError, "range: the step must not be 0.", "give another step.")
    return Range(start, stop, given[2] if len(given) == 3 else 1, dtype)


class Counter(Stage):
    """An infinite sequence of integers."""

    def __init__(self, start: Any, step: Any, dtype: dtypes.DType) -> None:
        self._start, self._step, self._dtype = start, step, dtype

    def elements(self) -> Iterator[Any]:
        kind, value = self._dtype.numpy.type, self._start
        while True:
            yield wrap(kind(value))
            value += self._step

    def cardinality(self) -> int:
        return INFINITE

    def spec(self) -> Any:
        return TensorSpec([], self._dtype)


class RandomNumbers(Stage):
    """An infinite sequence of random int64, from 0 to 2**32 - 1."""

    def __init__(self, seed: Any, rerandomize: bool) -> None:
        self._seeds = seeds.Seeds(seed, rerandomize)

    def elements(self) -> Iterator[Any]:
        stream = self._seeds.stream()
        while True:
            for number in (stream.words(PORTION) >> np.uint64(32)).astype(np.int64):
                yield wrap(number)

    def cardinality(self) -> int:
        return INFINITE

    def spec(self) -> Any:
        return TensorSpec([], dtypes.int64)


class Generated(Stage):
    """The values of a user's generator function, as tensors of a signature."""

    def __init__(self, generator: Callable[..., Any], args: Any, signature: Any) -> None:
        if not callable(generator):
            raise TypeError(
                errors.compose(
                    f"from_generator: `generator` must be a Python callable, got {generator!r}.",
                    "give a function that returns an iterator, so that each epoch has its own.",
                )
            )
        self._function = Function("from_generator", lambda: None)
        self._generator, self._signature = generator, signature
        must = "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found {!r} which is not."
        refuse_lists(signature, must, "tf.TensorSpec(shape, dtype)")
        for spec in nest.flatten(signature):
            if not isinstance(spec, (TensorSpec, CompositeSpec)):
                raise TypeError(
                    errors.compose(
                        f"from_generator: output_signature must hold `tf.TypeSpec` objects, got {spec!r}.",
                        "give tf.TensorSpec(shape, dtype).",
                    )
                )
        self._args = [host(convert.convert_to_tensor(a)._array) for a in args or ()]
        self._flat = nest.flatten(signature)

    def elements(self) -> Iterator[Any]:
        pack = structure.packer(self._signature)
        try:
            source = iter(self._generator(*self._args))
        except Exception as problem:
            yield Failure(self._function._noted(errors.of_python(problem)))
            return
        while True:
            try:
                value = next(source)
            except StopIteration:
                return
            except Exception as problem:
                yield Failure(self._function._noted(errors.of_python(problem)))
                return
            found = attempt(self._leaves, value)
            yield found if type(found) is Failure else pack(found)

    def _leaves(self, value: Any) -> list[Any]:
        parts = [value] if not nest.is_nested(self._signature) else _parts(self._signature, value)
        if parts is None or len(parts) != len(self._flat):
            raise errors.build(
                errors.DTypeError,
                f"from_generator: the generator yielded {value!r}, which does not have the structure of {self._signature!r}.",
                "give elements of the structure that output_signature says.",
            )
        return [_like(v, s) for v, s in zip(parts, self._flat, strict=True)]

    def cardinality(self) -> int:
        return UNKNOWN

    def spec(self) -> Any:
        return self._signature

    def runs_functions(self) -> bool:
        return True


def _parts(signature: Any, value: Any) -> list[Any] | None:
    """The parts of a value at the leaves of a signature; None if the structures differ."""
    if not nest.is_nested(signature):
        return [value]
    if isinstance(signature, dict):
        if not isinstance(value, dict) or set(value) != set(signature):
            return None
        pairs = [(signature[key], value[key]) for key in nest.flatten({key: key for key in signature})]
    elif not isinstance(value, (tuple, list)) or len(value) != len(signature):
        return None
    else:
        pairs = list(zip(signature, value, strict=True))
    found = [_parts(s, v) for s, v in pairs]
    return None if any(f is None for f in found) else [leaf for f in found if f is not None for leaf in f]


def _like(value: Any, spec: Any) -> Any:
    if isinstance(spec, CompositeSpec):
        if not isinstance(value, Composite) or not spec.is_compatible_with(value):
            raise _unexpected(repr(value), spec)
        return value
    try:
        array = host(value._array) if hasattr(value, "_array") else _array(value, spec)
    except (TypeError, ValueError, OverflowError) as problem:
        reason = str(problem).partition("\n")[0]
        raise errors.build(
            errors.DTypeError,
            f"from_generator: the generator yielded {value!r}, which cannot be {spec.dtype.name}: {reason}",
            "correct output_signature, or convert the values.",
        ) from None
    if dtypes.from_numpy(array.dtype) is not spec.dtype or not spec.shape.is_compatible_with(array.shape):
        raise _unexpected(str(spec_of(array)), spec, _spec_like(value, array))
    return wrap(array)


def _array(value: Any, spec: TensorSpec) -> Any:
    """A generator's value as an array. As in TensorFlow, numbers are cast if their rank is known."""
    dtype = spec.dtype
    is_cast = dtype.kind in "iufc" and spec.shape.rank is not None
    if is_cast and (type(value) in (int, float) or np.asarray(value).dtype.kind in "iufc"):
        return np.asarray(value, dtype.numpy)
    return convert.to_array(value, dtype)


def _spec_like(value: Any, array: Any) -> str:
    """The `output_signature` that a value fits."""
    if isinstance(value, tuple):
        return f"({', '.join([_spec_like(v, convert.to_array(v, None)) for v in value])})"
    shape = [None] * array.ndim
    return f"tf.TensorSpec({shape}, tf.{dtypes.from_numpy(array.dtype).name})"


def _unexpected(given: str, spec: Any, instead: str = "...") -> Exception:
    return errors.build(
        errors.DTypeError,
        f"from_generator: the generator yielded {given}, where {spec} is expected.",
        f"correct output_signature: {instead} fits what is yielded; or convert the values.",
    )


def signature(types: Any, shapes: Any) -> Any:
    """The structure of specs of `output_types` and `output_shapes`."""
    refuse_lists(types, "Cannot convert the argument `type_value`: {!r} to a TensorFlow DType.", "tf.int64")
    kinds, pattern = [dtypes.as_dtype(t) for t in nest.flatten(types)], types
    if shapes is None:
        sizes: list[Any] = [None] * len(kinds)
    else:
        sizes = [shapes] if not nest.is_nested(pattern) else _shapes(pattern, shapes)
    specs = [TensorSpec(TensorShape(s), k) for s, k in zip(sizes, kinds, strict=True)]
    return nest.pack_sequence_as(pattern, specs)


def refuse_lists(structure: Any, what: str, instead: str) -> None:
    """Refuse lists in what describes elements: an element that is a list is one tensor."""
    if isinstance(structure, list):
        fix = f"give ({instead},) for elements that are tuples, and {instead} for lists of numbers."
        raise TypeError(errors.compose(f"from_generator: {what.format(structure)}", fix))
    if isinstance(structure, (tuple, dict)):
        for part in structure.values() if isinstance(structure, dict) else structure:
            refuse_lists(part, what, instead)


def _shapes(pattern: Any, shapes: Any) -> list[Any]:
    parts = _parts(pattern, shapes)
    if parts is None:
        raise TypeError(
            errors.compose(
                f"from_generator: output_shapes {shapes!r} does not have the structure of output_types.",
                "give a shape for each dtype.",
            )
        )
    return parts
