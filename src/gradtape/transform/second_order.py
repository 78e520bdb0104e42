"""Second derivatives and per-example gradients, composed of tapes, accumulators and vectorized_map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradtape.core import convert, nest
from gradtape.core.variable import Variable
from gradtape.transform.forward_mode import ForwardAccumulator
from gradtape.transform.gradient_arguments import UnconnectedGradients, zeros_like
from gradtape.transform.tape import GradientTape
from gradtape.transform.vectorized_map import vectorized_map


def hvp(f: Callable[..., Any], primals: Any, vectors: Any) -> Any:
    """The product of the Hessian of `f` with vectors, at the cost of a few evaluations: forward over backward.

    Args:
      f: a function of the primals with a scalar result (a tensor of more elements is summed). It is called as
        `f(*primals)` if they are a list or tuple, as `f(primals)` otherwise.
      primals: where; a tensor, variable or nested structure.
      vectors: the direction, in the same structure.

    Returns:
      Tensors in the structure of `primals`; zeros where the gradient does not depend on them.

    >>> x = tf.constant([1.0, 2.0])
    >>> tf.autodiff.hvp(lambda x: tf.reduce_sum(x**3), x, tf.constant([1.0, 0.0]))
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([6., 0.], dtype=float32)>
    """
    primals = nest.map_structure(_tensor, primals)
    with ForwardAccumulator(primals, vectors) as accumulator:
        with GradientTape() as tape:
            tape.watch(primals)
            y = _call(f, primals)
        gradients = nest.flatten(tape.gradient(y, primals))
    products = []
    for primal, gradient in zip(nest.flatten(primals), gradients, strict=True):
        product = None if gradient is None else accumulator.jvp(gradient)
        products.append(zeros_like(primal) if product is None else convert.convert_to_tensor(product))
    return nest.pack_sequence_as(primals, products)


def hessian(f: Callable[..., Any], x: Any) -> Any:
    """The Hessian of `f`: shape `x.shape + x.shape`, computed by one vectorised pass over the recorded gradient.

    Args:
      f: a function with a scalar result (a tensor of more elements is summed), called as `f(*x)` if `x` is a list or
        tuple, as `f(x)` otherwise.
      x: where; a tensor, variable or nested structure.

    Returns:
      A tensor; for a nested structure, blocks: the structure of `x`, and in each place the structure of `x` again.

    >>> tf.autodiff.hessian(lambda x: tf.reduce_sum(x**3), tf.constant([1.0, 2.0]))
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[ 6.,  0.],
           [ 0., 12.]], dtype=float32)>
    """
    x = nest.map_structure(_tensor, x)
    with GradientTape(persistent=True) as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = _call(f, x)
        gradients = inner.gradient(y, x, unconnected_gradients=UnconnectedGradients.ZERO)
        gradients = nest.map_structure(convert.convert_to_tensor, gradients)
    return nest.map_structure(
        lambda g: outer.jacobian(g, x, unconnected_gradients=UnconnectedGradients.ZERO), gradients
    )


def per_example_gradients(
    loss_fn: Callable[..., Any],
    variables: Any,
    *batch: Any,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> Any:
    """The gradient of each example's loss: for a variable of shape `s` the result has shape `[b, *s]`.

    The mean over the first axis is the gradient of the mean loss. The whole batch is computed at once; there is no loop
    over the examples.

    Args:
      loss_fn: a function of one example, called as `loss_fn(*example)`; its result is the loss.
      variables: variables or tensors that `loss_fn` uses, in any nested structure.
      *batch: tensors, or nested structures of them, with the examples along the first axis.
      unconnected_gradients: `"none"` or `"zero"` for variables that the loss does not depend on.

    >>> w = tf.Variable([1.0, 2.0])
    >>> x, y = tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([0.0, 0.0])
    >>> tf.autodiff.per_example_gradients(lambda x, y: (tf.reduce_sum(x * w) - y) ** 2, w, x, y)
    <tf.Tensor: shape=(2, 2), dtype=float32, numpy=
    array([[2., 0.],
           [0., 4.]], dtype=float32)>
    """

    def gradient(example: Any) -> Any:
        with GradientTape() as tape:
            tape.watch(variables)
            loss = loss_fn(*example)
        return tape.gradient(loss, variables, unconnected_gradients=unconnected_gradients)

    return vectorized_map(gradient, batch)


def _tensor(x: Any) -> Any:
    return x if isinstance(x, Variable) else convert.convert_to_tensor(x)


def _call(f: Callable[..., Any], x: Any) -> Any:
    return f(*x) if isinstance(x, (list, tuple)) else f(x)
