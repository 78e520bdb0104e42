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
    "gradtape.random._functions": (
        "fold_in normal set_seed shuffle split stateless_normal stateless_shuffle stateless_truncated_normal "
        "stateless_uniform truncated_normal uniform"
    ),
    # gradtape's own.
    "gradtape.random._more_distributions": (
        "beta laplace multinomial stateless_beta stateless_laplace stateless_multinomial"
    ),
    "gradtape.random._generator": "Algorithm create_rng_state Generator get_global_generator set_global_generator",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
