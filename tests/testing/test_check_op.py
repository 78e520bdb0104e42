"""The contract's clauses are checked themselves: each sabotage of an op is caught by the clause in charge."""

import itertools

import numpy as np
import pytest

from gradtape.core import dtypes, state
from gradtape.core.errors import DTypeError, ShapeError
from gradtape.core.op import REGISTRY, NotDifferentiable, Op, declare
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.ops.arithmetic import Add, Multiply, Square
from gradtape.ops.family import NO_LOWERING, Binary, Unary, conj, unbroadcast_to
from gradtape.testing import BadSample, Sample, check_bad, check_op
from gradtape.testing.contract import CLAUSES, failures
from gradtape.transform.batched import Batched

POINT = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]])
DTYPES = ("float16", "float32", "float64")


def made(cls):
    """The op of a class, without an entry in the registry."""
    op = declare(f"test_{cls.__name__.lower()}")(cls)
    del REGISTRY[op.name]
    return op


class Tripled(Unary):
    """3x + x², right in every respect; the sabotages below change one thing each."""

    def kernel(self, x):
        return x * x + x + x + x

    def vjp(self, dy, x):
        return (dy * (2.0 * conj(x) + 3.0),)

    def scalar(self, cg, x):
        return cg.add(cg.mul(x, x), cg.mul(cg.constant(3.0, x), x))


class WrongShape(Op):
    """A movement whose infer forgets that the axes are exchanged."""

    lower = NO_LOWERING

    def infer(self, x):
        return Spec(x.shape, self.check_dtypes(x))

    def kernel(self, x):
        return np.transpose(x)

    def vjp(self, dy):
        return (REGISTRY["transpose"](dy, perm=(1, 0)),)

    def batch(self, batched, x):
        return REGISTRY["transpose"](x, perm=(0, 2, 1))


class WrongDtype(Tripled):
    """The kernel promotes."""

    vjp = NotDifferentiable("not the subject")

    def kernel(self, x):
        return Tripled.kernel(self, x) * np.float64(1.0)

    def scalar(self, cg, x):
        return cg.cast(Tripled.scalar(self, cg, x), dtypes.float64)


class PromotedEverywhere(WrongDtype):
    """Kernel and infer promote alike."""

    def infer(self, x):
        self.check_dtypes(x)
        return Spec(x.shape, dtypes.float64)


class WrongValue(Tripled):
    """The kernel's value is off by a millionth."""

    vjp = NotDifferentiable("not the subject")

    def kernel(self, x):
        return Tripled.kernel(self, x) * x.dtype.type(1 + 1e-6)

    def scalar(self, cg, x):
        return cg.mul(Tripled.scalar(self, cg, x), cg.constant(1 + 1e-6, x))


class TakesAnything(Tripled):
    """Infer does not look at the dtype."""

    def infer(self, x):
        return Spec(x.shape, x.dtype)


class WritesToInput(Tripled):
    """The kernel leaves a trace in its input."""

    def kernel(self, x):
        result = Tripled.kernel(self, x)
        if isinstance(x, np.ndarray) and x.ndim and x.flags.writeable:
            x += 1.0
        return result


class Unsteady(Tripled):
    """Every second run differs in the last bits."""

    turns = itertools.count()

    def kernel(self, x):
        return Tripled.kernel(self, x) * x.dtype.type(1.0 + next(self.turns) % 2 * 4e-16)


class ReadsMemory(Tripled):
    """The kernel takes elements in the order of memory."""

    def kernel(self, x):
        if isinstance(x, np.ndarray):
            x = np.reshape(np.ravel(x, order="K"), x.shape)
        return Tripled.kernel(self, x)


class NeedsElements(Tripled):
    """The kernel cannot do without elements."""

    def kernel(self, x):
        return Tripled.kernel(self, x) + 0.0 * np.max(x)


class LooksAround(Tripled):
    """Says that it is elementwise, and adds the mean of a column."""

    vjp = NotDifferentiable("not the subject")

    def kernel(self, x):
        return Tripled.kernel(self, x) + (np.mean(x, axis=0) if x.ndim > 1 else x * 0)


class OneTooMany(Tripled):
    """The vjp returns two cotangents for one input."""

    def vjp(self, dy, x):
        return *Tripled.vjp(self, dy, x), dy


class PromotedCotangent(Tripled):
    """The vjp's constant is a NumPy scalar, which promotes."""

    def vjp(self, dy, x):
        return (dy * (2.0 * x + 3.0) * np.float64(1.0),)


class WrongGradient(Tripled):
    """The vjp is off by a thousandth."""

    def vjp(self, dy, x):
        return (dy * (2.0 * x + 3.003),)


