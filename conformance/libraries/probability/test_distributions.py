"""Distributions: densities, their gradients, statistics, divergences and samples, against results on TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from recording import NOT_THERE, RECORDS, check, gradients, recorded

tfb, tfd, tfk = tfp.bijectors, tfp.distributions, tfp.math.psd_kernels
COUNT = 4000


class Case(NamedTuple):
    """A distribution: how it is made from parameters, and points for the density.

    Attributes:
      other: parameters of another one, for the divergence between both.
      fixed: parameters that have no gradient: numbers, functions.
    """

    make: Callable[..., Any]
    parameters: dict[str, Any]
    at: Any
    other: dict[str, Any] | None = None
    fixed: dict[str, Any] = {}

    def built(self, **parameters: Any) -> Any:
        return self.make(
            **({k: tf.constant(v, tf.float64) for k, v in self.parameters.items()} | parameters), **self.fixed
        )


LOWER = [[1.0, 0.0], [0.4, 0.8]]
P3 = [0.2, 0.5, 0.3]
UNIT = [[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]
CORRELATION = [[1.0, 0.3], [0.3, 1.0]]
CASES: dict[str, Case] = {
    "Normal": Case(tfd.Normal, {"loc": [0.5, -1.0], "scale": [1.5, 0.5]}, [0.3, -2.0], {"loc": 0.0, "scale": 1.0}),
    "LogNormal": Case(tfd.LogNormal, {"loc": 0.2, "scale": 0.5}, [0.3, 2.0], {"loc": 0.0, "scale": 1.0}),
    "StudentT": Case(tfd.StudentT, {"df": 7.0, "loc": 0.5, "scale": 2.0}, [-3.0, 0.2, 4.0]),
    "Cauchy": Case(tfd.Cauchy, {"loc": 0.5, "scale": 2.0}, [-3.0, 0.2, 4.0], {"loc": 0.0, "scale": 1.0}),
    "Laplace": Case(tfd.Laplace, {"loc": 0.5, "scale": 2.0}, [-3.0, 0.2, 4.0], {"loc": 0.0, "scale": 1.0}),
    "Logistic": Case(tfd.Logistic, {"loc": 0.5, "scale": 2.0}, [-3.0, 0.2, 4.0]),
    "Gumbel": Case(tfd.Gumbel, {"loc": 0.5, "scale": 2.0}, [-3.0, 0.2, 4.0], {"loc": 0.0, "scale": 1.0}),
    "Exponential": Case(tfd.Exponential, {"rate": [0.5, 2.0]}, [0.3, 2.0], {"rate": 1.0}),
    "Gamma": Case(tfd.Gamma, {"concentration": [0.7, 3.0], "rate": [2.0, 0.5]}, [0.3, 5.0], {"concentration": 2.0, "rate": 1.0}),
    "ExpGamma": Case(tfd.ExpGamma, {"concentration": [0.7, 3.0], "rate": [2.0, 0.5]}, [-0.3, 1.0]),
    "InverseGamma": Case(tfd.InverseGamma, {"concentration": 6.0, "scale": 2.0}, [0.3, 1.0], {"concentration": 3.0, "scale": 1.0}),
    "InverseGaussian": Case(tfd.InverseGaussian, {"loc": 1.5, "concentration": 3.0}, [0.3, 2.0]),
    "Beta": Case(
        tfd.Beta, {"concentration1": [2.0, 0.8], "concentration0": [3.0, 1.5]}, [0.3, 0.6],
        {"concentration1": 1.0, "concentration0": 2.0},
    ),
    "Kumaraswamy": Case(tfd.Kumaraswamy, {"concentration1": 2.0, "concentration0": 3.0}, [0.3, 0.6]),
    "Chi2": Case(tfd.Chi2, {"df": [3.0, 6.0]}, [0.5, 4.0], {"df": 2.0}),
    "Chi": Case(tfd.Chi, {"df": [3.0, 6.0]}, [0.5, 2.0], {"df": 2.0}),
    "NoncentralChi2": Case(tfd.NoncentralChi2, {"df": 3.0, "noncentrality": 2.0}, [0.5, 4.0]),
    "HalfNormal": Case(tfd.HalfNormal, {"scale": [0.5, 2.0]}, [0.3, 2.0], {"scale": 1.0}),
    "HalfCauchy": Case(tfd.HalfCauchy, {"loc": 0.0, "scale": 2.0}, [0.3, 2.0]),
    "HalfStudentT": Case(tfd.HalfStudentT, {"df": 6.0, "loc": 0.0, "scale": 2.0}, [0.3, 2.0]),
    "Uniform": Case(tfd.Uniform, {"low": -1.0, "high": 3.0}, [0.3, 2.0, 5.0], {"low": -2.0, "high": 4.0}),
    "Triangular": Case(tfd.Triangular, {"low": 0.0, "high": 4.0, "peak": 1.0}, [0.5, 2.0]),
    "TruncatedNormal": Case(
        tfd.TruncatedNormal, {"loc": 0.5, "scale": 1.0, "low": -1.0, "high": 2.0}, [-0.5, 1.5],
    ),
    "TruncatedCauchy": Case(tfd.TruncatedCauchy, {"loc": 0.5, "scale": 1.0, "low": -1.0, "high": 2.0}, [-0.5, 1.5]),
    "Pareto": Case(tfd.Pareto, {"concentration": 5.0, "scale": 2.0}, [2.5, 4.0], {"concentration": 4.0, "scale": 1.0}),
    "GeneralizedPareto": Case(tfd.GeneralizedPareto, {"loc": 1.0, "scale": 2.0, "concentration": 0.1}, [1.5, 4.0]),
    "Weibull": Case(tfd.Weibull, {"concentration": 1.5, "scale": 2.0}, [0.5, 3.0], {"concentration": 1.0, "scale": 1.0}),
    "Moyal": Case(tfd.Moyal, {"loc": 0.5, "scale": 2.0}, [-1.0, 3.0], {"loc": 0.0, "scale": 1.0}),
    "VonMises": Case(tfd.VonMises, {"loc": 0.5, "concentration": 2.0}, [-1.0, 3.0], {"loc": 0.0, "concentration": 1.0}),
    "SinhArcsinh": Case(tfd.SinhArcsinh, {"loc": 0.5, "scale": 2.0, "skewness": 0.3, "tailweight": 1.2}, [-1.0, 3.0]),
    "JohnsonSU": Case(tfd.JohnsonSU, {"skewness": -0.5, "tailweight": 2.0, "loc": 0.5, "scale": 2.0}, [-1.0, 3.0]),
    "GeneralizedNormal": Case(tfd.GeneralizedNormal, {"loc": 0.5, "scale": 2.0, "power": 1.5}, [-1.0, 3.0]),
    "ExponentiallyModifiedGaussian": Case(
        tfd.ExponentiallyModifiedGaussian, {"loc": 0.5, "scale": 2.0, "rate": 0.7}, [-1.0, 3.0]
    ),
    "NormalInverseGaussian": Case(
        tfd.NormalInverseGaussian, {"loc": 0.5, "scale": 1.0, "tailweight": 2.0, "skewness": 0.5}, [-1.0, 3.0]
    ),
    "TwoPieceNormal": Case(tfd.TwoPieceNormal, {"loc": 0.5, "scale": 2.0, "skewness": 1.5}, [-1.0, 3.0]),
    "TwoPieceStudentT": Case(tfd.TwoPieceStudentT, {"df": 7.0, "loc": 0.5, "scale": 2.0, "skewness": 1.5}, [-1.0, 3.0]),
    "LogitNormal": Case(tfd.LogitNormal, {"loc": 0.5, "scale": 1.0}, [0.2, 0.7], {"loc": 0.0, "scale": 1.0}),
    "LogLogistic": Case(tfd.LogLogistic, {"loc": 0.5, "scale": 0.1}, [0.8, 2.0]),
    "LambertWNormal": Case(tfd.LambertWNormal, {"loc": 0.5, "scale": 1.0, "tailweight": 0.1}, [-1.0, 3.0]),
    "Horseshoe": Case(tfd.Horseshoe, {"scale": 2.0}, [-1.0, 3.0]),
    "DoublesidedMaxwell": Case(tfd.DoublesidedMaxwell, {"loc": 0.5, "scale": 2.0}, [-1.0, 3.0]),
    "ContinuousBernoulli": Case(tfd.ContinuousBernoulli, {"logits": [0.7, -1.0]}, [0.2, 0.9], {"logits": 0.3}),
    "Bernoulli": Case(tfd.Bernoulli, {"logits": [0.7, -1.0]}, [0.0, 1.0], {"logits": 0.3}),
    "ProbitBernoulli": Case(tfd.ProbitBernoulli, {"probits": [0.7, -1.0]}, [0.0, 1.0], {"probits": 0.3}),
    "Binomial": Case(tfd.Binomial, {"probs": [0.3, 0.8]}, [3.0, 7.0], None, {"total_count": np.float64(10.0)}),
    "BetaBinomial": Case(
        tfd.BetaBinomial, {"concentration1": 2.0, "concentration0": 3.0}, [3.0, 7.0], None, {"total_count": np.float64(10.0)}
    ),
    "Poisson": Case(tfd.Poisson, {"rate": [0.5, 6.0]}, [0.0, 4.0], {"rate": 2.0}),
    "Skellam": Case(tfd.Skellam, {"rate1": 2.0, "rate2": 1.0}, [0.0, 3.0]),
    "Geometric": Case(tfd.Geometric, {"probs": [0.3, 0.8]}, [0.0, 2.0], {"probs": 0.5}),
    "NegativeBinomial": Case(tfd.NegativeBinomial, {"total_count": 4.0, "probs": 0.4}, [0.0, 3.0]),
    "Zipf": Case(tfd.Zipf, {"power": 6.0}, [1.0, 2.0], None, {"dtype": tf.float64}),
    "Categorical": Case(tfd.Categorical, {"logits": [0.2, 1.0, -0.5]}, [0, 2, 1], {"logits": [0.0, 0.0, 0.5]}),
    "OneHotCategorical": Case(
        tfd.OneHotCategorical, {"logits": [0.2, 1.0, -0.5]}, np.eye(3)[:2].tolist(), {"logits": [0.0, 0.0, 0.5]}, {"dtype": tf.float64}
    ),
    "RelaxedBernoulli": Case(tfd.RelaxedBernoulli, {"temperature": 0.7, "logits": 0.5}, [0.2, 0.7]),
    "RelaxedOneHotCategorical": Case(
        tfd.RelaxedOneHotCategorical, {"temperature": 0.7, "logits": [0.2, 1.0, -0.5]}, [P3]
    ),
    "OrderedLogistic": Case(tfd.OrderedLogistic, {"cutpoints": [-1.0, 0.5, 2.0], "loc": 0.3}, [0, 3]),
    "Multinomial": Case(tfd.Multinomial, {"probs": P3}, [[1.0, 5.0, 2.0]], None, {"total_count": np.float64(8.0)}),
    "DirichletMultinomial": Case(
        tfd.DirichletMultinomial, {"concentration": [1.0, 2.0, 3.0]}, [[1.0, 5.0, 2.0]], None, {"total_count": np.float64(8.0)}
    ),
    "Dirichlet": Case(tfd.Dirichlet, {"concentration": [1.0, 2.0, 3.0]}, [P3], {"concentration": [2.0, 2.0, 2.0]}),
    "FiniteDiscrete": Case(tfd.FiniteDiscrete, {"probs": P3}, [1.0, 4.0], None, {"outcomes": np.array([1.0, 2.0, 4.0])}),
    "PlackettLuce": Case(tfd.PlackettLuce, {"scores": [1.0, 2.0, 3.0]}, [[2, 0, 1]]),
    "MultivariateNormalDiag": Case(
        tfd.MultivariateNormalDiag, {"loc": [0.5, -1.0], "scale_diag": [1.5, 0.5]}, [[0.3, -2.0]],
        {"loc": [0.0, 0.0], "scale_diag": [1.0, 1.0]},
    ),
    "MultivariateNormalTriL": Case(
        tfd.MultivariateNormalTriL, {"loc": [0.5, -1.0], "scale_tril": LOWER}, [[0.3, -2.0]],
        {"loc": [0.0, 0.0], "scale_tril": np.eye(2).tolist()},
    ),
    "MultivariateNormalFullCovariance": Case(
        tfd.MultivariateNormalFullCovariance, {"loc": [0.5, -1.0], "covariance_matrix": CORRELATION}, [[0.3, -2.0]],
    ),
    "MultivariateNormalDiagPlusLowRankCovariance": Case(
        tfd.MultivariateNormalDiagPlusLowRankCovariance,
        {"loc": [0.5, -1.0], "cov_diag_factor": [1.5, 0.5], "cov_perturb_factor": [[0.3], [0.5]]}, [[0.3, -2.0]],
    ),
    "MultivariateStudentTLinearOperator": Case(
        lambda df, loc, scale: tfd.MultivariateStudentTLinearOperator(df, loc, tf.linalg.LinearOperatorLowerTriangular(scale)),
        {"df": 9.0, "loc": [0.5, -1.0], "scale": LOWER}, [[0.3, -2.0]],
    ),
    "WishartTriL": Case(tfd.WishartTriL, {"df": 4.0, "scale_tril": LOWER}, [[[2.0, 0.3], [0.3, 1.0]]]),
    "WishartLinearOperator": Case(
        lambda df, scale: tfd.WishartLinearOperator(df, tf.linalg.LinearOperatorLowerTriangular(scale)),
        {"df": 4.0, "scale": LOWER}, [[[2.0, 0.3], [0.3, 1.0]]],
    ),
    "LKJ": Case(lambda concentration: tfd.LKJ(2, concentration), {"concentration": 2.0}, [CORRELATION]),
    "CholeskyLKJ": Case(
        lambda concentration: tfd.CholeskyLKJ(2, concentration), {"concentration": 2.0}, [[[1.0, 0.0], [0.6, 0.8]]]
    ),
    "VonMisesFisher": Case(
        tfd.VonMisesFisher, {"mean_direction": [0.6, 0.8, 0.0], "concentration": 2.0}, UNIT
    ),
    "PowerSpherical": Case(tfd.PowerSpherical, {"mean_direction": [0.6, 0.8, 0.0], "concentration": 2.0}, UNIT),
    "SphericalUniform": Case(tfd.SphericalUniform, {}, UNIT, None, {"dimension": 3, "dtype": tf.float64}),
    "Deterministic": Case(tfd.Deterministic, {"loc": 2.0}, [2.0, 1.0]),
    "Empirical": Case(tfd.Empirical, {"samples": [1.0, 2.0, 2.0, 5.0]}, [2.0, 1.0]),
    "Independent": Case(
        lambda loc, scale: tfd.Independent(tfd.Normal(loc, scale), 1), {"loc": [0.5, -1.0], "scale": [1.5, 0.5]}, [[0.3, -2.0]],
        {"loc": [0.0, 0.0], "scale": [1.0, 1.0]},
    ),
    "Sample": Case(lambda loc: tfd.Sample(tfd.Normal(loc, 1.0), 3), {"loc": 0.5}, [[0.3, -2.0, 1.0]]),
    "BatchReshape": Case(lambda loc: tfd.BatchReshape(tfd.Normal(loc, 1.0), [2, 1]), {"loc": [0.5, 1.0]}, [[0.3], [-2.0]]),
    "BatchBroadcast": Case(lambda loc: tfd.BatchBroadcast(tfd.Normal(loc, 1.0), [2, 2]), {"loc": [0.5, 1.0]}, [0.3]),
    "Masked": Case(
        lambda loc: tfd.Masked(tfd.Normal(loc, 1.0), [True, False], safe_sample_fn=tfd.Distribution.mean), {"loc": [0.5, 0.0]}, [[0.3, -2.0]]
    ),
    "Blockwise": Case(
        lambda loc: tfd.Blockwise([tfd.Independent(tfd.Normal(loc, 1.0), 1), tfd.MultivariateNormalDiag(loc)]),
        {"loc": [0.5, 1.0]}, [[0.3, -2.0, 0.1, 0.2]],
    ),
    "TransformedDistribution": Case(
        lambda loc, scale: tfd.TransformedDistribution(tfd.Normal(loc, scale), tfb.Softplus()), {"loc": 0.5, "scale": 2.0}, [0.3, 2.0]
    ),
    "Mixture": Case(
        lambda logits, loc: tfd.Mixture(tfd.Categorical(logits), [tfd.Normal(loc[0], 1.0), tfd.Normal(loc[1], 2.0)]),
        {"logits": [0.3, -0.2], "loc": [-1.0, 2.0]}, [0.3, 2.0],
    ),
    "MixtureSameFamily": Case(
        lambda logits, loc: tfd.MixtureSameFamily(tfd.Categorical(logits), tfd.Normal(loc, [1.0, 2.0, 0.5])),
        {"logits": [0.3, -0.2, 0.0], "loc": [-1.0, 2.0, 0.0]}, [0.3, 2.0],
    ),
    "QuantizedDistribution": Case(
        lambda loc: tfd.QuantizedDistribution(tfd.Normal(loc, tf.constant(2.0, tf.float64)), low=-3.0, high=5.0), {"loc": 0.5}, [0.0, 3.0]
    ),
    "PoissonLogNormalQuadratureCompound": Case(
        tfd.PoissonLogNormalQuadratureCompound, {"loc": 0.2, "scale": 0.5}, [0.0, 4.0], None, {"quadrature_size": 8}
    ),
    "Autoregressive": Case(
        lambda loc: tfd.Autoregressive(
            lambda x: tfd.Independent(tfd.Normal(tf.concat([[loc], 0.5 * x[:-1]], 0), tf.ones(3, tf.float64)), 1),
            tf.zeros(3, tf.float64), 3,
        ), {"loc": 0.5}, [0.3, -2.0, 1.0],
    ),
    "HiddenMarkovModel": Case(
        lambda initial, transition, loc: tfd.HiddenMarkovModel(
            tfd.Categorical(logits=initial), tfd.Categorical(logits=transition), tfd.Normal(loc, tf.constant(1.0, tf.float64)), 4
        ),
        {"initial": [0.3, 0.1], "transition": [[1.0, 0.0], [0.2, 0.9]], "loc": [-1.0, 2.0]}, [[0.3, -2.0, 1.0, 2.0]],
    ),
    "LinearGaussianStateSpaceModel": Case(
        lambda transition, scale: tfd.LinearGaussianStateSpaceModel(
            4, tf.reshape(transition, [1, 1]), tfd.MultivariateNormalDiag(scale_diag=scale[None]),
            tf.ones([1, 1], tf.float64), tfd.MultivariateNormalDiag(scale_diag=0.5 * scale[None]),
            tfd.MultivariateNormalDiag(scale_diag=tf.ones(1, tf.float64)),
        ),
        {"transition": 0.8, "scale": 1.2}, [[[0.3], [-2.0], [1.0], [2.0]]],
    ),
    "MarkovChain": Case(
        lambda loc, decay: tfd.MarkovChain(
            tfd.Normal(loc, tf.constant(1.0, tf.float64)), lambda _, x: tfd.Normal(decay * x, tf.constant(0.5, tf.float64)), 4
        ),
        {"loc": 0.5, "decay": 0.9}, [[0.3, -2.0, 1.0, 2.0]],
    ),
    "GaussianProcess": Case(
        lambda amplitude, length: tfd.GaussianProcess(
            tfk.ExponentiatedQuadratic(amplitude, length), np.array([[0.0], [0.7], [2.0]]), observation_noise_variance=np.float64(0.1)
        ),
        {"amplitude": 1.5, "length": 0.8}, [[0.3, -0.2, 1.0]],
    ),
    "GaussianProcessRegressionModel": Case(
        lambda amplitude, length: tfd.GaussianProcessRegressionModel(
            tfk.MaternFiveHalves(amplitude, length), np.array([[0.5], [1.0]]), np.array([[0.0], [0.7], [2.0]]),
            np.array([1.0, 0.5, -1.0]), observation_noise_variance=np.float64(0.1),
        ),
        {"amplitude": 1.5, "length": 0.8}, [[0.3, -0.2]],
    ),
    "StudentTProcess": Case(
        lambda df, amplitude: tfd.StudentTProcess(
            df, tfk.ExponentiatedQuadratic(amplitude, np.float64(0.8)), np.array([[0.0], [0.7], [2.0]]),
            observation_noise_variance=np.float64(0.1),
        ),
        {"df": 9.0, "amplitude": 1.5}, [[0.3, -0.2, 1.0]],
    ),
    "VariationalGaussianProcess": Case(
        lambda amplitude, loc: tfd.VariationalGaussianProcess(
            tfk.ExponentiatedQuadratic(amplitude, np.float64(0.8)), np.array([[0.5], [1.0]]), np.array([[0.0], [1.5]]),
            loc, np.eye(2), observation_noise_variance=np.float64(0.1),
        ),
        {"amplitude": 1.5, "loc": [0.5, -0.2]}, [[0.3, -0.2]],
    ),
}  # fmt: skip
# TensorFlow Probability gives no samples of these: it mixes dtypes, or joins unequal ranks.
NOT_DRAWN = {"DoublesidedMaxwell", "PlackettLuce", "Autoregressive"}
WITHOUT_MOMENTS = {"Masked", "Empirical", "PlackettLuce", "MarkovChain", "LKJ", "CholeskyLKJ"}


def points(name: str) -> Any:
    """The points for the density of a case, in the distribution's dtype."""
    case = CASES[name]
    return tf.cast(tf.constant(case.at, tf.float64), case.built().dtype)


