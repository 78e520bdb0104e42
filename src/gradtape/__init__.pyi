# Written by tools/stubs.py.
# ruff: noqa
from collections.abc import Callable
from gradtape import audio
from gradtape import autodiff
from gradtape import autograph
from gradtape import bitwise
from gradtape import compat
from gradtape import config
from gradtape import data
from gradtape import debugging
from gradtape import distribute
from gradtape import dtypes
from gradtape import errors
from gradtape import experimental
from gradtape import image
from gradtape import io
from gradtape import keras
from gradtape import linalg
from gradtape import lookup
from gradtape import math
from gradtape import nest
from gradtape import nn
from gradtape import profiler
from gradtape import quantization
from gradtape import queue
from gradtape import ragged
from gradtape import random
from gradtape import saved_model
from gradtape import sets
from gradtape import signal
from gradtape import sparse
from gradtape import strings
from gradtape import summary
from gradtape import sysconfig
from gradtape import test
from gradtape import train
from gradtape import types
from gradtape import version
from gradtape.arrays.blocks import batch_to_space
from gradtape.arrays.blocks import required_space_to_batch_paddings
from gradtape.arrays.blocks import space_to_batch
from gradtape.arrays.blocks import space_to_batch as space_to_batch_nd
from gradtape.arrays.creation import eye
from gradtape.arrays.creation import fill
from gradtape.arrays.creation import linspace
from gradtape.arrays.creation import meshgrid
from gradtape.arrays.creation import one_hot
from gradtape.arrays.creation import ones
from gradtape.arrays.creation import ones_like
from gradtape.arrays.creation import range
from gradtape.arrays.creation import zeros
from gradtape.arrays.creation import zeros_like
from gradtape.arrays.indexing import boolean_mask
from gradtape.arrays.indexing import gather
from gradtape.arrays.indexing import gather_nd
from gradtape.arrays.indexing import scatter_nd
from gradtape.arrays.indexing import searchsorted
from gradtape.arrays.indexing import tensor_scatter_nd_update
from gradtape.arrays.joining import concat
from gradtape.arrays.joining import parallel_stack
from gradtape.arrays.joining import split
from gradtape.arrays.joining import stack
from gradtape.arrays.joining import unstack
from gradtape.arrays.movement import broadcast_to
from gradtape.arrays.movement import expand_dims
from gradtape.arrays.movement import identity
from gradtape.arrays.movement import identity_n
from gradtape.arrays.movement import pad
from gradtape.arrays.movement import repeat
from gradtape.arrays.movement import reshape
from gradtape.arrays.movement import reverse
from gradtape.arrays.movement import roll
from gradtape.arrays.movement import squeeze
from gradtape.arrays.movement import tile
from gradtape.arrays.movement import transpose
from gradtape.arrays.partitioning import dynamic_partition
from gradtape.arrays.partitioning import dynamic_stitch
from gradtape.arrays.representation import as_string
from gradtape.arrays.representation import bitcast
from gradtape.arrays.representation import fingerprint
from gradtape.arrays.representation import unravel_index
from gradtape.arrays.shapes import broadcast_dynamic_shape
from gradtape.arrays.shapes import broadcast_static_shape
from gradtape.arrays.shapes import ensure_shape
from gradtape.arrays.shapes import rank
from gradtape.arrays.shapes import shape
from gradtape.arrays.shapes import shape_n
from gradtape.arrays.shapes import size
from gradtape.arrays.slicing import slice
from gradtape.arrays.slicing import strided_slice
from gradtape.arrays.sorting import approx_top_k
from gradtape.arrays.sorting import argsort
from gradtape.arrays.sorting import sort
from gradtape.arrays.sorting import unique
from gradtape.arrays.sorting import unique_with_counts
from gradtape.arrays.space_batch import extract_volume_patches
from gradtape.arrays.space_batch import reverse_sequence
from gradtape.arrays.space_batch import sequence_mask
from gradtape.compat._graphs import Graph
from gradtape.compat._internal.datasets import NoneTensorSpec
from gradtape.compat._internal.gradients import RegisterGradient
from gradtape.compat._internal.gradients import no_gradient
from gradtape.config._device_spec import DeviceSpec
from gradtape.config._devices import device
from gradtape.control_flow.dependencies import control_dependencies
from gradtape.control_flow.functions import case
from gradtape.control_flow.functions import cond
from gradtape.control_flow.functions import group
from gradtape.control_flow.functions import no_op
from gradtape.control_flow.functions import switch_case
from gradtape.control_flow.functions import tuple
from gradtape.control_flow.functions import while_loop
from gradtape.control_flow.mapping import map_fn
from gradtape.control_flow.mapping import scan
from gradtape.control_flow.tensor_array import TensorArray
from gradtape.core.annotations import TensorLike
from gradtape.core.convert import constant
from gradtape.core.convert import convert_to_tensor
from gradtape.core.dtypes import DType
from gradtape.core.dtypes import as_dtype
from gradtape.core.dtypes import bfloat16
from gradtape.core.dtypes import bool_ as bool
from gradtape.core.dtypes import complex128
from gradtape.core.dtypes import complex64
from gradtape.core.dtypes import double
from gradtape.core.dtypes import float16
from gradtape.core.dtypes import float32
from gradtape.core.dtypes import float64
from gradtape.core.dtypes import float8_e4m3b11fnuz
from gradtape.core.dtypes import float8_e4m3fn
from gradtape.core.dtypes import float8_e4m3fnuz
from gradtape.core.dtypes import float8_e5m2
from gradtape.core.dtypes import float8_e5m2fnuz
from gradtape.core.dtypes import half
from gradtape.core.dtypes import int16
from gradtape.core.dtypes import int32
from gradtape.core.dtypes import int4
from gradtape.core.dtypes import int64
from gradtape.core.dtypes import int8
from gradtape.core.dtypes import qint16
from gradtape.core.dtypes import qint32
from gradtape.core.dtypes import qint8
from gradtape.core.dtypes import quint16
from gradtape.core.dtypes import quint8
from gradtape.core.dtypes import resource
from gradtape.core.dtypes import string
from gradtape.core.dtypes import uint16
from gradtape.core.dtypes import uint32
from gradtape.core.dtypes import uint4
from gradtape.core.dtypes import uint64
from gradtape.core.dtypes import uint8
from gradtape.core.dtypes import variant
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape
from gradtape.core.shape import TensorSpec
from gradtape.core.sparse_tensor import SparseTensor
from gradtape.core.sparse_tensor import SparseTensorSpec
from gradtape.core.tensor import Tensor
from gradtape.core.tensor import Tensor as _Tensor
from gradtape.core.variable import Variable
from gradtape.core.variable_copies import VariableAggregation
from gradtape.core.variable_copies import VariableSynchronization
from gradtape.data._specs import OptionalSpec
from gradtape.debugging import assert_equal
from gradtape.debugging import assert_greater
from gradtape.debugging import assert_less
from gradtape.debugging._shape_checks import assert_rank
from gradtape.debugging._value_checks import Assert
from gradtape.keras import initializers
from gradtape.keras import losses
from gradtape.keras import metrics
from gradtape.keras import optimizers
from gradtape.linalg import sqrtm as matrix_square_root
from gradtape.linalg._decompositions import eig
from gradtape.linalg._decompositions import eigvals
from gradtape.linalg._einsum import einsum
from gradtape.linalg._products import matmul
from gradtape.linalg._products import norm
from gradtape.linalg._products import tensordot
from gradtape.math import acos
from gradtape.math import acosh
from gradtape.math import add
from gradtape.math import asin
from gradtape.math import asinh
from gradtape.math import atan
from gradtape.math import atanh
from gradtape.math import cos
from gradtape.math import cosh
from gradtape.math import cumsum
from gradtape.math import divide
from gradtape.math import equal
from gradtape.math import exp
from gradtape.math import floor
from gradtape.math import greater
from gradtape.math import greater_equal
from gradtape.math import less
from gradtape.math import less_equal
from gradtape.math import logical_and
from gradtape.math import logical_not
from gradtape.math import logical_or
from gradtape.math import maximum
from gradtape.math import minimum
from gradtape.math import multiply
from gradtape.math import negative
from gradtape.math import not_equal
from gradtape.math import reduce_all
from gradtape.math import reduce_any
from gradtape.math import reduce_logsumexp
from gradtape.math import reduce_max
from gradtape.math import reduce_mean
from gradtape.math import reduce_min
from gradtape.math import reduce_prod
from gradtape.math import reduce_sum
from gradtape.math import round
from gradtape.math import sigmoid
from gradtape.math import sin
from gradtape.math import sinh
from gradtape.math import sqrt
from gradtape.math import square
from gradtape.math import subtract
from gradtape.math import tan
from gradtape.math import tanh
from gradtape.math import truediv
from gradtape.math._clipping import clip_by_global_norm
from gradtape.math._clipping import clip_by_norm
from gradtape.math._conversion import cast
from gradtape.math._conversion import complex
from gradtape.math._conversion import saturate_cast
from gradtape.math._elementwise import abs
from gradtape.math._elementwise import add_n
from gradtape.math._elementwise import atan2
from gradtape.math._elementwise import clip_by_value
from gradtape.math._elementwise import pow
from gradtape.math._elementwise import scalar_mul
from gradtape.math._elementwise import sign
from gradtape.math._elementwise import where
from gradtape.math._histograms import histogram_fixed_width
from gradtape.math._histograms import histogram_fixed_width_bins
from gradtape.polymorphic_function.function import function
from gradtape.protos.tensor_proto import make_ndarray
from gradtape.protos.tensor_proto import make_tensor_proto
from gradtape.ragged._spec import RaggedTensorSpec
from gradtape.ragged._tensor import RaggedTensor
from gradtape.random._index_shuffle import random_index_shuffle
from gradtape.signal import fftnd
from gradtape.signal import ifftnd
from gradtape.signal import irfftnd
from gradtape.signal import rfftnd
from gradtape.sparse._edit_distance import edit_distance
from gradtape.toplevel.critical_section import CriticalSection
from gradtape.toplevel.critical_section import guarantee_const
from gradtape.toplevel.critical_section import nondifferentiable_batch_function
from gradtape.toplevel.critical_section import timestamp
from gradtape.toplevel.gradients import gradients
from gradtape.toplevel.gradients import hessians
from gradtape.toplevel.initializers import constant_initializer
from gradtape.toplevel.initializers import ones_initializer
from gradtape.toplevel.initializers import random_normal_initializer
from gradtape.toplevel.initializers import random_uniform_initializer
from gradtape.toplevel.initializers import zeros_initializer
from gradtape.toplevel.inspection import AggregationMethod
from gradtape.toplevel.inspection import get_current_name_scope
from gradtape.toplevel.inspection import get_logger
from gradtape.toplevel.inspection import get_static_value
from gradtape.toplevel.inspection import is_symbolic_tensor
from gradtape.toplevel.module import Module
from gradtape.toplevel.module import name_scope
from gradtape.toplevel.printing import print
from gradtape.toplevel.specs import IndexedSlicesSpec
from gradtape.toplevel.specs import TensorArraySpec
from gradtape.toplevel.specs import TypeSpec
from gradtape.toplevel.specs import type_spec_from_value
from gradtape.toplevel.status import executing_eagerly
from gradtape.toplevel.status import is_tensor
from gradtape.toplevel.variable_creators import register_tensor_conversion_function
from gradtape.toplevel.variable_creators import variable_creator_scope
from gradtape.tracing.init_scope import init_scope
from gradtape.tracing.init_scope import inside_function
from gradtape.tracing.operation import Operation
from gradtape.transform.custom_gradient import custom_gradient
from gradtape.transform.gradient_arguments import UnconnectedGradients
from gradtape.transform.py_function import numpy_function
from gradtape.transform.py_function import py_function
from gradtape.transform.recompute_grad import recompute_grad
from gradtape.transform.stop_gradient import grad_pass_through
from gradtape.transform.stop_gradient import stop_gradient
from gradtape.transform.tape import GradientTape
from gradtape.transform.vectorized_map import vectorized_map
from typing import Any
import builtins

