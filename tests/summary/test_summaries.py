"""Summaries in files of events, read back by TensorBoard's own reader."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.histogram import metadata as histograms
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.util import tensor_util

import gradtape as tf
from gradtape.summary import _event_file as event_file
from gradtape.summary._writer import current

summary = tf.summary


def read(folder: Path) -> EventAccumulator:
    """All events in a folder."""
    found = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    found.Reload()
    return found


def values(folder: Path, tag: str) -> list[tuple[int, Any]]:
    """Steps and arrays of a tag."""
    return [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in read(folder).Tensors(tag)]


def plugin(folder: Path, tag: str) -> str:
    """The plugin of TensorBoard that shows a tag."""
    return read(folder).SummaryMetadata(tag).plugin_data.plugin_name  # type: ignore[no-any-return]


def test_scalars(tmp_path: Path) -> None:
    writer = summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        for step in range(3):
            assert bool(summary.scalar("loss", 0.5 * step, step=step))
        summary.scalar("integer", tf.constant(7), step=tf.constant(2**40, tf.int64), description="*why*")
    writer.close()
    assert values(tmp_path, "loss") == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert values(tmp_path, "integer") == [(2**40, 7.0)]
    assert plugin(tmp_path, "loss") == "scalars"
    assert read(tmp_path).SummaryMetadata("integer").summary_description == "*why*"


def test_histograms(tmp_path: Path) -> None:
    data = np.random.default_rng(0).normal(size=(10, 20)).astype(np.float32)
    with summary.create_file_writer(str(tmp_path)).as_default(step=4):
        summary.histogram("a", data)
        summary.histogram("b", data, buckets=5)
        summary.histogram("same", tf.ones([3]), buckets=4)
        summary.histogram("none", tf.zeros([0]), buckets=4)
        summary.histogram("finite", [0.0, np.inf, 2.0, np.nan], buckets=2)
        summary.histogram("wide", tf.constant([-1.7e308, 0.0, 1.7e308], tf.float64), buckets=2)
    for tag, buckets in (("a", 30), ("b", 5)):
        [(step, found)] = values(tmp_path, tag)
        expected = tensor_util.make_ndarray(histogram_pb(tag, data, buckets).value[0].tensor)
        assert step == 4
        np.testing.assert_allclose(found, expected)
        assert found[:, 2].sum() == data.size
    assert values(tmp_path, "same")[0][1].tolist() == [[1, 1, 0]] * 3 + [[1, 1, 3]]
    assert values(tmp_path, "none")[0][1].tolist() == [[0, 0, 0]] * 4
    assert values(tmp_path, "finite")[0][1].tolist() == [[0, 1, 1], [1, 2, 1]]
    assert values(tmp_path, "wide")[0][1].tolist() == [[-1.7e308, 0, 1], [0, 1.7e308, 2]]
    assert plugin(tmp_path, "a") == histograms.PLUGIN_NAME


def test_images(tmp_path: Path) -> None:
    images = np.random.default_rng(1).random((5, 4, 6, 3), np.float32)
    with summary.create_file_writer(str(tmp_path)).as_default():
        summary.image("floats", images, step=1)
        summary.image("bytes", np.uint8(255 * images[:1, ..., :1]), step=1, max_outputs=7)
    [(_, found)] = values(tmp_path, "floats")
    assert found[:2].tolist() == [b"6", b"4"]
    assert len(found) == 2 + 3
    pixels = np.asarray(Image.open(io.BytesIO(found[3])))
    assert np.abs(pixels / 255 - images[1]).max() < 1 / 255
    assert np.asarray(Image.open(io.BytesIO(values(tmp_path, "bytes")[0][1][2]))).shape == (4, 6)
    assert plugin(tmp_path, "floats") == "images"


def test_texts_and_sounds(tmp_path: Path) -> None:
    sounds = np.zeros((4, 10, 2), np.float32)
    with summary.create_file_writer(str(tmp_path)).as_default():
        summary.text("note", "*hello* é", step=1)
        summary.text("table", [["a", "b"]], step=1)
        summary.audio("sound", sounds, 8000, step=1, max_outputs=tf.constant(2))
    assert values(tmp_path, "note")[0][1].item().decode() == "*hello* é"
    assert values(tmp_path, "table")[0][1].tolist() == [[b"a", b"b"]]
    [(_, found)] = values(tmp_path, "sound")
    assert found.shape == (2, 2)
    sound, rate = tf.audio.decode_wav(found[0, 0])
    assert (sound.shape, int(rate)) == ((10, 2), 8000)
    assert [plugin(tmp_path, tag) for tag in ("note", "sound")] == ["text", "audio"]
    assert read(tmp_path).SummaryMetadata("sound").plugin_data.content == b"\x10\x0b"


def test_tensors_and_messages(tmp_path: Path) -> None:
    with summary.create_file_writer(str(tmp_path)).as_default():
        metadata = histograms.create_summary_metadata(None, "mine")
        summary.write("own", tf.ones([2, 3]), step=7, metadata=metadata)
        summary.write("called", lambda: tf.constant([1, 2]), step=7)
        raw = histogram_pb("raw", np.arange(5.0)).SerializeToString()
        assert bool(summary.experimental.write_raw_pb(raw, step=8))
    assert values(tmp_path, "own")[0][1].tolist() == [[1, 1, 1]] * 2
    assert read(tmp_path).SummaryMetadata("own").summary_description == "mine"
    assert values(tmp_path, "called")[0][1].tolist() == [1, 2]
    assert values(tmp_path, "raw")[0][0] == 8


def test_in_a_function_with_a_variable_as_step(tmp_path: Path) -> None:
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x: tf.Tensor) -> tf.Tensor:
        count.assign_add(1)
        with tf.name_scope("train"):
            summary.scalar("loss", tf.reduce_sum(x), step=count)
        summary.histogram("x", x, step=count)
        with summary.record_if(count % 2 == 0):
            summary.image("picture", tf.reshape(x, [1, 1, 3, 1]), step=count)
        return 2.0 * x

    with summary.create_file_writer(str(tmp_path)).as_default():
        for i in range(4):
            train(tf.constant([0.0, 1.0, i]))
    assert values(tmp_path, "train/loss") == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]
    assert [step for step, _ in values(tmp_path, "x")] == [1, 2, 3, 4]
    assert [step for step, _ in values(tmp_path, "picture")] == [2, 4]


def test_order_of_writing(tmp_path: Path) -> None:
    @tf.function
    def several(x: tf.Tensor) -> None:
        for i in tf.range(3):
            summary.scalar("in loop", x, step=tf.cast(i, tf.int64))
        summary.scalar("after", x, step=3)

    with summary.create_file_writer(str(tmp_path)).as_default():
        several(tf.constant(2.0))
    assert [step for step, _ in values(tmp_path, "in loop")] == [0, 1, 2]
    assert [step for step, _ in values(tmp_path, "after")] == [3]


def test_steps(tmp_path: Path) -> None:
    writer = summary.create_file_writer(str(tmp_path))
    assert summary.experimental.get_step() is None
    with writer.as_default():
        with pytest.raises(ValueError, match=r"No step set\. Please specify one"):
            summary.scalar("a", 1.0)
        summary.experimental.set_step(3)
        summary.scalar("a", 1.0)
        with writer.as_default(step=5):
            summary.scalar("a", 2.0)
        summary.scalar("a", 3.0)
        step = tf.Variable(9, dtype=tf.int64)
        summary.experimental.set_step(step)
        record = tf.function(lambda: summary.scalar("a", 4.0))
        record()
        step.assign(10)
        record()
        summary.experimental.set_step(None)
    assert values(tmp_path, "a") == [(3, 1.0), (5, 2.0), (3, 3.0), (9, 4.0), (10, 4.0)]


def test_conditions(tmp_path: Path) -> None:
    calls = []

    def decide() -> bool:
        calls.append(1)
        return len(calls) > 1

    with summary.create_file_writer(str(tmp_path)).as_default(step=0):
        assert bool(summary.should_record_summaries())
        with summary.record_if(False):
            assert not bool(summary.should_record_summaries())
            assert not bool(summary.scalar("a", 1.0))
        with summary.record_if(tf.constant(True)):
            assert bool(summary.scalar("a", 2.0))
        with summary.record_if(decide):
            assert [bool(summary.scalar("a", 3.0)) for _ in range(2)] == [False, True]
    assert values(tmp_path, "a") == [(0, 2.0), (0, 3.0)]


def test_without_a_writer(tmp_path: Path) -> None:
    assert not bool(summary.scalar("a", 1.0))
    assert not bool(summary.image("a", tf.zeros([1, 2, 2, 1])))
    assert not bool(summary.write("a", lambda: 1 / 0))
    assert not bool(summary.should_record_summaries())
    with summary.create_noop_writer().as_default(step=3):
        assert summary.experimental.get_step() is None
        assert not bool(summary.scalar("a", 1.0))


def test_a_writer_of_nothing_changes_nothing(tmp_path: Path) -> None:
    """In its block, the writer before it is in use."""
    nothing = summary.create_noop_writer()
    with summary.create_file_writer(str(tmp_path)).as_default(step=0):
        nothing.set_as_default(step=5)
        with nothing.as_default(step=6):
            assert bool(summary.scalar("a", 1.0))
    assert values(tmp_path, "a") == [(0, 1.0)]


def test_steps_and_metadata_of_what_is_written(tmp_path: Path) -> None:
    """A step is asked for only where something is written, and conditions once."""
    asked = []
    with summary.create_file_writer(str(tmp_path)).as_default():
        with summary.record_if(lambda: asked.append(1) or False):
            assert not bool(summary.scalar("a", 1.0))
            assert not bool(summary.write("a", lambda: 1 / 0))
        assert len(asked) == 2
        with summary.record_if(False), pytest.raises(ValueError, match="No step set"):
            summary.experimental.write_raw_pb(b"")
        with pytest.raises(ValueError, match="No step set"):
            summary.scalar("a", 1.0)
        assert bool(summary.write("m", 2.0, 0, metadata=tf.constant(b"")))
        with pytest.raises(ValueError, match="Invalid argument to flush"):
            summary.flush(())
        with pytest.raises(tf.errors.DataLossError, match="binary proto tensor"):
            summary.experimental.write_raw_pb("notaproto", step=1)
        one = event_file.value("raw", np.float32(4), b"")
        other = event_file.value("more", np.float32(5), b"")
        assert bool(summary.experimental.write_raw_pb([one, other], step=7))
    assert values(tmp_path, "m") == [(0, 2.0)]
    assert (values(tmp_path, "raw"), values(tmp_path, "more")) == ([(7, 4.0)], [(7, 5.0)])


def test_scopes_of_summaries() -> None:
    scope = summary.experimental.summary_scope
    with scope("foo") as outer, scope("with/slash") as inner, tf.name_scope("q"), scope("r") as last:
        assert outer == ("foo", "foo/")
        assert inner == ("foo/with/slash", "foo/with/slash/")
        assert last == ("foo/with/slash/q/r", "foo/with/slash/q/r/")
    for name, expected in {"f?o": ("f?o", "fo/"), "??": ("??", "summary/"), "": ("summary", "summary/")}.items():
        with scope(name) as found:
            assert found == expected


def test_writers(tmp_path: Path) -> None:
    first, second = [summary.create_file_writer(str(tmp_path / name)) for name in "ab"]
    first.set_as_default()
    summary.scalar("x", 1.0, step=0)
    with second.as_default():
        summary.scalar("x", 2.0, step=0)
    summary.scalar("x", 3.0, step=1)
    summary.flush()
    assert values(tmp_path / "a", "x") == [(0, 1.0), (1, 3.0)]
    assert values(tmp_path / "b", "x") == [(0, 2.0)]
    first.close()
    with pytest.raises(RuntimeError, match="already closed"):
        summary.scalar("x", 1.0, step=0)
    current.writer = None
    with pytest.raises(RuntimeError, match="already closed"), first.as_default():
        pass


def test_names_of_files(tmp_path: Path) -> None:
    summary.create_file_writer(str(tmp_path), filename_suffix=".mine")
    summary.create_file_writer(tf.constant(str(tmp_path)))
    first, second = sorted(os.listdir(tmp_path))
    assert first.startswith("events.out.tfevents.")
    assert {first[-5:], second[-3:]} == {".mine", ".v2"}
    assert read(tmp_path).Tags()["tensors"] == []


def test_when_events_reach_the_file(tmp_path: Path) -> None:
    writer = summary.create_file_writer(str(tmp_path), max_queue=3)
    [path] = tmp_path.iterdir()
    sizes = [path.stat().st_size]
    writer.set_as_default()
    for step in range(4):
        summary.scalar("x", 1.0, step=step)
        sizes.append(path.stat().st_size)
    current.writer = None
    assert sizes[0] == sizes[1] == sizes[2] < sizes[3] == sizes[4]
    writer.flush()
    assert path.stat().st_size > sizes[4]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: summary.scalar("a", [1.0, 2.0], step=0), r"data must be a scalar, it has shape \(2,\)"),
        (lambda: summary.image("a", tf.zeros([2, 2, 3]), step=0), r"must be \[images, height, width, channels\]"),
        (lambda: summary.image("a", tf.zeros([1, 2, 2, 5]), step=0), r"1 to 4 channels"),
        (lambda: summary.image("a", tf.zeros([1, 2, 2, 1]), step=0, max_outputs=-1), r"max_outputs is -1"),
        (lambda: summary.audio("a", tf.zeros([2, 2]), 8000, step=0), r"must be \[sounds, samples, channels\]"),
    ],
)
def test_refuses(call: Any, text: str, tmp_path: Path) -> None:
    with (
        summary.create_file_writer(str(tmp_path)).as_default(),
        pytest.raises(tf.errors.InvalidArgumentError, match=text),
    ):
        call()


def test_refuses_arguments() -> None:
    with pytest.raises(ValueError, match="Unknown encoding: 'mp3'"):
        summary.audio("a", tf.zeros([1, 2, 2]), 8000, encoding="mp3")
    with pytest.raises(ValueError, match="`logdir` cannot be None"):
        summary.create_file_writer(None)
    with pytest.raises(tf.errors.UnimplementedError, match="scheme 'gs' not implemented"):
        summary.create_file_writer("gs://bucket/logs")


def test_graphs(tmp_path: Path) -> None:
    scale = tf.Variable(2.0, name="scale")

    @tf.function
    def layer(x: tf.Tensor) -> tf.Tensor:
        return tf.tanh(scale * x) + 1.0

    graph = layer.get_concrete_function(tf.TensorSpec([3])).graph
    with summary.create_file_writer(str(tmp_path / "a")).as_default():
        assert summary.graph(graph)
    found = read(tmp_path / "a").Graph()
    nodes = {node.name: (node.op, list(node.input)) for node in found.node}
    assert nodes["x"] == ("Placeholder", [])
    assert nodes["tanh"] == ("tanh", ["multiply"])
    assert sorted(nodes["multiply"][1]) == ["scale", "x"]
    with summary.create_file_writer(str(tmp_path / "b")).as_default():
        summary.trace_on()
        layer(tf.constant([1.0, 2.0, 3.0]))
        summary.trace_export("layer", step=0)
        with pytest.raises(ValueError, match="Must enable trace before export"):
            summary.trace_export("layer", step=0)
    assert "tanh" in {node.name for node in read(tmp_path / "b").Graph().node}
    assert not summary.graph(graph)
    with pytest.raises(ValueError, match=r"is not tf\.Graph"):
        summary.graph("nothing")
    summary.trace_on()
    summary.trace_off()


def test_gradients_pass_by(tmp_path: Path) -> None:
    x = tf.Variable(3.0)

    @tf.function
    def loss() -> tf.Tensor:
        y = x * x
        summary.scalar("y", y, step=0)
        return y

    with summary.create_file_writer(str(tmp_path)).as_default():
        for call in (loss, loss.python_function):
            with tf.GradientTape() as tape:
                y = call()
            assert float(tape.gradient(y, x)) == 6.0
    assert values(tmp_path, "y") == [(0, 9.0), (0, 9.0)]
