"""The folder of a saved model.

    saved_model.json          what was saved: {"format", "version", "tags", "arrays": the name of the file, ...}
    arrays-<process>-<time>   the arrays, as a file of checkpoints
    assets/                   copies of files that belong to the object

`saved_model.json` is written last, and takes the place of an earlier one in one step: whoever is killed before leaves the
earlier model as it was. Files that nobody refers to are removed afterwards.
"""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gradtape.core import errors, locks, os_errors
from gradtape.core.atomic_file import is_running, make_folder
from gradtape.core.os_errors import with_errors
from gradtape.core.plain_file import read_plain
from gradtape.train import _file_format as file_format

FORMAT, VERSION = "gradtape saved model", 1
FILE, ASSETS = "saved_model.json", "assets"
_ARRAYS = "arrays-"
_FOREIGN = ("saved_model.pb", "saved_model.pbtxt")
_lock = locks.lock("saved model")


@with_errors
def write(folder: Path, content: dict[str, Any], arrays: Mapping[str, Any], assets: Sequence[str]) -> None:
    """Write a model; an existing one is replaced atomically.

    Args:
      folder: where.
      content: what is said of the arrays, as JSON.
      arrays: by name.
      assets: paths of files to copy; `content` refers to them by their order.
    """
    with _lock:
        make_folder(folder)
        name = f"{_ARRAYS}{os.getpid()}-{time.time_ns()}"
        copies = _copied(folder / ASSETS, assets)
        head = {"format": FORMAT, "version": VERSION, "arrays": name, "assets": copies}
        try:
            file_format.write(folder / name, arrays, {})
            with file_format.replacing(folder / FILE) as file:
                file.write(json.dumps(head | content, ensure_ascii=False).encode())
        except BaseException:
            if not _refers_to(
                folder, name
            ):  # the description may have its place already, though it is not known to last
                (folder / name).unlink(missing_ok=True)
            raise
        _sweep(folder, name, copies)


def _refers_to(folder: Path, name: str) -> bool:
    try:
        return name.encode() in (folder / FILE).read_bytes()
    except OSError:
        return False


def _copied(folder: Path, assets: Sequence[str]) -> list[str]:
    """The names of the copies of files. A file with different content is never overwritten: an earlier model may need it."""
    names: list[str] = []
    for path in assets:
        source = Path(path)
        if not source.is_file():
            raise errors.build(
                errors.NotFoundError, f"saved_model.save: there is no file {path!r}.", "check the path of the asset."
            )
        number, name = 0, source.name
        while (folder / name).exists() and not filecmp.cmp(source, folder / name, shallow=False):
            number += 1
            name = f"{source.name}_{number}"
        if not (folder / name).exists():
            with file_format.replacing(folder / name) as file, open(source, "rb") as original:
                shutil.copyfileobj(original, file)
        names.append(name)
    return names


def _sweep(folder: Path, arrays: str, assets: Sequence[str]) -> None:
    """Remove files that no model refers to any more, and files left by killed processes."""
    for path in folder.glob(f"{_ARRAYS}*"):
        owner = path.name.removeprefix(_ARRAYS).partition("-")[0]
        is_own = owner == str(os.getpid())
        if path.name != arrays and (is_own or not owner.isdigit() or not is_running(int(owner))):
            path.unlink(missing_ok=True)
    kept = set(assets)
    for path in (folder / ASSETS).glob("*"):
        if path.name not in kept:
            path.unlink(missing_ok=True)


def exists(folder: Path) -> bool:
    """True if a folder holds a saved model."""
    return (folder / FILE).is_file()


def read(folder: Path) -> tuple[dict[str, Any], file_format.Reader]:
    """The content and the arrays of a saved model."""
    while True:
        text = _text(folder)
        content = _checked(folder, text)
        try:
            return content, file_format.Reader(folder / plain_name(folder, content.get("arrays")))
        except (errors.NotFoundError, errors.DataLossError) as problem:
            if _text(folder) == text:  # not replaced meanwhile by another process
                what = problem.message.partition("\n")[0]
                if isinstance(problem, errors.NotFoundError):
                    what = f"{content['arrays']} is missing."
                raise damaged(folder, what) from None


def _text(folder: Path) -> bytes:
    try:
        return read_plain(folder / FILE)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as problem:
        raise os_errors.translated(problem) from None
    if any((folder / name).exists() for name in _FOREIGN):
        raise errors.build(
            errors.UnimplementedError,
            f"saved_model.load: {str(folder)!r} was written by TensorFlow, and cannot be read.",
            "its graphs cannot be run here: load the weights there, save them as .npz, and assign them.",
        )
    raise errors.build(
        errors.MissingModelError,
        f"saved_model.load: SavedModel file does not exist at: {str(folder / FILE)!r}.",
        "check the path; it is the folder that tf.saved_model.save was given.",
    )


def _checked(folder: Path, text: bytes) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged(folder, f"{FILE} is cut off, or is no JSON.") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise errors.build(
            errors.DataLossError,
            f"saved_model.load: {str(folder / FILE)!r} is not a saved model of gradtape.",
            "check the path; it is the folder that tf.saved_model.save was given.",
        )
    if not isinstance(content.get("version"), int):
        raise damaged(folder, "it has no version.")
    if content["version"] > VERSION:
        raise errors.build(
            errors.UnimplementedError,
            f"saved_model.load: {str(folder)!r} has version {content['version']} of the format; this gradtape reads "
            f"version {VERSION} only.",
            "load it with the version of gradtape that saved it, or a later one.",
        )
    return content


def plain_name(folder: Path, name: Any) -> str:
    """The name of a file in the folder; DataLossError for one that leads elsewhere."""
    if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or os.sep in name or "\0" in name:
        raise damaged(folder, f"{name!r} is not the name of a file in it.")
    return name


def damaged(folder: Path, what: str) -> Exception:
    """The error for a damaged model."""
    return errors.build(
        errors.DataLossError,
        f"saved_model.load: {str(folder)!r} is damaged: {what}",
        "save it again; models that gradtape writes are complete when they appear.",
    )
