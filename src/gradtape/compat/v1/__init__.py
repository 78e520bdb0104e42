"""`tf.compat.v1`: the part of TensorFlow 1 that programs for TensorFlow 2 use, and graphs that sessions run.

Names that mean the same in both versions are gradtape's own. The others: `_functions` (arguments of version 1, checks, `where` by
rows), `_arguments` (other names and another order of the arguments), `_variables` (`get_variable`, scopes), `_partitioned` (variables in
parts), `_collections` (collections, initializers, assignments), `_sessions` (placeholders, sessions, switches between the modes),
`_device_spec` (a DeviceSpec that changes); `messages` has the options that are protocol buffers there. `data`, `gfile`, `initializers`, `logging`, `losses`, `nn`,
`train`, … are modules of that name.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from gradtape.compat.v1 import _arguments, _rooms

# Names by location: `.` has modules, `.file` names of a file in this folder. `name=other` is `other` under another name.
_ORIGINS = {
    ".": (
        "app data debugging flags gfile image initializers io layers linalg logging losses math metrics "
        "mixed_precision nn python_io ragged random resource_loader saved_model sparse strings summary test train"
    ),
    "._functions": (
        "argmax argmin assert_equal assert_greater assert_greater_equal assert_integer assert_less "
        "assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal "
        "assert_positive assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_type batch_gather "
        "batch_to_space boolean_mask case cond constant convert_to_tensor convert_to_tensor_or_sparse_tensor count_nonzero div expand_dims "
        "gather gather_nd "
        "multinomial name_scope norm ones_like py_func reduce_all reduce_any reduce_logsumexp reduce_max "
        "reduce_mean reduce_min reduce_prod reduce_sum self_adjoint_eig set_random_seed space_to_batch sparse_to_dense squeeze "
        "substr to_bfloat16 to_double to_float to_int32 to_int64 transpose where while_loop xla_dynamic_slice "
        "zeros_like"
    ),
    "._collections": (
        "add_to_collection add_to_collections all_variables assign assign_add assign_sub get_collection "
        "get_collection_ref global_variables global_variables_initializer initialize_all_variables "
        "initialize_variables is_variable_initialized local_variables local_variables_initializer model_variables "
        "moving_average_variables report_uninitialized_variables scatter_add scatter_nd_update scatter_sub "
        "scatter_update tables_initializer trainable_variables variables_initializer"
    ),
    "._variables": (
        "AUTO_REUSE Variable VariableScope disable_resource_variables enable_resource_variables "
        "get_local_variable get_variable get_variable_scope make_template no_regularizer "
        "resource_variables_enabled variable_op_scope variable_scope"
    ),
    "._partitioned": "fixed_size_partitioner min_max_variable_partitioner variable_axis_size_partitioner",
    "._sessions": (
        "colocate_with control_flow_v2_enabled disable_control_flow_v2 disable_eager_execution "
        "disable_tensor_equality disable_v2_behavior disable_v2_tensorshape enable_control_flow_v2 "
        "enable_eager_execution enable_tensor_equality enable_v2_behavior enable_v2_tensorshape "
        "executing_eagerly_outside_functions get_default_graph get_default_session get_seed gradients placeholder "
        "placeholder_with_default sparse_placeholder"
    ),
    ".messages": (
        "AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto NodeDef OptimizerOptions "
        "RunMetadata RunOptions Summary SummaryMetadata"
    ),
    ".initializers": (
        "constant_initializer=constant glorot_normal_initializer=glorot_normal "
        "glorot_uniform_initializer=glorot_uniform ones_initializer=ones orthogonal_initializer=orthogonal "
        "random_normal_initializer=random_normal random_uniform_initializer=random_uniform "
        "truncated_normal_initializer=truncated_normal uniform_unit_scaling_initializer=uniform_unit_scaling "
        "variance_scaling_initializer=variance_scaling zeros_initializer=zeros"
    ),
    "._device_spec": "DeviceSpec",
    "._names": "dimension_at_index",
    ".strings": "string_split",
    "gradtape": "ensure_shape hessians lin_space=linspace reverse_v2=reverse where_v2=where",
    "gradtape.compat._graph_keys": "GraphKeys",
    "gradtape.compat._graphs": "reset_default_graph",
    "gradtape.compat._session": "InteractiveSession Session",
    "gradtape.core.array_values": "IndexedSlicesValue SparseTensorValue",
    "gradtape.core.dimension": "Dimension dimension_value",
    "gradtape.image": "random_crop",
    "gradtape.io": (
        "FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature matching_files "
        "parse_tensor read_file serialize_tensor write_file"
    ),
    "gradtape.linalg": (
        "cross diag=tensor_diag diag_part=tensor_diag_part matrix_band_part=band_part matrix_determinant=det "
        "matrix_diag=diag matrix_diag_part=diag_part matrix_inverse=inv matrix_solve=solve matrix_transpose "
        "matrix_triangular_solve=triangular_solve svd trace"
    ),
    "gradtape.math": (
        "ceil div_no_nan=divide_no_nan floordiv invert_permutation is_finite is_inf is_nan "
        "lgamma log log_sigmoid logical_xor polygamma reciprocal rsqrt segment_sum softplus squared_difference "
        "top_k unsorted_segment_sum zeta"
    ),
    "gradtape.nn": "softsign",
    "gradtape.random": (
        "random_gamma=gamma random_normal=normal random_shuffle=shuffle random_uniform=uniform truncated_normal"
    ),
    "gradtape.sparse": "sparse_tensor_dense_matmul=sparse_dense_matmul sparse_tensor_to_dense=to_dense",
    "gradtape.strings": "string_join=join",
    "gradtape.toplevel.variable_creators": "variable_creator_scope",
}


def _origin(name: str) -> tuple[str, str] | None:
    for source, names in _ORIGINS.items():
        for entry in names.split():
            shown, _, own = entry.partition("=")
            if shown == name:
                return source, own or shown
    return None


def __getattr__(name: str) -> Any:
    origin = _origin(name)
    if origin == (".", name):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _arguments.ELSEWHERE:
        value = _arguments.find(name)
    elif origin is not None:
        value = getattr(importlib.import_module(origin[0], __name__), origin[1])
    else:
        value = _shared(name)
    value = _arguments.adapt("", name, value)
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
    return sorted({*own, *_arguments.ELSEWHERE, *gradtape.__all__, "compat", "keras"})
