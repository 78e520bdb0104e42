"""Machine code on disk: what one process has compiled, the next one loads.

A file holds one kernel, under a name made of everything that its code depends on: the description of the kernel, the machine, the
versions of gradtape, llvmlite and Python's pointer size. Files are written beside and renamed, so that processes may share the folder;
one that is cut off, changed or of another format is not used. When the folder grows beyond its limit, the files that have not
been used for the longest time go.

The folder is `gradtape/kernels` in the user's cache folder (XDG_CACHE_HOME); GRADTAPE_CACHE names another one, or is `off`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import os
import stat
import struct
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from gradtape.compiler.simd import machine
from gradtape.compiler.simd.machine import Code, Library, host
from gradtape.core.dtypes import DType
from gradtape.core.op import REGISTRY, Op

LIMIT = 512 << 20  # bytes of all files
_MAGIC = b"gradtape kernel 1\n"
_DIGEST = 32
_PARTS = 256  # folders in the folder, by the first byte of a name


class Entry(NamedTuple):
    """A kernel as it is kept."""

    code: Code
    task: str
    chunks: int


def text_of(key: Any) -> str | None:
    """A text that is equal for equal descriptions only; None if a description has parts that no text can stand for."""
    parts: list[str] = []
    return "".join(parts) if _write(key, parts) else None


def _write(key: Any, parts: list[str]) -> bool:
    kind = type(key)
    if key is None or kind in (bool, int, float, complex, str, bytes):
        parts.append(repr(key))
    elif isinstance(key, tuple):
        parts.append(f"{kind.__name__}(")
        for item in key:
            if not _write(item, parts):
                return False
            parts.append(",")
        parts.append(")")
    elif kind is DType:
        parts.append(key.name)
    elif isinstance(key, Op) and REGISTRY.get(key.name) is key and type(key).__module__.startswith("gradtape."):
        # The rules of ops that others declare may change between two runs, or under the same name.
        parts.append(f"op {key.name}")
    elif dataclasses.is_dataclass(key) and not isinstance(key, type):
        parts.append(kind.__name__)
        return _write(tuple([getattr(key, f.name) for f in dataclasses.fields(key)]), parts)
    else:
        return False
    return True


def load(text: str) -> Entry | None:
    """The kernel that was kept under a text, if there is one."""
    place = _place(text)
    if place is None:
        return None
    try:
        content = place.read_bytes()
    except OSError:
        return None
    entry = _unpacked(content)
    with contextlib.suppress(OSError):
        if entry is None:
            place.unlink()
        else:
            os.utime(place)
    return entry


def store(text: str, entry: Entry) -> None:
    """Keep a kernel. Nothing happens where that is not possible: a full disk, a folder that cannot be written."""
    place = _place(text)
    if place is None:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_packed(entry))
            os.replace(name, place)
        except BaseException:
            os.unlink(name)
            raise
        _note_written(place.parent)
    except OSError:
        return


def library(key: Any, make: Callable[[], Any]) -> Library:
    """The machine code of a module, or of LLVM's text of one, that `make` gives and the key describes. Names that it needs from the
    process must be known to LLVM before."""
    text = text_of(key)
    entry = None if text is None else load(text)
    if entry is None:
        entry = Entry(machine.translate(make()), "", 0)
        if text is not None:
            store(text, entry)
    return machine.load(entry.code)


def _packed(entry: Entry) -> bytes:
    names = ["\n".join(names).encode() for names in (entry.code.exports, entry.code.imports, (entry.task,))]
    parts = [*names, entry.code.image]
    body = struct.pack("<q", entry.chunks) + b"".join(struct.pack("<q", len(p)) + p for p in parts)
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpacked(content: bytes) -> Entry | None:
    head = len(_MAGIC) + _DIGEST
    body = content[head:]
    if content[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != content[len(_MAGIC) : head]:
        return None
    (chunks,), at, parts = struct.unpack_from("<q", body), 8, []
    for _ in range(4):
        (size,) = struct.unpack_from("<q", body, at)
        parts.append(body[at + 8 : at + 8 + size])
        at += 8 + size
    exports, imports = [tuple(p.decode().split("\n")) if p else () for p in parts[:2]]
    return Entry(Code(parts[3], exports, imports), parts[2].decode(), chunks)


def _place(text: str) -> Path | None:
    """The file of a text; None if nothing is kept on disk."""
    root = folder()
    if root is None:
        return None
    name = hashlib.sha256(f"{_version()}\n{text}".encode()).hexdigest()
    return root / name[:2] / name[2:]


def folder() -> Path | None:
    """Where kernels are kept; None if they are not, or if the folder is not the user's own."""
    return _folder(os.environ.get("GRADTAPE_CACHE", ""), os.environ.get("XDG_CACHE_HOME", ""))


@functools.lru_cache(maxsize=8)
def _folder(wanted: str, cache_home: str) -> Path | None:
    if wanted.lower() in ("off", "0", "false", "no"):
        return None
    try:
        root = Path(wanted) if wanted else Path(cache_home or Path.home() / ".cache") / "gradtape" / "kernels"
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid"):
            found = root.stat()
            # Code is run from here: nobody else may have put it there.
            if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
    except (OSError, RuntimeError):
        return None
    return root


@functools.lru_cache(maxsize=1)
def _version() -> str:
    """What all kernels depend on. A change in gradtape's own files counts, so that work on them never meets old code."""
    import llvmlite

    package = Path(__file__).parent.parent
    newest = max(
        (entry.stat().st_mtime_ns for sub in ("compiler", "ops", "core") for entry in (package / sub).rglob("*.py")),
        default=0,
    )
    here = host()
    return "\n".join([str(newest), llvmlite.__version__, here.triple, here.cpu, here.features, str(sys.maxsize)])


_written = 0


def _note_written(place: Path) -> None:
    """Every now and then, see that the folder keeps its limit: the part of it that was written to keeps its share. Names are
    random, so all 256 parts grow alike, and nobody has to look at all files, which may be many thousands."""
    global _written
    _written += 1
    if _written % 8 == 1:
        clean(place, LIMIT // _PARTS)


def clean(root: Path, limit: int = LIMIT) -> None:
    """Remove the files that have not been used for the longest time, until the others keep the limit."""
    files = []
    for path in root.rglob("*"):
        with contextlib.suppress(OSError):
            found = path.stat()
            if stat.S_ISREG(found.st_mode):
                files.append((found.st_mtime, found.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size