__all__ = [
    "AggregationMethod",
    "Assert",
    "CriticalSection",
    "DType",
    "DeviceSpec",
    "GradientTape",
    "Graph",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "Module",
    "NoneTensorSpec",
    "Operation",
    "OptionalSpec",
    "RaggedTensor",
    "RaggedTensorSpec",
    "RegisterGradient",
    "SparseTensor",
    "SparseTensorSpec",
    "Tensor",
    "TensorArray",
    "TensorArraySpec",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "Variable",
    "VariableAggregation",
    "VariableSynchronization",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "approx_top_k",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "as_string",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "audio",
    "autodiff",
    "autograph",
    "batch_to_space",
    "bfloat16",
    "bitcast",
    "bitwise",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "cond",
    "config",
    "constant",
    "constant_initializer",
    "control_dependencies",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "device",
    "distribute",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "edit_distance",
    "eig",
    "eigvals",
    "einsum",
    "ensure_shape",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "experimental",
    "extract_volume_patches",
    "eye",
    "fftnd",
    "fill",
    "fingerprint",
    "float16",
    "float32",
    "float64",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "floor",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_current_name_scope",
    "get_logger",
    "get_static_value",
    "grad_pass_through",
    "gradients",
    "greater",
    "greater_equal",
    "group",
    "guarantee_const",
    "half",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "ifftnd",
    "image",
    "init_scope",
    "initializers",
    "inside_function",
    "int16",
    "int32",
    "int4",
    "int64",
    "int8",
    "io",
    "irfftnd",
    "is_symbolic_tensor",
    "is_tensor",
    "keras",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "lookup",
    "losses",
    "make_ndarray",
    "make_tensor_proto",
    "map_fn",
    "math",
    "matmul",
    "matrix_square_root",
    "maximum",
    "meshgrid",
    "metrics",
    "minimum",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "nondifferentiable_batch_function",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "optimizers",
    "pad",
    "parallel_stack",
    "pow",
    "print",
    "profiler",
    "py_function",
    "qint16",
    "qint32",
    "qint8",
    "quantization",
    "queue",
    "quint16",
    "quint8",
    "ragged",
    "random",
    "random_index_shuffle",
    "random_normal_initializer",
    "random_uniform_initializer",
    "range",
    "rank",
    "realdiv",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register_tensor_conversion_function",
    "repeat",
    "required_space_to_batch_paddings",
    "reshape",
    "resource",
    "reverse",
    "reverse_sequence",
    "rfftnd",
    "roll",
    "round",
    "saturate_cast",
    "saved_model",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "sets",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "sparse",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "strings",
    "subtract",
    "summary",
    "switch_case",
    "sysconfig",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "test",
    "tile",
    "timestamp",
    "train",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "tuple",
    "type_spec_from_value",
    "types",
    "uint16",
    "uint32",
    "uint4",
    "uint64",
    "uint8",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "variable_creator_scope",
    "variant",
    "vectorized_map",
    "version",
    "where",
    "while_loop",
    "zeros",
    "zeros_initializer",
    "zeros_like",
]
newaxis: None
__version__: str

