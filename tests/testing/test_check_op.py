"""The contract's clauses are checked themselves: each sabotage of an op is caught by the clause in charge."""

import numpy as np
import pytest

from gradtape.core.errors import DTypeError, ShapeError
from gradtape.core.op import REGISTRY, NotDifferentiable
from gradtape.ops.arithmetic import Add, Multiply, Square
from gradtape.testing import BadSample, Sample, check_bad, check_op
from gradtape.testing.contract import CLAUSES, failures
from testing.sabotages import (
    DTYPES,
    POINT,
    SABOTAGES,
    Converts,
    ForgetsNeeds,
    Tripled,
    WrongShape,
    WrongValue,
    made,
    tripled,
)


def broken_clauses(sample):
    return {message.split("contract/")[1].split(":")[0] for message in failures(sample)}


def test_a_right_op_keeps_the_contract():
    check_op(made(Tripled), POINT, reference=tripled, dtypes="float16 bfloat16 float32 float64 complex64 complex128")


@pytest.mark.parametrize("cls", SABOTAGES, ids=lambda cls: cls.__name__)
def test_a_sabotage_is_caught_by_the_clause_in_charge(cls):
    clause, others = SABOTAGES[cls]
    found = broken_clauses(Sample(made(cls), (POINT,), {}, tripled, DTYPES))
    assert clause in found
    assert found <= {clause} | others


def test_a_wrong_shape_is_caught_by_infer():
    found = broken_clauses(Sample(made(WrongShape), (POINT,), {}, np.transpose))
    assert found == {"infer", "traced_gradient", "gradient_for_any_size"}


def test_a_wrong_mask_is_caught_by_needs():
    assert broken_clauses(Sample(made(ForgetsNeeds), (POINT, POINT), {}, np.add)) == {"needs", "forward_mode"}


def test_a_parameter_that_is_not_hashable_is_caught():
    sample = Sample(REGISTRY["reshape"], (POINT,), {"shape": [3, 2]}, np.reshape)
    assert "parameters" in broken_clauses(sample)


def test_a_gradient_of_a_constant_is_caught():
    op = made(Tripled)
    op.vjp = NotDifferentiable("so it says")
    assert "constant" in broken_clauses(Sample(op, (POINT,), {}, tripled))


def test_every_clause_is_checked_by_a_sabotage():
    covered = {clause for clause, _ in SABOTAGES.values()} | {"needs", "constant", "forward_mode", "parameters"}
    assert covered == {clause.name for clause in CLAUSES}


def test_the_message_names_clause_op_and_inputs():
    with pytest.raises(
        AssertionError, match=r"contract/reference: test_wrongvalue\(f64\[2,3\]\): in float32, .* instead of"
    ):
        check_op(made(WrongValue), POINT, reference=tripled)


def test_an_exception_is_reported_with_its_clause():
    with pytest.raises(
        AssertionError, match=r"contract/duck: .*: raised TypeError: a DuckArray was about to be converted"
    ):
        check_op(made(Converts), POINT, reference=tripled)


def test_a_forgotten_conjugation_is_seen():
    class Unconjugated(Tripled):
        """The vjp is that of the real function."""

        def vjp(self, dy, x):
            return (dy * (2.0 * x + 3.0),)

    found = broken_clauses(Sample(made(Unconjugated), (POINT,), {}, tripled, ("complex64", "complex128")))
    assert "first_derivative" in found


def test_a_bad_sample_passes_when_refused():
    check_bad(BadSample(Add, (np.ones(2), np.ones(3)), {}, ShapeError, "shapes do not broadcast: a is f64[2]"))


def test_a_bad_sample_that_is_accepted_is_reported():
    with pytest.raises(AssertionError, match="refusal: multiply accepts the inputs on tensors"):
        check_bad(BadSample(Multiply, (np.ones(2), np.ones(2)), {}, ShapeError, ""))


def test_a_wrong_error_class_is_reported():
    with pytest.raises(AssertionError, match="raises DTypeError instead of ShapeError"):
        check_bad(BadSample(Square, (np.array([True]),), {}, ShapeError, ""))


def test_a_missing_text_is_reported():
    with pytest.raises(AssertionError, match="the message lacks 'banana'"):
        check_bad(BadSample(Square, (np.array([True]),), {}, DTypeError, "banana"))


def test_a_message_without_advice_is_reported():
    class Curt(Tripled):
        """Raises with one line."""

        def infer(self, x):
            raise ShapeError("no.")

    with pytest.raises(AssertionError, match="the message has 1 lines"):
        check_bad(BadSample(made(Curt), (np.array([True]),), {}, ShapeError, "no"))


def test_infer_must_refuse_what_does_not_depend_on_values():
    class Trusting(Tripled):
        """Only the kernel refuses, and whatever the values are."""

        def kernel(self, x):
            raise self.error(ShapeError, "never.", "nothing helps.")

    with pytest.raises(AssertionError, match="accepts the inputs by infer"):
        check_bad(BadSample(made(Trusting), (POINT,), {}, ShapeError, "never"))


class Positive(Tripled):
    """The kernel refuses negative values."""

    checked_kinds = "f"

    def kernel(self, x):
        if np.any(x < 0):
            raise self.error(ShapeError, "negative.", "use positive values.")
        return x


def test_infer_may_accept_what_depends_on_values():
    check_bad(BadSample(made(Positive), (POINT,), {}, ShapeError, "negative"))


def test_values_must_be_refused_in_functions_too():
    class Careless(Positive):
        """Generated code, which refuses nothing, takes the place of the kernel."""

        checked_kinds = ""

    with pytest.raises(AssertionError, match="accepts the inputs in a function"):
        check_bad(BadSample(made(Careless), (POINT,), {}, ShapeError, "negative"))
