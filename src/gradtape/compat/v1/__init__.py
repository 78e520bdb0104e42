"""`tf.compat.v1`: the part of TensorFlow 1 that programs for TensorFlow 2 use, and graphs that sessions run.

Names that mean the same in both versions are gradtape's own. The others: `_functions` (arguments of version 1, checks, `where` by
rows), `_variables` (`get_variable`, scopes), `_collections` (collections, initializers, assignments), `_sessions` (placeholders, sessions, switches between the
modes); `messages` has the options that are protocol buffers there. `data`, `gfile`, `initializers`, `logging`, `losses`, `nn`,
`train`, … are modules of that name.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from gradtape.compat.v1 import _rooms

_ORIGINS = {
    "_functions": (
        "argmax argmin assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
        "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive assert_rank "
        "assert_rank_at_least assert_rank_in assert_scalar assert_type batch_gather boolean_mask ceil confusion_matrix "
        "convert_to_tensor_or_sparse_tensor count_nonzero cross depth_to_space diag diag_part div "
        "div_no_nan ensure_shape expand_dims floordiv gather gather_nd hessians invert_permutation is_finite is_inf is_nan "
        "lgamma lin_space log log_sigmoid logical_xor matrix_band_part matrix_determinant matrix_diag matrix_diag_part "
        "matrix_inverse matrix_solve matrix_transpose matrix_triangular_solve multinomial name_scope norm ones_like "
        "polygamma py_func random_crop random_gamma random_normal random_shuffle random_uniform reciprocal "
        "reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum reverse_v2 rsqrt "
        "segment_sum self_adjoint_eig set_random_seed softplus softsign space_to_depth sparse_tensor_dense_matmul "
        "sparse_tensor_to_dense sparse_to_dense squared_difference squeeze string_join string_to_number substr svd to_bfloat16 "
        "to_double to_float to_int32 to_int64 top_k trace transpose truncated_normal unsorted_segment_sum where "
        "where_v2 while_loop xla_dynamic_slice zeros_like zeta"
    ),
    "_collections": (
        "GraphKeys add_to_collection add_to_collections all_variables assign assign_add assign_sub get_collection "
        "get_collection_ref global_variables global_variables_initializer initialize_all_variables initialize_variables "
        "is_variable_initialized local_variables local_variables_initializer model_variables moving_average_variables "
        "report_uninitialized_variables scatter_add scatter_nd_update scatter_sub scatter_update tables_initializer "
        "trainable_variables variables_initializer"
    ),
    "_variables": (
        "AUTO_REUSE Variable VariableScope disable_resource_variables enable_resource_variables fixed_size_partitioner "
        "get_local_variable get_variable get_variable_scope make_template no_regularizer resource_variables_enabled "
        "variable_creator_scope variable_op_scope variable_scope"
    ),
    "_sessions": (
        "InteractiveSession Session SparseTensorValue colocate_with control_flow_v2_enabled disable_control_flow_v2 "
        "disable_eager_execution disable_tensor_equality disable_v2_behavior disable_v2_tensorshape enable_control_flow_v2 "
        "enable_eager_execution enable_tensor_equality enable_v2_behavior enable_v2_tensorshape "
        "executing_eagerly_outside_functions get_default_graph get_default_session get_seed gradients "
        "placeholder placeholder_with_default reset_default_graph sparse_placeholder"
    ),
    "messages": (
        "AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto NodeDef OptimizerOptions RunMetadata "
        "RunOptions Summary SummaryMetadata"
    ),
    "initializers": (
        "constant_initializer=constant glorot_normal_initializer=glorot_normal glorot_uniform_initializer=glorot_uniform "
        "ones_initializer=ones orthogonal_initializer=orthogonal random_normal_initializer=random_normal "
        "random_uniform_initializer=random_uniform truncated_normal_initializer=truncated_normal "
        "uniform_unit_scaling_initializer=uniform_unit_scaling variance_scaling_initializer=variance_scaling "
        "zeros_initializer=zeros"
    ),
    "_parsing": (
        "FixedLenFeature FixedLenSequenceFeature VarLenFeature SparseFeature parse_example parse_single_example "
        "parse_tensor decode_raw decode_csv read_file write_file matching_files serialize_tensor"
    ),
    "_names": "Dimension dimension_at_index dimension_value",
}
_MODULES = frozenset(
    [
        "app",
        "bitwise",
        "data",
        "debugging",
        "dtypes",
        "errors",
        "flags",
        "gfile",
        "image",
        "initializers",
        "io",
        "keras",
        "layers",
        "linalg",
        "logging",
        "losses",
        "math",
        "metrics",
        "mixed_precision",
        "nn",
        "python_io",
        "ragged",
        "random",
        "resource_loader",
        "saved_model",
        "sparse",
        "spectral",
        "strings",
        "summary",
        "test",
        "train",
        "distribute",
        "config",
        "manip",
        "sets",
        "signal",
        "sysconfig",
        "version",
    ]
)
_OWN_MODULES = frozenset(
    [
        "app",
        "data",
        "flags",
        "gfile",
        "image",
        "initializers",
        "layers",
        "logging",
        "losses",
        "metrics",
        "mixed_precision",
        "nn",
        "python_io",
        "resource_loader",
        "saved_model",
        "summary",
        "test",
        "train",
        "ragged",
        "strings",
    ]
)


def _origin(name: str) -> tuple[str, str] | None:
    for source, names in _ORIGINS.items():
        for entry in names.split():
            shown, _, own = entry.partition("=")
            if shown == name:
                return source, own or shown
    return None


def __getattr__(name: str) -> Any:
    if name in _OWN_MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    origin = _origin(name)
    if origin is not None:
        value = getattr(importlib.import_module(f"{__name__}.{origin[0]}"), origin[1])
    else:
        value = _shared(name)
    if name != "keras":
        setattr(sys.modules[__name__], name, value)
    return value


def _shared(name: str) -> Any:
    """A name that is the same in both versions."""
    compat = importlib.import_module("gradtape.compat")
    if name == "compat":
        return compat
    root = sys.modules.get("tensorflow") if compat.is_installed() else None
    base = root if root is not None else importlib.import_module("gradtape")
    try:
        return getattr(base, name)
    except AttributeError as problem:
        hint = str(problem).partition("\n  fix: ")[2]
        if not hint:
            raise _rooms.no_attribute("", name) from None
        raise AttributeError(
            f"module 'tensorflow.compat.v1' has no attribute {name!r}: gradtape answers for the part that programs for "
            f"TensorFlow 2 use.\n  fix: {hint}",
            name=name,
        ) from None


def __dir__() -> list[str]:
    gradtape = importlib.import_module("gradtape")
    own = [entry.partition("=")[0] for names in _ORIGINS.values() for entry in names.split()]
    return sorted({*own, *_OWN_MODULES, *gradtape.__all__, "compat", "keras"})
