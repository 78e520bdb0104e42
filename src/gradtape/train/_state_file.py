"""The file `checkpoint` in a folder: which checkpoints are there, and which is the latest.

It is text, in TensorFlow's form:

    model_checkpoint_path: "ckpt-2"
    all_model_checkpoint_paths: "ckpt-1"
    all_model_checkpoint_paths: "ckpt-2"
    all_model_checkpoint_timestamps: 1700000000.5
"""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gradtape.core import errors, log
from gradtape.core.plain_file import read_plain
from gradtape.train import _file_format as file_format

STATE_FILE = "checkpoint"
_SUFFIX = ".index"


def file_of(path: str) -> Path:
    """The file of a checkpoint."""
    return Path(path if path.endswith(_SUFFIX) else path + _SUFFIX)


@dataclasses.dataclass
class CheckpointState:
    """The content of a folder's file `checkpoint`, with full paths."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: list[str]
    all_model_checkpoint_timestamps: list[float] = dataclasses.field(default_factory=list)
    last_preserved_timestamp: float = 0.0


def remember(
    folder: Path,
    latest: str,
    paths: Sequence[str],
    timestamps: Sequence[float] = (),
    preserved: float | None = None,
    name: str | None = None,
) -> None:
    """Write a folder's file `checkpoint`."""
    lines = [f"model_checkpoint_path: {_relative(latest, folder)}"]
    lines += [f"all_model_checkpoint_paths: {_relative(path, folder)}" for path in paths]
    lines += [f"all_model_checkpoint_timestamps: {stamp!r}" for stamp in timestamps]
    if preserved is not None:
        lines.append(f"last_preserved_timestamp: {preserved!r}")
    with file_format.replacing(folder / (name or STATE_FILE)) as file:
        file.write("\n".join([*lines, ""]).encode())


def _relative(path: str, folder: Path) -> str:
    inside = Path(path).parent == folder
    return json.dumps(Path(path).name if inside else os.path.abspath(path), ensure_ascii=False)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> CheckpointState | None:
    """The content of a folder's file `checkpoint`; None if it is missing or unreadable.

    ValueError if it names no checkpoint.

    >>> tf.train.get_checkpoint_state("/no/such/folder") is None
    True
    """
    folder = os.fspath(checkpoint_dir)
    try:
        text = read_plain(Path(folder, latest_filename or STATE_FILE)).decode()
        state = CheckpointState("", [])
        for line in text.splitlines():
            name, _, value = line.strip().partition(": ")
            if name == "model_checkpoint_path":
                state.model_checkpoint_path = os.path.join(folder, json.loads(value))
            elif name == "all_model_checkpoint_paths":
                state.all_model_checkpoint_paths.append(os.path.join(folder, json.loads(value)))
            elif name == "all_model_checkpoint_timestamps":
                state.all_model_checkpoint_timestamps.append(float(value))
            elif name == "last_preserved_timestamp":
                state.last_preserved_timestamp = float(value)
            elif line.strip():
                raise ValueError(f"there is no {name!r} in such a file")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError, OSError, RecursionError) as problem:
        log.warning("%s: the file 'checkpoint' cannot be read and is not used (%s).", folder, problem)
        return None
    if not state.model_checkpoint_path:
        raise errors.build(
            ValueError,
            f"get_checkpoint_state: the file {latest_filename or STATE_FILE!r} in {folder} does not name a latest checkpoint.",
            "delete it: it was not written to its end, or is another program's.",
        )
    if state.model_checkpoint_path not in state.all_model_checkpoint_paths:
        state.all_model_checkpoint_paths.append(state.model_checkpoint_path)
    return state


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint in a folder, for `restore`; None if there is none.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder) is None
    True
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(folder + "/ckpt")
    >>> tf.train.latest_checkpoint(folder) == path
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not state.model_checkpoint_path:
        return None
    if file_of(state.model_checkpoint_path).exists():
        return state.model_checkpoint_path
    log.warning("%s: the latest checkpoint is recorded as %s, which does not exist.", checkpoint_dir, file_of(
        state.model_checkpoint_path
    ).name)  # fmt: skip
    return None


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], Any] | None = None,
) -> Iterator[str]:
    """New checkpoints in a folder, as another process writes them.

    Args:
      checkpoint_dir: the folder.
      min_interval_secs: at least so long between two.
      timeout: seconds to wait for a new one; None for ever.
      timeout_fn: called when the time is over; the iteration ends if it returns true, or if there is none.

    >>> list(tf.train.checkpoints_iterator("/no/such/folder", timeout=0))
    []
    """
    last = None
    while True:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (found := latest_checkpoint(checkpoint_dir)) is None or found == last:
            if deadline is not None and time.monotonic() >= deadline:
                break
            time.sleep(0.1)
        else:
            start = time.monotonic()
            last = found
            yield found
            time.sleep(max(0.0, min_interval_secs - (time.monotonic() - start)))
            continue
        if timeout_fn is None or timeout_fn():
            return
