"""Functions whose arguments have unknown sizes or no rank while they are traced: their values, and what is known of their shapes."""

from typing import Any

from behaviour import case
from cases._programs_of_sizes import PROGRAMS

NAMES = sorted(PROGRAMS)


def traced(tf: Any, name: str, known: str) -> Any:
    """The concrete function of a program, and its arrays."""
    program, arrays = PROGRAMS[name]
    shapes = {
        "ranks": lambda x: [None] * x.ndim,
        "nothing": lambda x: None,
        "rows": lambda x: [None, *x.shape[1:]],
    }
    specs = [tf.TensorSpec(shapes[known](x), x.dtype) for x in arrays]
    return tf.function(lambda *xs: program(tf, *xs)).get_concrete_function(*specs), arrays


@case(name=NAMES)
def value_of_any_size(tf, name):
    function, arrays = traced(tf, name, "ranks")
    return function(*[tf.constant(x) for x in arrays])


@case(name=NAMES)
def shape_of_any_number_of_rows(tf, name):
    function, _ = traced(tf, name, "rows")
    shapes = [s.shape for s in tf.nest.flatten(function.structured_outputs)]
    return [None if s.rank is None else s.as_list() for s in shapes]


@case(name=NAMES[::2])
def value_without_ranks(tf, name):
    function, arrays = traced(tf, name, "nothing")
    return function(*[tf.constant(x) for x in arrays])