@made
class Detached(Unary):
    """x, without a derivative."""

    vjp = NotDifferentiable("a test's")

    def kernel(self, x):
        return x

    def scalar(self, cg, x):
        return x


class WrongSecond(Tripled):
    """The vjp is right and cannot be differentiated."""

    def vjp(self, dy, x):
        return (dy * (2.0 * Detached(x) + 3.0),)


class TwoMinds(Tripled):
    """The vjp differs between arrays and tensors."""

    def vjp(self, dy, x):
        return (dy * (2.0 * x + 3.0) * (1.001 if type(dy) is Tensor else 1.0),)


class NeverTraced(Tripled):
    """The op does not work in a function."""

    def infer(self, x):
        if state.current.trace is not None:
            raise ValueError("not here")
        return Tripled.infer(self, x)


class TracedOtherwise(Tripled):
    """The vjp differs in a function."""

    def vjp(self, dy, x):
        return (dy * (2.0 * x + 3.0) * (1.001 if state.current.trace is not None else 1.0),)


class Remembers(Tripled):
    """The vjp reads an input that it does not name."""

    def kernel(self, x):
        self.x = x
        return Tripled.kernel(self, x)

    def vjp(self, dy):
        return (dy * (2.0 * self.x + 3.0),)


class ForgetsNeeds(Binary):
    """A sum whose vjp gives the wrong cotangent when only the second is needed."""

    def kernel(self, a, b):
        return a + b

    def vjp(self, dy, a_shape, b_shape, *, needs):
        return unbroadcast_to(dy, a_shape), unbroadcast_to(dy if needs[0] else 1.5 * dy, b_shape)

    def scalar(self, cg, a, b):
        return cg.add(a, b)


class Cancels(Tripled):
    """The vjp loses half of the digits."""

    def vjp(self, dy, x):
        return (dy * ((2.0 * x + 3.0 + 5e4) - 5e4),)


class WrongBatch(Tripled):
    """The batch rule mixes the examples."""

    def batch(self, batched, x):
        return self(x[::-1])


class WrongBatchedGradient(Tripled):
    """The vjp of batched values is another."""

    def vjp(self, dy, x):
        return (dy * (2.0 * x + 3.0) * (1.001 if isinstance(dy, Batched) else 1.0),)


class WrongScalar(Tripled):
    """The compiler's rule is another."""

    def scalar(self, cg, x):
        return cg.add(cg.mul(x, x), x)


class Converts(Tripled):
    """The kernel makes a NumPy array of what it gets."""

    def kernel(self, x):
        return Tripled.kernel(self, np.asarray(x)[()])


def tripled(x):
    return x * (x + 3.0)


SABOTAGES = {
    # class: the clause in charge, and others that notice it inevitably
    WrongDtype: ("infer", {"sizes"}),
    PromotedEverywhere: ("dtype", set()),
    WrongValue: ("reference", set()),
    TakesAnything: ("refusal", set()),
    WritesToInput: ("pure", {"deterministic", "saved", "layout", "needs"}),
    Unsteady: ("deterministic", set()),
    ReadsMemory: ("layout", set()),
    NeedsElements: ("sizes", {"batch", "batched_gradient"}),
    LooksAround: ("parts", {"reference", "scalar", "batch", "sizes", "dtype", "infer", "traced"}),
    OneTooMany: ("cotangents", {"deterministic", "needs", "sizes", "precision"}),
    PromotedCotangent: ("cotangents", {"duck"}),
    WrongGradient: ("first_derivative", {"forward_mode"}),
    WrongSecond: ("second_derivative", set()),
    TwoMinds: ("modes", {"second_derivative", "forward_mode", "traced_gradient"}),
    NeverTraced: ("traced", {"traced_gradient"}),
    TracedOtherwise: ("traced_gradient", set()),
    Remembers: (
        "saved",
        {"second_derivative", "batched_gradient", "forward_mode", "layout", "cotangents", "duck", "traced_gradient"},
    ),
    Cancels: ("precision", {"cotangents"}),
    WrongBatch: ("batch", {"batched_gradient"}),
    WrongBatchedGradient: ("batched_gradient", set()),
    WrongScalar: ("scalar", {"traced", "traced_gradient"}),
    Converts: ("duck", set()),
}


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
    assert broken_clauses(Sample(made(WrongShape), (POINT,), {}, np.transpose)) == {"infer", "traced_gradient"}


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


def test_infer_may_accept_what_depends_on_values():
    class Positive(Tripled):
        """The kernel refuses negative values."""

        def kernel(self, x):
            if np.any(x < 0):
                raise self.error(ShapeError, "negative.", "use positive values.")
            return x

    check_bad(BadSample(made(Positive), (POINT,), {}, ShapeError, "negative"))
