"""`tf.experimental.numpy`: NumPy's functions on tensors, with NumPy's rules of promotion."""

import math as _math

import numpy as _np

from gradtape.core import lazy as _lazy
from gradtape.core.tensor import Tensor as ndarray  # noqa: N813 - NumPy's name

_NAMES = "gradtape.names.numpy_names."
_LATER = {
    _NAMES + "promotion": (
        "array asanyarray asarray ascontiguousarray finfo iscomplexobj isrealobj isscalar issubdtype promote_types "
        "result_type"
    ),
    _NAMES + "elementwise": (
        "abs absolute add allclose angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around array_equal "
        "bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clip conj conjugate cos cosh deg2rad divide divmod equal "
        "exp exp2 expm1 fabs fix float_power floor floor_divide gcd greater greater_equal heaviside hypot imag isclose "
        "iscomplex isfinite isinf isnan isneginf isposinf isreal lcm less less_equal log log10 log1p log2 logaddexp "
        "logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply negative nextafter "
        "not_equal positive power rad2deg real reciprocal remainder round sign signbit sin sinc sinh sqrt square subtract "
        "tan tanh true_divide"
    ),
    _NAMES + "reducing": (
        "all amax amin any average count_nonzero max mean min nanmean nanprod nansum polyval prod ptp size std sum var"
    ),
    _NAMES + "ordering": "argmax argmin argsort cumprod cumsum diff sort",
    _NAMES + "creating": (
        "arange broadcast_arrays copy empty empty_like full full_like geomspace ix_ linspace logspace meshgrid ones "
        "ones_like zeros zeros_like"
    ),
    _NAMES + "matrices": "diag diag_indices diagflat diagonal eye identity tri tril triu vander",
    _NAMES + "moving": (
        "atleast_1d atleast_2d atleast_3d broadcast_to expand_dims flatten flip fliplr flipud moveaxis ndim pad ravel "
        "repeat reshape roll rot90 shape squeeze swapaxes tile transpose"
    ),
    _NAMES + "joining": "append concatenate dsplit dstack hsplit hstack split stack vsplit vstack",
    _NAMES + "products": "cross dot einsum inner kron matmul outer tensordot trace vdot",
    _NAMES + "selecting": "compress nonzero select take take_along_axis where",
    _NAMES + "behavior": "experimental_enable_numpy_behavior",
}
__getattr__, __dir__, _later = _lazy.attach(__name__, _LATER)

pi, e, inf, newaxis = _math.pi, _math.e, _math.inf, None
iinfo, inexact = _np.iinfo, _np.inexact
bool_, object_, string_, unicode_ = _np.bool_, _np.object_, _np.bytes_, _np.str_
int_, float_, complex_ = _np.int64, _np.float64, _np.complex128
int8, int16, int32, int64 = _np.int8, _np.int16, _np.int32, _np.int64
uint8, uint16, uint32, uint64 = _np.uint8, _np.uint16, _np.uint32, _np.uint64
float16, float32, float64 = _np.float16, _np.float32, _np.float64
complex64, complex128 = _np.complex64, _np.complex128

__all__ = [
    "bool_",
    "complex64",
    "complex128",
    "complex_",
    "e",
    "float16",
    "float32",
    "float64",
    "float_",
    "iinfo",
    "inexact",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "ndarray",
    "newaxis",
    "object_",
    "pi",
    "string_",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unicode_",
    *_later,
]
