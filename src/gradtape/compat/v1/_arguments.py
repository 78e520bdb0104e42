"""Functions of version 2 with the arguments of version 1: other names, another order."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any

# By name: where the function is, and the parameters of version 1 in their order. `old>new` is another name for a parameter of version 2.
FUNCTIONS = {
    "batch_to_space": ("", "input crops block_size>block_shape name block_shape"),
    "confusion_matrix": ("math", "labels predictions num_classes dtype name weights"),
    "constant": ("", "value dtype shape name verify_shape"),
    "convert_to_tensor": ("", "value dtype name preferred_dtype>dtype_hint dtype_hint"),
    "decode_csv": ("io", "records record_defaults field_delim use_quote_delim name na_value select_cols"),
    "decode_raw": ("io", "input_bytes out_type little_endian name bytes>input_bytes"),
    "depth_to_space": ("nn", "input block_size name data_format"),
    "device": ("", "device_name_or_function>device_name"),
    "in_top_k": ("math", "predictions targets k name"),
    "log_softmax": ("nn", "logits axis name dim>axis"),
    "pad": ("", "tensor paddings mode name constant_values"),
    "parse_example": ("io", "serialized features name example_names"),
    "parse_single_example": ("io", "serialized features name example_names"),
    "random_poisson": ("random", "lam shape dtype seed name"),
    "reverse_sequence": ("", "input seq_lengths seq_axis batch_axis name seq_dim>seq_axis batch_dim>batch_axis"),
    "serialize_many_sparse": ("io", "sp_input name out_type"),
    "serialize_sparse": ("io", "sp_input name out_type"),
    "shape": ("", "input name out_type"),
    "size": ("", "input name out_type"),
    "softmax": ("nn", "logits axis name dim>axis"),
    "space_to_batch": ("", "input paddings block_size>block_shape name block_shape"),
    "space_to_depth": ("nn", "input block_size name data_format"),
    "sparse_add": ("sparse", "a b threshold thresh>threshold"),
    "sparse_reduce_max": ("sparse", "sp_input axis keepdims reduction_axes>axis keep_dims>keepdims"),
    "sparse_reduce_sum": ("sparse", "sp_input axis keepdims reduction_axes>axis keep_dims>keepdims"),
    "sparse_segment_mean": ("sparse", "data indices segment_ids name num_segments sparse_gradient"),
    "sparse_segment_sqrt_n": ("sparse", "data indices segment_ids name num_segments sparse_gradient"),
    "sparse_segment_sum": ("sparse", "data indices segment_ids name num_segments sparse_gradient"),
    "string_to_number": ("strings", "string_tensor>input out_type name input"),
    "tuple": ("", "tensors name control_inputs"),
    "verify_tensor_all_finite": ("debugging", "t>x msg>message name x message"),
}
# What a function is called in version 2, where that differs.
_ACTUAL = {"string_to_number": "to_number", "verify_tensor_all_finite": "assert_all_finite"}


@functools.cache
def with_old_arguments(name: str) -> Any:
    """The function of that name, with the arguments of version 1."""
    room, parameters = FUNCTIONS[name]
    actual_name = _ACTUAL.get(name) or name.removeprefix(f"{room}_")
    actual = getattr(importlib.import_module(f"gradtape.{room}".rstrip(".")), actual_name)
    meanings = {old: new or old for old, _, new in (entry.partition(">") for entry in parameters.split())}
    several = list(meanings.values())
    # None means "not given" except for a parameter that must be given, as `tf.device(None)`.
    required = {
        p
        for p, own in inspect.signature(actual).parameters.items()
        if own.default is own.empty and several.count(p) == 1
    }

    @functools.wraps(actual)
    def call(*args: Any, **options: Any) -> Any:
        if len(args) > len(meanings):
            raise TypeError(f"{name}() takes at most {len(meanings)} arguments, got {len(args)}.")
        given = dict(zip(meanings, args, strict=False))
        for old, value in options.items():
            if old not in meanings or old in given:
                problem = "multiple values for" if old in given else "an unexpected keyword"
                raise TypeError(f"{name}() got {problem} argument '{old}'")
            given[old] = value
        passed: dict[str, Any] = {}
        for old, value in given.items():
            if value is None and meanings[old] not in required:
                continue
            if meanings[old] in passed:
                raise ValueError(f"Cannot specify both '{meanings[old]}' and '{old}'.")
            passed[meanings[old]] = value
        if passed.pop("verify_shape", False):
            _check_shape(passed)
        return actual(**passed)

    call.__signature__ = _signature(actual, meanings)  # type: ignore[attr-defined]
    return call


def _check_shape(arguments: dict[str, Any]) -> None:
    """Refuse a value that would be repeated to fill the shape."""
    import gradtape as tf

    found = tf.convert_to_tensor(arguments["value"], arguments.get("dtype")).shape
    if arguments.get("shape") is not None and not found.is_compatible_with(arguments["shape"]):
        raise TypeError(
            f"Expected Tensor {arguments['value']!r} with shape {arguments['shape']}, but got shape {found}.\n"
            "  fix: leave out verify_shape, and the value is repeated."
        )


def _signature(actual: Any, meanings: dict[str, str]) -> inspect.Signature:
    known = inspect.signature(actual).parameters
    parameters: list[inspect.Parameter] = []
    default: Any = inspect.Parameter.empty
    for old, new in meanings.items():
        own = known[old].default if old == new and old in known else None
        default = None if default is not inspect.Parameter.empty and own is inspect.Parameter.empty else own
        parameters.append(inspect.Parameter(old, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
    return inspect.Signature(parameters)
