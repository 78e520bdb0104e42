"""gradtape: `tf.GradientTape` programs without TensorFlow.

>>> import gradtape as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x**2
>>> float(tape.gradient(y, x))
6.0
"""

# ruff: noqa: A004 - TensorFlow's names shadow Python's, here only
from gradtape import (
    autodiff,
    bitwise,
    config,
    core,
    dtypes,
    errors,
    experimental,
    linalg,
    math,
    nest,
    nn,
    random,
)
from gradtape.core.convert import constant, convert_to_tensor
from gradtape.core.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float16,
    float32,
    float64,
    half,
    int4,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)
from gradtape.core.dtypes import bool_ as bool
from gradtape.core.shape import TensorShape, TensorSpec
from gradtape.core.slices import IndexedSlices
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable, VariableAggregation, VariableSynchronization

# Importing these attaches indexing and scatter methods to Tensor and Variable.
from gradtape.names import variable_methods as _variable_methods
from gradtape.names.autodiff import GradientTape, vectorized_map
from gradtape.names.clipping import clip_by_global_norm, clip_by_norm
from gradtape.names.creating import (
    eye,
    fill,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    range,
    zeros,
    zeros_like,
)
from gradtape.names.device import device
from gradtape.names.elementwise import (
    abs,
    acos,
    acosh,
    add,
    add_n,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cast,
    clip_by_value,
    complex,
    cos,
    cosh,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    realdiv,
    round,
    saturate_cast,
    scalar_mul,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
    truncatediv,
    truncatemod,
    where,
)
from gradtape.names.indexing import (
    argmax,
    argmin,
    boolean_mask,
    gather,
    gather_nd,
    scatter_nd,
    searchsorted,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from gradtape.names.linear import matmul, norm, tensordot
from gradtape.names.module import Module, name_scope
from gradtape.names.moving import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    broadcast_to,
    concat,
    ensure_shape,
    expand_dims,
    identity,
    identity_n,
    pad,
    parallel_stack,
    rank,
    repeat,
    reshape,
    reverse,
    roll,
    shape,
    shape_n,
    size,
    slice,
    split,
    squeeze,
    stack,
    strided_slice,
    tile,
    transpose,
    unstack,
)
from gradtape.names.reducing import (
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from gradtape.names.status import executing_eagerly, is_tensor
from gradtape.ops import getitem as _getitem
from gradtape.transform.arguments import UnconnectedGradients
from gradtape.transform.custom import custom_gradient
from gradtape.transform.passthrough import grad_pass_through, stop_gradient
from gradtape.transform.python_function import numpy_function, py_function
from gradtape.transform.recompute import recompute_grad

__version__ = "0.1.0"
newaxis = None