def argmax(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> _Tensor:
    """The position of the largest value along an axis; of equal ones the first.

    Args:
      input: real numbers or bools.
      axis: an int; the first axis by default.
      output_type: int16, uint16, int32 or int64.
      name: ignored.

    Returns:
      Integers, in the shape of the input without the axis. There is no gradient.

    >>> tf.argmax([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy()
    array([1, 0])
    """

def argmin(input: Any, axis: Any = None, output_type: Any = ..., name: str | None = None) -> _Tensor:
    """The position of the smallest value along an axis; of equal ones the first.

    Args:
      input: real numbers or bools.
      axis: an int; the first axis by default.
      output_type: int16, uint16, int32 or int64.
      name: ignored.

    Returns:
      Integers, in the shape of the input without the axis. There is no gradient.

    >>> tf.argmin([[1.0, 5.0], [7.0, 2.0]], axis=1).numpy()
    array([0, 1])
    """

def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: Any = 10,
    back_prop: builtins.bool = True,
    swap_memory: builtins.bool = False,
    name: str | None = None,
) -> Any:
    """The final value of a fold from the first row to the last: each row changes the value to `fn(value, row)`.

    Args:
      fn: a function of the value so far and one row, which has the structure of `elems`.
      elems: a tensor, or a nested structure of tensors, whose first axes are equally long.
      initializer: the first value, a nested structure of tensors; the first row by default.
      parallel_iterations: ignored.
      back_prop: ignored.
      swap_memory: ignored.
      name: ignored.

    Returns:
      The value in the end.

    >>> tf.foldl(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(123)
    """

