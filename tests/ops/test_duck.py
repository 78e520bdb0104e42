"""Every op on tensors that hold arrays of another library, forward and backward, without a conversion.

The clause `duck` of the contract covers kernels and rules on bare arrays; here they pass through dispatch and the tape.
"""

import numpy as np
import pytest

import ops.samples
from gradtape.core import convert
from gradtape.core.tensor import wrap
from gradtape.testing import DuckArray
from gradtape.testing.contract import Case
from gradtape.testing.duck_array import hide
from gradtape.testing.finite_differences import leaves, mismatch
from gradtape.testing.sample import SAMPLES, labelled
from gradtape.transform.tape import GradientTape


def taped(case, arrays):
    """Results and gradients of the op on tensors around arrays."""
    xs = [wrap(x) for x in arrays]
    moving = [x for x, moves in zip(xs, case.moving(arrays), strict=True) if moves]
    with GradientTape() as tape:
        tape.watch(moving)
        results = leaves(case.op(*xs, **case.params))
    if not case.differentiable:
        return [y._array for y in results]
    found = tape.gradient([y for y in results if y.dtype.is_trainable], moving)
    return [y._array for y in results] + [convert.convert_to_tensor(d)._array for d in found]


@pytest.mark.parametrize("case", [pytest.param(Case(s), id=label) for label, s in labelled(SAMPLES)])
def test_op_on_tensors_of_duck_arrays(case):
    with np.errstate(all="ignore"):
        found, wanted = taped(case, hide(case.main)), taped(case, case.main)
    for got, want in zip(found, wanted, strict=True):
        assert isinstance(got, DuckArray)
        assert not mismatch(got.hidden, want, 1e-12)


def test_second_derivatives_of_duck_arrays():
    x = wrap(DuckArray([1.0, 2.0]))
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as tape:
            tape.watch(x)
            y = x * x * x
        first = tape.gradient(y, x)
    second = outer.gradient(first, x)
    assert isinstance(second._array, DuckArray)
    np.testing.assert_allclose(second._array.hidden, [6.0, 12.0])


def test_samples_were_found():
    assert ops.samples.__path__
    assert SAMPLES
