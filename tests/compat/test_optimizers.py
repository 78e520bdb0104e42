"""Optimizers of version 1 on sparse gradients, and scales of losses. The numbers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

OPTIMIZERS = {
    "ftrl": (
        lambda: v1.train.FtrlOptimizer(
            0.5,
            l1_regularization_strength=0.1,
            l2_regularization_strength=0.01,
            l2_shrinkage_regularization_strength=0.1,
            beta=0.2,
        ),
        [[-0.31049, -0.18955], [0.04309, -0.37361], [-0.73018, 0.0]],
    ),
    "ftrl with another power": (
        lambda: v1.train.FtrlOptimizer(0.5, learning_rate_power=-0.3),
        [[-0.29147, -0.06059], [0.44809, 0.20369], [-0.05046, 0.92372]],
    ),
    "momentum": (lambda: v1.train.MomentumOptimizer(0.5, 0.9), [[0.565, 1.42], [2.8, 3.9], [4.855, 6.29]]),
    "nesterov": (
        lambda: v1.train.MomentumOptimizer(0.5, 0.9, use_nesterov=True),
        [[0.3085, 1.078], [2.62, 3.81], [4.7695, 6.461]],
    ),
    "rms": (
        lambda: v1.train.RMSPropOptimizer(0.5, momentum=0.5),
        [[0.59907, 1.46838], [2.79103, 3.89482], [4.8655, 6.26836]],
    ),
    "centred rms": (
        lambda: v1.train.RMSPropOptimizer(0.5, centered=True),
        [[0.67733, 1.57193], [2.79085, 3.8948], [4.89182, 6.21589]],
    ),
    "adam": (lambda: v1.train.AdamOptimizer(0.5), [[-0.24403, 0.75597], [2.34033, 3.34033], [3.75598, 7.24402]]),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_rows_that_a_gradient_does_not_have(name: str) -> None:
    make, expected = OPTIMIZERS[name]
    v, optimizer = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), make()
    for rows in ([2, 0], [1, 1], [2, 0]):
        slices = tf.IndexedSlices(tf.constant([[0.1, -0.2], [0.3, 0.4]]), tf.constant(rows), tf.constant([3, 2]))
        optimizer.apply_gradients([(slices, v)])
    np.testing.assert_allclose(v, expected, atol=1e-5)


@pytest.mark.parametrize("option", ["initial_accumulator_value", "l1_regularization_strength"])
def test_ftrl_refuses(option: str) -> None:
    options: Any = {option: -1.0}
    with pytest.raises(ValueError, match="needs to be positive or zero"):
        v1.train.FtrlOptimizer(0.5, **options)


def test_a_dynamic_scale() -> None:
    scale = v1.mixed_precision.DynamicLossScale(4.0, increment_period=2, multiplier=2.0)
    seen = []
    for value in (1.0, 1.0, np.inf, np.nan, 1.0):
        _, is_finite = scale.update([tf.constant(value), None])
        seen.append((bool(is_finite), float(scale())))
    assert seen == [(True, 4.0), (True, 8.0), (False, 4.0), (False, 2.0), (True, 2.0)]
    again = v1.mixed_precision.DynamicLossScale.from_config(scale.get_config())
    assert float(again()) == 4.0


def test_a_fixed_scale() -> None:
    scale = v1.mixed_precision.FixedLossScale(123)
    assert repr(scale) == "FixedLossScale(123.0)"
    assert scale.update([tf.constant(np.nan)])[1] is True
    with pytest.raises(ValueError, match="at least 1"):
        v1.mixed_precision.FixedLossScale(0.5)
