"""Graphs of files that no trace has made are refused before they are compiled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf


def model(folder: Path) -> Any:
    """The description of a model with a sum, a loop and a late node, and the file that it is in."""
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec([3])])
    def f(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.sin(x) + module.v
        return tf.concat([x, x], 0) * 2.0

    module.f = f
    module.g = tf.function(lambda x: tf.reshape(x, [-1]) + 1.0, input_signature=[tf.TensorSpec([None, None])])
    tf.saved_model.save(module, folder)
    return folder / "saved_model.json"


def nodes(content: Any, name: str) -> list[Any]:
    """The nodes of an op."""
    found = [n for t in content["traces"] for n in t["nodes"] if isinstance(n[0], list) and n[0][0] == name]
    assert found
    return found


def larger_result(content: Any) -> None:
    content["values"][nodes(content, "concat")[0][3][0]] = [[1000], "float32"]


def other_dtype(content: Any) -> None:
    content["values"][nodes(content, "concat")[0][3][0]] = [[6], "float64"]


def larger_operand(content: Any) -> None:
    for value in content["values"]:
        if value[0] == [3]:
            value[0] = [3000]


def missing_operand(content: Any) -> None:
    nodes(content, "concat")[0][1].clear()


def too_many_operands(content: Any) -> None:
    node = nodes(content, "sin")[0]
    node[1] *= 2


def used_before_it_is_made(content: Any) -> None:
    for trace in content["traces"]:
        trace["nodes"].reverse()


def made_twice(content: Any) -> None:
    for trace in content["traces"]:
        trace["nodes"] *= 2


def unknown_value(content: Any) -> None:
    nodes(content, "sin")[0][1][0] = 10**6


def block_in_itself(content: Any) -> None:
    loop = nodes(content, "loop")[0]
    body = loop[2]["body"]["block"]
    content["traces"][content["blocks"][body]["trace"]]["nodes"].append(loop)


def trace_around_itself(content: Any) -> None:
    for i, trace in enumerate(content["traces"]):
        trace["outer"] = (i + 1) % len(content["traces"])


def endless_sees(content: Any) -> None:
    for trace in content["traces"]:
        trace["sees"] = list(range(len(content["traces"])))


def negative_size(content: Any) -> None:
    content["values"][0] = [[-3], "float32"]


def enormous_size(content: Any) -> None:
    content["values"][0] = [[2**40, 2**40], "float32"]


def other_parameters(content: Any) -> None:
    nodes(content, "concat")[0][2]["axis"] = 7


def wrong_constant(content: Any) -> None:
    trace = next(t for t in content["traces"] if t["constants"])
    trace["constants"][0][1] = {"data": ["float32", [4], "AAAAAAAAAAAAAAAAAAAAAA=="]}


def deep(content: Any) -> None:
    value: Any = 1
    for _ in range(300):
        value = {"tuple": [value]}
    nodes(content, "sin")[0][2]["x"] = value


CHANGES: list[Callable[[Any], None]] = [
    larger_result, other_dtype, larger_operand, missing_operand, too_many_operands, used_before_it_is_made, made_twice, unknown_value,
    block_in_itself, trace_around_itself, endless_sees, negative_size, enormous_size, other_parameters, wrong_constant, deep,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_graph_that_no_trace_makes_is_refused(change: Callable[[Any], None], tmp_path: Path) -> None:
    file = model(tmp_path)
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        tf.saved_model.load(tmp_path)


def test_nested_beyond_what_json_can_read(tmp_path: Path) -> None:
    file = model(tmp_path)
    text = file.read_text()
    file.write_text(text[:-1] + ', "more": ' + "[" * 100_000 + "]" * 100_000 + "}")
    with pytest.raises(tf.errors.DataLossError, match="no JSON"):
        tf.saved_model.load(tmp_path)


@pytest.mark.parametrize("name", ["../arrays", "/etc/passwd", "..", ".", "", 3, None, "a\0b", "assets/../../x"])
def test_names_of_files_do_not_leave_the_folder(name: Any, tmp_path: Path) -> None:
    for key in ("arrays", "assets"):
        file = model(tmp_path)
        content = json.loads(file.read_text())
        content[key] = [name] if key == "assets" else name
        file.write_text(json.dumps(content))
        with pytest.raises(tf.errors.DataLossError, match="not the name of a file in it"):
            tf.saved_model.load(tmp_path)


def test_prints_into_files_and_odd_streams_are_not_loaded(tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(lambda x: tf.print(x), input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(module, tmp_path)
    file = tmp_path / "saved_model.json"
    text = file.read_text()
    target = tmp_path / "planted"
    for kind, name in (("file", str(target)), ("logging", "FileHandler"), ("sys", "stdin")):
        file.write_text(text.replace('{"tuple": ["sys", "stderr"]}', json.dumps({"tuple": [kind, name]})))
        assert kind in file.read_text()
        loaded = tf.saved_model.load(tmp_path)
        with pytest.raises((AttributeError, tf.errors.OpError)):
            loaded.f(1.0)
        assert not target.exists()
    module.f = tf.function(lambda x: tf.print(x, output_stream=f"file://{target}"), input_signature=[tf.TensorSpec([])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be saved"):
        tf.saved_model.save(module, tmp_path)
