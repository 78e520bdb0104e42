"""Files that one process keeps for the next ones: machine code, and functions that AutoGraph has rewritten.

A file has a name made of a text that says everything its content depends on. Files are written beside and renamed, so that processes
may share the folder; one that is cut off or changed is not used. When the folder grows beyond its limit, the files that have not
been used for the longest time go.

What is read here is executed, so nobody else may have put it there: the folder, its parts and its files belong to the user, who alone
may write them. A file is looked at after it was opened, and must be a plain one: no link, no pipe. Anything else is not used, and
a warning says so, once.

The folder is `gradtape/kernels` in the user's cache folder (XDG_CACHE_HOME); GRADTAPE_CACHE names another one, or is `off`.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import stat
import sys
from collections.abc import Iterable, Iterator

from gradtape.core.plain_file import is_own

try:  # hashlib would load all of OpenSSL
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

LIMIT = 512 << 20  # bytes of all files
_DIGEST = 32
_PARTS = 256  # folders in the folder, by the first byte of a name
# Absent on Windows, where other users cannot write to one's profile.
_PLAIN = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def read(text: str) -> bytes | None:
    """What was kept under a text; None if there is nothing, or nothing whole, or if another user may have written it."""
    place = place_of(text)
    if place is None:
        return None
    try:
        handle = os.open(place, os.O_RDONLY | _PLAIN)
    except OSError as problem:
        if problem.errno in (
            errno.ELOOP,
            errno.EACCES,
            errno.EPERM,
            errno.ENXIO,
        ):  # a link, or what cannot be read like a file
            _refuse(place)
        return None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or not is_own(found):
        os.close(handle)
        _refuse(place)
        return None
    with open(handle, "rb") as file:
        content = file.read()
        body = content[_DIGEST:]
        with contextlib.suppress(OSError):
            if _digest(place, body) != content[:_DIGEST]:
                os.unlink(place)
                return None
            os.utime(handle if os.utime in os.supports_fd else place)
    return body


def write(text: str, body: bytes) -> None:
    """Keep something. Nothing happens where that is not possible: a full disk, a folder that cannot be written."""
    place = place_of(text)
    if place is None:
        return
    part = os.path.dirname(place)
    beside = os.path.join(part, f".new-{os.getpid()}-{os.urandom(8).hex()}")
    try:
        if not _makes_own(part):
            return
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o600)
            with open(handle, "wb") as file:
                file.write(_digest(place, body) + body)
            os.replace(beside, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        _note_written(part)
    except OSError:
        return


def _digest(place: str, body: bytes) -> bytes:
    """The checksum of what is kept in a place: what was kept in another one does not have it."""
    return blake2b(os.path.basename(place).encode() + body, digest_size=_DIGEST).digest()


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
        os.makedirs(os.path.dirname(os.path.abspath(root)), exist_ok=True)
        return root if _makes_own(root) else None
    except OSError:
        return None


def _makes_own(path: str) -> bool:
    """True if a folder is the user's own, which is made if it is not there; others are refused with a warning."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    found = os.stat(path)
    if stat.S_ISDIR(found.st_mode) and is_own(found):
        return True
    _refuse(path)
    return False


_has_refused = False


def _refuse(path: str) -> None:
    """Warn of a file or folder that is not used: of the first one only."""
    global _has_refused
    if _has_refused:
        return
    _has_refused = True
    import warnings

    from gradtape.core.errors import CompilerWarning

    warnings.warn(
        f"the kernel cache refuses {path}: it is not a plain file or folder that you own and that only you may write.\n"
        "  fix: remove it, or set GRADTAPE_CACHE to a private folder, or to off.",
        CompilerWarning,
        stacklevel=2,
    )


def library_version() -> str:
    """The version of gradtape. By its name: the package itself is a layer above this one."""
    return str(sys.modules["gradtape"].__version__)


def fingerprint(folders: Iterable[str]) -> str:
    """A hash of the Python files in some folders, and in those in them: a change in gradtape's own files counts as another version,
    whatever their times say.

    The hash of the contents is kept on disk under what the system says of the files (sizes, times, inodes), which takes a
    tenth of the time to collect.
    """
    files = sorted([entry for root in folders for entry in _sources(root)], key=lambda entry: entry.path)
    if not files:  # an archive, or compiled files alone: nobody can tell whether they have changed
        return os.urandom(_DIGEST).hex()
    found = [(entry.path, entry.stat()) for entry in files]
    signs = [(p, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino, s.st_dev) for p, s in found]
    key = f"gradtape sources 1\n{signs!r}"
    kept = read(key)
    if kept is not None:
        return kept.decode()
    whole = blake2b(digest_size=_DIGEST)
    for path, _ in found:
        with open(path, "rb") as file:
            content = file.read()
        whole.update(f"{os.path.basename(path)} {len(content)}\n".encode() + content)
    write(key, whole.hexdigest().encode())
    return whole.hexdigest()


def _sources(root: str) -> Iterator[os.DirEntry[str]]:
    with contextlib.suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _sources(entry.path)


_written = 0


def _note_written(part: str) -> None:
    """Every now and then, see that the folder keeps its limit: the part of it that was written to keeps its share. Names are
    random, so all 256 parts grow alike, and nobody has to look at all files, which may be many thousands."""
    global _written
    _written += 1
    if _written % 8 == 1:
        clean(part, LIMIT // _PARTS)


def entries(root: str | os.PathLike[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The files below a folder of the cache. Other processes write and rename while this one looks: a file that is gone by then
    is passed over."""
    for inside, _, names in os.walk(root):
        for name in names:
            path = os.path.join(inside, name)
            try:
                found = os.stat(path)
            except OSError:
                continue
            yield path, found


def clean(root: str | os.PathLike[str], limit: int = LIMIT) -> None:
    """Remove the files that have not been used for the longest time, until the others keep the limit."""
    files = [(found.st_mtime, found.st_size, path) for path, found in entries(root)]
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        with contextlib.suppress(OSError):
            os.unlink(path)
        total -= size
