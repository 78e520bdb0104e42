"""`backend.numpy`: NumPy's functions, by subject."""

from gradtape.core import lazy

_LATER = {
    "gradtape.keras_backend.ops.numpy.arithmetic": (
        "add arctan2 bitwise_and bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
        "bitwise_xor divide divide_no_nan floor_divide fmax fmin fmod gcd heaviside hypot lcm ldexp left_shift "
        "logaddexp logaddexp2 maximum minimum mod multiply nextafter power right_shift subtract true_divide"
    ),
    "gradtape.keras_backend.ops.numpy.creation": (
        "arange array bartlett blackman empty empty_like eye full full_like geomspace hamming hanning identity "
        "kaiser linspace logspace meshgrid ones ones_like tri vander zeros zeros_like"
    ),
    "gradtape.keras_backend.ops.numpy.elementwise": (
        "abs absolute angle arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil clip conj conjugate copy cos "
        "cosh deg2rad exp exp2 expm1 fabs floor i0 imag isfinite isinf isnan isneginf isposinf isreal log log1p "
        "log2 log10 nan_to_num ndim negative rad2deg real reciprocal round sign signbit sin sinc sinh size sqrt "
        "square tan tanh trunc view"
    ),
    "gradtape.keras_backend.ops.numpy.indexing": "slogdet take take_along_axis vectorize",
    "gradtape.keras_backend.ops.numpy.logic": (
        "all allclose any count_nonzero equal greater greater_equal isclose isin less less_equal logical_and "
        "logical_not logical_or logical_xor nonzero not_equal select where"
    ),
    "gradtape.keras_backend.ops.numpy.nan_reductions": (
        "nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod "
        "nanquantile nanstd nansum nanvar"
    ),
    "gradtape.keras_backend.ops.numpy.products": "dot einsum inner kron matmul outer tensordot vdot",
    "gradtape.keras_backend.ops.numpy.reductions": (
        "amax amin argmax argmin average cumprod cumsum diff max mean min prod ptp std sum trapezoid var"
    ),
    "gradtape.keras_backend.ops.numpy.shaping": (
        "append array_split broadcast_to concatenate diag diagflat diagonal dsplit dstack expand_dims flip fliplr "
        "flipud hsplit hstack moveaxis pad ravel repeat reshape roll rot90 split squeeze stack swapaxes tile trace "
        "transpose tril triu unravel_index vsplit vstack"
    ),
    "gradtape.keras_backend.ops.numpy.statistics": (
        "argpartition argsort bincount corrcoef correlate cross digitize histogram median percentile quantile "
        "searchsorted sort unique"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
