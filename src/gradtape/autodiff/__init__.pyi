# Written by tools/stubs.py.
# ruff: noqa
from gradtape.transform.forward_mode import ForwardAccumulator
from gradtape.transform.second_order import hessian
from gradtape.transform.second_order import hvp
from gradtape.transform.second_order import per_example_gradients
from gradtape.transform.tape import GradientTape

__all__ = [
    "ForwardAccumulator",
    "GradientTape",
    "hessian",
    "hvp",
    "per_example_gradients",
]
