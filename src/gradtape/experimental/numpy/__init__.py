"""`tf.experimental.numpy`: NumPy's functions on tensors, with NumPy's rules of promotion.

NumPy's names and signatures, with dtypes promoted as NumPy does.

    _behavior.py     NumPy's methods on tensors, and promotion in Python's operators, once they are asked for
    _creation.py     New arrays of `tf.experimental.numpy`; float64 by default, as in NumPy
    _elementwise.py  Elementwise functions of `tf.experimental.numpy`
    _indexing.py     `x[...]` with NumPy's keys: arrays and lists of ints, masks, and these beside slices, ints
    _joining.py      Arrays of `tf.experimental.numpy`, joined and split
    _lattice.py      Promotion in the modes "all" and "safe": TensorFlow's lattice of dtypes
    _matrices.py     Matrices and diagonals of `tf.experimental.numpy`
    _movement.py     Functions of `tf.experimental.numpy` that move elements: shapes, axes, reversed and repeated parts
    _ordering.py     Along an axis of `tf.experimental.numpy`: scans, orders and differences
    _products.py     Products of `tf.experimental.numpy`: of vectors, matrices and tensors
    _promotion.py    Arrays of `tf.experimental.numpy`, and the dtypes that functions of several of them compute in
    _reductions.py   Reductions of `tf.experimental.numpy`
    _selection.py    Functions of `tf.experimental.numpy` that choose elements
    random.py        NumPy's older functions of random numbers, from the streams of `tf.random`
"""

import math as _math

import numpy as _np

from gradtape.core import lazy
from gradtape.core.tensor import Tensor as ndarray  # noqa: N813 - NumPy's name

_LATER = {
    "gradtape.experimental.numpy._promotion": (
        "array asanyarray asarray ascontiguousarray finfo iscomplexobj isrealobj isscalar issubdtype promote_types "
        "result_type"
    ),
    "gradtape.experimental.numpy._elementwise": (
        "abs absolute add allclose angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around array_equal "
        "bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clip conj conjugate cos cosh deg2rad divide divmod equal "
        "exp exp2 expm1 fabs fix float_power floor floor_divide gcd greater greater_equal heaviside hypot imag isclose "
        "iscomplex isfinite isinf isnan isneginf isposinf isreal lcm less less_equal log log10 log1p log2 logaddexp "
        "logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply negative nextafter "
        "not_equal positive power rad2deg real reciprocal remainder round sign signbit sin sinc sinh sqrt square subtract "
        "tan tanh true_divide"
    ),
    "gradtape.experimental.numpy._reductions": (
        "all amax amin any average count_nonzero max mean min nanmean nanprod nansum polyval prod ptp size std sum var"
    ),
    "gradtape.experimental.numpy._ordering": "argmax argmin argsort cumprod cumsum diff sort",
    "gradtape.experimental.numpy._creation": (
        "arange broadcast_arrays copy empty empty_like full full_like geomspace ix_ linspace logspace meshgrid ones "
        "ones_like zeros zeros_like"
    ),
    "gradtape.experimental.numpy._matrices": "diag diag_indices diagflat diagonal eye identity tri tril triu vander",
    "gradtape.experimental.numpy._movement": (
        "atleast_1d atleast_2d atleast_3d broadcast_to expand_dims flatten flip fliplr flipud moveaxis ndim pad ravel "
        "repeat reshape roll rot90 shape squeeze swapaxes tile transpose"
    ),
    "gradtape.experimental.numpy._joining": "append concatenate dsplit dstack hsplit hstack split stack vsplit vstack",
    "gradtape.experimental.numpy._products": "cross dot einsum inner kron matmul outer tensordot trace vdot",
    "gradtape.experimental.numpy._selection": "compress nonzero select take take_along_axis where",
    "gradtape.experimental.numpy.random": "*",
    "gradtape.experimental.numpy._behavior": "experimental_enable_numpy_behavior",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

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
