"""Options of saving and loading. Most exist for programs that pass them: there is one kind of device and of file."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors

_POLICIES = ("save_variable_devices", "expand_distributed_variables")


def _policy_of(policy: Any) -> str | None:
    """The policy for devices and parts of variables, from text in any case."""
    if policy is None:
        return None
    text = str(policy).lower()
    if text not in _POLICIES:
        raise ValueError(
            errors.compose(
                f"Received invalid VariablePolicy value: {policy}.",
                f"give None, {_POLICIES[0]!r} or {_POLICIES[1]!r}.",
            )
        )
    return text


class SaveOptions:
    """How a model is saved.

    Args:
      save_debug_info: keep the whole paths of the files in which functions are written; otherwise only their names.
      function_aliases: names for functions, under which `load` finds them if
        `LoadOptions(experimental_load_function_aliases=True)` asks for them.
      experimental_custom_gradients: keep custom gradients; without them such functions cannot be differentiated.
      experimental_variable_policy: None, "save_variable_devices" or "expand_distributed_variables"; there is one
        kind of device, so each saves the same.
      namespace_whitelist, experimental_debug_stripper, experimental_io_device, experimental_image_format,
        experimental_skip_saver, experimental_sharding_callback, extra_tags: ignored.

    >>> tf.saved_model.SaveOptions().experimental_custom_gradients
    True
    """

    def __init__(
        self,
        namespace_whitelist: Any = None,
        save_debug_info: bool = False,
        function_aliases: Any = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: Any = None,
        experimental_variable_policy: Any = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Any = None,
    ) -> None:
        self.namespace_whitelist = list(namespace_whitelist or [])
        self.save_debug_info = save_debug_info
        self.function_aliases = dict(function_aliases or {})
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = _policy_of(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions:
    """How a model is loaded.

    Args:
      experimental_skip_checkpoint: leave the variables at zero, for a program that gives them values itself.
      experimental_load_function_aliases: give the object an attribute `function_aliases`: a dict with the functions that
        `SaveOptions(function_aliases=...)` named; those that are no part of it as lists of their traces.
      allow_partial_checkpoint, experimental_io_device, experimental_variable_policy: ignored: there are no partial files.

    >>> tf.saved_model.LoadOptions().experimental_skip_checkpoint
    False
    """

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: Any = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = experimental_variable_policy
        self.experimental_load_function_aliases = experimental_load_function_aliases
