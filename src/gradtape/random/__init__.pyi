# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.tensor import Tensor
from gradtape.random import experimental
from gradtape.random._candidate_samplers import Candidates
from gradtape.random._candidate_samplers import all_candidate_sampler
from gradtape.random._candidate_samplers import fixed_unigram_candidate_sampler
from gradtape.random._candidate_samplers import learned_unigram_candidate_sampler
from gradtape.random._distributions import categorical
from gradtape.random._distributions import gamma
from gradtape.random._distributions import poisson
from gradtape.random._distributions import stateless_binomial
from gradtape.random._distributions import stateless_categorical
from gradtape.random._distributions import stateless_gamma
from gradtape.random._distributions import stateless_parameterized_truncated_normal
from gradtape.random._distributions import stateless_poisson
from gradtape.random._functions import fold_in
from gradtape.random._functions import normal
from gradtape.random._functions import set_seed
from gradtape.random._functions import shuffle
from gradtape.random._functions import split
from gradtape.random._functions import stateless_shuffle
from gradtape.random._functions import stateless_uniform
from gradtape.random._functions import truncated_normal
from gradtape.random._functions import uniform
from gradtape.random._generator import Algorithm
from gradtape.random._generator import Generator
from gradtape.random._generator import create_rng_state
from gradtape.random._generator import get_global_generator
from gradtape.random._generator import set_global_generator
from gradtape.random._more_distributions import beta
from gradtape.random._more_distributions import laplace
from gradtape.random._more_distributions import multinomial
from gradtape.random._more_distributions import stateless_beta
from gradtape.random._more_distributions import stateless_laplace
from gradtape.random._more_distributions import stateless_multinomial
from typing import Any

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "beta",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "laplace",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "multinomial",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_beta",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_laplace",
    "stateless_multinomial",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]

def log_uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Classes drawn with probabilities that fall like those of words in order of frequency (Zipf's law).

    Class c has the probability `(log(c + 2) - log(c + 1)) / log(range_max + 1)`.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw.
      unique: draw no class twice.
      range_max: the number of classes.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> tf.random.log_uniform_candidate_sampler([[0]], 1, 5, False, range_max=10).true_expected_count.numpy()
    array([[1.4453242]], dtype=float32)
    """

def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers of a normal distribution that depend on the seed alone.

    Args:
      shape: the shape of the result.
      seed: two integers.
      mean: a number or tensor of that dtype that broadcasts with the shape.
      stddev: the standard deviation, likewise.
      dtype: float16, bfloat16, float32 or float64.
      name: ignored.
      alg: "philox" or "auto_select".

    >>> bool(tf.random.stateless_normal([], seed=[1, 2]) == tf.random.stateless_normal([], seed=[1, 2]))
    True
    """

def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = ...,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from a normal distribution cut off at two standard deviations, which depend only on the seed.

    Args:
      shape: the shape of the result.
      seed: two integers.
      mean: of the distribution before it is cut off.
      stddev: the standard deviation, likewise.
      dtype: float16, bfloat16, float32 or float64.
      name: ignored.
      alg: "philox" or "auto_select".

    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """

def uniform_candidate_sampler(
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Candidates:
    """Classes drawn with equal probabilities.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw.
      unique: draw no class twice.
      range_max: the number of classes.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> tf.random.uniform_candidate_sampler([[3]], 1, 5, False, range_max=10).true_expected_count.numpy()
    array([[0.5]], dtype=float32)
    """
