"""The operating system's errors in TensorFlow's names: a full disk is a ResourceExhaustedError, a missing folder a NotFoundError."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from gradtape.core import errors

_Function = TypeVar("_Function", bound=Callable[..., Any])

_KINDS: dict[type[errors.OpError], tuple[str, ...]] = {
    errors.NotFoundError: ("ENOENT", "ENODEV", "ENXIO"),
    errors.AlreadyExistsError: ("EEXIST",),
    errors.PermissionDeniedError: ("EACCES", "EPERM", "EROFS"),
    errors.FailedPreconditionError: ("EISDIR", "ENOTDIR", "ENOTEMPTY", "EXDEV", "EBADF", "EBUSY", "EPIPE", "ETXTBSY"),
    # A file that may not grow further is a full disk, though TensorFlow calls EFBIG the end of a sequence.
    errors.ResourceExhaustedError: ("ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE", "ENOMEM", "EMLINK"),
    errors.InvalidArgumentError: ("EINVAL", "ENAMETOOLONG", "ELOOP", "EILSEQ", "ESPIPE"),
    errors.UnimplementedError: ("ENOSYS", "ENOTSUP"),
    errors.UnavailableError: ("EAGAIN", "EINTR", "ESTALE"),
    errors.DeadlineExceededError: ("ETIMEDOUT",),
    errors.DataLossError: ("EIO",),
}
_CLASSES = {getattr(errno, name): kind for kind, names in _KINDS.items() for name in names if hasattr(errno, name)}
_ADVICE = {
    errors.NotFoundError: "check the path, and make the folder if it is missing.",
    errors.AlreadyExistsError: "choose another name, or overwrite=True where there is such an argument.",
    errors.PermissionDeniedError: "check who may read and write there.",
    errors.FailedPreconditionError: "check whether the path names a file or a folder.",
    errors.ResourceExhaustedError: "free some space, or close files.",
}


def translated(problem: OSError) -> Exception:
    """TensorFlow's exception for one of the operating system."""
    kind = class_of(problem)
    where = "" if problem.filename is None else f"{os.fsdecode(problem.filename)}; "
    advice = _ADVICE.get(kind, "look at the disk, and try again.")
    return errors.build(kind, f"{where}{problem.strerror or problem}", advice)


def class_of(problem: OSError) -> type[errors.OpError]:
    """TensorFlow's class for an exception of the operating system."""
    return _CLASSES.get(problem.errno or 0, errors.UnknownError)


@contextlib.contextmanager
def translating() -> Iterator[None]:
    """Run a block; an exception of the operating system leaves it as TensorFlow's."""
    try:
        yield
    except errors.OpError:  # some are an OSError too
        raise
    except OSError as problem:
        raise translated(problem) from problem


def with_errors(function: _Function) -> _Function:
    """The function with TensorFlow's exceptions in place of the operating system's."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except errors.OpError:
            raise
        except OSError as problem:
            raise translated(problem) from problem

    return run  # type: ignore[return-value]
