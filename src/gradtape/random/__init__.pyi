# Written by tools/stubs.py.
# ruff: noqa
from gradtape.random import experimental
from gradtape.random._candidate_samplers import all_candidate_sampler
from gradtape.random._candidate_samplers import fixed_unigram_candidate_sampler
from gradtape.random._candidate_samplers import learned_unigram_candidate_sampler
from gradtape.random._candidate_samplers import log_uniform_candidate_sampler
from gradtape.random._candidate_samplers import uniform_candidate_sampler
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
from gradtape.random._functions import stateless_normal
from gradtape.random._functions import stateless_shuffle
from gradtape.random._functions import stateless_truncated_normal
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