def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: Any = 10,
    back_prop: builtins.bool = True,
    swap_memory: builtins.bool = False,
    name: str | None = None,
) -> Any:
    """The final value of a fold from the last row to the first: each row changes the value to `fn(value, row)`.

    Args:
      fn: a function of the value so far and one row, which has the structure of `elems`.
      elems: a tensor, or a nested structure of tensors, whose first axes are equally long.
      initializer: the first value, a nested structure of tensors; the last row by default.
      parallel_iterations: ignored.
      back_prop: ignored.
      swap_memory: ignored.
      name: ignored.

    Returns:
      The value in the end.

    >>> tf.foldr(lambda total, x: total * 10 + x, tf.constant([1, 2, 3])).numpy()
    np.int32(321)
    """

def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """The quotient of floating point or complex numbers, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point or complex.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.realdiv([7.0], 2.0).numpy()
    array([3.5], dtype=float32)
    """

def tensor_scatter_nd_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> _Tensor:
    """A copy of a tensor with `updates` added at coordinates.

    Args:
      tensor: what to copy.
      indices: integers; the last axis holds one index for each of the first dimensions of the tensor.
      updates: elements or slices, of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: `""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: their updates are dropped.
      name: ignored.

    Returns:
      A tensor like the first. Updates for one place add up.

    >>> tf.tensor_scatter_nd_add([1.0, 2.0, 3.0], [[0], [0]], [1.0, 1.0]).numpy()
    array([3., 2., 3.], dtype=float32)
    """

