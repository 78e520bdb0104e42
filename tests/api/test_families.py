"""Functions that are rows of tables are like functions written by hand."""

from __future__ import annotations

import doctest
import inspect
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.api.families import Family, family

ROWS = [tf.reduce_sum, tf.math.segment_max, tf.signal.rfft2d, tf.nn.max_pool2d, tf.cumsum, tf.image.rgb_to_yuv]
ROWS += [tf.tensor_scatter_nd_max, tf.image.stateless_random_hue, tf.signal.irfftnd, tf.math.approx_min_k, tf.argmax]
ROWS += [tf.linalg.logm, tf.nn.log_softmax, tf.signal.hann_window, tf.image.flip_up_down, tf.random.stateless_normal]
ROWS += [tf.experimental.numpy.nansum, tf.experimental.numpy.ones, tf.random.uniform_candidate_sampler]


@pytest.mark.parametrize("function", ROWS, ids=lambda f: f.__name__)
def test_rows_are_functions_of_their_module(function: Any) -> None:
    assert function.__qualname__ == function.__name__ == inspect.unwrap(function).__code__.co_name
    assert function.__module__.partition(".")[0] == "gradtape"
    assert pickle.loads(pickle.dumps(function)) is function
    text = inspect.getdoc(function)
    assert text is not None
    for parameter in inspect.signature(function).parameters:
        assert f"\n  {parameter}: " in text
    assert doctest.DocTestParser().get_examples(text)


def test_signature() -> None:
    parameters = inspect.signature(tf.reduce_sum).parameters
    assert list(parameters) == ["input_tensor", "axis", "keepdims", "name"]
    assert [p.default for p in parameters.values()] == [inspect.Parameter.empty, None, False, None]
    assert inspect.signature(tf.nn.max_pool1d).parameters["data_format"].default == "NWC"
    assert inspect.signature(tf.nn.avg_pool3d).parameters["data_format"].default == "NDHWC"


def test_errors_and_tracebacks_have_the_public_name() -> None:
    with pytest.raises(ValueError, match="reduce_max") as raised:
        tf.reduce_max([1.0], axis=7)
    assert "test_families.py" in str(raised.value)
    with pytest.raises(TypeError, match=r"^reduce_sum\(\) got an unexpected keyword argument 'axsi'"):
        tf.reduce_sum([1.0], axsi=0)
    with pytest.raises(TypeError, match=r"^tf.math.segment_sum got an unexpected keyword argument 'axsi'[^$]*fix: "):
        tf.math.segment_sum([1.0], [0], axsi=0)
    with pytest.raises(ValueError) as raised:
        tf.math.segment_sum([1.0], [[0]])
    names = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert "function" not in names


def test_rows_wait_in_functions_for_sizes(tmp_path: Any) -> None:
    module = tf.Module()
    module.f = tf.function(
        lambda x, ids: tf.math.segment_max(x, ids),
        input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.int32)],
    )
    arguments = tf.constant([1.0, 3.0, 2.0]), tf.constant([0, 0, 2])
    np.testing.assert_array_equal(module.f(*arguments), [3.0, 0.0, 2.0])
    tf.saved_model.save(module, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.f(*arguments), [3.0, 0.0, 2.0])


def test_a_family() -> None:
    @family("A number.", x="a number.", times="how often.")
    def multiple(who: str, factor: int) -> Callable[..., int]:
        def function(x: int, *, times: int = 1, name: str | None = None) -> int:
            return x * factor * times

        return function

    assert isinstance(multiple, Family)
    double = multiple("double", "Twice x.", "double(3) -> 6\ndouble(3, times=2) -> 12", 2, times="how many times.")
    assert double(3, times=5) == 30
    assert double.__module__ == __name__
    assert inspect.getdoc(double) == (
        "Twice x.\n\nArgs:\n  x: a number.\n  times: how many times.\n  name: ignored.\n\nReturns:\n  A number.\n\n"
        ">>> double(3)\n6\n>>> double(3, times=2)\n12"
    )
    with pytest.raises(KeyError, match="y"):
        family("A number.")(lambda who: lambda y: y)("same", "y itself.", "same(1) -> 1")
