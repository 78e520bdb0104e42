"""Functions of tf for classes of the program."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import gradtape as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


@pytest.fixture
def handler() -> Iterator[Any]:
    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def each(api_func: Any, x: Masked) -> Masked:
        return Masked(api_func(x.values), x.mask)

    yield each
    tf.experimental.unregister_dispatch_for(each)


def test_functions_of_elements_ask_the_handler(handler: Any) -> None:
    x = Masked([-1.0, 4.0], [True, False])
    assert tf.abs(x).values.numpy().tolist() == [1.0, 4.0]
    assert tf.cast(x, tf.int32).values.dtype is tf.int32
    assert tf.strings.as_string(x).values.numpy().tolist() == [b"-1.000000", b"4.000000"]


def test_other_arguments_get_the_error_that_they_had(handler: Any) -> None:
    with pytest.raises(ValueError, match="unsupported type"):
        tf.abs(object())
    with pytest.raises(ValueError, match="Masked"):
        tf.add(Masked([1.0], [True]), 1.0)


def test_a_function_that_is_unregistered_is_forgotten() -> None:
    def shape(input: Masked, out_type: Any = None) -> Any:
        return 7

    tf.experimental.dispatch_for_api(tf.shape)(shape)
    x = Masked([1.0], [True])
    assert tf.shape(x) == 7
    tf.experimental.unregister_dispatch_for(shape)
    with pytest.raises(ValueError, match="Masked"):
        tf.shape(x)
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(shape)
    known = weakref.ref(shape)
    del shape
    gc.collect()
    assert known() is None


def test_errors_of_the_program_come_through() -> None:
    @tf.experimental.dispatch_for_api(tf.rank)
    def rank(input: Masked, name: Any = None) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tf.rank(Masked([1.0], [True]))
    tf.experimental.unregister_dispatch_for(rank)


@pytest.mark.parametrize("given", [{"z": Masked}, [Masked], {"x": 3}, {None: Masked}])
def test_refusals_have_three_lines(given: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"(?s)dispatch_for_api: .*\n  at: .*\n  fix: "):
        tf.experimental.dispatch_for_api(tf.add, given)(lambda x, y, name=None: 0)


def test_functions_in_traces(handler: Any) -> None:
    @tf.function
    def f(x: Masked) -> Any:
        return tf.square(tf.abs(x))

    assert f(Masked([-3.0], [True])).values.numpy().tolist() == [9.0]
