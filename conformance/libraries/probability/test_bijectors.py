"""Bijectors: forward, inverse, log determinants and their gradients, against results on TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from recording import check, gradients

tfb, tfd = tfp.bijectors, tfp.distributions


def f64(x: Any) -> Any:
    return tf.constant(x, tf.float64)


LOWER = [[1.0, 0.0], [0.4, 0.8]]
SIX = [0.5, -1.0, 0.2, 1.1, -0.3, 0.8]
SPLINE: dict[str, Any] = {
    "bin_widths": [[3.0, 4.0, 3.0]], "bin_heights": [[2.0, 5.0, 3.0]], "knot_slopes": [[0.8, 1.5]], "range_min": -5.0,
}  # fmt: skip


def spline() -> Any:
    return tfb.RationalQuadraticSpline(**{k: f64(v) for k, v in SPLINE.items()})


def coupling(x: Any, outputs: int, **_: Any) -> tuple[Any, Any]:
    """The shift and the logarithm of the scale of a flow."""
    mixed = tf.tile(tf.math.sin(tf.reduce_sum(x, -1, keepdims=True)), [*[1] * (len(x.shape) - 1), outputs])
    return mixed, 0.3 * mixed


# How each is made, a point, and how many dimensions an event has.
CASES: dict[str, tuple[Callable[[], Any], Any, int]] = {
    "Identity": (tfb.Identity, [0.3, -2.0], 0),
    "Exp": (tfb.Exp, [0.3, -2.0], 0),
    "Log": (tfb.Log, [0.3, 2.0], 0),
    "Log1p": (tfb.Log1p, [0.3, 2.0], 0),
    "Expm1": (tfb.Expm1, [0.3, -2.0], 0),
    "Sigmoid": (tfb.Sigmoid, [0.3, -2.0], 0),
    "Sigmoid between": (lambda: tfb.Sigmoid(f64(-1.0), f64(3.0)), [0.3, -2.0], 0),
    "Softplus": (lambda: tfb.Softplus(f64(0.7)), [0.3, -2.0], 0),
    "Softsign": (tfb.Softsign, [0.3, -2.0], 0),
    "SoftClip": (lambda: tfb.SoftClip(f64(-1.0), f64(3.0), f64(0.5)), [0.3, 2.0], 0),
    "Tanh": (tfb.Tanh, [0.3, -2.0], 0),
    "Sinh": (tfb.Sinh, [0.3, -2.0], 0),
    "SinhArcsinh": (lambda: tfb.SinhArcsinh(f64(0.3), f64(1.2)), [0.3, -2.0], 0),
    "Square": (tfb.Square, [0.3, 2.0], 0),
    "Power": (lambda: tfb.Power(f64(1.5)), [0.3, 2.0], 0),
    "PowerTransform": (lambda: tfb.PowerTransform(f64(0.4)), [0.3, 2.0], 0),
    "Reciprocal": (tfb.Reciprocal, [0.3, 2.0], 0),
    "NormalCDF": (tfb.NormalCDF, [0.3, -2.0], 0),
    "GumbelCDF": (lambda: tfb.GumbelCDF(f64(0.5), f64(2.0)), [0.3, -2.0], 0),
    "KumaraswamyCDF": (lambda: tfb.KumaraswamyCDF(f64(2.0), f64(3.0)), [0.3, 0.7], 0),
    "WeibullCDF": (lambda: tfb.WeibullCDF(f64(2.0), f64(1.5)), [0.3, 2.0], 0),
    "RayleighCDF": (lambda: tfb.RayleighCDF(f64(2.0)), [0.3, 2.0], 0),
    "MoyalCDF": (lambda: tfb.MoyalCDF(f64(0.5), f64(2.0)), [0.3, -2.0], 0),
    "FrechetCDF": (lambda: tfb.FrechetCDF(f64(0.0), f64(2.0), f64(1.5)), [0.3, 2.0], 0),
    "GompertzCDF": (lambda: tfb.GompertzCDF(f64(0.5), f64(0.7)), [0.3, 2.0], 0),
    "ShiftedGompertzCDF": (lambda: tfb.ShiftedGompertzCDF(f64(0.5), f64(0.7)), [0.3, 2.0], 0),
    "GeneralizedPareto": (lambda: tfb.GeneralizedPareto(f64(0.5), f64(2.0), f64(0.3)), [0.3, 2.0], 0),
    "LambertWTail": (lambda: tfb.LambertWTail(f64(0.5), f64(2.0), f64(0.1)), [0.3, 2.0], 0),
    "Shift": (lambda: tfb.Shift(f64([1.0, 2.0])), [0.3, -2.0], 0),
    "Scale": (lambda: tfb.Scale(f64([-1.5, 2.0])), [0.3, -2.0], 0),
    "Chain": (lambda: tfb.Chain([tfb.Exp(), tfb.Shift(f64(1.0)), tfb.Scale(f64(0.5))]), [0.3, -2.0], 0),
    "Invert": (lambda: tfb.Invert(tfb.Softplus()), [0.3, 2.0], 0),
    "Inline": (
        lambda: tfb.Inline(
            forward_fn=tf.exp, inverse_fn=tf.math.log, inverse_log_det_jacobian_fn=lambda y: -tf.math.log(y),
            forward_min_event_ndims=0, is_increasing=True,
        ), [0.3, 2.0], 0,
    ),
    "Ascending": (tfb.Ascending, [0.3, -2.0, 1.0], 1),
    "Cumsum": (tfb.Cumsum, [0.3, -2.0, 1.0], 1),
    "SoftmaxCentered": (tfb.SoftmaxCentered, [0.3, -2.0, 1.0], 1),
    "IteratedSigmoidCentered": (tfb.IteratedSigmoidCentered, [0.3, -2.0, 1.0], 1),
    "ScaleMatvecDiag": (lambda: tfb.ScaleMatvecDiag(f64([1.5, 0.5])), [0.3, -2.0], 1),
    "ScaleMatvecTriL": (lambda: tfb.ScaleMatvecTriL(f64(LOWER)), [0.3, -2.0], 1),
    "ScaleMatvecLU": (
        lambda: tfb.ScaleMatvecLU(f64([[2.0, 0.5], [0.3, 1.5]]), tf.constant([1, 0])), [0.3, -2.0], 1,
    ),
    "ScaleMatvecLinearOperator": (
        lambda: tfb.ScaleMatvecLinearOperator(tf.linalg.LinearOperatorLowerTriangular(f64(LOWER))), [0.3, -2.0], 1,
    ),
    "Permute": (lambda: tfb.Permute([2, 0, 1]), [0.3, -2.0, 1.0], 1),
    "Householder": (lambda: tfb.Householder(f64([0.6, 0.8, 0.0])), [0.3, -2.0, 1.0], 1),
    "Blockwise": (lambda: tfb.Blockwise([tfb.Exp(), tfb.Softplus()], [1, 2]), [0.3, -2.0, 1.0], 1),
    "Pad": (lambda: tfb.Pad([[0, 1]]), [0.3, -2.0], 1),
    "Reshape": (lambda: tfb.Reshape([2, 3], [6]), SIX, 1),
    "FillTriangular": (tfb.FillTriangular, SIX, 1),
    "FillScaleTriL": (tfb.FillScaleTriL, SIX, 1),
    "CorrelationCholesky": (tfb.CorrelationCholesky, SIX, 1),
    "UnitVector": (tfb.UnitVector, [0.3, -2.0, 1.0], 1),
    "RealNVP": (lambda: tfb.RealNVP(2, shift_and_log_scale_fn=coupling), [0.3, -2.0, 1.0, 0.4], 1),
    "MaskedAutoregressiveFlow": (
        lambda: tfb.MaskedAutoregressiveFlow(
            lambda x: tf.stack([tf.cumsum(x, -1, exclusive=True), 0.2 * tf.cumsum(x, -1, exclusive=True)], -1)
        ), [0.3, -2.0, 1.0], 1,
    ),
    "RationalQuadraticSpline": (spline, [[0.3], [-2.0]], 0),
    "TransformDiagonal": (lambda: tfb.TransformDiagonal(tfb.Exp()), [[0.3, 0.2], [-2.0, 1.0]], 2),
    "MatrixInverseTriL": (tfb.MatrixInverseTriL, LOWER, 2),
    "CholeskyOuterProduct": (tfb.CholeskyOuterProduct, LOWER, 2),
    "CholeskyToInvCholesky": (tfb.CholeskyToInvCholesky, LOWER, 2),
    "Transpose": (lambda: tfb.Transpose([1, 0]), LOWER, 2),
    "Split": (lambda: tfb.Split([1, 2]), [0.3, -2.0, 1.0], 1),
    "DiscreteCosineTransform": (tfb.DiscreteCosineTransform, [0.3, -2.0, 1.0], 1),
    "Glow": (
        lambda: tfb.Invert(tfb.Chain([tfb.Exp(), tfb.ScaleMatvecTriL(f64(LOWER))])), [0.3, 2.0], 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bijector(name: str) -> None:
    make, point, dims = CASES[name]
    x = np.asarray(point, float)

    def whole(x: Any) -> Any:
        return tf.add_n([tf.reduce_sum(tf.math.sin(part)) for part in tf.nest.flatten(make().forward(x))])

    def ldj(x: Any) -> Any:
        return make().forward_log_det_jacobian(x, event_ndims=dims)

    def back(x: Any) -> Any:
        return make().inverse(tf.nest.map_structure(tf.identity, make().forward(x)))

    def inverse_ldj() -> Any:
        y = tf.nest.map_structure(tf.identity, make().forward(f64(x)))
        ends = dims if not tf.is_tensor(y) else dims + len(y.shape) - x.ndim
        return make().inverse_log_det_jacobian(y, event_ndims=[1, 1] if name == "Split" else ends)

    check(
        f"bijector {name}",
        {
            "forward": lambda: make().forward(f64(x)),
            "inverse": lambda: back(f64(x)),
            "forward_log_det_jacobian": lambda: ldj(f64(x)),
            "inverse_log_det_jacobian": inverse_ldj,
            "gradients": lambda: gradients(whole, {"x": x}),
            "gradients of the log determinant": lambda: gradients(ldj, {"x": x}),
            "gradients of the inverse": lambda: gradients(lambda x: back(x) ** 2, {"x": x}),
            "in a function": lambda: tf.function(ldj, autograph=False)(f64(x)),
            "shapes": lambda: make().forward_event_shape(tf.TensorShape(x.shape)).as_list(),
        },
        1e-6,
    )


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2] == 0])
def test_transformed_density(name: str) -> None:
    make, point, _ = CASES[name]
    x = np.asarray(point, float)

    def density(loc: Any) -> Any:
        d = tfd.TransformedDistribution(tfd.Normal(loc, f64(1.0)), make())
        return d.log_prob(tf.identity(make().forward(f64(x))))

    check(
        f"bijector {name}: density",
        {"log_prob": lambda: density(f64(0.3)), "gradients": lambda: gradients(density, {"loc": 0.3})},
    )
