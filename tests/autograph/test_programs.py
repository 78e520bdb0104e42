"""AutoGraph: programs with all constructs of the language compute what Python computes."""

import numpy as np
import pytest

import gradtape as tf
from autograph.programs import PROGRAMS

NUMBERS = ([1, 2, 3, 4], [5, -1, 2, 7], [0, 0, 0, 0], [9, 9, -9, 1], [2, 2, 7, 9])


def plain(value):
    return tf.nest.map_structure(lambda v: v.decode() if isinstance(v, bytes) else np.asarray(v).tolist(), value)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_in_python(program):
    traced = tf.function(program)
    for numbers in NUMBERS:
        xs = tf.constant(numbers)
        found = tf.nest.map_structure(lambda v: v.numpy() if isinstance(v, tf.Tensor) else v, traced(xs))
        assert plain(found) == plain(program(xs))
    assert traced.experimental_get_tracing_count() == 1
