"""Saving datasets to a folder, and loading them.

The folder holds files of elements and `metadata.json`, which names those files, and says what the elements are and how many.
It is written last, so a save that is interrupted leaves what was there before.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from gradtape.core import atomic_file, errors, os_errors, state
from gradtape.core.plain_file import read_plain
from gradtape.data import _shards as shards
from gradtape.data import _structure as structure
from gradtape.data._element_files import decode_spec, encode_spec, read_elements
from gradtape.data._failure import guarded, raised
from gradtape.data._stage import UNKNOWN, Stage, known_spec
from gradtape.data._traced import Steps
from gradtape.data._user_functions import Function
from gradtape.io._paths import local
from gradtape.io._tfrecord import compression as checked

_METADATA = "metadata.json"
_ELEMENTS = re.compile(r"elements-[0-9a-f]{16}(--?\d+)?\.tfrecord")
_PATIENCE = 60.0  # seconds allowed to another process between writing its elements and its metadata


def save(path: Any, stage: Stage, compression: Any, shard_func: Any = None, checkpoint_args: Any = None) -> None:
    """Write the elements of a stage to a folder. In a function, each run of it writes them."""
    folder, kind = local("save", path), checked("save", compression)
    number = None if shard_func is None else shards.numbering("save", shard_func, stage)
    if state.current.trace is not None:
        steps = Steps(stage)
        steps.start()
        steps.finish(lambda elements: _write(folder, elements, known_spec(stage), kind, number))
        return
    elements = stage.begin() if not checkpoint_args else _checkpointed(stage, checkpoint_args)
    _write(folder, elements, known_spec(stage), kind, number)


def _checkpointed(stage: Stage, options: dict[str, Any]) -> Iterator[Any]:
    """The elements, after each of which a checkpoint of the position may be saved. An interrupted write goes through
    the same elements again."""
    from gradtape.data._iterator import Iterator as Elements
    from gradtape.train import Checkpoint, CheckpointManager

    if "checkpoint" in options:
        raise ValueError(
            errors.compose(
                "save: Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'.",
                "leave it out.",
            )
        )
    iterator = Elements(stage)
    checkpoint = Checkpoint(iterator=iterator)
    manager = CheckpointManager(checkpoint, **options)
    checkpoint.restore(manager.latest_checkpoint)
    iterator.rewind()
    for value in iterator:
        yield value
        if "step_counter" in options:
            options["step_counter"].assign_add(1)
        manager.save(check_interval=True)


def _write(folder: str, elements: Iterator[Any], spec: Any, kind: str, number: Function | None) -> None:
    stem = f"elements-{secrets.token_hex(8)}"
    name = f"{stem}.tfrecord" if number is None else f"{stem}-{{:05d}}.tfrecord"
    writer = shards.ShardWriter(
        lambda shard: os.path.join(folder, name.format(shard)),
        None if number is None else partial(shards.number_of, number),
        kind,
        spec,
    )
    for value in writer.through(elements):
        raised(value)
    before = _files_before(folder)
    form = None if writer.spec is None else encode_spec(writer.spec)
    files = [name.format(shard) for shard in writer.shards]
    with os_errors.translating():
        try:
            with atomic_file.replacing(os.path.join(folder, _METADATA), folders=True) as file:
                # One file is named as in older versions, which can read the folder then.
                named = {"file": files[0]} if number is None else {"files": files}
                file.write(json.dumps({**named, "count": writer.count, "spec": form}).encode())
        except BaseException:
            for own in files:
                os.remove(os.path.join(folder, own))
            raise
        _sweep(folder, files, before)


def _files_before(folder: str) -> Sequence[str]:
    """The files of the replaced dataset; none if its metadata cannot be read."""
    try:
        found: Sequence[str] = _metadata(folder)["files"]
    except (errors.NotFoundError, errors.DataLossError):
        return ()
    return found


def _sweep(folder: str, files: Sequence[str], before: Sequence[str]) -> None:
    """Remove replaced elements, and those left by a killed process."""
    with os.scandir(folder) as entries:
        for entry in entries:
            is_old = entry.name in before or time.time() - entry.stat().st_mtime > _PATIENCE
            if entry.name not in files and _ELEMENTS.fullmatch(entry.name) and is_old:
                os.remove(entry.path)


class Saved(Stage):
    """The elements of a folder, or of a file of an older version."""

    def __init__(
        self, path: Any, spec: Any = None, compression: Any = None, reader_func: Any = None, make: Any = None
    ) -> None:
        self._promised = spec
        place, self._spec, self._kind = local("load", path), spec, checked("load", compression)
        self._count, self._files = UNKNOWN, [place]
        if not os.path.exists(place):
            raise errors.build(errors.NotFoundError, f"load: {path} is not there.", "save a dataset there first.")
        if os.path.isdir(place):
            found = _metadata(place)
            self._files, self._count = [os.path.join(place, name) for name in found["files"]], found["count"]
            self._spec = found["spec"] if spec is None else spec
        self._content: Stage | None = None
        if len(self._files) != 1 or reader_func is not None:
            files = [shards.Shard(file, self._spec, self._kind, spec) for file in self._files]
            self._content = shards.together("load", files, self._spec, reader_func, make, shards.processors())

    def elements(self) -> Iterator[Any]:
        if self._content is not None:
            return self._content.elements()
        return guarded(read_elements(self._files[0], self.spec, self._kind, self._promised))

    def cardinality(self) -> int:
        return self._count

    def spec(self) -> Any:
        if self._spec is None and self._files:
            for value in read_elements(self._files[0], None, self._kind):
                self._spec = structure.spec(value)
                break
        return self._spec


def _metadata(folder: str) -> dict[str, Any]:
    """The metadata of a folder's elements."""
    path = os.path.join(folder, _METADATA)
    if not os.path.exists(path):
        raise errors.build(
            errors.NotFoundError,
            f"load: {folder} holds no dataset.",
            "save a dataset there first.",
        )
    try:
        found = json.loads(read_plain(path))
        names, count = found["files"] if "files" in found else [found["file"]], int(found["count"])
        if not all(_ELEMENTS.fullmatch(name) for name in names) or not 0 <= count < 1 << 63:
            raise ValueError(f"the files {names!r} of {count} elements")
        return {"files": names, "count": count, "spec": None if found["spec"] is None else decode_spec(found["spec"])}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, OSError) as problem:
        raise errors.build(
            errors.DataLossError, f"load: {path} is damaged: {problem}", "save the dataset again."
        ) from problem
