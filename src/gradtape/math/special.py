"""`tf.math.special`: functions of physics and statistics."""

from gradtape.core import lazy

_LATER = {
    "gradtape.math._special_functions": (
        "bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e "
        "bessel_y0 bessel_y1 dawsn expint fresnel_cos fresnel_sin spence"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
