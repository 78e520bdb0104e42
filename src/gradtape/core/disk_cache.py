"""Files that one process keeps for the next ones: machine code, and functions that AutoGraph has rewritten.

A file has a name made of a text that says everything its content depends on. Files are written beside and renamed, so that processes
may share the folder; one that is cut off or changed is not used. When the folder grows beyond its limit, the files that have not
been used for the longest time go.

The folder is `gradtape/kernels` in the user's cache folder (XDG_CACHE_HOME); GRADTAPE_CACHE names another one, or is `off`.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from collections.abc import Iterable

try:  # hashlib would load all of OpenSSL
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

LIMIT = 512 << 20  # bytes of all files
_DIGEST = 32
_PARTS = 256  # folders in the folder, by the first byte of a name


def read(text: str) -> bytes | None:
    """What was kept under a text; None if there is nothing, or nothing whole."""
    place = place_of(text)
    if place is None:
        return None
    try:
        with open(place, "rb") as file:
            content = file.read()
    except OSError:
        return None
    body = content[_DIGEST:]
    with contextlib.suppress(OSError):
        if _digest(body) != content[:_DIGEST]:
            os.unlink(place)
            return None
        os.utime(place)
    return body


def write(text: str, body: bytes) -> None:
    """Keep something. Nothing happens where that is not possible: a full disk, a folder that cannot be written."""
    place = place_of(text)
    if place is None:
        return
    part = os.path.dirname(place)
    beside = os.path.join(part, f".new-{os.getpid()}-{os.urandom(8).hex()}")
    try:
        os.makedirs(part, exist_ok=True)
        try:
            with open(beside, "xb") as file:
                file.write(_digest(body) + body)
            os.replace(beside, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        _note_written(part)
    except OSError:
        return


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=_DIGEST).digest()


def place_of(text: str) -> str | None:
    """The file of a text; None if nothing is kept on disk."""
    root = folder()
    if root is None:
        return None
    name = blake2b(text.encode(), digest_size=_DIGEST).hexdigest()
    return os.path.join(root, name[:2], name[2:])


def folder() -> str | None:
    """Where files are kept; None if they are not, or if the folder is not the user's own."""
    return _folder(os.environ.get("GRADTAPE_CACHE", ""), os.environ.get("XDG_CACHE_HOME", ""))


@functools.lru_cache(maxsize=8)
def _folder(wanted: str, cache_home: str) -> str | None:
    if wanted.lower() in ("off", "0", "false", "no"):
        return None
    try:
        home = cache_home or os.path.join(os.path.expanduser("~"), ".cache")
        root = wanted or os.path.join(home, "gradtape", "kernels")
        os.makedirs(root, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid"):
            found = os.stat(root)
            # Code is run from here: nobody else may have put it there.
            if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
    except OSError:
        return None
    return root


def newest(folders: Iterable[str]) -> int:
    """When one of the Python files in some folders, and in those in them, was changed last: a change in gradtape's own files
    counts as another version, so that work on them never meets what older ones have made."""
    latest = 0
    for root in folders:
        with contextlib.suppress(OSError), os.scandir(root) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    latest = max(latest, entry.stat().st_mtime_ns)
                elif entry.is_dir() and entry.name != "__pycache__":
                    latest = max(latest, newest([entry.path]))
    return latest


_written = 0


def _note_written(part: str) -> None:
    """Every now and then, see that the folder keeps its limit: the part of it that was written to keeps its share. Names are
    random, so all 256 parts grow alike, and nobody has to look at all files, which may be many thousands."""
    global _written
    _written += 1
    if _written % 8 == 1:
        clean(part, LIMIT // _PARTS)


def clean(root: str | os.PathLike[str], limit: int = LIMIT) -> None:
    """Remove the files that have not been used for the longest time, until the others keep the limit."""
    files = []
    for inside, _, names in os.walk(root):
        for name in names:
            path = os.path.join(inside, name)
            with contextlib.suppress(OSError):
                found = os.stat(path)
                files.append((found.st_mtime, found.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
