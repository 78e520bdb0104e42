"""Updates of optimizers in eager loops, compiled after some steps."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.keras_backend import repeated_updates

keras = tf.keras
SHAPES = [(3, 4), (4,), ()]
STEPS = 8


@pytest.fixture(autouse=True)
def often(monkeypatch: Any) -> None:
    monkeypatch.setattr(repeated_updates, "_OFTEN", 3)


def variables() -> list[Any]:
    rng = np.random.default_rng(1)
    return [keras.Variable(rng.standard_normal(shape).astype("float32")) for shape in SHAPES]


def gradients(step: int) -> list[tf.Tensor]:
    rng = np.random.default_rng(100 + step)
    return [tf.constant(rng.standard_normal(shape), tf.float32) for shape in SHAPES]


def programs(optimizer: Any) -> list[bool]:
    """Whether there is a program, for each list of variables."""
    return [u.program is not None for u in vars(optimizer)["_gradtape_updates"].updates.values()]


def trained(optimizer: Any, before_step: Any = lambda optimizer, step: None) -> list[np.ndarray]:
    values = variables()
    for step in range(STEPS):
        before_step(optimizer, step)
        optimizer.apply_gradients(zip(gradients(step), values, strict=True))
    return [np.asarray(optimizer.iterations), *[v.numpy() for v in values]]


def step_by_step(monkeypatch: Any, *args: Any) -> list[np.ndarray]:
    with monkeypatch.context() as patch:
        patch.setattr(repeated_updates, "run", lambda *_: False)
        return trained(*args)


def agree(found: list[np.ndarray], wanted: list[np.ndarray]) -> None:
    for f, w in zip(found, wanted, strict=True):
        np.testing.assert_allclose(f, w, rtol=2e-6, atol=2e-7)


OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: keras.optimizers.Adam(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)),
    "adamw": lambda: keras.optimizers.AdamW(0.1, weight_decay=0.1, clipnorm=1.0),
    "rmsprop": lambda: keras.optimizers.RMSprop(0.1, centered=True, global_clipnorm=0.5),
    "lion": lambda: keras.optimizers.Lion(0.1),
    "ema": lambda: keras.optimizers.Adagrad(0.1, use_ema=True, ema_overwrite_frequency=3),
    "accumulation": lambda: keras.optimizers.Adam(0.1, gradient_accumulation_steps=2),
    "scaled": lambda: keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.1), initial_scale=8.0),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_equals_the_update_step_by_step(name: str, monkeypatch: Any) -> None:
    optimizer = OPTIMIZERS[name]()
    found = trained(optimizer)
    assert programs(optimizer) == [True]
    agree(found, step_by_step(monkeypatch, OPTIMIZERS[name]()))


def test_settings_that_change_count_at_once(monkeypatch: Any) -> None:
    def change(optimizer: Any, step: int) -> None:
        if step == 4:
            optimizer.beta_1 = 0.5
        if step == 6:
            optimizer.learning_rate = 0.01  # a variable

    wanted = step_by_step(monkeypatch, keras.optimizers.Adam(0.1), change)
    agree(trained(keras.optimizers.Adam(0.1), change), wanted)


def test_code_of_the_user_runs_in_every_step() -> None:
    calls = []

    class Own(keras.optimizers.SGD):
        def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
            calls.append(variable)
            super().update_step(gradient, variable, learning_rate)

    class Schedule(keras.optimizers.schedules.LearningRateSchedule):
        def __call__(self, step: Any) -> Any:
            calls.append(step)
            return 0.1

    trained(Own(0.1))
    assert len(calls) == STEPS * len(SHAPES)
    calls.clear()
    trained(keras.optimizers.SGD(Schedule()))
    assert len(calls) == STEPS
    calls.clear()
    replaced = keras.optimizers.SGD(0.1)
    replaced.update_step = lambda *args: calls.append(args)  # type: ignore[method-assign]
    trained(replaced)
    assert len(calls) == STEPS * len(SHAPES)


def test_two_lists_of_variables_in_turn() -> None:
    optimizer, first, second = keras.optimizers.SGD(1.0), variables(), variables()
    optimizer.build([*first, *second])
    for step in range(STEPS):
        for values in (first, second):
            optimizer.apply_gradients(zip(gradients(step), values, strict=True))
    assert programs(optimizer) == [True, True]
    agree([v.numpy() for v in first], [v.numpy() for v in second])


def test_a_wrong_gradient_is_refused_as_before_and_changes_nothing() -> None:
    optimizer, values = keras.optimizers.Adam(0.1), variables()
    for step in range(STEPS):
        optimizer.apply_gradients(zip(gradients(step), values, strict=True))
    before = [v.numpy() for v in values]
    with pytest.raises(ValueError, match=r"(?i)shape|broadcast|dimension"):
        optimizer.apply_gradients([(tf.ones([7, 7]), values[0]), *zip(gradients(0)[1:], values[1:], strict=True)])
    np.testing.assert_array_equal(values[0].numpy(), before[0])


def test_copies_start_without_programs() -> None:
    optimizer = keras.optimizers.SGD(0.1)
    trained(optimizer)
    assert repeated_updates.Cache().updates == {}
    for cache in (copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))):
        assert cache(vars(optimizer)["_gradtape_updates"]).updates == {}
