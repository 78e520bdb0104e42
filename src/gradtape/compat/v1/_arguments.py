"""Functions of version 2 with the arguments of version 1: other names, another order."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Mapping
from typing import Any

# By public name: the parameters of version 1 in their order. `old=new` is another name for a parameter of version 2, `old=` is ignored.
_PARAMETERS = {
    "convert_to_tensor": "value dtype name preferred_dtype=dtype_hint dtype_hint",
    "device": "device_name_or_function=device_name",
    "pad": "tensor paddings mode name constant_values",
    "reverse_sequence": "input seq_lengths seq_axis batch_axis name seq_dim=seq_axis batch_dim=batch_axis",
    "shape": "input name out_type",
    "size": "input name out_type",
    "tuple": "tensors name control_inputs",
    "debugging.assert_all_finite": "t=x msg=message name x message",
    "image.crop_and_resize": "image boxes box_ind=box_indices crop_size method extrapolation_value name box_indices",
    "image.sample_distorted_bounding_box": (
        "image_size bounding_boxes seed seed2= min_object_covered aspect_ratio_range area_range max_attempts "
        "use_image_if_no_bounding_boxes name"
    ),
    "io.decode_csv": "records record_defaults field_delim use_quote_delim name na_value select_cols",
    "io.decode_raw": "input_bytes out_type little_endian name bytes=input_bytes",
    "io.parse_example": "serialized features name example_names",
    "io.parse_single_example": "serialized features name example_names",
    "io.serialize_many_sparse": "sp_input name out_type",
    "io.serialize_sparse": "sp_input name out_type",
    "math.confusion_matrix": "labels predictions num_classes dtype name weights",
    "math.in_top_k": "predictions targets k name",
    "math.log_softmax": "logits axis name dim=axis",
    "math.softmax": "logits axis name dim=axis",
    "nn.avg_pool2d": "value=input ksize strides padding data_format name input",
    "nn.batch_norm_with_global_normalization": (
        "t=input m=mean v=variance beta gamma variance_epsilon scale_after_normalization name input mean variance"
    ),
    "nn.conv1d": "value=input filters stride padding use_cudnn_on_gpu= data_format name input dilations",
    "nn.conv2d_transpose": (
        "value=input filter=filters output_shape strides padding data_format name input filters dilations"
    ),
    "nn.conv3d": "input filter=filters strides padding data_format dilations name filters",
    "nn.conv3d_transpose": (
        "value=input filter=filters output_shape strides padding data_format name input filters dilations"
    ),
    "nn.depth_to_space": "input block_size name data_format",
    "nn.depthwise_conv2d": "input filter strides padding rate=dilations name data_format dilations",
    "nn.dilation2d": "input filter=filters strides rates=dilations padding name filters dilations",
    "nn.erosion2d": "value kernel=filters strides rates=dilations padding name",
    "nn.in_top_k": "predictions targets k name",
    "nn.max_pool_with_argmax": (
        "input ksize strides padding data_format Targmax=output_dtype name output_dtype include_batch_in_index"
    ),
    "nn.pool": "input window_shape pooling_type padding dilation_rate=dilations strides name data_format dilations",
    "nn.separable_conv2d": (
        "input depthwise_filter pointwise_filter strides padding rate=dilations name data_format dilations"
    ),
    "nn.space_to_depth": "input block_size name data_format",
    "nn.sufficient_statistics": "x axes shift keep_dims=keepdims name keepdims",
    "nn.weighted_cross_entropy_with_logits": "labels logits pos_weight name targets=labels",
    "nn.weighted_moments": "x axes frequency_weights name keep_dims=keepdims keepdims",
    "random.poisson": "lam shape dtype seed name",
    "sparse.add": "a b threshold thresh=threshold",
    "sparse.concat": (
        "axis sp_inputs name expand_nonconcat_dim=expand_nonconcat_dims concat_dim=axis expand_nonconcat_dims"
    ),
    "sparse.reduce_max": "sp_input axis keepdims reduction_axes=axis keep_dims=keepdims",
    "sparse.reduce_sum": "sp_input axis keepdims reduction_axes=axis keep_dims=keepdims",
    "sparse.segment_mean": "data indices segment_ids name num_segments sparse_gradient",
    "sparse.segment_sqrt_n": "data indices segment_ids name num_segments sparse_gradient",
    "sparse.segment_sum": "data indices segment_ids name num_segments sparse_gradient",
    "sparse.split": "keyword_required= sp_input num_split axis name split_dim=axis",
    "strings.reduce_join": "inputs axis keep_dims=keepdims separator name reduction_indices=axis keepdims",
    "strings.to_hash_bucket": "string_tensor=input num_buckets name input",
    "strings.to_number": "string_tensor=input out_type name input",
}

# What version 1 does not ask for.
_FIXED = {"nn.dilation2d": {"data_format": "NHWC"}, "nn.erosion2d": {"data_format": "NHWC"}}

# Names of `tf.compat.v1` itself for functions of a module.
ELSEWHERE = {
    "confusion_matrix": "math.confusion_matrix",
    "decode_csv": "io.decode_csv",
    "decode_raw": "io.decode_raw",
    "depth_to_space": "nn.depth_to_space",
    "parse_example": "io.parse_example",
    "parse_single_example": "io.parse_single_example",
    "random_poisson": "random.poisson",
    "reduce_join": "strings.reduce_join",
    "serialize_many_sparse": "io.serialize_many_sparse",
    "serialize_sparse": "io.serialize_sparse",
    "space_to_depth": "nn.space_to_depth",
    "sparse_add": "sparse.add",
    "sparse_concat": "sparse.concat",
    "sparse_reduce_max": "sparse.reduce_max",
    "sparse_reduce_sum": "sparse.reduce_sum",
    "sparse_segment_mean": "sparse.segment_mean",
    "sparse_segment_sqrt_n": "sparse.segment_sqrt_n",
    "sparse_segment_sum": "sparse.segment_sum",
    "sparse_split": "sparse.split",
    "string_to_hash_bucket": "strings.to_hash_bucket",
    "string_to_number": "strings.to_number",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
}

# The other way: functions of modules that `_functions` has for `tf.compat.v1` itself.
_FROM_THE_TOP = {
    "math": (
        "argmax argmin count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min "
        "reduce_prod reduce_sum"
    ),
    "linalg": "norm",
    "debugging": (
        "assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive assert_rank "
        "assert_rank_at_least assert_rank_in assert_scalar assert_type"
    ),
    "nn": "batch_to_space space_to_batch",
}


def adapt(room: str, name: str, value: Any) -> Any:
    """What version 1 has under a name of a module (of `tf` itself: ""); `value` is what version 2 has."""
    path = f"{room}.{name}".lstrip(".")
    if path in _PARAMETERS:
        return _with_parameters(path)
    if name in _FROM_THE_TOP.get(room, "").split():
        return getattr(importlib.import_module("gradtape.compat.v1"), name)
    return value


def find(name: str) -> Any:
    """The function of a module that `tf.compat.v1` itself shows under a name."""
    return _with_parameters(ELSEWHERE[name])


@functools.cache
def _with_parameters(path: str) -> Any:
    room, _, name = path.rpartition(".")
    actual = getattr(importlib.import_module(f"gradtape.{room}".rstrip(".")), name)
    meanings = {
        old: new if is_other else old
        for old, is_other, new in (entry.partition("=") for entry in _PARAMETERS[path].split())
    }
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
        passed: dict[str, Any] = dict(_FIXED.get(path, {}))
        for old, value in given.items():
            new = meanings[old]
            if not new or (value is None and new not in required):
                continue
            if new in passed and new not in _FIXED.get(path, {}):
                raise ValueError(f"Cannot specify both '{new}' and '{old}'.")
            passed[new] = value
        return actual(**passed)

    call.__signature__ = _signature(actual, meanings)  # type: ignore[attr-defined]
    return call


def _signature(actual: Any, meanings: Mapping[str, str]) -> inspect.Signature:
    known = inspect.signature(actual).parameters
    parameters: list[inspect.Parameter] = []
    default: Any = inspect.Parameter.empty
    for old, new in meanings.items():
        own = known[old].default if old == new and old in known else None
        default = None if default is not inspect.Parameter.empty and own is inspect.Parameter.empty else own
        parameters.append(inspect.Parameter(old, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
    return inspect.Signature(parameters)
