"""check_grads accepts right derivatives and names what is wrong with wrong ones."""

import numpy as np
import pytest

from gradtape.core.op import REGISTRY, declare
from gradtape.core.tensor import wrap
from gradtape.ops.family import Unary
from gradtape.testing import check_grads


def broken(name, factor):
    """An op x*x whose derivative is off by a factor."""

    class Broken(Unary):
        """x * x."""

        def kernel(self, x):
            return x * x

        def vjp(self, dy, x):
            return (dy * x * factor,)

        def scalar(self, cg, x):
            return cg.mul(x, x)

    op = declare(name)(Broken)
    del REGISTRY[name]
    return op


def test_right_derivatives_pass():
    check_grads(lambda x, y: x * x * y - x, (np.array([1.0, -2.0]), 0.5), order=3)


def test_nested_arguments_and_results():
    def f(parts, scale):
        return {"a": parts["w"] * scale, "b": [parts["x"][0] * parts["x"][1]]}

    check_grads(f, ({"w": np.ones((2, 3)), "x": (2.0, np.array([3.0]))}, 1.5))


def test_float32_arguments_are_checked_in_float64():
    seen = []

    def f(x):
        seen.append(x.dtype.name)
        return x * x

    check_grads(f, (wrap(np.float32(2.0)),))
    assert set(seen) == {"float64"}


def test_arguments_without_a_derivative_are_passed_on():
    check_grads(lambda x, flag, n: x * x if flag else x * n, (2.0, True, np.int32(3)))


def test_outputs_without_a_derivative_are_ignored():
    check_grads(lambda x: (x * x, wrap(np.int32(1))), (2.0,))


def test_complex_arguments():
    check_grads(lambda z: z * z * (0.5 - 1j), (np.array([1 + 2j, -0.5j]),))


def test_one_argument_needs_no_tuple():
    check_grads(lambda x: x * x, 3.0)


def test_a_wrong_gradient_is_named():
    op = broken("broken_square", 2.5)
    with pytest.raises(AssertionError, match=r"order 1, args\[1\]\['w'\]: the gradient .* is .*, expected .*"):
        check_grads(lambda x, parts: x + op(parts["w"]), (1.0, {"w": np.array([1.0, 2.0])}), modes=("rev",))


def test_a_wrong_second_derivative_is_named():
    op = broken("broken_square", 2.0)
    frozen = broken("frozen_square", 2.0)
    frozen.pull = lambda dy, saved, needs, params: (dy * 2.0 * wrap(np.asarray(getattr(saved[0], "_array", saved[0]))),)
    check_grads(op, (3.0,), modes=("rev",))
    check_grads(frozen, (3.0,), order=1, modes=("rev",))
    with pytest.raises(AssertionError, match=r"order 2, args\[0\]"):
        check_grads(frozen, (3.0,), modes=("rev",))


def test_a_wrong_forward_derivative_is_named():
    op = broken("broken_square", 2.5)
    with pytest.raises(AssertionError, match=r"order 1, args\[0\]: the forward-mode derivative of element \[\d\]"):
        check_grads(op, (np.array([1.0, 2.0]),), modes=("fwd",))


def test_a_missing_gradient_counts_as_zero():
    with pytest.raises(AssertionError, match="is 0, expected"):
        check_grads(lambda x: wrap(x.numpy()) * 2.0, (3.0,), modes=("rev",))
    check_grads(lambda x: wrap(np.float64(3.0)), (3.0,), modes=("rev",))


def test_tolerances_are_the_callers():
    op = broken("broken_square", 2.01)
    check_grads(op, (1.0,), order=1, modes=("rev",), rtol=0.02)
    with pytest.raises(AssertionError, match="order 1"):
        check_grads(op, (1.0,), order=1, modes=("rev",), rtol=0.001)


def test_unknown_modes_are_refused():
    with pytest.raises(ValueError, match="reverse"):
        check_grads(lambda x: x, (1.0,), modes=("reverse",))
