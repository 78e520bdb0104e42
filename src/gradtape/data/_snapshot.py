"""Snapshots: the elements of a pipeline, stored in a folder for later iterations and programs.

    <path>/<fingerprint of the pipeline>/snapshot.metadata      which run is the one to read, how many elements it has, and of what kind
    <path>/<fingerprint of the pipeline>/<run>/00000000.shard   elements

So several pipelines may share a folder. Each iteration that finds no metadata writes a run of its own; the last to end is read from then on.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

from gradtape.core import atomic_file, errors
from gradtape.core.plain_file import read_plain
from gradtape.data import _shards as shards
from gradtape.data._element_files import decode_spec, encode_spec
from gradtape.data._failure import guarded
from gradtape.data._fingerprint import fingerprint
from gradtape.data._stage import Chosen, Stage, known_spec
from gradtape.io._paths import local

_METADATA = "snapshot.metadata"
_COMPRESSIONS = {"AUTO": "", "SNAPPY": "", "GZIP": "GZIP", "": "", None: ""}
_PATIENCE = 60.0  # seconds after which an empty run is abandoned


class Snapshot(Chosen):
    """The elements of a stage, which the first complete iteration writes to a folder and later ones read from there."""

    def __init__(
        self, source: Stage, path: Any, compression: Any, reader_func: Any, shard_func: Any, make: shards.Make
    ) -> None:
        super().__init__(source)
        self._path, self._reader, self._make = local("snapshot", path), reader_func, make
        if compression not in _COMPRESSIONS:
            raise errors.build(
                errors.InvalidArgumentError,
                f"snapshot: compression must be AUTO, GZIP, SNAPPY or None, got {compression!r}.",
                "leave it out.",
            )
        self._compression = _COMPRESSIONS[compression]
        self._number = None if shard_func is None else shards.numbering("snapshot", shard_func, source)
        if reader_func is not None:
            shards.checked_reader("snapshot", reader_func, make, shards.no_shards(known_spec(source, may_trace=False)))

    def table(self) -> None:
        return None

    def elements(self) -> Iterator[Any]:
        return guarded(self._read_or_write())

    def _read_or_write(self) -> Iterator[Any]:
        folder = os.path.join(self._path, fingerprint(self.inputs[0]))
        if os.path.exists(os.path.join(folder, _METADATA)):
            yield from self._read(folder)
        else:
            yield from self._write(folder)

    def _read(self, folder: str) -> Iterator[Any]:
        found = _metadata(folder)
        spec = known_spec(self.inputs[0])  # the file has no names of named tuples
        spec = found["spec"] if spec is None else spec
        files = [
            shards.Shard(_path(folder, found["run"], number), spec, found["compression"]) for number in found["shards"]
        ]
        # Elements that were distributed round-robin are read back in their order.
        in_turn = max(len(files), 1) if found["is_dealt"] else shards.processors()
        return shards.together("snapshot", files, spec, self._reader, self._make, in_turn).elements()

    def _write(self, folder: str) -> Iterator[Any]:
        _sweep(folder)
        run, dealt = str(secrets.randbits(63)), count()

        def number(value: Any) -> int:
            if self._number is not None:
                return shards.number_of(self._number, value)
            return next(dealt) % shards.processors()

        source, spec = self.inputs[0], known_spec(self.inputs[0])
        writer = shards.ShardWriter(lambda n: _path(folder, run, n), number, self._compression, spec)
        try:
            last = yield from writer.through(source.elements(), source.cardinality())
        except BaseException:
            with suppress(OSError):
                os.rmdir(os.path.join(folder, run))
            raise
        atomic_file.make_folder(os.path.join(folder, run))
        written = {
            "run": run,
            "shards": writer.shards,
            "is_dealt": self._number is None,
            "compression": self._compression,
            "count": writer.count,
            "spec": None if writer.spec is None else encode_spec(writer.spec),
        }
        with atomic_file.replacing(os.path.join(folder, _METADATA)) as file:
            file.write(json.dumps(written).encode())
        yield from last


def _path(folder: str, run: str, number: int) -> str:
    return os.path.join(folder, run, f"{number:08d}.shard")


def _sweep(folder: str) -> None:
    """Remove abandoned runs, left by a killed process or a full disk."""
    with suppress(OSError), os.scandir(folder) as runs:
        for run in runs:
            if run.is_dir(follow_symlinks=False) and time.time() - run.stat().st_mtime > _PATIENCE:
                atomic_file.sweep(run.path)
                with suppress(OSError):  # it is not empty
                    os.rmdir(run.path)


def _metadata(folder: str) -> dict[str, Any]:
    """The metadata of the run to read."""
    path = os.path.join(folder, _METADATA)
    try:
        found = json.loads(read_plain(path))
        run, numbers = int(found["run"]), [int(number) for number in found["shards"]]
        if found["compression"] not in ("", "GZIP"):
            raise ValueError(f"the compression {found['compression']!r}")
        spec = None if found["spec"] is None else decode_spec(found["spec"])
        return {**found, "run": str(run), "shards": numbers, "is_dealt": bool(found["is_dealt"]), "spec": spec}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, OSError) as problem:
        raise errors.build(
            errors.DataLossError, f"snapshot: {path} is damaged: {problem}", "remove the folder of the snapshot."
        ) from problem
