"""Writing and reading the shards of a saved dataset or a snapshot: files with a part of the elements each."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import Any

from gradtape.core import atomic_file, dtypes, errors, os_errors
from gradtape.core.shape import TensorSpec
from gradtape.data import _structure as structure
from gradtape.data._batch import Held
from gradtape.data._element_files import ElementWriter, read_elements
from gradtape.data._failure import Failure, guarded, raised
from gradtape.data._flat_map import Interleave
from gradtape.data._specs import DatasetSpec
from gradtape.data._stage import UNKNOWN, Stage, known_spec
from gradtape.data._user_functions import Function
from gradtape.io._tfrecord import TFRecordWriter

Make = Callable[[Stage], Any]  # the dataset of a stage


def processors() -> int:
    """The number of shards that elements are distributed to, and of those that are read in turn."""
    return os.cpu_count() or 1


class ShardWriter:
    """Writes elements to files, one file for each number that they get.

    Args:
      path: the file of a number.
      number: the number of an element; None for one file, which is there even without elements.
      compression: "GZIP", "ZLIB" or "".
      spec: the structure of specs of the elements; that of the first one by default.

    Attributes:
      count: how many elements came.
    """

    def __init__(
        self, path: Callable[[int], str], number: Callable[[Any], int] | None, compression: str, spec: Any
    ) -> None:
        self._path, self._number, self._compression, self.spec = path, number, compression, spec
        self._writers: dict[int, ElementWriter] = {}
        self.count = 0

    @property
    def shards(self) -> list[int]:
        """The existing shard numbers."""
        return sorted(self._writers)

    def through(self, elements: Iterator[Any], count: int = UNKNOWN) -> Generator[Any, None, list[Any]]:
        """The elements, which are also written. The files exist after the last of them.

        If it is known how many there are, the files are there before the last one is given, as nobody may ask for the end: it is then
        what the generator returns.
        """
        with os_errors.translating(), ExitStack() as files:
            if self._number is None:
                self._open(0, files)
            for value in elements:
                if type(value) is Failure:
                    yield value
                    continue
                number = 0 if self._number is None else self._number(value)
                if self.spec is None:
                    self.spec = structure.spec(value)
                if number not in self._writers:
                    self._open(number, files)
                self._writers[number].write(value)
                self.count += 1
                if self.count == count:
                    return [value]
                yield value
        return []

    def _open(self, number: int, files: ExitStack) -> None:
        part = files.enter_context(atomic_file.beside(self._path(number), folders=True))
        self._writers[number] = ElementWriter(files.enter_context(TFRecordWriter(part, self._compression)), self.spec)


def numbering(who: str, shard_func: Any, stage: Stage) -> Function:
    """A user function that returns the shard number of an element. Refuses one that is known to return anything else."""
    function, spec = Function(who, shard_func), known_spec(stage, may_trace=False)
    found = None if spec is None else function.traced_spec(spec)
    if found is not None:
        _check_number(who, found)
    return function


def number_of(function: Function, value: Any) -> int:
    """The number of the shard of an element."""
    found = raised(function.attempt(value))
    _check_number(function.name, found)
    return int(found)


def _check_number(who: str, found: Any) -> None:
    is_scalar = getattr(getattr(found, "shape", None), "rank", None) == 0
    if not is_scalar or found.dtype not in (dtypes.int32, dtypes.int64):
        raise errors.build(
            errors.DTypeError,
            f"{who}: Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor, got {errors.brief(found)}.",
            "return the number of a shard: lambda x: tf.cast(x, tf.int64) % 4.",
        )


class Shard(Stage):
    """The elements of one file.

    Args:
      path: the file.
      spec: the structure of their specs.
      compression: of the file.
      promised: the structure of specs that the elements must have, if the program gives one.
    """

    def __init__(self, path: str, spec: Any, compression: str, promised: Any = None) -> None:
        self._path, self._specs, self._kind, self._promised = path, spec, compression, promised

    def elements(self) -> Iterator[Any]:
        return guarded(read_elements(self._path, self.spec, self._kind, self._promised))

    def spec(self) -> Any:
        return self._specs


def together(who: str, shards: list[Shard], spec: Any, reader_func: Any, make: Make, in_turn: int) -> Stage:
    """The elements of shards: a user function's result on a dataset of shards, or the elements of several in turn."""
    datasets = Held([make(shard) for shard in shards], DatasetSpec(spec))
    if reader_func is None:
        return Interleave(datasets, Function(who, lambda dataset: dataset), in_turn, 1, None)
    return checked_reader(who, reader_func, make, datasets)


def checked_reader(who: str, reader_func: Any, make: Make, datasets: Stage) -> Stage:
    """The stage of the dataset that a function returns for a dataset of datasets; TypeError for any other result."""
    found = reader_func(make(datasets))
    if not hasattr(found, "_stage"):
        raise TypeError(
            errors.compose(
                f"{who}: `reader_func` must return a `tf.data.Dataset` object, got {errors.brief(found)}.",
                "return the elements of the datasets: lambda datasets: datasets.interleave(lambda x: x).",
            )
        )
    stage: Stage = found._stage
    return stage


def no_shards(spec: Any) -> Stage:
    """An empty dataset of datasets, on which a function that reads shards is tried."""
    return Held([], DatasetSpec(TensorSpec([], dtypes.int64) if spec is None else spec))
