"""Ops that are wrong in one respect each, and the clauses of the contract that must notice it."""

import itertools

import numpy as np

from gradtape.core import dtypes, state
from gradtape.core.errors import ShapeError
from gradtape.core.op import REGISTRY, NotDifferentiable, Op, declare
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor
from gradtape.ops.family import NO_LOWERING, Binary, Unary, conj, unbroadcast_to
from gradtape.tracing.symbol import Symbol
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


class NeedsNumbers(Tripled):
    """The rule refuses sizes that are not known."""

    def infer(self, x):
        if any(type(d) is not int for d in x.shape):
            raise self.error(ShapeError, f"x is {x}.", "give its sizes.")
        return Tripled.infer(self, x)


class BelievesOne(Tripled):
    """The rule takes the sizes of the sample for those of all tensors."""

    def infer(self, x):
        found = Tripled.infer(self, x)
        return found if all(type(d) is int for d in x.shape) else Spec(POINT.shape, found.dtype)


class NeverTracedOnSymbols(Tripled):
    """The op does not work in a function whose sizes are not known."""

    def infer(self, x):
        if state.current.trace is not None and state.current.path is not None:
            raise ValueError("not here")
        return Tripled.infer(self, x)


class OtherwiseOnSymbols(Tripled):
    """The vjp differs where sizes are not known."""

    def vjp(self, dy, x):
        is_open = isinstance(x, Symbol) and not x.value.spec.is_known
        return (dy * (2.0 * conj(x) + 3.0) * (1.001 if is_open else 1.0),)


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
    LooksAround: (
        "parts",
        {"reference", "scalar", "batch", "sizes", "dtype", "infer", "traced", "traced_for_any_size"},
    ),
    OneTooMany: ("cotangents", {"deterministic", "needs", "sizes", "precision"}),
    PromotedCotangent: ("cotangents", {"duck"}),
    WrongGradient: ("first_derivative", {"forward_mode"}),
    WrongSecond: ("second_derivative", set()),
    TwoMinds: ("modes", {"second_derivative", "forward_mode", "traced_gradient", "gradient_for_any_size"}),
    NeverTraced: ("traced", {"traced_gradient", "traced_for_any_size", "gradient_for_any_size"}),
    TracedOtherwise: ("traced_gradient", {"gradient_for_any_size"}),
    Remembers: (
        "saved",
        {"second_derivative", "batched_gradient", "forward_mode", "layout", "cotangents", "duck", "traced_gradient"},
    ),
    Cancels: ("precision", {"cotangents"}),
    WrongBatch: ("batch", {"batched_gradient"}),
    WrongBatchedGradient: ("batched_gradient", set()),
    WrongScalar: ("scalar", {"traced", "traced_gradient", "traced_for_any_size"}),
    NeverTracedOnSymbols: ("traced_for_any_size", {"gradient_for_any_size"}),
    OtherwiseOnSymbols: ("gradient_for_any_size", set()),
    NeedsNumbers: ("unknown_sizes", {"other_sizes", "traced_for_any_size", "gradient_for_any_size"}),
    BelievesOne: ("other_sizes", {"unknown_sizes"}),
    Converts: ("duck", set()),
}