@pytest.mark.parametrize("name", CASES)
def test_density(name: str) -> None:
    case, at = CASES[name], points(name)
    moving = at.dtype.is_floating and name not in ("Deterministic",)
    known = case.parameters | ({"at": at.numpy()} if moving else {})

    def density(at: Any = at, **parameters: Any) -> Any:
        return case.built(**parameters).log_prob(at)

    def staged(at: Any) -> Any:
        return tf.function(lambda x: case.built().log_prob(x), autograph=False)(at)

    check(
        f"{name}: density",
        {
            "log_prob": lambda: case.built().log_prob(at),
            "in a function": lambda: staged(at),
            "gradients": lambda: gradients(density, known),
        },
        1e-5,
    )


@pytest.mark.parametrize("name", CASES)
def test_statistics(name: str) -> None:
    d, at = CASES[name].built(), points(name)
    asked = ["mean", "variance", "stddev", "mode", "entropy", "covariance"]
    results: dict[str, Callable[[], Any]] = {what: getattr(d, what) for what in asked}
    results |= {what: lambda what=what: getattr(d, what)(at) for what in ["cdf", "log_cdf", "survival_function"]}
    results["quantile"] = lambda: d.quantile(tf.constant([[0.1], [0.7]], tf.float64))
    results["shapes"] = lambda: [d.batch_shape.as_list(), d.event_shape.as_list()]
    check(f"{name}: statistics", results, 1e-5)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.other is not None])
