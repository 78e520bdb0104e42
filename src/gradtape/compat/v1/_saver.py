"""`tf.compat.v1.train.Saver`: variables of a session, or eager ones, to files and back, under their names."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import gradtape as tf
from gradtape.compat import _graphs
from gradtape.compat._graph_keys import GraphKeys
from gradtape.compat._session import Session
from gradtape.core import errors, state
from gradtape.core.variable import Variable
from gradtape.train import _file_format as file_format
from gradtape.train import _object_graph as object_graph
from gradtape.train import _state_cells as state_cells
from gradtape.train import _state_file as state_file
from gradtape.train._opening import open_checkpoint


class Saver:
    """Writes and reads the variables of a graph, or a list of variables, by their names.

    Args:
      var_list: a list of variables, or a dict by names; all of the graph by default.
      max_to_keep: how many checkpoints are kept; None or 0 keeps all, and `last_checkpoints` is empty.
      keep_checkpoint_every_n_hours: besides, one for so many hours.
      defer_build: choose the variables when `build` is called.
      allow_empty: whether there may be no variables.
      pad_step_number: write the step with eight digits.
      reshape, sharded, name, restore_sequentially, saver_def, builder, write_version, save_relative_paths, filename: ignored.

    >>> import tempfile
    >>> v = tf.Variable(1.0)
    >>> saver = tf.compat.v1.train.Saver({"v": v})
    >>> path = saver.save(None, tempfile.mkdtemp() + "/model", global_step=3)
    >>> tf.train.load_variable(path, "v")
    np.float32(1.0)
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: Any = None,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or var_list=None."
            )
        if (
            _graphs.current_graph() is None
            and not var_list
            and not _graphs.defaults.sessions
            and tf.executing_eagerly()
        ):
            raise RuntimeError(
                errors.compose(
                    "When eager execution is enabled, `var_list` must specify a list or dict of variables to save.",
                    "Saver([v]), or tf.train.Checkpoint(v=v).",
                )
            )
        self._given, self._allow_empty = var_list, allow_empty
        self._found: dict[str, Any] | None = None
        self._most, self._hours, self._pads = max_to_keep, keep_checkpoint_every_n_hours, pad_step_number
        self._kept: list[tuple[str, float]] = []
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * 3600
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Choose the variables."""
        graph = _graphs.current_graph() or _graphs.default_graph()
        given = self._given
        if given is None:
            given = [
                *graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
                *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS),
            ]
        if not given and not self._allow_empty:
            raise ValueError("No variables to save")
        self._found = dict(given) if isinstance(given, dict) else {_name_of(v): v for v in given}

    def _variables(self) -> dict[str, Any]:
        if self._found is None:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        return self._found

    last_checkpoints = property(
        lambda self: [path for path, _ in self._kept], doc="The checkpoints that are kept, oldest first."
    )

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Go on with the checkpoints of another saver."""
        self._kept = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list[tuple[str, float]]) -> None:
        """Go on with the checkpoints of another saver, with the times when they were made."""
        self._kept = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Go on with those of these checkpoints that exist."""
        files = [(path, state_file.file_of(path)) for path in checkpoint_paths]
        self._kept = [(path, file.stat().st_mtime) for path, file in files if file.exists()]

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Write the values that a session has, or those of eager variables; returns the path, None if there are no variables."""
        variables = self._variables()
        path: str = os.fspath(save_path)
        if global_step is not None:
            number = int(sess.run(global_step) if isinstance(global_step, _graphs.GraphVariable) else global_step)
            path += f"-{number:08d}" if self._pads else f"-{number}"
        if latest_filename is not None and os.path.dirname(latest_filename):
            raise ValueError("'latest_filename' must not contain path components")
        if not variables:
            return None
        with state.outside(), _graphs.plainly():
            arrays = {name: state_cells.array_of(_cell(sess, v)) for name, v in variables.items()}
            file_format.write(state_file.file_of(path), arrays, {"objects": [{"parts": {}}]})
        if write_state:
            self._remember(path, latest_filename)
        return path

    def _remember(self, path: str, latest_filename: str | None) -> None:
        """Delete the oldest, and write which there are."""
        if not self._most:
            state_file.remember(Path(path).parent, path, [path], name=latest_filename)
            return
        self._kept = [*[(known, stamp) for known, stamp in self._kept if known != path], (path, time.time())]
        gone = None
        if len(self._kept) > self._most:
            gone, stamp = self._kept.pop(0)
            if stamp > self._next_kept:
                self._next_kept += self._hours * 3600
                gone = None
        state_file.remember(Path(path).parent, path, self.last_checkpoints, name=latest_filename)
        if gone is not None:
            state_file.file_of(gone).unlink(missing_ok=True)

    def restore(self, sess: Any, save_path: Any) -> None:
        """Read values into a session, or into eager variables."""
        variables = self._variables()
        if not variables:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = os.fspath(save_path)
        if not state_file.file_of(path).exists():
            raise errors.build(
                ValueError,
                f"The passed save_path is not a valid checkpoint: {path}",
                "give the path that save returned.",
            )
        reader = open_checkpoint(path)
        keys = {name: _key(reader, name, path) for name in variables}
        for name, variable in variables.items():
            _check(reader, keys[name], name, variable)
        with state.outside(), _graphs.plainly():
            arrays = {name: reader.array(key) for name, key in keys.items()}
            for name, variable in variables.items():
                if isinstance(variable, _graphs.GraphVariable):
                    sess.put(variable, arrays[name])
                else:
                    _cell(sess, variable).assign(tf.convert_to_tensor(arrays[name]))


