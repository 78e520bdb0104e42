"""`tf.random`: random numbers, counter based (Philox), the same in every run.

_candidate_samplers.py  `tf.random` and `tf.nn`: samples of classes
_distributions.py       Distributions of `tf.random` beyond the uniform and the normal ones
_functions.py           Random numbers from seeds and generators
_generator.py           Generators of random numbers: a state in a variable, which every draw moves on
_index_shuffle.py       Random permutations of indices
_more_distributions.py  Distributions that TensorFlow 2 has no public function for: gradtape's own
_sampling.py            Distributions: numbers from a state, for generators, seeded and stateless functions alike
experimental.py         Older names of the same, and shuffled indices
"""

from gradtape.core import lazy
from gradtape.random._functions import (
    Algorithm,
    Generator,
    create_rng_state,
    fold_in,
    get_global_generator,
    normal,
    set_global_generator,
    set_seed,
    shuffle,
    split,
    stateless_normal,
    stateless_shuffle,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)

_LATER = {
    "gradtape.random.experimental": "*",
    "gradtape.random._candidate_samplers": (
        "all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler "
        "log_uniform_candidate_sampler uniform_candidate_sampler"
    ),
    "gradtape.random._distributions": (
        "categorical gamma poisson stateless_binomial stateless_categorical stateless_gamma "
        "stateless_parameterized_truncated_normal stateless_poisson"
    ),
    # gradtape's own.
    "gradtape.random._more_distributions": (
        "beta laplace multinomial stateless_beta stateless_laplace stateless_multinomial"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "fold_in",
    "get_global_generator",
    "normal",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_normal",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    *_later,
]
