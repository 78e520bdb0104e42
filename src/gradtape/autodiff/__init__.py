"""`tf.autodiff`: differentiating in both directions, and second derivatives. The definitions are in `transform/`."""

from gradtape.core import lazy

_LATER = {
    "gradtape.transform.forward_mode": "ForwardAccumulator",
    "gradtape.transform.second_order": "hessian hvp per_example_gradients",
    "gradtape.transform.tape": "GradientTape",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
