"""Datasets in saved functions: what cannot be saved says so, and files may only name stages of tensors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gradtape as tf


def total(dataset: Any) -> Any:
    return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)


def saved(folder: Path, function: Any) -> Any:
    module = tf.Module()
    module.f = tf.function(function, input_signature=[tf.TensorSpec([], tf.int64)])
    tf.saved_model.save(module, folder)


def test_a_pipeline_of_the_argument(tmp_path: Path) -> None:
    saved(tmp_path, lambda x: total(tf.data.Dataset.range(x).filter(lambda i: i > 1).map(lambda i: i * x)))
    loaded = tf.saved_model.load(tmp_path)
    assert [int(loaded.f(tf.constant(n, tf.int64))) for n in (3, 5, 3)] == [6, 45, 6]


def test_streams_of_a_seed_begin_again_with_each_run(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        return tf.data.Dataset.range(8).shuffle(8, seed=3).batch(8).get_single_element() * x

    saved(tmp_path, f)
    loaded = tf.saved_model.load(tmp_path)
    one = tf.constant(1, tf.int64)
    assert loaded.f(one).numpy().tolist() == loaded.f(one).numpy().tolist()
    assert sorted(loaded.f(one).numpy().tolist()) == list(range(8))


@pytest.mark.parametrize(
    ("dataset", "named"),
    [
        (
            lambda: tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int64)),
            "Generated",
        ),
        (lambda: tf.data.TextLineDataset(["a"]).map(lambda _: tf.constant(1, tf.int64)), "stage Files"),
        (lambda: tf.data.Dataset.range(3).map(lambda i: tf.py_function(lambda i: i, [i], tf.int64)), "py_function"),
        (lambda: tf.data.Dataset.range(3).window(2).flat_map(lambda w: w), "stage FlatMap"),
    ],
    ids=["generator", "files", "py_function", "flat_map"],
)
def test_what_cannot_be_saved_is_named(dataset: Any, named: str, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=named):
        saved(tmp_path, lambda x: total(dataset()))


def planted_stage(content: Any) -> None:
    next(p for p in content["pipelines"] if p[0] == "stage")[1] = "Files"


def planted_attribute(content: Any) -> None:
    next(p for p in content["pipelines"] if p[0] == "stage")[2]["elements"] = {"value": 3}


def planted_maker(content: Any) -> None:
    next(p for p in content["pipelines"] if p[0] == "stage")[2]["_make"] = {"maker": "os:system"}


def planted_method(content: Any) -> None:
    call = next(n[0]["dataset"] for t in content["traces"] for n in t["nodes"] if isinstance(n[0], dict))
    call[1] = "__init__"


def planted_cycle(content: Any) -> None:
    number = next(i for i, p in enumerate(content["pipelines"]) if p[0] == "stage" and "inputs" in p[2])
    content["pipelines"][number][2]["inputs"] = {"parts": [number]}


@pytest.mark.parametrize("plant", [planted_stage, planted_attribute, planted_maker, planted_method, planted_cycle])
def test_other_names_in_a_file_are_refused(plant: Any, tmp_path: Path) -> None:
    saved(tmp_path, lambda x: total(tf.data.Dataset.range(x).map(lambda i: i * x)))
    file = tmp_path / "saved_model.json"
    content = json.loads(file.read_text())
    plant(content)
    file.write_text(json.dumps(content))
    with pytest.raises((tf.errors.DataLossError, tf.errors.NotFoundError)):
        tf.saved_model.load(tmp_path)
