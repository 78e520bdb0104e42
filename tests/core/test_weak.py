"""Objects that die run no code of the library: a Ctrl-C in it would be lost."""

import ast
import contextlib
import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf
from gradtape.core import threads, weak
from gradtape.data import _threads
from gradtape.io import _compressed, _tfrecord

SOURCES = Path(tf.__file__).parent


class Thing:
    """Has weak references."""


class Text(str):
    """A key whose hash is computed in Python."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(str(self))


def steps_of(act: Callable[[], Any]) -> list[str]:
    """The functions of Python that begin while something is done."""
    found: list[str] = []
    sys.setprofile(lambda frame, event, _: found.append(frame.f_code.co_name) if event == "call" else None)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


def test_threads_leave_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    for context in (threads.companion(), contextlib.nullcontext()):

        def run(context: Any = context) -> None:
            with context:
                threads.Presence()

        before = len(threads.users)
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert len(threads.users) == before
    assert capfd.readouterr().err == ""


def test_weak_keys() -> None:
    table: weak.WeakKeys[Any, str] = weak.WeakKeys()
    first, second = Thing(), Thing()
    table[first], table[second] = "a", "b"
    table[first] = "c"
    assert (table[first], table.get(second), table.get(Thing()), len(table)) == ("c", "b", None, 2)
    assert first in table
    assert [*table] == [first, second]
    names = [first]
    del first
    assert steps_of(names.clear) == []
    assert [*table] == [second]
    assert table.pop(second) == "b"
    assert second not in table


def test_weak_keys_in_cycles() -> None:
    table: weak.WeakKeys[Any, str] = weak.WeakKeys()
    thing: Any = Thing()
    thing.itself = thing
    table[thing] = "a"
    del thing
    gc.collect()
    assert len(table) == 0


def test_weak_values() -> None:
    table: weak.WeakValues[Any, Any] = weak.WeakValues()
    things = [Thing(), Thing()]
    table[Text("a")], table[Text("b")] = things
    assert table.get(Text("a")) is things[0]
    assert steps_of(things.clear) == []
    assert table.get(Text("a")) is table.get(Text("c")) is None
    again = Thing()
    table[Text("a")] = again
    assert len(table) == 1
    assert table.get(Text("a")) is again


def test_files_close_themselves(tmp_path: Path) -> None:
    path = tmp_path / "file"
    held = [weak.Closing(path.open("wb"))]
    file = held[0].file
    file.write(b"abc")
    assert steps_of(held.clear) == []
    assert file.closed
    assert path.read_bytes() == b"abc"
    cycle: list[Any] = [weak.Closing(path.open("rb"))]
    file = cycle[0].file
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert file.closed
    kept = [weak.Closing(path.open("rb")) for _ in range(100)]
    for _ in range(100):
        weak.Closing(path.open("rb"))
    assert not any(held.file.closed for held in kept)
    assert len(weak._references) < 2 * len(kept)


def records(path: str) -> None:
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        for _ in range(3):
            writer.write(b"abc")


ITERATIONS: dict[str, Callable[[str], Iterator[Any]]] = {
    "background": lambda path: _threads.background(iter(range(9)), 2),
    "parallel": lambda path: _threads.parallel(abs, iter(range(9)), 2, in_order=True),
    "records": lambda path: _tfrecord.read_records(path, "GZIP"),
    "lines": lambda path: iter(_compressed.opened(path, "GZIP")),
}


@pytest.mark.parametrize("name", ITERATIONS)
def test_dropped_iterations(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    records(path)
    held = [ITERATIONS[name](path)]
    next(held[0])
    # The generator itself may be told, at the `yield` where it stands; nothing is called in it.
    assert set(steps_of(held.clear)) <= {name, "read_records"}


def test_tangents_go_with_their_tensors() -> None:
    x = tf.constant([2.0] * 3)
    with tf.autodiff.ForwardAccumulator(x, tf.ones([3])) as accumulator:
        y = [x * x]
        array = weakref.ref(accumulator._pushforward.tangents[y[0]._id]._array)
        assert steps_of(y.clear) == []
        assert array() is None
        for _ in range(200):
            y = x * x
        assert len(accumulator._pushforward.guards) < 100
        assert accumulator.jvp(y).numpy().tolist() == [4.0] * 3


def callbacks_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Code that would run when something dies, with its line."""
    for node in ast.walk(tree):
        text = ast.unparse(node) if isinstance(node, (ast.Call, ast.Attribute)) else ""
        if isinstance(node, ast.FunctionDef) and node.name == "__del__":
            yield node.lineno, "__del__"
        elif text in (
            "weakref.finalize",
            "weakref.WeakKeyDictionary",
            "weakref.WeakValueDictionary",
            "weakref.WeakSet",
        ):
            yield node.lineno, text
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "weakref.ref" and len(node.args) == 2:
            callback = ast.unparse(node.args[1])
            if not callback.endswith((".append", ".discard", ".put")) and not callback.startswith("functools.partial("):
                yield node.lineno, text


def test_no_finalizer_is_python() -> None:
    found = [
        (path.name, line, text)
        for path in SOURCES.rglob("*.py")
        for line, text in callbacks_in(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []
