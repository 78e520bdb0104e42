"""tf.train.Checkpoint: variables of objects to a file and back."""

from __future__ import annotations

import contextlib
import os
import weakref
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from gradtape.core import dtypes, errors, state
from gradtape.core.os_errors import with_errors
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.train import _file_format as file_format
from gradtape.train import _object_graph as object_graph
from gradtape.train import _state_cells as state_cells
from gradtape.train import _state_file as state_file
from gradtape.train._opening import open_checkpoint, path_in
from gradtape.train._restore import Restoration
from gradtape.train._status import NothingRestored, Status
from gradtape.transform.py_function import numpy_function


class CheckpointOptions:
    """Options of writing and reading.

    Args:
      experimental_io_device: accepted; files are written by this process.
      experimental_enable_async_checkpoint, enable_async: accepted; a checkpoint is complete when `save` returns.
      experimental_write_callbacks: functions called after a checkpoint was written, with its path or without arguments.
      experimental_skip_slot_variables: accepted.
      experimental_sharding_callback: accepted; a checkpoint is one file.

    >>> tf.train.CheckpointOptions(experimental_write_callbacks=[print]).experimental_write_callbacks
    [<built-in function print>]
    """

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Any = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
    ) -> None:
        self.experimental_io_device = experimental_io_device
        self.enable_async = self.experimental_enable_async_checkpoint = (
            enable_async or experimental_enable_async_checkpoint
        )
        for callback in experimental_write_callbacks or ():
            _check_callback(callback)
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback

    def __copy__(self) -> CheckpointOptions:
        """Options that can be changed without these."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        if self.experimental_write_callbacks is not None:
            made.experimental_write_callbacks = list(self.experimental_write_callbacks)
        return made


def _check_callback(callback: Any) -> None:
    """AssertionError if a callback takes more than the path."""
    import inspect

    try:
        parameters = inspect.signature(callback).parameters.values()
    except (TypeError, ValueError):  # a function of C says nothing
        return
    required = [
        p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    if len(required) > 1:
        raise errors.build(
            AssertionError,
            f"CheckpointOptions: a callback takes the path or nothing, but {callback!r} takes {len(required)} arguments.",
            "bind the others with functools.partial.",
        )


class Checkpoint:
    """A group of objects whose variables can be saved to a file and restored.

    Values are found again by the names of the attributes, list indices and dict keys that lead to them, so the program that
    reads may have other classes and other names of variables, as long as attributes are the same. Objects may be `tf.Module`s,
    variables, lists, dicts, other checkpoints, generators, Keras's layers, models and optimizers, and any object with an
    attribute `variables` or attributes that are variables.

    Args:
      root: an object whose parts are those of the checkpoint.
      **kwargs: further objects, by name.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> step = tf.Variable(1)
    >>> checkpoint = tf.train.Checkpoint(step=step)
    >>> path = checkpoint.save(folder + "/ckpt")
    >>> step.assign(100).numpy()
    np.int32(100)
    >>> status = checkpoint.restore(path).assert_consumed()
    >>> step.numpy()
    np.int32(1)
    """

    # Of subclasses that do not call `__init__`, too.
    _strong_root: Any = None
    _weak_root: Any = None
    _save_counter: Variable | None = None

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._weak_root = root if isinstance(root, weakref.ref) else None  # as Keras 2's models hold themselves
        if self._weak_root is not None:
            root = None
        self._strong_root = root
        for name, value in kwargs.items():
            if name == "save_counter":
                self._save_counter = value
                continue
            held = None if self._root is None else object_graph.parts(self._root).get(name)
            if held is not None and held is not value:
                raise errors.build(
                    ValueError,
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists.",
                    "use another name, or leave it out: what the root has is saved.",
                )
            setattr(self, name, value)
        for name, value in ([("root", root)] if root is not None else []) + list(kwargs.items()):
            is_function = hasattr(
                type(value), "get_concrete_function"
            )  # they have no values, but saved models have them
            if not is_function and not object_graph.is_trackable(value) and not isinstance(value, (list, tuple, dict)):
                raise errors.build(
                    ValueError,
                    f"Checkpoint: {name} is {value!r}, which has no variables that could be saved.",
                    f"wrap a value that changes: {name}=tf.Variable(...).",
                )

    @property
    def save_counter(self) -> Variable:
        """How many times `save` was called, as a variable that is saved too."""
        if self._save_counter is None:
            self._save_counter = Variable(np.int64(0), trainable=False, name="save_counter")
        return self._save_counter

    @property
    def _root(self) -> Any:
        return self._strong_root if self._weak_root is None else self._weak_root()

    def _checkpoint_parts(self) -> dict[str, Any]:
        parts = {} if self._root is None else dict(object_graph.parts(self._root))
        parts |= {k: v for k, v in vars(self).items() if not k.startswith("_") and object_graph.is_trackable(v)}
        if self._save_counter is not None:
            parts["save_counter"] = self._save_counter
        return parts

    @property
    def variables(self) -> list[Variable]:
        """The variables that are saved."""
        return [v for _, v in _saved(self)[1] if not isinstance(v, state_cells.StateCell)]

    @with_errors
    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint with a number, and remember it as the latest in its folder.

        Args:
          file_prefix: the path without the number.
          options: see CheckpointOptions.

        Returns:
          The path: the prefix, a dash and the number. The file has `.index` at its end.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(tempfile.mkdtemp() + "/ckpt")
        >>> path.endswith("/ckpt-1")
        True
        """
        _refuse_in_functions("save")
        with self.counted():
            path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}", options)
        state_file.remember(Path(path).parent, path, [path])
        return path

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """A block that writes a checkpoint, and counts if it can."""
        self.save_counter.assign_add(np.int64(1))
        try:
            yield
        except BaseException:
            self.save_counter.assign_sub(np.int64(1))
            raise

    @with_errors
    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Write a checkpoint under exactly this path; it is not remembered as the latest.

        Returns:
          The path; in a function, which writes each time it runs, as a tensor.
        """
        if state.current.trace is not None:
            later: Any = self._write_later(file_prefix, options)
            return cast(str, later)
        prefix = os.fsdecode(file_prefix.numpy() if isinstance(file_prefix, Tensor) else file_prefix)
        described, found = _saved(self)
        arrays = {key: state_cells.array_of(v) for key, v in found}
        file_format.write(state_file.file_of(prefix), arrays, {"objects": described})
        for callback in (options.experimental_write_callbacks if options is not None else None) or ():
            _call(callback, prefix)
        return prefix

    def _write_later(self, file_prefix: Any, options: CheckpointOptions | None) -> Any:
        """Write a checkpoint each time the traced function comes here; its path as a tensor."""
        is_computed = isinstance(file_prefix, Tensor)

        def run(prefix: Any) -> bytes:
            folder = os.path.dirname(os.fsdecode(prefix))
            if is_computed and not os.path.isdir(folder or "."):
                raise errors.build(
                    errors.NotFoundError,
                    f"Checkpoint.write: there is no folder {folder!r}, and a path given as a tensor does not create one.",
                    "make the folder first.",
                )
            return os.fsencode(self.write(prefix, options))

        return numpy_function(run, [file_prefix if is_computed else os.fsencode(file_prefix)], dtypes.string)

    def restore(self, save_path: Any, options: CheckpointOptions | None = None) -> Any:
        """Read a checkpoint that `save` wrote. Variables that do not exist yet get their values when they are created.

        Args:
          save_path: the path that `save` returned; a folder means its latest checkpoint, or the saved
            model in it; None restores nothing.
          options: see CheckpointOptions.

        Returns:
          A status, with `assert_consumed`, `assert_existing_objects_matched` and `expect_partial`.
        """
        if save_path is None:
            return NothingRestored()
        _ = self.save_counter
        return self.read(save_path, options)

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> Status:
        """Read a checkpoint that `write` wrote: as `restore`, without a `save_counter`."""
        _refuse_in_functions("restore")
        path = os.fspath(save_path)
        if os.path.isdir(path):
            path = path_in(path)
        restoration = Restoration(open_checkpoint(path), path)
        restoration.start(self)
        return Status(restoration, self)

    def sync(self) -> None:
        """Nothing: a checkpoint is complete when `save` returns."""


def _saved(root: Any) -> tuple[list[Any], list[tuple[str, Variable]]]:
    """All objects below a root as the file describes them, and the variables among them by key.

    An object that is reached in several ways is saved once, under the shortest path.
    """
    numbers = {object_graph.identity(root): 0}
    described: list[Any] = [{"parts": {}}]
    found: list[tuple[str, Variable]] = []
    todo: deque[tuple[Any, int, str]] = deque([(root, 0, "")])
    while todo:
        value, number, path = todo.popleft()
        for name, part in object_graph.parts(value).items():
            known = numbers.get(object_graph.identity(part))
            if known is None:
                known = numbers[object_graph.identity(part)] = len(described)
                inner = f"{path}{object_graph.escaped(name)}/"
                key = inner + object_graph.VALUE
                variable = object_graph.variable_of(part)
                if variable is None:
                    described.append({"parts": {}})
                    todo.append((part, known, inner))
                else:
                    if name.startswith(state_cells.ATTRIBUTES):
                        key = f"{path.removesuffix('/')}/{name}"
                    described.append({"parts": {}, "value": key})
                    found.append((key, variable))
            described[number]["parts"][name] = known
    return described, found


def _refuse_in_functions(what: str) -> None:
    if state.current.trace is not None:
        raise NotImplementedError(
            errors.compose(
                f"Calling tf.train.Checkpoint.{what}() from a function is not supported: it would run once, while "
                "the function is traced.",
                "call it outside of tf.function.",
                depth=2,
            )
        )


def _call(callback: Any, path: str) -> None:
    import inspect

    try:
        takes_path = bool(inspect.signature(callback).parameters)
    except (TypeError, ValueError):  # built-in functions do not always tell
        takes_path = True
    if takes_path:
        callback(path)
    else:
        callback()