def test_divergence(name: str) -> None:
    case = CASES[name]
    other = {k: tf.constant(v, tf.float64) for k, v in (case.other or {}).items()}

    def divergence(**parameters: Any) -> Any:
        return tfd.kl_divergence(case.built(**parameters), case.built(**other))

    check(
        f"{name}: divergence",
        {"kl": lambda: divergence(), "gradients": lambda: gradients(divergence, case.parameters)},
        1e-5,
    )


@pytest.mark.parametrize("name", [name for name in CASES if name not in NOT_DRAWN])
def test_samples(name: str) -> None:
    """Random numbers differ from TensorFlow's: samples have its shape, and the moments that it gives for the distribution."""
    d = CASES[name].built()
    drawn = d.sample(COUNT, seed=[3, 5])
    finite = lambda: bool(np.isfinite(d.log_prob(drawn).numpy()).all())  # noqa: E731
    asked = {"shape": lambda: drawn.shape.as_list(), "again": lambda: same_again(d), "finite": finite}
    check(f"{name}: samples", asked)
    if RECORDS:
        return
    if name not in WITHOUT_MOMENTS:
        mean, spread = (recorded(f"{name}: statistics", what) for what in ("mean", "stddev"))
        if NOT_THERE not in (mean, spread) and np.isfinite(mean).all() and np.isfinite(spread).all():
            error = 6 * np.asarray(spread) / COUNT**0.5 + 1e-9
            assert (np.abs(np.mean(drawn.numpy(), 0) - mean) <= error).all()
            wrong = np.abs(np.std(drawn.numpy(), 0) - spread) > 0.35 * np.asarray(spread) + 1e-6
            assert name == "VonMises" or not wrong.any()  # its stddev is that on the circle


