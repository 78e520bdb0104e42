"""`tf.config`: whether functions are traced."""

from __future__ import annotations

from gradtape.core import state


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Make every `tf.function` call its Python function without tracing, for debugging.

    Args:
      run_eagerly: True for that, False for tracing as usual.

    >>> tf.config.run_functions_eagerly(False)
    """
    state.settings.functions_run_eagerly = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """The last value passed to `run_functions_eagerly`; False by default.

    >>> tf.config.functions_run_eagerly()
    False
    """
    return state.settings.functions_run_eagerly


def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """The old name of `run_functions_eagerly`.

    >>> tf.config.experimental_run_functions_eagerly(False)
    """
    run_functions_eagerly(run_eagerly)


def experimental_functions_run_eagerly() -> bool:
    """The old name of `functions_run_eagerly`.

    >>> tf.config.experimental_functions_run_eagerly()
    False
    """
    return functions_run_eagerly()
