"""Errors that Python raises about our objects get a line with the fix where they are printed."""

from __future__ import annotations

import re

import pytest

import gradtape as tf
from gradtape.api import keras_habits
from gradtape.core import known_errors, python_errors

_TABLES = (*known_errors.ATTRIBUTES.values(), *known_errors.USES.values(), known_errors.TEXTS, keras_habits._TABLE)
_FIXES = [text for names in _TABLES for text in names.values()] + [advice for _, advice in known_errors.KERAS]


def fix_of(call):
    with pytest.raises((TypeError, AttributeError, ValueError, LookupError)) as caught:
        call()
    return python_errors.fix(caught.value)


@pytest.mark.parametrize("text", _FIXES)
def test_what_it_says_exists(text):
    tf.keras.layers  # noqa: B018  # loaded, so that names of Keras are found
    for name in re.findall(r"\b(?:tf|keras)(?:\.\w+)+", text):
        owner = tf if name.startswith("tf.") else tf.keras
        for part in name.split(".")[1:]:
            owner = getattr(owner, part)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (tf.GradientTape, "GradientTape"),
        (lambda: tf.data.Dataset.range(3), "Dataset"),
        (lambda: tf.TensorArray(tf.float32, 1), "TensorArray"),
        (lambda: tf.ones([2]).shape, "TensorShape"),
        (tf.Module, "Module"),
        (lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]), "Model"),
        (lambda: tf.keras.layers.Dense(1), "Layer"),
        (lambda: tf.keras.metrics.Mean(), "Metric"),
    ],
)
def test_attributes_of_a_class(make, kind):
    owner, said = make(), 0
    for name, text in known_errors.ATTRIBUTES[kind].items():
        if not hasattr(owner, name):
            assert fix_of(lambda name=name: getattr(owner, name)) == f"  fix: {text}"
            said += 1
    assert said >= 2


def test_calls_of_keras():
    assert fix_of(lambda: tf.keras.losses.BinaryCrossentropy(from_logit=True)).endswith("(..., from_logits=...).")
    assert fix_of(lambda: tf.keras.layers.Dense(3, activate="relu")).endswith("Dense(..., activation=...).")
    assert "epochs" in fix_of(lambda: tf.keras.Sequential([tf.keras.layers.Dense(1)]).fit(None, epoch=2))


def test_shapes():
    assert "(2, 3): use an axis from -2 to 1" in fix_of(lambda: tf.ones([2, 3]).shape[2])


def test_errors_of_others_are_left_alone():
    assert fix_of(lambda: [].parameters) == ""
    assert fix_of(lambda: (1, 2)[3]) == ""
    assert fix_of(lambda: int(1, 2, 3, 4)) == ""


def test_none_where_a_tape_found_no_gradient():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
    gradient = tape.gradient(y, x)
    assert "tape.explain" in fix_of(lambda: 0.1 * gradient)


def test_names_of_other_modules():
    assert fix_of(lambda: tf.reduce_std) == "  fix: tf.math.reduce_std."
    assert fix_of(lambda: tf.nn.ReLu) == "  fix: tf.nn.relu."
    assert fix_of(lambda: tf.math.conv2d) == "  fix: tf.nn.conv2d."
    assert fix_of(lambda: tf.there_is_no_such_name) == ""


def test_names_of_keras():
    assert fix_of(lambda: tf.keras.layers.Linear) == "  fix: keras.layers.Dense(units)."
    assert fix_of(lambda: tf.keras.layers.Relu) == "  fix: keras.layers.ReLU."
    assert fix_of(lambda: tf.keras.Dense) == "  fix: keras.layers.Dense."
    assert fix_of(lambda: tf.keras.layers.there_is_no_such_name) == ""


def test_objects_are_found_by_their_class():
    strategy, module = tf.distribute.MirroredStrategy(), tf.Module()

    def enter():
        with strategy:
            pass

    assert "strategy.scope()" in fix_of(enter)
    assert "__call__" in fix_of(lambda: module(1.0))
    assert fix_of(lambda: object()(1.0)) == ""


def test_a_list_of_gradients():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    found = tape.gradient(y, [x])
    assert "found[0]" in fix_of(lambda: 0.1 * found)


def test_an_attribute_that_a_layer_does_not_have():
    class Scale(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.factor = 2.0

        def call(self, x):
            return x * self.facter

    assert fix_of(lambda: Scale()(tf.ones([2]))) == "  fix: self.factor."


def test_keras_does_not_hide_the_first_line():
    class Product(tf.keras.layers.Layer):
        def call(self, x):
            return x @ tf.ones([4, 5])

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^matmul: inner dimensions differ"):
        Product()(tf.ones([2, 3]))


def test_the_same_words_of_other_libraries_are_left_alone():
    import inspect

    assert fix_of(lambda: inspect.signature(lambda x: x).bind(1, 2)) == ""

    class Dataset:
        pass

    assert fix_of(lambda: Dataset()()) == ""


def test_a_callback_of_the_wrong_arity():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", lambda y: y)
    ones = tf.ones([4, 1]).numpy()
    assert "def f(x0, x1)" in fix_of(lambda: model.fit(ones, ones, verbose=0))


def test_a_size_that_is_unknown_while_tracing():
    function = tf.function(lambda x: x.shape[0] + 1)
    with pytest.raises(TypeError, match=r"\n  fix: .*tf\.shape\(x\)\[0\]"):
        function.get_concrete_function(tf.TensorSpec([None]))


def test_methods_without_parentheses_and_properties_with_them():
    x = tf.Variable([1.0])
    assert "x.value()" in fix_of(lambda: x.value + 1.0)
    module = tf.Module()
    assert "leave out the parentheses: module.trainable_variables" in fix_of(lambda: module.trainable_variables())


def test_a_class_in_place_of_an_instance():
    optimizer = tf.keras.optimizers.Adam
    assert "optimizer = Adam(...)" in fix_of(lambda: optimizer.apply_gradients([]))


def test_a_metric_that_fit_did_not_compute():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    ones = tf.ones([4, 1]).numpy()
    history = model.fit(ones, ones, verbose=0)
    assert "validation_data" in fix_of(lambda: history.history["val_loss"])
    assert "metrics=['accuracy']" in fix_of(lambda: history.history["accuracy"])
    assert fix_of(lambda: {}["val_loss"]) == ""


def test_advice_stands_in_the_message_of_a_function():
    class Scale(tf.Module):
        def __init__(self):
            self.w = tf.Variable(2.0)

        @tf.function
        def __call__(self, x):
            return self.W * x

    with pytest.raises(AttributeError, match=r"no attribute 'W'. Did you mean: 'w'\?\n\nin user code"):
        Scale()(tf.constant(1.0))
