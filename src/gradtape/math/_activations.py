"""Activation functions: those of `tf.nn` and `tf.math`."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import tensor
from gradtape.api.families import pair, unary
from gradtape.core import dtypes
from gradtape.core.op import REGISTRY
from gradtape.core.shape import normalize_axis
from gradtape.core.tensor import Tensor
from gradtape.ops import activation
from gradtape.ops.cast import Cast
from gradtape.ops.selection import Where

sigmoid = unary(activation.Sigmoid, "tf.sigmoid([0.0, 100.0]).numpy() -> array([0.5, 1. ], dtype=float32)")
log_sigmoid = unary(activation.LogSigmoid, "tf.math.log_sigmoid([-100.0]).numpy() -> array([-100.], dtype=float32)")
softplus = unary(
    activation.Softplus, "tf.nn.softplus([100.0, -1000.0]).numpy() -> array([100.,   0.], dtype=float32)", features=True
)
softsign = unary(
    activation.Softsign, "tf.nn.softsign([1.0, -3.0]).numpy() -> array([ 0.5 , -0.75], dtype=float32)", features=True
)
relu = unary(activation.Relu, "tf.nn.relu([-1.0, 2.0]).numpy() -> array([0., 2.], dtype=float32)", features=True)
relu6 = unary(activation.Relu6, "tf.nn.relu6([-1.0, 8.0]).numpy() -> array([0., 6.], dtype=float32)", features=True)
elu = unary(activation.Elu, "tf.nn.elu([-100.0, 2.0]).numpy() -> array([-1.,  2.], dtype=float32)", features=True)
selu = unary(activation.Selu, "tf.nn.selu([0.0]).numpy() -> array([0.], dtype=float32)", features=True)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """The features where they are positive, and alpha times the features elsewhere. The slope at 0 is alpha.

    Args:
      features: floating point; integers become float32.
      alpha: a number, or a tensor, which then has its gradient too.

    >>> tf.nn.leaky_relu([-1.0, 2.0]).numpy()
    array([-0.2,  2. ], dtype=float32)
    """
    x = tensor(features)
    if x.dtype.is_integer:
        x = Cast(x, dtype=dtypes.float32)
    if isinstance(alpha, (int, float)):
        return activation.LeakyRelu(x, alpha=float(alpha))
    return Where(x > 0, x, x * alpha)


def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """`features * sigmoid(beta * features)`, elementwise. Also called swish.

    Args:
      features: floating point or complex.
      beta: a number, or a tensor, which then has its gradient too.

    >>> tf.nn.silu([0.0, 100.0]).numpy()
    array([  0., 100.], dtype=float32)
    """
    x = tensor(features)
    if isinstance(beta, (int, float)):
        return activation.Silu(x, beta=float(beta))
    x, beta = pair(x, beta)
    result: Tensor = x * activation.Sigmoid(beta * x)
    return result


swish = silu


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """The features times the normal distribution function of the features, elementwise.

    Args:
      features: floating point.
      approximate: compute the distribution function by a tanh, as GPT-2 and BERT do.

    >>> tf.nn.gelu([0.0, 100.0]).numpy()
    array([  0., 100.], dtype=float32)
    """
    return activation.Gelu(tensor(features), approximate=bool(approximate))


def crelu(features: Any, axis: Any = -1, name: str | None = None) -> Tensor:
    """The ReLU of the features and of their negative, concatenated along an axis, whose size doubles.

    Args:
      features: floating point or integers.
      axis: the axis to join along.

    >>> tf.nn.crelu([1.0, -2.0]).numpy()
    array([1., 0., 0., 2.], dtype=float32)
    """
    x = tensor(features)
    axis = normalize_axis(axis, x.ndim, "crelu")
    return REGISTRY["concat"](activation.Relu(x), activation.Relu(-x), axis=axis)
