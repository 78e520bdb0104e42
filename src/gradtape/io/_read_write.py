"""Whole files: `tf.io.read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.api.host_op import check_strings, hosted, known, scalar_text
from gradtape.core import dtypes, errors
from gradtape.core.atomic_file import replacing
from gradtape.core.os_errors import with_errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.io import _paths as paths
from gradtape.ops.family import boxed


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The bytes of a file, as a scalar string tensor. In a `tf.function` the file is read each time it runs.

    Args:
      filename: the path, a string tensor or text.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> tf.io.write_file(path, "hello")
    >>> tf.io.read_file(path).numpy()
    b'hello'
    """
    return _read_file(check_strings("read_file", "filename", paths.plain(filename)))[0]


@hosted(known(((), dtypes.string)), effect=True)
@with_errors
def _read_file(path: Any) -> tuple[Any, ...]:
    with open(paths.local("read_file", scalar_text("read_file", "filename", path)), "rb") as file:
        return (boxed(file.read()),)


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Write bytes to a file. Creates missing directories; replaces an existing file.

    The file appears under its name when it is complete.

    Args:
      filename: the path, a string tensor or text.
      contents: a scalar string tensor, bytes or text.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "a.bin")
    >>> tf.io.write_file(path, tf.io.serialize_tensor([1.0, 2.0]))
    >>> tf.io.parse_tensor(tf.io.read_file(path), tf.float32).numpy()
    array([1., 2.], dtype=float32)
    """
    path = check_strings("write_file", "filename", paths.plain(filename))
    _write_file(path, check_strings("write_file", "contents", contents))


@hosted(known(), effect=True)
@with_errors
def _write_file(path: Any, contents: Any) -> tuple[Any, ...]:
    place = paths.local("write_file", scalar_text("write_file", "filename", path))
    data = scalar_text("write_file", "contents", contents)
    with replacing(place, folders=True) as file:
        file.write(data)
    return ()


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The paths that match a pattern, sorted, as a vector of strings.

    Args:
      pattern: one pattern or a vector of them; `*`, `?` and `[...]` have their usual meaning, within one directory.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for letter in "ba":
    ...     tf.io.write_file(os.path.join(folder, letter + ".txt"), "")
    >>> [os.path.basename(path) for path in tf.io.matching_files(folder + "/*.txt").numpy()]
    [b'a.txt', b'b.txt']
    """
    patterns = check_strings("matching_files", "pattern", paths.plain(pattern))
    return _matching_files(patterns)[0]


@hosted(known(((None,), dtypes.string)), effect=True)
@with_errors
def _matching_files(patterns: Any) -> tuple[Any, ...]:
    wanted = [paths.local("matching_files", pattern) for pattern in np.ravel(patterns)]
    return (objects([os.fsencode(path) for path in paths.matching(wanted)]),)


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """A variable with the paths that currently match a pattern, sorted; see `matching_files`.

    Args:
      pattern: one pattern or a vector of them.
      name: the variable's name.

    >>> tf.io.match_filenames_once("/there/is/nothing/*").shape
    TensorShape([0])
    """
    found = matching_files(pattern)
    if type(found) is not Tensor:
        raise errors.build(
            errors.FailedPreconditionError,
            "match_filenames_once: a variable cannot be created from names that are only read when the function runs.",
            "call it outside of the tf.function, or use tf.io.matching_files.",
        )
    return Variable(found, trainable=False, name=name or "matching_filenames")
