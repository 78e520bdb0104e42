"""`tf.autodiff` and `tf.vectorized_map`: differentiating in both directions, second derivatives, vectorising.

`gradtape.autodiff` has these names; `vectorized_map` is `tf.vectorized_map`.
"""

from gradtape.transform.forward_mode import ForwardAccumulator
from gradtape.transform.second_order import hessian, hvp, per_example_gradients
from gradtape.transform.tape import GradientTape
from gradtape.transform.vectorized_map import vectorized_map

__all__ = ["ForwardAccumulator", "GradientTape", "hessian", "hvp", "per_example_gradients", "vectorized_map"]
