"""Averages of losses, and the loss of counts. Numbers without a formula are TensorFlow's."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from gradtape.testing import check_grads


@pytest.mark.parametrize(
    ("loss", "options", "wanted"),
    [
        ([1.0, 2.0, 3.0], {}, 2.0),
        ([1.0, 2.0, 3.0], {"global_batch_size": 6}, 1.0),
        ([1.0, 2.0, 3.0], {"global_batch_size": 0}, 0.0),
        ([1.0], {"global_batch_size": np.int64(4)}, 0.25),
        ([1.0, 2.0, 3.0], {"sample_weight": [1.0, 0.0, 1.0]}, 4 / 3),
        ([1.0, 2.0], {"sample_weight": [1, 0]}, 0.5),
        ([1.0, 2.0], {"sample_weight": [[1.0], [0.0]]}, 0.5),
        ([[1.0, 2.0], [3.0, 4.0]], {"sample_weight": [[1.0], [0.0]]}, 1.5),
        ([[1.0, 2.0], [3.0, 4.0]], {"sample_weight": [1.0, 0.0]}, 1.5),
        ([[1.0, 2.0], [3.0, 4.0]], {"sample_weight": 2.0}, 10.0),
        ([[1.0, 2.0], [3.0, 4.0]], {}, 5.0),
        ([1, 2], {}, 1.5),
    ],
)
def test_compute_average_loss(loss, options, wanted):
    np.testing.assert_allclose(tf.nn.compute_average_loss(loss, **options), wanted, rtol=1e-6)


def test_compute_average_loss_of_nothing_is_zero():
    assert float(tf.nn.compute_average_loss(tf.zeros([0]))) == 0.0


@pytest.mark.parametrize(
    ("loss", "size", "error", "words"),
    [
        (1.0, None, ValueError, "at least rank 1"),
        ([1.0], 2.0, TypeError, "must be an integer"),
        ([1.0], [1, 2], ValueError, "must be scalar"),
        ([1.0], -1, tf.errors.InvalidArgumentError, "must be non-negative"),
    ],
)
def test_compute_average_loss_refusals(loss, size, error, words):
    with pytest.raises(error, match=words):
        tf.nn.compute_average_loss(loss, global_batch_size=size)


def test_compute_average_loss_derivatives():
    loss, weight = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, 2.0])
    check_grads(lambda x, w: tf.nn.compute_average_loss(x, w), (loss, weight))


def test_scale_regularization_loss():
    assert float(tf.nn.scale_regularization_loss([1.0, 2.0])) == 3.0
    assert float(tf.nn.scale_regularization_loss(4)) == 4.0


def test_log_poisson_loss():
    targets, rates = np.array([0.0, 1.0, 2.0, 3.5]), np.array([0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(tf.nn.log_poisson_loss(targets, rates), np.exp(rates) - rates * targets)
    full = tf.nn.log_poisson_loss(targets, rates, compute_full_loss=True)
    np.testing.assert_allclose(full, [1.0, 1.1487212, 1.3700882, 2.8190465], rtol=1e-6)
    exact = np.exp(rates) - rates * targets + scipy.special.gammaln(targets + 1.0)
    np.testing.assert_allclose(full[2:], exact[2:], atol=0.05)
    assert np.isnan(tf.nn.log_poisson_loss([-1.0], [1.0], compute_full_loss=True).numpy()).all()


def test_log_poisson_loss_derivatives():
    check_grads(lambda z, x: tf.nn.log_poisson_loss(z, x, True), (np.array([0.5, 2.0, 3.5]), np.array([0.5, 1.0, 2.0])))
    targets = tf.Variable([0.0, 3.0])
    with tf.GradientTape() as tape:
        loss = tf.nn.log_poisson_loss(targets, [0.5, 1.0], compute_full_loss=True)
    assert np.isfinite(tape.gradient(loss, targets).numpy()).all()


def test_log_poisson_loss_refuses_different_shapes():
    with pytest.raises(ValueError, match="must have the same shape"):
        tf.nn.log_poisson_loss([0.0, 1.0], [1.0])