def _name_of(variable: Any) -> str:
    """The name under which a variable is written, or an object that gives its state itself."""
    return str(getattr(variable, "_name", None) or variable.name.partition(":")[0])


def _cell(session: Any, variable: Any) -> Variable:
    """What holds the value of a variable: in a graph, a cell of the session."""
    if isinstance(variable, _graphs.GraphVariable):
        if not isinstance(session, Session):
            raise errors.build(
                TypeError, f"'sess' must be a Session; {session}", "give the session that has the values."
            )
        if not session.has(variable):
            raise errors.build(
                errors.FailedPreconditionError,
                f"Attempting to use uninitialized value {variable._name}",
                "run tf.compat.v1.global_variables_initializer() in the session first.",
            )
        held: Variable = session._cells[variable._id]
        return held
    found = object_graph.variable_of(variable)
    if found is not None:
        return found
    cells = list(state_cells.cells(variable).values())
    if len(cells) != 1:
        raise TypeError(
            f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {variable}"
        )
    return cells[0]


def _key(reader: Any, name: str, path: str) -> str:
    """The key of a variable: its name, or what earlier versions wrote."""
    earlier = f"values/{object_graph.escaped(name)}/{object_graph.VALUE}"
    for key in (name, earlier):
        if key in reader:
            return key
    raise errors.build(
        errors.NotFoundError,
        f"Key {name} not found in checkpoint {path}",
        f"there are: {', '.join(reader.names()[:8])}",
    )


def _check(reader: Any, key: str, name: str, variable: Any) -> None:
    """InvalidArgumentError if a value does not fit its variable."""
    if not hasattr(variable, "shape") or not hasattr(variable, "dtype"):
        return
    own, there = variable.dtype, reader.dtype(key)
    if own is not there:
        raise errors.build(
            errors.InvalidArgumentError,
            f"tensor_name = {name}; expected dtype {own.name} does not equal original dtype {there.name}",
            "give the variable the dtype that was saved.",
        )
    shape = reader.shape(key)
    if not variable.shape.is_compatible_with(shape):
        raise errors.build(
            errors.InvalidArgumentError,
            f"Assign requires shapes of both tensors to match. lhs shape= {variable.shape} rhs shape= {tuple(shape)}, "
            f"for {name}",
            "build the variables as they were when they were saved.",
        )
