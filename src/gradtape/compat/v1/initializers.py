"""`tf.compat.v1.initializers`: initializers of TensorFlow 1, and ops that initialise all variables."""

from gradtape.compat.v1._collections import global_variables_initializer as global_variables
from gradtape.compat.v1._collections import local_variables_initializer as local_variables
from gradtape.compat.v1._collections import tables_initializer
from gradtape.compat.v1._collections import variables_initializer as variables
from gradtape.compat.v1._initializers import (
    Initializer,
    constant,
    glorot_normal,
    glorot_uniform,
    he_normal,
    he_uniform,
    identity,
    lecun_normal,
    lecun_uniform,
    ones,
    orthogonal,
    random_normal,
    random_uniform,
    truncated_normal,
    uniform_unit_scaling,
    variance_scaling,
    zeros,
)

__all__ = [
    "Initializer",
    "constant",
    "global_variables",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]