def tensor_scatter_nd_max(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> _Tensor:
    """A copy of a tensor with the larger of its elements and `updates` at coordinates.

    Args:
      tensor: what to copy.
      indices: integers; the last axis holds one index for each of the first dimensions of the tensor.
      updates: elements or slices, of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: `""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: their updates are dropped.
      name: ignored.

    Returns:
      A tensor like the first. Where several attain the maximum they share the gradient equally.

    >>> tf.tensor_scatter_nd_max([1.0, 2.0, 3.0], [[0], [2]], [5.0, 1.0]).numpy()
    array([5., 2., 3.], dtype=float32)
    """

def tensor_scatter_nd_min(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> _Tensor:
    """A copy of a tensor with the smaller of its elements and `updates` at coordinates.

    Args:
      tensor: what to copy.
      indices: integers; the last axis holds one index for each of the first dimensions of the tensor.
      updates: elements or slices, of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: `""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: their updates are dropped.
      name: ignored.

    Returns:
      A tensor like the first. Where several attain the minimum they share the gradient equally.

    >>> tf.tensor_scatter_nd_min([1.0, 2.0, 3.0], [[0], [2]], [5.0, 1.0]).numpy()
    array([1., 2., 1.], dtype=float32)
    """

def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> _Tensor:
    """A copy of a tensor with `updates` subtracted at coordinates.

    Args:
      tensor: what to copy.
      indices: integers; the last axis holds one index for each of the first dimensions of the tensor.
      updates: elements or slices, of shape `indices.shape[:-1] + tensor.shape[indices.shape[-1]:]`.
      bad_indices_policy: `""` or `"ERROR"`: indices out of range are an error; `"IGNORE"`: their updates are dropped.
      name: ignored.

    Returns:
      A tensor like the first. Updates for one place add up.

    >>> tf.tensor_scatter_nd_sub([1.0, 2.0, 3.0], [[0], [2]], [1.0, 1.0]).numpy()
    array([0., 2., 2.], dtype=float32)
    """

def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """The quotient rounded toward zero, elementwise.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.truncatediv([7, -7], 2).numpy()
    array([ 3, -3], dtype=int32)
    """

def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> _Tensor:
    """The remainder of the division rounded toward zero, elementwise: it has the sign of the dividend.

    Args:
      x: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      y: of the same dtype, and a shape that broadcasts with the first.
      name: ignored.

    >>> tf.truncatemod([7, -7], 3).numpy()
    array([ 1, -1], dtype=int32)
    """
