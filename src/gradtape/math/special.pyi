# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.math import bessel_i0
from gradtape.math import bessel_i0e
from gradtape.math import bessel_i1
from gradtape.math import bessel_i1e
from typing import Any

__all__ = [
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "dawsn",
    "expint",
    "fresnel_cos",
    "fresnel_sin",
    "spence",
]

def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 0, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_j0(0.0))
    1.0
    """

def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind, of order 1, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_j1(0.0))
    0.0
    """

def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 0, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_k0(0.0))
    inf
    """

def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind times exp(x), of order 0, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_k0e(0.0))
    inf
    """

def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind, of order 1, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_k1(0.0))
    inf
    """

def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind times exp(x), of order 1, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_k1e(0.0))
    inf
    """

def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 0, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_y0(0.0))
    -inf
    """

def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind, of order 1, elementwise.

    Args:
      x: a tensor of floats, or a value that becomes one.
      name: ignored.

    >>> float(tf.math.special.bessel_y1(0.0))
    -inf
    """

def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral exp(-x**2) * integral of exp(t**2) from 0 to x, or its derivative of some order.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.special.dawsn([0.0]).numpy()
    array([0.], dtype=float32)
    """

def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential integral Ei(x): the principal value of the integral of exp(t) / t from minus infinity to x.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.special.expint([1.0]).numpy().round(4)
    array([1.8951], dtype=float32)
    """

def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The Fresnel integral of cos(pi t**2 / 2) from 0 to x.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.special.fresnel_cos([0.0, np.inf]).numpy()
    array([0. , 0.5], dtype=float32)
    """

def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The Fresnel integral of sin(pi t**2 / 2) from 0 to x.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.special.fresnel_sin([0.0, np.inf]).numpy()
    array([0. , 0.5], dtype=float32)
    """

def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Spence's integral, the dilogarithm of 1 - x: the integral of log(t) / (1 - t) from 1 to x.

    Args:
      x: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.math.special.spence([1.0]).numpy()
    array([0.], dtype=float32)
    """
