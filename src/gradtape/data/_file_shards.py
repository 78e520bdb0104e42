"""Pipelines that read a part of their files: what `AutoShardPolicy.FILE` gives to each worker."""

from __future__ import annotations

import copy

from gradtape.arrays.movement import reshape
from gradtape.core import errors
from gradtape.data import _shuffle_and_repeat as shuffle_and_repeat
from gradtape.data._cache_and_prefetch import Cache
from gradtape.data._file_stages import Files
from gradtape.data._flat_map import Flattened, inner
from gradtape.data._sources import Slices
from gradtape.data._stage import Stage


def part(stage: Stage, count: int, index: int) -> Stage:
    """A pipeline like a given one that reads every `count`-th of its files, from the one at `index`."""
    if isinstance(stage, Files):
        made = copy.copy(stage)
        paths = stage.inputs[0] if stage.inputs else Slices(reshape(stage._names, (-1,)))
        made._names = _names(paths, count, index)
        made.inputs = (made._names,)
        return made
    if isinstance(stage, Flattened) and _opens_files(stage):
        return _with_inputs(stage, (_names(stage.inputs[0], count, index),))
    if not stage.inputs:
        raise errors.build(
            errors.InvalidArgumentError,
            f"AutoShardPolicy.FILE: the dataset must read files, but begins with a {type(stage).__name__} stage.",
            "use AutoShardPolicy.DATA; or begin with tf.data.TFRecordDataset(paths), or list_files(...).interleave(...).",
        )
    return _with_inputs(stage, tuple([part(s, count, index) for s in stage.inputs]))


def _with_inputs(stage: Stage, inputs: tuple[Stage, ...]) -> Stage:
    made = copy.copy(stage)
    made.inputs, made._unordered = inputs, None
    if isinstance(made, Cache):
        made.forget()
    return made


def _names(stage: Stage, count: int, index: int) -> Stage:
    """Every `count`-th path. They are shuffled afterwards: workers whose orders differ would read some files twice, and others never."""
    if isinstance(stage, shuffle_and_repeat.Shuffle):
        return _with_inputs(stage, (_names(stage.inputs[0], count, index),))
    known = stage.cardinality()
    if 0 <= known < count:
        raise errors.build(
            errors.InvalidArgumentError,
            f"AutoShardPolicy.FILE: {known} file{'' if known == 1 else 's'} cannot be divided among {count} workers.",
            "write the data to more files, or use AutoShardPolicy.DATA.",
        )
    found: Stage = shuffle_and_repeat.shard(stage, count, index)
    return found


def _opens_files(stage: Flattened) -> bool:
    """True if the function of a stage opens files, which the first element tells."""
    for value in stage.inputs[0].values():
        return _reads(inner(stage.function, stage.function.attempt(value)))
    return False


def _reads(stage: Stage) -> bool:
    return isinstance(stage, Files) or any(_reads(s) for s in stage.inputs)
