"""Inference: chains, optimizers, variational inference, time series, joint distributions.

What is exact is compared with results on TensorFlow; chains and fits, which draw random numbers, with the true moments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from recording import check

tfb, tfd, mcmc, sts = tfp.bijectors, tfp.distributions, tfp.mcmc, tfp.sts
COVARIANCE = np.array([[1.0, 0.5], [0.5, 2.0]], np.float32)
MEAN = np.array([1.0, -1.0], np.float32)
TARGET = tfd.MultivariateNormalTriL(MEAN, np.linalg.cholesky(COVARIANCE)).log_prob

KERNELS: dict[str, Callable[[], Any]] = {
    "HamiltonianMonteCarlo": lambda: mcmc.HamiltonianMonteCarlo(TARGET, 0.6, 3),
    "NoUTurnSampler": lambda: mcmc.NoUTurnSampler(TARGET, 0.6),
    "RandomWalkMetropolis": lambda: mcmc.RandomWalkMetropolis(TARGET, mcmc.random_walk_normal_fn(1.5)),
    "MetropolisAdjustedLangevinAlgorithm": lambda: mcmc.MetropolisAdjustedLangevinAlgorithm(TARGET, 0.8),
    "SliceSampler": lambda: mcmc.SliceSampler(TARGET, 2.0, 4),
    "MetropolisHastings": lambda: mcmc.MetropolisHastings(mcmc.UncalibratedRandomWalk(TARGET, mcmc.random_walk_normal_fn(1.5))),
    "SimpleStepSizeAdaptation": lambda: mcmc.SimpleStepSizeAdaptation(mcmc.HamiltonianMonteCarlo(TARGET, 0.2, 3), 200),
    "DualAveragingStepSizeAdaptation": lambda: mcmc.DualAveragingStepSizeAdaptation(mcmc.NoUTurnSampler(TARGET, 0.2), 200),
    "TransformedTransitionKernel": lambda: mcmc.TransformedTransitionKernel(
        mcmc.HamiltonianMonteCarlo(TARGET, 0.5, 3), tfb.Scale(tf.constant([2.0, 0.5]))
    ),
    "ReplicaExchangeMC": lambda: mcmc.ReplicaExchangeMC(
        TARGET, inverse_temperatures=[1.0, 0.5], make_kernel_fn=lambda f: mcmc.HamiltonianMonteCarlo(f, 0.6, 3)
    ),
    "PreconditionedHamiltonianMonteCarlo": lambda: tfp.experimental.mcmc.PreconditionedHamiltonianMonteCarlo(TARGET, 0.6, 3),
    "EllipticalSliceSampler": lambda: tfp.experimental.mcmc.EllipticalSliceSampler(
        normal_sampler_fn=lambda seed: tfd.MultivariateNormalDiag(tf.zeros(2)).sample(16, seed=seed),
        log_likelihood_fn=lambda x: TARGET(x) + 0.5 * tf.reduce_sum(x**2, -1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_chain(name: str) -> None:
    """Many short chains in one: their moments are those of the target."""

    @tf.function(autograph=False)
    def run() -> Any:
        return mcmc.sample_chain(
            300, tf.zeros([16, 2]), kernel=KERNELS[name](), num_burnin_steps=250, trace_fn=None, seed=[1, 2]
        )

    drawn = run().numpy().reshape(-1, 2)
    assert np.isfinite(drawn).all()
    np.testing.assert_allclose(drawn.mean(0), MEAN, atol=0.2)
    np.testing.assert_allclose(np.cov(drawn.T), COVARIANCE, atol=0.35)


def rosenbrock(x: Any) -> Any:
    return tf.reduce_sum(100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1 - x[..., :-1]) ** 2, -1)


def quadratic(x: Any) -> Any:
    return tfp.math.value_and_gradient(lambda y: tf.reduce_sum((y - [1.0, 2.0, 3.0]) ** 2 * [1.0, 10.0, 100.0], -1), x)


def valley(x: Any) -> Any:
    return tfp.math.value_and_gradient(rosenbrock, x)


START = np.array([-1.2, 1.0])
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "lbfgs": lambda: tfp.optimizer.lbfgs_minimize(valley, tf.constant(START), tolerance=1e-10, max_iterations=100),
    "lbfgs of a batch": lambda: tfp.optimizer.lbfgs_minimize(quadratic, tf.zeros([4, 3], tf.float64), tolerance=1e-10),
    "bfgs": lambda: tfp.optimizer.bfgs_minimize(valley, tf.constant(START), tolerance=1e-10, max_iterations=100),
    "nelder_mead": lambda: tfp.optimizer.nelder_mead_minimize(
        rosenbrock, initial_vertex=tf.constant(START), func_tolerance=1e-12, batch_evaluate_objective=True, max_iterations=400
    ),
    "differential_evolution": lambda: tfp.optimizer.differential_evolution_minimize(
        lambda x, y: rosenbrock(tf.stack([x, y], -1)), initial_position=(tf.constant(-1.2), tf.constant(1.0)), seed=5,
        population_size=60, max_iterations=500
    ),
}  # fmt: skip
MINIMA = {"lbfgs of a batch": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer(name: str, staged: bool) -> None:
    run = tf.function(OPTIMIZERS[name], autograph=False) if staged else OPTIMIZERS[name]
    found = run()
    place = tf.stack(found.position, -1) if isinstance(found.position, (list, tuple)) else found.position
    np.testing.assert_allclose(np.broadcast_to(MINIMA.get(name, [1.0, 1.0]), place.shape), place, atol=1e-3)
    assert np.all(found.converged) or name == "differential_evolution"
    if name.endswith("bfgs"):
        check(
            f"optimizer {name} {staged}",
            {"evaluations": lambda: found.num_objective_evaluations, "value": lambda: found.objective_value},
        )


@pytest.mark.parametrize("method", ["find_root_chandrupatla", "find_root_secant"])
def test_root(method: str) -> None:
    def f(x: Any) -> Any:
        return x**3 - 2.0 * x - 5.0

    found = (
        tfp.math.find_root_chandrupatla(f, tf.constant(1.0, tf.float64), tf.constant(3.0, tf.float64))
        if method == "find_root_chandrupatla"
        else tfp.math.secant_root(f, tf.constant(1.0, tf.float64))
    )
    check(f"root {method}", {"root": lambda: found.estimated_root})


def test_minimize() -> None:
    x = tf.Variable([0.0, 0.0])
    keras = tf.keras.optimizers.Adam(0.1)

    class Optimizer:
        """What `tfp.math.minimize` asks of an optimizer."""

        def apply_gradients(self, pairs: Any) -> Any:
            return keras.apply_gradients(pairs)

    losses = []
    for _ in range(200):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x - [1.0, 2.0]) ** 2)
        Optimizer().apply_gradients(zip(tape.gradient(loss, [x]), [x], strict=True))
        losses.append(float(loss))
    np.testing.assert_allclose(x, [1.0, 2.0], atol=1e-2)
    np.testing.assert_allclose(np.diff(losses)[-3:], 0, atol=1e-3)


def posterior() -> Any:
    """A normal posterior that is known: 20 observations of a normal variable."""
    data = np.linspace(0.0, 3.0, 20).astype(np.float32)
    model = tfd.JointDistributionNamedAutoBatched(
        {"m": tfd.Normal(0.0, 10.0), "x": lambda m: tfd.Sample(tfd.Normal(m, 1.0), 20)}
    )
    return model, data, data.sum() / (20 + 0.01), (20 + 0.01) ** -0.5


SURROGATES: dict[str, Callable[[Any], Any]] = {
    "normal": lambda _: tfd.JointDistributionNamed(
        {"m": tfd.Normal(tfp.util.TransformedVariable(0.0, tfb.Identity()), tfp.util.TransformedVariable(1.0, tfb.Softplus()))}
    ),
    "affine": lambda model: tfp.experimental.vi.build_affine_surrogate_posterior(
        event_shape={"m": tf.TensorShape([])}, operators="diag", bijector={"m": tfb.Identity()}
    ),
    "factored": lambda model: tfp.experimental.vi.build_factored_surrogate_posterior(
        event_shape={"m": tf.TensorShape([])}, bijector={"m": tfb.Identity()}
    ),
}  # fmt: skip


class Descent:
    """Adam as the functions of `tfp.vi` ask an optimizer, on any version of Keras."""

    def __init__(self, rate: float) -> None:
        self._rate, self._state, self._step = rate, {}, tf.Variable(0.0)

    def apply_gradients(self, pairs: Any) -> Any:
        step = self._step.assign_add(1.0)
        for gradient, variable in pairs:
            first, second = self._state[variable.ref()]
            first.assign(0.9 * first + 0.1 * gradient)
            second.assign(0.999 * second + 0.001 * gradient**2)
            rate = self._rate * tf.sqrt(1 - 0.999**self._step) / (1 - 0.9**self._step)
            variable.assign_sub(rate * first / (tf.sqrt(second) + 1e-7))
        return step

    def build(self, variables: Any) -> None:
        for variable in variables:
            self._state[variable.ref()] = tf.Variable(tf.zeros_like(variable)), tf.Variable(tf.zeros_like(variable))


@pytest.mark.parametrize("name", SURROGATES)
def test_variational(name: str) -> None:
    model, data, mean, spread = posterior()
    surrogate = SURROGATES[name](model)
    optimizer = Descent(0.05)
    optimizer.build(surrogate.trainable_variables)
    losses = tfp.vi.fit_surrogate_posterior(
        lambda m: model.log_prob(m=m, x=data), surrogate, optimizer=optimizer, num_steps=500, sample_size=8, seed=3
    )
    assert np.isfinite(losses.numpy()).all()
    assert losses[-1] < losses[0]
    drawn = surrogate.sample(3000, seed=4)["m"].numpy()
    assert abs(drawn.mean() - mean) < 0.15
    assert abs(drawn.std() - spread) < 0.15


@pytest.mark.parametrize("name", [
    "kl_reverse", "kl_forward", "jensen_shannon", "arithmetic_geometric", "total_variation", "pearson", "squared_hellinger",
    "triangular", "t_power", "log1p_abs", "jeffreys", "modified_gan", "dual_csiszar_function",
])  # fmt: skip
def test_divergences(name: str) -> None:
    at = tf.constant([-0.5, 0.2, 1.0], tf.float64)
    extra = {"t_power": [2.0]}.get(name, [])

    def function(x: Any) -> Any:
        if name == "dual_csiszar_function":
            return tfp.vi.dual_csiszar_function(x, tfp.vi.kl_reverse)
        return getattr(tfp.vi, name)(x, *extra)

    def slope() -> Any:
        return tfp.math.value_and_gradient(function, at)[1]

    check(f"divergence {name}", {"value": lambda: function(at), "gradient": slope})


SERIES = (np.sin(np.arange(36) / 3.0) + 0.05 * np.arange(36)).astype(np.float32)
MODELS: dict[str, Callable[[], Any]] = {
    "LocalLevel": lambda: sts.LocalLevel(observed_time_series=SERIES),
    "LocalLinearTrend": lambda: sts.LocalLinearTrend(observed_time_series=SERIES),
    "SemiLocalLinearTrend": lambda: sts.SemiLocalLinearTrend(observed_time_series=SERIES),
    "Seasonal": lambda: sts.Seasonal(4, observed_time_series=SERIES),
    "SmoothSeasonal": lambda: sts.SmoothSeasonal(12, [1.0, 2.0], observed_time_series=SERIES),
    "Autoregressive": lambda: sts.Autoregressive(2, observed_time_series=SERIES),
    "LinearRegression": lambda: sts.LinearRegression(np.stack([np.ones(36), np.arange(36)], 1).astype(np.float32)),
    "DynamicLinearRegression": lambda: sts.DynamicLinearRegression(
        np.stack([np.ones(36), np.arange(36)], 1).astype(np.float32), observed_time_series=SERIES
    ),
    "Sum": lambda: sts.Sum(
        [sts.LocalLinearTrend(observed_time_series=SERIES, name="trend"), sts.Seasonal(4, observed_time_series=SERIES, name="season")],
        observed_time_series=SERIES,
    ),
}  # fmt: skip


def chosen(model: Any) -> list[Any]:
    """Values for the parameters of a model: a half in the space without constraints."""
    return [
        p.bijector.forward(tf.zeros_like(p.bijector.inverse(p.prior.sample(seed=1))) + 0.1) for p in model.parameters
    ]


@pytest.mark.parametrize("name", MODELS)
def test_time_series(name: str) -> None:
    model = MODELS[name]()
    if name == "LinearRegression":
        model = sts.Sum([model, sts.LocalLevel(observed_time_series=SERIES)], observed_time_series=SERIES)
    parameters = chosen(model)

    def density(parameters: Any) -> Any:
        return model.make_state_space_model(36, parameters).log_prob(SERIES[:, None])

    def slopes() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            value = density(parameters)
        return tape.gradient(value, parameters)

    def ahead() -> Any:
        found = sts.forecast(model, SERIES, [p[None] for p in parameters], num_steps_forecast=5)
        return [found.mean(), found.stddev()]

    def filtered() -> Any:
        return model.make_state_space_model(36, parameters).forward_filter(SERIES[:, None])[1]

    def smoothed() -> Any:
        return model.make_state_space_model(36, parameters).posterior_marginals(SERIES[:, None])[0]

    check(
        f"time series {name}",
        {
            "names": lambda: [p.name for p in model.parameters],
            "log_prob": lambda: density(parameters),
            "in a function": lambda: tf.function(density, autograph=False)(parameters),
            "gradients": slopes,
            "joint": lambda: model.joint_distribution(SERIES[:, None]).log_prob(
                {p.name: v for p, v in zip(model.parameters, parameters, strict=True)}
            ),
            "forecast": ahead,
            "filtered": filtered,
            "smoothed": smoothed,
        },
        2e-2,
    )


def test_time_series_fit() -> None:
    model = sts.LocalLinearTrend(observed_time_series=SERIES)
    surrogate = sts.build_factored_surrogate_posterior(model, seed=1)
    optimizer = Descent(0.1)
    optimizer.build(surrogate.trainable_variables)
    losses = tfp.vi.fit_surrogate_posterior(
        model.joint_distribution(SERIES[:, None]).log_prob, surrogate, optimizer=optimizer, num_steps=100, seed=2
    )
    assert np.isfinite(losses.numpy()).all()
    assert np.mean(losses[-10:]) < np.mean(losses[:10])
    forecast = sts.forecast(model, SERIES, surrogate.sample(20, seed=3), num_steps_forecast=4)
    assert np.isfinite(forecast.mean().numpy()).all()
    parts = sts.decompose_by_component(
        sts.Sum([model], observed_time_series=SERIES), SERIES,
        [p[None] for p in chosen(sts.Sum([model], observed_time_series=SERIES))],
    )  # fmt: skip
    assert all(np.isfinite(part.mean().numpy()).all() for part in parts.values())


def coroutine() -> Any:
    a = yield tfd.JointDistributionCoroutine.Root(tfd.Normal(0.0, 1.0, name="a"))
    b = yield tfd.Gamma(2.0, tf.exp(a), name="b")
    yield tfd.Normal(a, b, name="c")


def autobatched() -> Any:
    a = yield tfd.Normal(0.0, 1.0, name="a")
    b = yield tfd.Gamma(2.0, tf.exp(a), name="b")
    yield tfd.Sample(tfd.Normal(a, b), 3, name="c")


JOINT: dict[str, Callable[[], Any]] = {
    "JointDistributionSequential": lambda: tfd.JointDistributionSequential(
        [tfd.Normal(0.0, 1.0), lambda a: tfd.Gamma(2.0, tf.exp(a)), lambda b, a: tfd.Normal(a, b)]
    ),
    "JointDistributionNamed": lambda: tfd.JointDistributionNamed(
        {"a": tfd.Normal(0.0, 1.0), "b": lambda a: tfd.Gamma(2.0, tf.exp(a)), "c": lambda a, b: tfd.Normal(a, b)}
    ),
    "JointDistributionCoroutine": lambda: tfd.JointDistributionCoroutine(coroutine),
    "JointDistributionSequentialAutoBatched": lambda: tfd.JointDistributionSequentialAutoBatched(
        [tfd.Normal(0.0, 1.0), lambda a: tfd.Gamma(2.0, tf.exp(a)), lambda b, a: tfd.Sample(tfd.Normal(a, b), 3)]
    ),
    "JointDistributionNamedAutoBatched": lambda: tfd.JointDistributionNamedAutoBatched(
        {
            "a": tfd.Normal(0.0, 1.0),
            "b": lambda a: tfd.Gamma(2.0, tf.exp(a)),
            "c": lambda a, b: tfd.Sample(tfd.Normal(a, b), 3),
        }
    ),
    "JointDistributionCoroutineAutoBatched": lambda: tfd.JointDistributionCoroutineAutoBatched(autobatched),
}


@pytest.mark.parametrize("seed", [7, [1, 2]])
@pytest.mark.parametrize("name", JOINT)
def test_joint(name: str, seed: Any) -> None:
    joint = JOINT[name]()
    drawn = joint.sample(5, seed=seed)
    values = tf.nest.map_structure(lambda x: tf.ones_like(x) * 0.7, drawn)
    assert np.isfinite(joint.log_prob(drawn).numpy()).all()

    def slopes() -> Any:
        leaves = tf.nest.flatten(values)
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            total = tf.reduce_sum(joint.log_prob(tf.nest.pack_sequence_as(values, leaves)))
        return tape.gradient(total, leaves)

    check(
        f"{name} {seed}",
        {
            "shapes": lambda: [x.shape.as_list() for x in tf.nest.flatten(drawn)],
            "log_prob": lambda: joint.log_prob(values),
            "log_prob_parts": lambda: tf.nest.flatten(joint.log_prob_parts(values)),
            "in a function": lambda: tf.function(joint.log_prob, autograph=False)(values),
            "gradients": slopes,
            "event shapes": lambda: [
                tf.TensorShape(x).as_list() for x in tf.nest.flatten(tuple(tf.nest.flatten(joint.event_shape)))
            ],
            "bijector": lambda: tf.nest.flatten(
                joint.experimental_default_event_space_bijector().forward(tf.nest.map_structure(lambda x: x[0], values))
            ),
        },
        1e-5,
    )


def test_pinned() -> None:
    joint = JOINT["JointDistributionNamedAutoBatched"]()
    pinned = joint.experimental_pin(c=[0.1, 0.2, 0.3])
    check(
        "pinned",
        {
            "log_prob": lambda: pinned.unnormalized_log_prob({"a": tf.constant(0.3), "b": tf.constant(1.2)}),
            "shape": lambda: sorted(pinned.event_shape),
        },
        1e-5,
    )


def test_windowed_adaptive() -> None:
    joint = tfd.JointDistributionNamedAutoBatched(
        {"m": tfd.Normal(0.0, 10.0), "x": lambda m: tfd.Sample(tfd.Normal(m, 1.0), 20)}
    )
    _, data, mean, spread = posterior()

    @tf.function(autograph=False)
    def run() -> Any:
        return tfp.experimental.mcmc.windowed_adaptive_nuts(
            150, joint, n_chains=4, num_adaptation_steps=150, seed=[1, 2], x=data
        )[0]

    drawn = tf.nest.flatten(run())[0].numpy()
    assert abs(drawn.mean() - mean) < 0.1
    assert abs(drawn.std() - spread) < 0.1


@pytest.mark.parametrize("family", ["Normal", "Bernoulli", "Poisson", "Gamma", "NegativeBinomial"])
def test_linear_models(family: str) -> None:
    x = np.stack([np.ones(40), np.linspace(-1, 1, 40), np.sin(np.arange(40.0))], 1)
    rate = np.exp(x @ [0.4, 0.8, -0.3])
    response = {"Normal": rate, "Bernoulli": (np.arange(40) * 7 % 5 < 2 + (rate > 1.5)).astype(float)}.get(
        family, np.round(rate + 0.4)
    )
    kind = {"Gamma": tfp.glm.GammaExp, "NegativeBinomial": tfp.glm.NegativeBinomial}.get(family) or getattr(
        tfp.glm, family
    )
    check(
        f"linear model {family}",
        {
            "fit": lambda: tfp.glm.fit(x, response + (family == "Gamma"), kind())[0],
            "one step": lambda: tfp.glm.fit_one_step(x, response + (family == "Gamma"), kind())[0],
        },
        1e-4,
    )


def test_particle_filter() -> None:
    drawn = tfp.experimental.mcmc.particle_filter(
        tf.constant([1.0, 1.5, 2.0, 2.5]), tfd.Normal(0.0, 1.0), lambda _, x: tfd.Normal(x, 0.7), lambda _, x: tfd.Normal(x, 0.5),
        num_particles=2000, seed=[1, 2],
    )  # fmt: skip
    exact = tfd.LinearGaussianStateSpaceModel(
        4, tf.ones([1, 1]), tfd.MultivariateNormalDiag(scale_diag=[0.7]), tf.ones([1, 1]),
        tfd.MultivariateNormalDiag(scale_diag=[0.5]), tfd.MultivariateNormalDiag(scale_diag=[1.0]),
    ).log_prob(tf.constant([[1.0], [1.5], [2.0], [2.5]]))  # fmt: skip
    assert abs(float(tf.reduce_sum(drawn[3]) - exact)) < 0.25


def test_sequential_monte_carlo() -> None:
    prior, likelihood = tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 0.5)
    found = tfp.experimental.mcmc.sample_sequential_monte_carlo(
        prior.log_prob, likelihood.log_prob, prior.sample(1000, seed=[3, 4]), max_num_steps=30, seed=[1, 2]
    )
    assert abs(float(tf.reduce_mean(found[1])) - 0.8) < 0.15


def test_annealed_importance() -> None:
    """The logarithm of the ratio of two normalizers, which is known."""

    def target(x: Any) -> Any:
        return -0.5 * tf.reduce_sum((x / 2.0) ** 2, -1)

    weights = mcmc.sample_annealed_importance_chain(
        60, proposal_log_prob_fn=tfd.MultivariateNormalDiag(tf.zeros(1)).log_prob, target_log_prob_fn=target,
        current_state=tf.random.stateless_normal([200, 1], [1, 2]), seed=[3, 4],
        make_kernel_fn=lambda f: mcmc.HamiltonianMonteCarlo(f, 0.5, 2),
    )[1]  # fmt: skip
    ratio = tf.reduce_logsumexp(weights) - np.log(200.0)
    assert abs(float(ratio) - 0.5 * np.log(2 * np.pi * 4)) < 0.2