def same_again(d: Any) -> bool:
    """Whether the same seed gives the same samples."""
    return bool(np.array_equal(d.sample(7, seed=[1, 2]).numpy(), d.sample(7, seed=[1, 2]).numpy()))


MOVED = {
    "Normal": "loc", "Gamma": "concentration", "Beta": "concentration1", "Exponential": "rate", "Laplace": "loc", "Gumbel": "scale",
    "LogNormal": "scale", "Weibull": "scale", "Uniform": "high", "Dirichlet": "concentration", "InverseGamma": "scale",
    "MultivariateNormalTriL": "loc", "StudentT": "loc", "VonMises": "loc", "Kumaraswamy": "concentration0",
    "MixtureSameFamily": "loc", "JohnsonSU": "loc", "Pareto": "scale", "Triangular": "peak",
}  # fmt: skip


@pytest.mark.parametrize("name", MOVED)
def test_gradients_of_samples(name: str) -> None:
    """The mean of the gradients of samples is the gradient of the mean."""
    case, moved = CASES[name], MOVED[name]

    def exact(**parameters: Any) -> Any:
        return case.built(**parameters).mean()

    at = {moved: case.parameters[moved]}
    check(f"{name}: gradient of the mean", {"exact": lambda: gradients(exact, at)}, 1e-5)
    if case.built().reparameterization_type == tfd.FULLY_REPARAMETERIZED and not RECORDS:
        drawn = gradients(lambda **p: case.built(**p).sample(COUNT, seed=[3, 5]) / COUNT, at)[moved].numpy()
        np.testing.assert_allclose(
            drawn, recorded(f"{name}: gradient of the mean", "exact")[moved], atol=0.15, rtol=0.1
        )
