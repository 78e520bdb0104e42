"""Functions of TensorFlow 1 whose parameters have another order, or other names, than those of version 2.

Each entry lists the parameters of version 1 in their order. `old=new` is passed on as `new`, and not at all if it is None;
`old=` is ignored.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

_PARAMETERS = {
    "confusion_matrix": "labels predictions num_classes dtype name weights",
    "convert_to_tensor": "value dtype name preferred_dtype=dtype_hint dtype_hint",
    "decode_raw": "input_bytes out_type little_endian name bytes=input_bytes",
    "reverse_sequence": "input seq_lengths seq_axis batch_axis name seq_dim=seq_axis batch_dim=batch_axis",
    "string_to_number": "string_tensor=input out_type name input",
    "debugging.assert_all_finite": "t=x msg=message name x message",
    "image.crop_and_resize": "image boxes box_ind=box_indices crop_size method extrapolation_value name box_indices",
    "image.sample_distorted_bounding_box": (
        "image_size bounding_boxes seed seed2= min_object_covered aspect_ratio_range area_range max_attempts "
        "use_image_if_no_bounding_boxes name"
    ),
    "io.decode_raw": "input_bytes out_type little_endian name bytes=input_bytes",
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
    "nn.depthwise_conv2d": "input filter strides padding rate=dilations name data_format dilations",
    "nn.dilation2d": "input filter=filters strides rates=dilations padding name filters dilations",
    "nn.erosion2d": "value kernel=filters strides rates=dilations padding name",
    "nn.fractional_avg_pool": "value pooling_ratio pseudo_random overlapping deterministic= seed seed2= name",
    "nn.fractional_max_pool": "value pooling_ratio pseudo_random overlapping deterministic= seed seed2= name",
    "nn.in_top_k": "predictions targets k name",
    "nn.max_pool_with_argmax": (
        "input ksize strides padding data_format Targmax=output_dtype name output_dtype include_batch_in_index"
    ),
    "nn.pool": "input window_shape pooling_type padding dilation_rate=dilations strides name data_format dilations",
    "nn.separable_conv2d": (
        "input depthwise_filter pointwise_filter strides padding rate=dilations name data_format dilations"
    ),
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
    "sparse.split": "keyword_required= sp_input num_split axis name split_dim=axis",
    "strings.reduce_join": "inputs axis keep_dims=keepdims separator name reduction_indices=axis keepdims",
    "strings.to_hash_bucket": "string_tensor=input num_buckets name input",
    "strings.to_number": "string_tensor=input out_type name input",
}

# What version 1 does not ask for.
_FIXED = {"nn.dilation2d": {"data_format": "NHWC"}, "nn.erosion2d": {"data_format": "NHWC"}}

# Modules with functions that are also names of `tf.compat.v1` itself, with the parameters that these have.
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


def adapted(room: str, name: str, value: Any) -> Any:
    """The function of version 1 for what a name of a module (or of `tf` itself: "") is in version 2."""
    path = f"{room}.{name}".lstrip(".")
    if path in _PARAMETERS:
        return _with_parameters(path, value)
    if name in _FROM_THE_TOP.get(room, "").split():
        return getattr(importlib.import_module("gradtape.compat.v1"), name)
    return value


def _with_parameters(path: str, function: Callable[..., Any]) -> Callable[..., Any]:
    pairs = [entry.partition("=") for entry in _PARAMETERS[path].split()]
    names = [old for old, _, _ in pairs]
    renamed = {old: new for old, is_renamed, new in pairs if is_renamed}
    fixed = _FIXED.get(path, {})

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(names):
            raise TypeError(f"{path}() takes {len(names)} positional arguments but {len(args)} were given")
        given = {**fixed}
        for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
            if name not in renamed:
                given[name] = value
            elif renamed[name] and value is not None:
                given[renamed[name]] = value
        return function(**given)

    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in names]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call
