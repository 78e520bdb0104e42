"""Paths of local files: text, bytes, `pathlib`, or string tensors; and the operating system's errors in TensorFlow's names."""

from __future__ import annotations

import errno
import functools
import glob
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, TypeVar

import numpy as np

from gradtape.core import errors

_Function = TypeVar("_Function", bound=Callable[..., Any])

_KINDS: dict[int, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EXDEV: errors.FailedPreconditionError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EINVAL: errors.InvalidArgumentError,
}
_ADVICE = {
    errors.NotFoundError: "check the path.",
    errors.AlreadyExistsError: "choose another name, or overwrite=True where there is such an argument.",
    errors.PermissionDeniedError: "check who may read and write there.",
    errors.ResourceExhaustedError: "free some space, or close files.",
}


def plain(path: Any) -> Any:
    """Paths of `pathlib`, alone or in lists, as text; others as they are."""
    if isinstance(path, (list, tuple)):
        return [plain(p) for p in path]
    return path.__fspath__() if hasattr(path, "__fspath__") else path


def local(who: str, path: Any) -> str:
    """The path of a local file as text; an error for other file systems, which are named by a scheme such as `gs://`."""
    path = plain(path)
    if hasattr(path, "numpy"):
        path = np.asarray(path.numpy())[()]
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        raise TypeError(errors.compose(f"{who}: a path is text, got {path!r}.", "give the path as str, bytes or Path."))
    scheme, separator, rest = path.partition("://")
    if not separator or not scheme.replace("+", "a").isalnum():
        return path
    if scheme == "file":
        return rest
    raise errors.build(
        errors.UnimplementedError,
        f"{who}: File system scheme '{scheme}' not implemented (file: '{path}')",
        "only local files are read and written: copy the file first, for instance with fsspec, or mount the file system.",
    )


def with_errors(function: _Function) -> _Function:
    """The function with TensorFlow's exceptions in place of the operating system's."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except OSError as problem:
            raise translated(problem) from None

    return run  # type: ignore[return-value]


def translated(problem: OSError) -> Exception:
    """TensorFlow's exception for one of the operating system."""
    kind = _KINDS.get(problem.errno or 0, errors.UnknownError)
    where = "" if problem.filename is None else f"{os.fsdecode(problem.filename)}; "
    return errors.build(kind, f"{where}{problem.strerror or problem}", _ADVICE.get(kind, ""))


def matching(patterns: Sequence[str]) -> list[str]:
    """The sorted paths that fit some patterns, once for each. Names that begin with a dot are found as well."""
    return sorted([path for pattern in patterns for path in glob.glob(pattern, include_hidden=True)])


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `path` when the block ends without an exception."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:  # a pipe or device: there is nothing to replace
            yield device
        return
    target = os.path.realpath(path)
    handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, os.stat(target).st_mode & 0o777 if os.path.exists(target) else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


@functools.cache
def _umask() -> int:
    """The permissions that new files lack. It can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
