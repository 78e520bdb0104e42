"""Launches of convolutions: which way a convolution is computed, and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gradtape.compiler.backends import emits
from gradtape.compiler.backends.convolution import (
    depthwise,
    depthwise_gradient,
    filters,
    gradient,
    kernel,
    narrow,
    winograd,
    winograd_filters,
    winograd_gradient,
)
from gradtape.compiler.backends.convolution.output import TARGET
from gradtape.compiler.backends.convolution.plan import plan
from gradtape.compiler.backends.convolution.problem import Correlation, correlation
from gradtape.compiler.backends.product.epilogue import EmitEpilogue, emit_of
from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import Machine, host
from gradtape.compiler.runtime.kernels import Launch, Lowered, Operand, get_kernel, inputs, outputs
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.shape import Spec

GROUPS_ROWS = False
_MEMORY = Operand("scratch", 0)
_FUNCTIONS = frozenset(
    ["exp", "expm1", "tanh"]
)  # that a depthwise convolution, which computes little itself, may have in its epilogue

Emit = Callable[[ir.Module], tuple[ir.Function, int]]


class Packing(NamedTuple):
    """The filter in the order in which a kernel reads it: the name and the code of the kernel that makes it, and its bytes."""

    name: str
    emit: Callable[[ir.Module, Correlation, Any], tuple[ir.Function, int]]
    bytes: Callable[[Correlation, Any], int]


class ForwardWay(NamedTuple):
    """A way to compute a convolution.

    Attributes:
      name: in the key of its kernel.
      plan: the cut of a problem; None if it is not for that, or not faster, or if a window sees too much for a region.
      emit: writes the kernel for a problem and its cut, with an epilogue or None.
      takes: whether an epilogue is no slower as a part of it.
      packing: what is done with the filter before.
      repeats: rows of the result that complete a tile are written twice, even where all lie side by side.
    """

    name: str
    plan: Callable[[Correlation, Machine], Any]
    emit: Callable[[ir.Module, Correlation, Any, EmitEpilogue | None], tuple[ir.Function, int]]
    takes: Callable[[Correlation, Epilogue], bool]
    packing: Packing | None = None
    repeats: bool = False


class GradientWay(NamedTuple):
    """A way to compute the gradient by the filter: partial sums, and then their sum.

    Attributes:
      name: in the keys of its kernels.
      plan: as of a convolution.
      partials: for a problem, its cut and whether columns are summed, what tells the kernels where the partial sums are, and their bytes.
      emit_sums: writes the kernel of the partial sums.
      emit_total: writes the kernel that adds them up.
    """

    name: str
    plan: Callable[[Correlation, Machine], Any]
    partials: Callable[[Correlation, Any, bool], tuple[Any, int]]
    emit_sums: Callable[[ir.Module, Correlation, Any, Any], tuple[ir.Function, int]]
    emit_total: Callable[[ir.Module, Correlation, Any, Any], tuple[ir.Function, int]]


# The first that has a plan is taken.
WAYS = (
    ForwardWay(
        "depthwise", depthwise.plan_depthwise, depthwise.emit,
        lambda problem, epilogue: epilogue.is_short(_FUNCTIONS), repeats=True,
    ),
    ForwardWay(
        "narrow", narrow.plan_narrow, narrow.emit, lambda problem, epilogue: epilogue.is_short(),
        Packing("narrow filter", narrow.emit_filter, narrow.filter_bytes), repeats=True,
    ),
    ForwardWay(
        "winograd", winograd.plan_winograd, winograd.emit, lambda problem, epilogue: True,
        Packing("winograd filter", winograd_filters.emit, lambda problem, cut: winograd.WinogradPanels(problem, cut).bytes),
    ),
    ForwardWay(
        "correlate", plan, kernel.emit, lambda problem, epilogue: problem.contiguous or epilogue.is_short(),
        Packing("filters", filters.emit, lambda problem, cut: filters.FilterPanels(problem, cut).bytes),
    ),
)  # fmt: skip
GRADIENT_WAYS = tuple([
    GradientWay(name, module.plan_gradient, module.partial_sums, module.emit_sums, module.emit_total)
    for name, module in (("depthwise", depthwise_gradient), ("winograd", winograd_gradient), ("filter", gradient))
])  # fmt: skip


def _choose(problem: Correlation, ways: Sequence[Any]) -> tuple[Any, Any] | None:
    """The first of some ways that has a plan for a problem, and its plan; None if a window sees too much for all of them."""
    return next(((way, cut) for way in ways if (cut := way.plan(problem, host())) is not None), None)


@emits(Convolve)
def lower(pattern: Convolve, given: Sequence[Spec] = (), made: Sequence[Spec] = ()) -> Lowered | None:
    """The launches of a convolution, or of one of its transposes; None if a window sees too much for a region."""
    return filter_gradient(pattern) if pattern.kind == "filter" else launch(pattern, (*inputs(0, 1), *outputs(0)))


def takes_epilogue(pattern: Convolve, epilogue: Epilogue) -> bool:
    """True if what follows can be done as a part of the convolution, no more slowly than by itself."""
    problem = None if pattern.kind == "filter" else correlation(pattern)
    found = None if problem is None else _choose(problem, WAYS)
    return problem is not None and found is not None and bool(found[0].takes(problem, epilogue))


def launch(
    pattern: Convolve,
    operands: Sequence[Operand],
    epilogue: Epilogue | None = None,
    shares: tuple[tuple[int, int], ...] = (),
) -> Lowered | None:
    """The launches of a convolution or of its transpose in the input, for a `PatternBackend`."""
    problem = correlation(pattern)
    found = _choose(problem, WAYS)
    if found is None:
        return None
    way, cut = found
    if way.repeats or not problem.contiguous:
        shares = ()  # rows that complete a tile repeat another one: an epilogue must not write over what it reads
    emit = emit_of(epilogue, TARGET)
    main = get_kernel(
        (way.name, problem, cut, epilogue), lambda module: way.emit(module, problem, cut, emit), problem.operations
    )
    if way.packing is None:
        return Lowered((Launch(main, tuple(operands)),), shares=shares)
    name, emit_filter, size = way.packing
    pack = get_kernel((name, problem, cut), lambda module: emit_filter(module, problem, cut))
    source, weights, *others = operands
    launches = Launch(pack, (weights, _MEMORY)), Launch(main, (source, _MEMORY, *others))
    return Lowered(launches, (size(problem, cut),), shares)


def filter_gradient(pattern: Convolve, columns: bool = False) -> Lowered | None:
    """The launches of the gradient of a convolution by its filter, and if wanted of the sums of the cotangent's columns, a second result;
    None if a window sees too much for a region."""
    problem = correlation(pattern._replace(kind="forward"))
    found = _choose(problem, GRADIENT_WAYS)
    if found is None:
        return None
    way, cut = found
    partials, size = way.partials(problem, cut, columns)
    key = (way.name, problem, cut, columns)
    sums = get_kernel((*key, "sums"), lambda module: way.emit_sums(module, problem, cut, partials), problem.operations)
    total = get_kernel((*key, "total"), lambda module: way.emit_total(module, problem, cut, partials))
    results = outputs(0, 1) if columns else outputs(0)
    return Lowered((Launch(sums, (*inputs(0, 1), _MEMORY)), Launch(total, (_MEMORY, *results))), (size,))


def has_filter_gradient(pattern: Convolve) -> bool:
    """True if there is a kernel for the gradient of a convolution by its filter."""
    return _choose(correlation(pattern._replace(kind="forward")), GRADIENT_WAYS) is not None
