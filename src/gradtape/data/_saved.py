"""Datasets that are saved in a folder, and loaded.

The folder holds a file of the elements and `metadata.json`, which names that file, and says what the elements are and how many.
It is written last, so a save that is interrupted leaves what was there before.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Iterator
from typing import Any

from gradtape.core import atomic_file, errors, os_errors
from gradtape.core.plain_file import read_plain
from gradtape.data._element_files import decode_spec, encode_spec, read_elements, write_elements
from gradtape.data._failure import guarded, raised
from gradtape.data._stage import UNKNOWN, Stage, known_spec
from gradtape.io._paths import local
from gradtape.io._tfrecord import compression as checked

_METADATA = "metadata.json"
_ELEMENTS = re.compile(r"elements-[0-9a-f]{16}\.tfrecord")
_PATIENCE = 60.0  # seconds that another process may take from its elements to its metadata


def save(path: Any, stage: Stage, compression: Any) -> None:
    """Write the elements of a stage to a folder."""
    folder, kind = local("save", path), checked("save", compression)
    name, spec, count = f"elements-{secrets.token_hex(8)}.tfrecord", known_spec(stage), 0
    for value in write_elements(os.path.join(folder, name), stage.begin(), spec, kind):
        raised(value)
        if spec is None:
            from gradtape.data import _structure as structure

            spec = structure.spec(value)
        count += 1
    before = _metadata(folder) if os.path.exists(os.path.join(folder, _METADATA)) else {}
    form = None if spec is None else encode_spec(spec)
    with os_errors.translating():
        try:
            with atomic_file.replacing(os.path.join(folder, _METADATA), folders=True) as file:
                file.write(json.dumps({"file": name, "count": count, "spec": form}).encode())
        except BaseException:
            os.remove(os.path.join(folder, name))
            raise
        _sweep(folder, name, before.get("file"))


def _sweep(folder: str, name: str, before: str | None) -> None:
    """Remove the elements that were replaced, and those that a killed process left."""
    with os.scandir(folder) as entries:
        for entry in entries:
            is_old = entry.name == before or time.time() - entry.stat().st_mtime > _PATIENCE
            if entry.name != name and _ELEMENTS.fullmatch(entry.name) and is_old:
                os.remove(entry.path)


class Saved(Stage):
    """The elements of a folder, or of a file of an older version."""

    def __init__(self, path: Any, spec: Any = None, compression: Any = None) -> None:
        self._path, self._spec, self._kind = local("load", path), spec, checked("load", compression)
        self._count = UNKNOWN
        if not os.path.exists(self._path):
            raise errors.build(errors.NotFoundError, f"load: {path} is not there.", "save a dataset there first.")
        if os.path.isdir(self._path):
            found = _metadata(self._path)
            self._path, self._count = os.path.join(self._path, found["file"]), found["count"]
            self._spec = found["spec"] if spec is None else spec

    def elements(self) -> Iterator[Any]:
        return guarded(read_elements(self._path, self.spec, self._kind))

    def cardinality(self) -> int:
        return self._count

    def spec(self) -> Any:
        if self._spec is None:
            from gradtape.data import _structure as structure

            for value in read_elements(self._path, None, self._kind):
                self._spec = structure.spec(value)
                break
        return self._spec


def _metadata(folder: str) -> dict[str, Any]:
    """What a folder says of the elements in it."""
    path = os.path.join(folder, _METADATA)
    if not os.path.exists(path):
        raise errors.build(
            errors.NotFoundError,
            f"load: {folder} holds no dataset.",
            "save a dataset there first.",
        )
    try:
        found = json.loads(read_plain(path))
        name, count = found["file"], int(found["count"])
        if not _ELEMENTS.fullmatch(name) or count < 0:
            raise ValueError(f"the file {name!r} of {count} elements")
        return {"file": name, "count": count, "spec": None if found["spec"] is None else decode_spec(found["spec"])}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, OSError) as problem:
        raise errors.build(
            errors.DataLossError, f"load: {path} is damaged: {problem}", "save the dataset again."
        ) from problem
