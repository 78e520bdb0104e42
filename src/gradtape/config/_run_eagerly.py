"""`tf.config`: whether functions are traced."""

from __future__ import annotations

from gradtape.core import state


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Have every `tf.function` call its Python function, without tracing: for debuggers and prints.

    Args:
      run_eagerly: True for that, False for tracing as usual.

    >>> tf.config.run_functions_eagerly(False)
    """
    state.settings.functions_run_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` was last given; False at first.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return state.settings.functions_run_eagerly


def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """As `run_functions_eagerly`, which is its present name.

    >>> tf.config.experimental_run_functions_eagerly(False)
    """
    run_functions_eagerly(run_eagerly)


def experimental_functions_run_eagerly() -> bool:
    """As `functions_run_eagerly`, which is its present name.

    >>> tf.config.experimental_functions_run_eagerly()
    False
    """
    return functions_run_eagerly()
