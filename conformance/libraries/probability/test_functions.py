"""Functions of tfp.math, kernels of Gaussian processes, statistics: values and gradients, against results on TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from recording import check, gradients

m, k, s = tfp.math, tfp.math.psd_kernels, tfp.stats
A = np.array([0.3, 1.7, 4.0])
B = np.array([0.6, 2.5, 1.2])
SPD = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]])
SERIES = np.cumsum(np.sin(np.arange(40.0) ** 1.3)) / 3

FUNCTIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "bessel_iv_ratio": (m.bessel_iv_ratio, {"v": A, "z": B}),
    "bessel_ive": (lambda z: m.bessel_ive(np.float64(1.5), z), {"z": B}),
    "bessel_kve": (lambda z: m.bessel_kve(np.float64(1.5), z), {"z": B}),
    "log_bessel_ive": (lambda z: m.log_bessel_ive(np.float64(0.5), z), {"z": B}),
    "betainc": (lambda x: m.betainc(A, B, x), {"x": np.array([0.2, 0.5, 0.9])}),
    "betaincinv": (tfp.math.betaincinv, {"a": A, "b": B, "y": np.array([0.2, 0.5, 0.9])}),
    "igammainv": (m.igammainv, {"a": A, "p": np.array([0.2, 0.5, 0.9])}),
    "igammacinv": (m.igammacinv, {"a": A, "p": np.array([0.2, 0.5, 0.9])}),
    "lbeta": (m.lbeta, {"x": A, "y": B}),
    "log_gamma_correction": (m.log_gamma_correction, {"x": A + 8}),
    "log_gamma_difference": (m.log_gamma_difference, {"x": A, "y": B}),
    "lambertw": (m.lambertw, {"z": B}),
    "lambertw_winitzki_approx": (m.lambertw_winitzki_approx, {"z": B}),
    "owens_t": (m.owens_t, {"h": A, "a": B}),
    "erfcx": (m.erfcx, {"x": A}),
    "erfcinv": (m.erfcinv, {"z": np.array([0.2, 0.5, 1.7])}),
    "logerfc": (m.logerfc, {"x": A}),
    "logerfcx": (m.logerfcx, {"x": A}),
    "dawsn": (m.dawsn, {"x": A}),
    "atan_difference": (m.atan_difference, {"x": A, "y": B}),
    "log_add_exp": (m.log_add_exp, {"x": A, "y": B}),
    "log_sub_exp": (m.log_sub_exp, {"x": B, "y": A}),
    "log_cosh": (m.log_cosh, {"x": A}),
    "log_cumsum_exp": (m.log_cumsum_exp, {"x": A}),
    "log_combinations": (m.log_combinations, {"n": np.array([5.0, 8.0]), "counts": np.array([[2.0, 3.0], [3.0, 5.0]])}),
    "log1mexp": (m.log1mexp, {"x": A}),
    "log1psquare": (m.log1psquare, {"x": A}),
    "softplus_inverse": (m.softplus_inverse, {"x": A}),
    "smootherstep": (m.smootherstep, {"x": np.array([0.2, 0.5, 1.7])}),
    "soft_threshold": (lambda x: m.soft_threshold(x, 0.5), {"x": A}),
    "soft_sorting_matrix": (lambda x: m.soft_sorting_matrix(x, 0.5), {"x": A}),
    "clip_by_value_preserve_gradient": (lambda x: m.clip_by_value_preserve_gradient(x, 0.5, 2.0), {"x": A}),
    "round_exponential_bump_function": (m.round_exponential_bump_function, {"x": np.array([-0.5, 0.2, 0.9])}),
    "reduce_logmeanexp": (m.reduce_logmeanexp, {"x": A}),
    "reduce_log_harmonic_mean_exp": (m.reduce_log_harmonic_mean_exp, {"x": A}),
    "reduce_weighted_logsumexp": (lambda x: m.reduce_weighted_logsumexp(x, B), {"x": A}),
    "reduce_kahan_sum": (lambda x: m.reduce_kahan_sum(x).total, {"x": A}),
    "sqrt1pm1": (m.sqrt1pm1, {"x": A}),
    "fill_triangular": (m.fill_triangular, {"x": np.arange(6.0)}),
    "fill_triangular_inverse": (m.fill_triangular_inverse, {"x": SPD}),
    "interp_regular_1d_grid": (lambda y: m.interp_regular_1d_grid(np.array([0.1, 0.7]), 0.0, 1.0, y), {"y": A}),
    "batch_interp_regular_1d_grid": (
        lambda y: m.batch_interp_regular_1d_grid(np.array([[0.1, 0.7]]), np.float64(0.0), np.float64(1.0), y), {"y": A[None]},
    ),
    "batch_interp_regular_nd_grid": (
        lambda y: m.batch_interp_regular_nd_grid(
            np.array([[0.1, 0.7], [0.4, 0.2]]), np.zeros(2), np.ones(2), y, axis=-2
        ), {"y": SPD},
    ),
    "lu_solve": (lambda a, b: m.lu_solve(*tf.linalg.lu(a), b), {"a": SPD, "b": A[:, None]}),
    "lu_matrix_inverse": (lambda a: m.lu_matrix_inverse(*tf.linalg.lu(a)), {"a": SPD}),
    "cholesky_concat": (lambda a: m.cholesky_concat(tf.linalg.cholesky(a[:2, :2]), a[:2]), {"a": SPD}),
    "cholesky_update": (lambda a: m.cholesky_update(tf.linalg.cholesky(a), A), {"a": SPD}),
    "pivoted_cholesky": (lambda a: m.pivoted_cholesky(a, 2), {"a": SPD}),
    "low_rank_cholesky": (lambda a: m.low_rank_cholesky(tf.linalg.LinearOperatorFullMatrix(a), 2)[0], {"a": SPD}),
    "hpsd_logdet": (m.hpsd_logdet, {"a": SPD}),
    "hpsd_solve": (m.hpsd_solve, {"a": SPD, "b": A[:, None]}),
    "hpsd_quadratic_form_solve": (m.hpsd_quadratic_form_solve, {"a": SPD, "b": A[:, None]}),
    "trapz": (m.trapz, {"y": A}),
    "scan_associative": (lambda x: m.scan_associative(tf.math.multiply, x), {"x": A}),
    "find_bins": (lambda x: tf.cast(s.find_bins(x, np.array([0.0, 1.0, 2.0, 5.0])), tf.float64) * x, {"x": A}),
    "percentile": (lambda x: s.percentile(x, 40.0, interpolation="linear"), {"x": A}),
    "quantiles": (lambda x: s.quantiles(x, 4, interpolation="linear"), {"x": SERIES}),
    "covariance": (lambda x: s.covariance(x, sample_axis=0, event_axis=-1), {"x": SPD}),
    "cholesky_covariance": (lambda x: s.cholesky_covariance(x + np.eye(3), sample_axis=0), {"x": SPD ** 2}),
    "correlation": (lambda x: s.correlation(x, sample_axis=0, event_axis=-1), {"x": SPD}),
    "stddev": (s.stddev, {"x": SERIES}),
    "auto_correlation": (lambda x: s.auto_correlation(x, max_lags=5), {"x": SERIES}),
    "cumulative_variance": (s.cumulative_variance, {"x": SERIES[:6]}),
    "windowed_mean": (lambda x: s.windowed_mean(x, [0, 3], [4, 8]), {"x": SERIES}),
    "log_average_probs": (lambda x: s.log_average_probs(x, event_axis=None), {"x": A}),
    "moving_mean": (lambda x: s.log_loomean_exp(x, axis=0), {"x": A}),
    "effective_sample_size": (tfp.mcmc.effective_sample_size, {"states": SERIES}),
    "potential_scale_reduction": (tfp.mcmc.potential_scale_reduction, {"chains_states": SERIES.reshape(10, 4)}),
    "monte_carlo.expectation": (
        lambda x: tfp.monte_carlo.expectation(lambda z: z**2, x, use_reparameterization=True), {"x": A},
    ),
    "custom_gradient": (
        lambda x: m.custom_gradient(lambda y: y**2, lambda y: 3 * y, x), {"x": A},
    ),
    "value_and_gradient": (lambda x: m.value_and_gradient(lambda y: tf.reduce_sum(y**3), x)[1], {"x": A}),
    "diag_jacobian": (lambda x: m.diag_jacobian(x, ys=None, fn=lambda y: y**3)[1][0], {"x": A}),
    "sparse_or_dense_matmul": (m.sparse_or_dense_matmul, {"a": SPD, "b": SPD}),
    "gauss_legendre": (lambda x: m.gram_schmidt(x), {"x": SPD}),
    "ode Dormand-Prince": (
        lambda x: m.ode.DormandPrince(rtol=1e-9, atol=1e-9).solve(lambda t, y: -y * x, 0.0, A, [0.5, 1.0]).states, {"x": np.float64(0.7)},
    ),
    "ode BDF": (
        lambda x: m.ode.BDF(rtol=1e-5, atol=1e-5).solve(lambda t, y: -y * 0.7, 0.0, x, [0.5, 1.0]).states, {"x": A},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    function, values = FUNCTIONS[name]
    tensors = {key: tf.constant(v, tf.float64) for key, v in values.items()}
    positional = lambda **given: function(*given.values())  # noqa: E731
    check(
        f"function {name}",
        {
            "value": lambda: positional(**tensors),
            "in a function": lambda: tf.function(lambda: positional(**tensors), autograph=False)(),
            "gradients": lambda: gradients(positional, values),
        },
        2e-4 if name.startswith("ode") else 1e-6,
    )


KERNELS = {
    "ExponentiatedQuadratic": k.ExponentiatedQuadratic,
    "MaternOneHalf": k.MaternOneHalf,
    "MaternThreeHalves": k.MaternThreeHalves,
    "MaternFiveHalves": k.MaternFiveHalves,
    "GeneralizedMatern": lambda amplitude, length_scale: k.GeneralizedMatern(np.float64(0.8), amplitude, length_scale),
    "RationalQuadratic": k.RationalQuadratic,
    "ExpSinSquared": lambda amplitude, length_scale: k.ExpSinSquared(amplitude, length_scale, np.float64(1.3)),
    "Linear": lambda amplitude, length_scale: k.Linear(amplitude, length_scale),
    "Polynomial": lambda amplitude, length_scale: k.Polynomial(amplitude, length_scale, exponent=np.float64(2.0)),
    "Constant": lambda amplitude, length_scale: k.Constant(amplitude * length_scale),
    "GammaExponential": lambda amplitude, length_scale: k.GammaExponential(amplitude, length_scale, np.float64(0.7)),
    "KumaraswamyTransformed": lambda amplitude, length_scale: k.KumaraswamyTransformed(
        k.ExponentiatedQuadratic(amplitude, length_scale), np.float64(1.2), np.float64(0.8)
    ),
    "FeatureScaled": lambda amplitude, length_scale: k.FeatureScaled(
        k.MaternFiveHalves(amplitude), tf.stack([length_scale, 2 * length_scale])
    ),
    "ChangePoint": lambda amplitude, length_scale: k.ChangePoint(
        [k.ExponentiatedQuadratic(amplitude), k.Constant(length_scale)], [np.float64(0.4)], [np.float64(2.0)]
    ),
    "sum": lambda amplitude, length_scale: (
        k.MaternOneHalf(amplitude) + k.ExponentiatedQuadratic(amplitude, length_scale)
    ),
    "product": lambda amplitude, length_scale: (
        k.MaternOneHalf(amplitude) * k.ExponentiatedQuadratic(amplitude, length_scale)
    ),
    "Parabolic": k.Parabolic,
    "SpectralMixture": lambda amplitude, length_scale: k.SpectralMixture(
        tf.math.log(amplitude)[None], tf.reshape(length_scale, [1, 1]) * np.ones((1, 2)), np.ones((1, 2))
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernel(name: str) -> None:
    x, y = np.array([[0.1, 0.2], [0.5, 0.9], [0.7, 0.3]]), np.array([[0.4, 0.4], [0.9, 0.1]])
    at = {"amplitude": np.float64(1.5), "length_scale": np.float64(0.7)}
    make = KERNELS[name]
    check(
        f"kernel {name}",
        {
            "matrix": lambda: make(**{key: tf.constant(v) for key, v in at.items()}).matrix(x, y),
            "apply": lambda: make(**{key: tf.constant(v) for key, v in at.items()}).apply(x[:2], y),
            "gradients": lambda: gradients(lambda **p: make(**p).matrix(x, y), at),
            "gradients of points": lambda: gradients(
                lambda x: make(**{key: tf.constant(v) for key, v in at.items()}).matrix(x, y), {"x": x}
            ),
        },
    )
