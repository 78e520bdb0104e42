"""AutoGraph: what is refused, in words that name the variable and the line."""

import pytest

import gradtape as tf

ONE = tf.constant(1.0)


def refused(function, kind, text, *arguments):
    with pytest.raises(kind, match=text) as caught:
        tf.function(function)(*(arguments or (ONE,)))
    assert "test_rules.py" in str(caught.value)


def test_undefined_in_one_branch():
    def f(x):
        if x > 0.0:
            y = 1
        return y

    refused(f, ValueError, "'y' must also be initialized in the else branch")


def test_none_in_one_branch():
    def f(x):
        y = None
        if x > 0.0:
            y = x
        return y

    refused(f, ValueError, "'y' is None at the end of the else branch")


def test_none_in_the_main_branch():
    def f(x):
        if x > 0.0:
            y = None
        else:
            y = x
        return y

    refused(f, ValueError, r"'y' is None at the end of the main branch\.")


def test_return_in_one_branch():
    def f(x):
        if x > 0.0:
            return x

    refused(f, ValueError, "the else branch must also have a return statement")


def test_dtypes_of_branches():
    def f(x):
        if x > 0.0:
            y = 1
        else:
            y = 1.0
        return y

    refused(f, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch")


def test_structures_of_branches():
    def f(x):
        if x > 0.0:
            y = (x, x)
        else:
            y = (x,)
        return y

    refused(f, TypeError, "'y' does not have the same nested structure")


def test_objects_of_branches():
    def f(x):
        if x > 0.0:
            y = object()
        else:
            y = object()
        return y

    refused(f, TypeError, "'y' must be a tensor")


def test_shape_in_a_loop():
    def f(x):
        x = x[None]
        for _ in tf.range(3):
            x = tf.concat([x, x], 0)
        return x

    refused(
        f,
        ValueError,
        r"'x' has shape \(1,\) before the loop, but shape \(2,\) after one iteration. Use "
        r"tf.autograph.experimental.set_loop_options to set shape invariants\.",
    )


def test_dtype_in_a_loop():
    def f(x):
        n = 0
        while x < 10.0:
            n = n + 1.5 if False else x
            x = x * 2.0
        return n

    refused(f, TypeError, "'n' has dtype int32 before the loop, but dtype float32 after one iteration")


def test_none_that_a_loop_reads():
    def f(x):
        y = None
        for _ in tf.range(3):
            y = x + y
        return y

    refused(f, ValueError, "'y' may not be None before the loop")


def test_none_that_stays():
    def f(x):
        y = None
        for _ in tf.range(3):
            y = None if y is None else x
        return x

    refused(f, ValueError, "'y' may not be None before the loop")


def test_none_that_a_loop_gives_a_value():
    @tf.function
    def f(n):
        y = None
        for i in tf.range(n):
            y = i
        return y

    assert f(tf.constant(3)).numpy() == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="must iterate at least once to initialize y"):
        f(tf.constant(0))


def test_scalar_in_a_for():
    def f(x):
        for _ in x:
            pass
        return x

    refused(f, ValueError, "scalar")


def test_comprehension_with_a_tensor_condition():
    refused(
        lambda x: [r for r in x if r > 0.0],
        tf.errors.OperatorNotAllowedInGraphError,
        "length that is not known",
        tf.constant([1.0, 2.0]),
    )


def test_tensors_of_a_loop_in_a_list():
    def f(x):
        kept = []
        for i in tf.range(3):
            kept.append(x * tf.cast(i, tf.float32))
        return kept[0] + 1.0

    refused(f, (TypeError, ValueError), "out of scope")


def test_without_autograph():
    for function, text in (
        (lambda x: 1 if x > 0.0 else 2, "as a Python `bool` is not allowed"),
        (lambda x: [r + 1.0 for r in x[None]], "Iterating over a symbolic `tf.Tensor` is not allowed"),
    ):
        with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=f"{text}(.|\n)*AutoGraph"):
            tf.function(function, autograph=False)(ONE)


def test_exceptions_keep_their_class_and_name_the_lines():
    def inner(x):
        if x > 0.0:
            raise KeyError("missing")
        return x

    with pytest.raises(KeyError, match="missing"):
        tf.function(inner)(ONE)
