"""Paths of local files: text, bytes, `pathlib`, or string tensors."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import errors


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
        raise TypeError(
            errors.compose(f"{who}: a path must be text, got {path!r}.", "give the path as str, bytes or Path.")
        )
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


def matching(patterns: Sequence[str]) -> list[str]:
    """The sorted paths that match some patterns, once for each. Names that begin with a dot are included."""
    return sorted([path for pattern in patterns for path in glob.glob(pattern, include_hidden=True)])
