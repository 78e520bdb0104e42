"""Views of objects and of checkpoints as trees of named parts."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from typing import Any

from gradtape.core import errors, log
from gradtape.train import _object_graph as object_graph
from gradtape.train._opening import open_checkpoint


class TrackableView:
    """An object as a checkpoint sees it: its parts by name.

    >>> root = tf.Module()
    >>> root.v = tf.Variable(1.0, name="v")
    >>> list(tf.train.TrackableView(root).children(root))
    ['v']
    """

    def __init__(self, root: Any) -> None:
        self._root: Any = root
        if not isinstance(root, (list, tuple, dict)):
            self._root = weakref.ref(root)

    @property
    def root(self) -> Any:
        """The object."""
        return self._root() if isinstance(self._root, weakref.ref) else self._root

    @classmethod
    def children(cls, obj: Any, **kwargs: Any) -> dict[str, Any]:
        """The parts of an object by name."""
        return {} if object_graph.variable_of(obj) is not None else object_graph.parts(obj)

    def descendants(self) -> list[Any]:
        """The object and all below it, those above first."""
        return [value for value, _ in self._walk()]

    def _walk(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        todo, seen = [self.root], set()
        while todo:
            value = todo.pop(0)
            if object_graph.identity(value) in seen:
                continue
            seen.add(object_graph.identity(value))
            parts = self.children(value)
            yield value, parts
            todo += parts.values()


class CheckpointView:
    """The objects in a checkpoint: numbers (0 is the root), with parts by name.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tempfile.mkdtemp() + "/values")
    >>> tf.train.CheckpointView(path).children(0)
    {'v': 1}
    """

    def __init__(self, save_path: Any) -> None:
        self._nodes = open_checkpoint(os.fspath(save_path)).objects()

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of the parts of an object, by name."""
        return dict(self._nodes[node_id]["parts"])

    def descendants(self) -> list[int]:
        """The numbers of all objects, those above first."""
        todo, found = [0], []
        while todo:
            node = todo.pop(0)
            if node not in found:
                found.append(node)
                todo += self._nodes[node]["parts"].values()
        return found

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects below another one that have the same paths, by the numbers of those in the checkpoint."""
        if not isinstance(obj, TrackableView) and not object_graph.is_trackable(obj):
            raise errors.build(
                ValueError,
                f"CheckpointView.match: obj is {obj!r} of {type(obj)}, which has no parts that a checkpoint holds.",
                "give a tf.Module or another object with variables: view.match(module).",
            )
        view = obj if isinstance(obj, TrackableView) else TrackableView(obj)
        found: dict[int, Any] = {}
        todo = [(0, view.root)]
        while todo:
            node, value = todo.pop(0)
            if node in found:
                if found[node] is not value:
                    log.warning(
                        "Inconsistent references when matching the checkpoint into this object graph. "
                        "The referenced objects are: (%s and %s).", found[node], value,
                    )  # fmt: skip
                continue
            found[node] = value
            parts = view.children(value)
            todo += [(part, parts[name]) for name, part in self.children(node).items() if name in parts]
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What is in both, as `match`, the numbers of what is only in the checkpoint, and what is only below the object."""
        view = obj if isinstance(obj, TrackableView) else TrackableView(obj)
        both = self.match(view)
        matched = {object_graph.identity(value) for value in both.values()}
        alone = [value for value in view.descendants() if object_graph.identity(value) not in matched]
        return both, [node for node in self.descendants() if node not in both], alone
