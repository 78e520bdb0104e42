"""The doors of public functions: who is asked where a function fails, and that nobody is asked otherwise."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

import gradtape as tf
from gradtape.core import doors

FIRST = """
from gradtape import abs, concat, reduce_sum, reshape, tanh
import gradtape as tf
print(tf.concat([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4], []])], 1).to_list())
print(concat([tf.ragged.constant([[5], []])] * 2, 1).to_list())
print(reduce_sum(tf.ragged.constant([[1], [2, 3]]), 1).numpy(), abs(tf.sparse.from_dense([0, -2])).values.numpy())
f = tf.function(lambda x: reshape(x, [tf.size(x)]), input_signature=[tf.TensorSpec([None, None])])
print(f(tf.zeros([2, 3])).shape)
print(concat is tf.concat, reshape is tf.reshape, tanh is tf.math.tanh)
"""


def test_first_expressions_and_functions_imported_by_name() -> None:
    run = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [
        "[[1, 4], [2, 3]]",
        "[[5, 5], []]",
        "[1 5] [2]",
        "(6,)",
        "True True True",
    ]


@pytest.mark.parametrize(
    "name", ["concat", "reshape", "reduce_sum", "matmul", "tanh", "add", "math.segment_sum", "nn.relu"]
)
def test_functions_are_the_same_objects_whatever_was_used(name: str) -> None:
    def find() -> Any:
        found: Any = tf
        for part in name.split("."):
            found = getattr(found, part)
        return found

    function = find()
    code = function.__code__, inspect.unwrap(function).__code__
    tf.concat([tf.ragged.constant([[1], [2, 3]])] * 2, 0)
    tf.sparse.to_dense(tf.abs(tf.sparse.from_dense([1, 0])))
    tf.function(tf.square)(2.0)
    assert find() is function
    assert (function.__code__, inspect.unwrap(function).__code__) == code
    assert pickle.loads(pickle.dumps(function)) is function


def test_doors_have_the_parameters_of_their_functions() -> None:
    def area(width: int, height: int = 2, *, scale: float = 1.0) -> float:
        return width * height * scale

    def edge(width: int, height: int = 2, name: str | None = None) -> int:
        return width + height

    for function in (area, edge):
        door = doors.by_position(function)
        assert inspect.signature(door) == inspect.signature(function)
        assert (door.__name__, door.__doc__) == (function.__name__, function.__doc__)
        assert door(3) == function(3)
        assert door(3, 4) == door(3, height=4) == door(height=4, width=3) == function(3, 4)


class Asked:
    """A value that answers for one function, and notes the questions."""

    def __init__(self) -> None:
        self.questions: list[Any] = []

    def __gradtape_function__(self, function: Any, args: Any, kwargs: Any) -> Any:
        self.questions.append((doors.key_of(function), args, kwargs))
        return "answered" if function.__name__ in ("tile", "tanh", "maximum", "concat") else NotImplemented


def test_values_answer_for_functions_that_do_not_take_them() -> None:
    value = Asked()
    assert tf.tile(value, [2]) == "answered"
    assert tf.tile(input=value, multiples=[2], name="n") == "answered"
    assert tf.tanh(value) == tf.maximum(1.0, value) == tf.concat([value, [1.0]], axis=0) == "answered"
    assert [key for key, _, _ in value.questions] == [
        ("arrays", "tile"),
        ("arrays", "tile"),
        ("math", "tanh"),
        ("math", "maximum"),
        ("arrays", "concat"),
    ]
    assert value.questions[0][1:] == ((value, [2]), {})
    assert value.questions[1][1:] == ((value, [2]), {"name": "n"})


def test_an_unanswered_question_is_the_error_of_the_function() -> None:
    value = Asked()
    with pytest.raises(ValueError, match="unsupported type") as raised:
        tf.sort(value)
    assert "test_doors.py" in str(raised.value)
    assert "  fix: " in str(raised.value)
    assert len(value.questions) == 1


def test_nobody_is_asked_where_a_function_succeeds() -> None:
    class Listed(Asked):
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return tf.ones([2]).numpy()

    value = Listed()
    assert tf.reduce_sum(value).numpy() == 2
    assert tf.tanh(value).shape == (2,)
    assert value.questions == []


def test_errors_of_answers_come_alone() -> None:
    with pytest.raises(ValueError, match="out of bounds") as raised:
        tf.reverse(tf.ragged.constant([[1], [2, 3]]), [7])
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None or raised.value.__suppress_context__


def test_errors_about_composites_can_be_pickled() -> None:
    with pytest.raises(ValueError, match="unsupported type") as raised:
        tf.sort(tf.ragged.constant([[1], [2, 3]]))
    copied = pickle.loads(pickle.dumps(raised.value))
    assert isinstance(copied, ValueError)
    assert str(copied) == str(raised.value)
    assert "x.to_tensor()" in str(copied)
