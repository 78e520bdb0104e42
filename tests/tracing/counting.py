"""Functions that tell how often they were traced."""

import functools

import gradtape as tf


def counted(function):
    """A tf.function, and a list that grows with every trace."""
    traces = []

    @functools.wraps(function)
    def inner(*args, **kwargs):
        traces.append(args)
        return function(*args, **kwargs)

    return tf.function(inner), traces
