"""`tf.math`: elementwise functions and reductions.

_activations.py        Activation functions: those of `tf.nn` and `tf.math`
_clipping.py           Clipping by norm
_conversion.py         Conversions between dtypes, and between complex numbers and their parts
_cumulative.py         Cumulative functions: sums, products and log-sums of everything so far along an axis
_elementwise.py        Elementwise functions of `tf`, `tf.math`, `tf.nn` and `tf.bitwise`
_histograms.py         Counts and histograms
_quantiles.py          Quantiles, in NumPy's definitions
_reductions.py         Reductions: TensorFlow's `reduce_*` functions, in `tf` and `tf.math`
_segments.py           Reductions over segments: elements or slices with the same id
_sobol.py              Points that fill space more evenly than random ones
_special_functions.py  Special functions of `tf.math` and `tf.math.special`
special.py             Functions of physics and statistics
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.math.special": "*",
    "gradtape.math._cumulative": "cumprod cumsum cumulative_logsumexp",
    "gradtape.math._elementwise": (
        "abs accumulate_n acos acosh add add_n asin asinh atan atan2 atanh ceil cos cosh divide divide_no_nan "
        "equal erf exp expm1 floor floordiv floormod greater greater_equal is_finite is_inf is_nan less less_equal "
        "log log1p logical_and logical_not logical_or logical_xor maximum minimum mod multiply multiply_no_nan "
        "negative not_equal pow reciprocal reciprocal_no_nan rint round rsqrt scalar_mul sign sin sinh sqrt square "
        "squared_difference subtract tan tanh truediv"
    ),
    "gradtape.math._histograms": "bincount confusion_matrix",
    "gradtape.math._quantiles": "median percentile quantile",
    "gradtape.math._reductions": (
        "count_nonzero reduce_all reduce_any reduce_euclidean_norm reduce_logsumexp reduce_max reduce_mean "
        "reduce_min reduce_prod reduce_std reduce_sum reduce_variance zero_fraction"
    ),
    "gradtape.math._segments": (
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
        "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
        "unsorted_segment_sum"
    ),
    "gradtape.math._sobol": "sobol_sample",
    "gradtape.math._special_functions": (
        "bessel_i0 bessel_i0e bessel_i1 bessel_i1e betainc digamma erfc erfcinv erfinv igamma igammac lbeta "
        "lgamma logaddexp ndtri nextafter polygamma polyval sinc xdivy xlog1py xlogy zeta"
    ),
    "gradtape.arrays.indexing": "argmax argmin in_top_k",
    "gradtape.arrays.sorting": (
        "approx_max_k approx_min_k invert_permutation is_non_decreasing is_strictly_increasing top_k"
    ),
    "gradtape.linalg._products": "l2_normalize",
    "gradtape.nn._softmax": "log_softmax softmax",
    "gradtape.math._activations": "log_sigmoid sigmoid softplus softsign",
    "gradtape.math._conversion": "angle conj imag real",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
