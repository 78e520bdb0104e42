"""Launches of convolutions: which way a convolution is computed, and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
from gradtape.compiler.backends.convolution.column_sums import ColumnSums
from gradtape.compiler.backends.convolution.output import TARGET
from gradtape.compiler.backends.convolution.plan import STACK_BYTES, Motion, Region, plan
from gradtape.compiler.backends.convolution.problem import Correlation, correlation
from gradtape.compiler.backends.product.epilogue import emit_of
from gradtape.compiler.bodies.epilogue import SHORT, Epilogue
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import host
from gradtape.compiler.runtime.kernels import Kernel, Launch, Lowered, Operand, get_kernel, inputs, outputs
from gradtape.core.patterns.convolution import Convolve
from gradtape.core.shape import Spec

Launched = tuple[list[Launch], tuple[int, ...]]

_MEMORY = Operand("scratch", 0)
_FUNCTIONS = frozenset(["elu", "sigmoid", "silu", "tanh"])


@emits(Convolve)
def lower(pattern: Convolve, given: Sequence[Spec] = (), made: Sequence[Spec] = ()) -> Lowered | None:
    """The launches of a convolution, or of one of its transposes; None if a window sees too much for a region."""
    if pattern.kind == "filter":
        return filter_gradient(pattern)
    found = launch(pattern, (*inputs(0, 1), *outputs(0)))
    return None if found is None else Lowered(tuple(found[0]), found[1])


def filter_gradient(pattern: Convolve, columns: bool = False) -> Lowered | None:
    """The launches of the gradient of a convolution by its filter, and if wanted of the sums of the cotangent's columns, a second result;
    None if a window sees too much for a region."""
    problem = correlation(pattern._replace(kind="forward"))
    ways = (_depthwise_gradient, _winograd_gradient, _filter_gradient)
    found = next(filter(None, (way(problem, columns) for way in ways)), None)
    return None if found is None else Lowered(tuple(found[0]), found[1])


def has_filter_gradient(pattern: Convolve) -> bool:
    """True if there is a kernel for the gradient of a convolution with respect to its filter."""
    problem = correlation(pattern._replace(kind="forward"))
    if winograd_gradient.plan_gradient(problem, host()) is not None:
        return True
    if depthwise.suits(problem) and _fits(problem, depthwise.plan_depthwise(problem, host()).region):
        return True
    return _fits(problem, gradient.plan_gradient(problem, host()).region)


def takes_epilogue(pattern: Convolve, epilogue: Epilogue) -> bool:
    """True if what follows can be done as a part of the convolution, no more slowly than by itself."""
    if pattern.kind == "filter":
        return False
    problem = correlation(pattern)
    if depthwise.suits(problem):
        steps = {step.op.name for step in epilogue.steps}
        return steps <= SHORT | _FUNCTIONS and _fits(problem, depthwise.plan_depthwise(problem, host()).region)
    if narrow.plan_narrow(problem, host()) is not None:
        return epilogue.is_short
    if winograd.plan_winograd(problem, host()) is not None:
        return True
    return (problem.contiguous or epilogue.is_short) and _fits(problem, _tiles(problem).region)


def writes_once(pattern: Convolve) -> bool:
    """True if no element of the result is written twice. Elsewhere the rows that complete a tile repeat another one, so an epilogue must not
    write over what it reads."""
    problem = correlation(pattern)
    return problem.contiguous and not depthwise.suits(problem) and narrow.plan_narrow(problem, host()) is None


def launch(pattern: Convolve, operands: Sequence[Operand], epilogue: Epilogue | None = None) -> Launched | None:
    """The launches of a convolution or of its transpose in the input, and the bytes of its temporaries, as of products.

    Args:
      pattern: what to compute.
      operands: the source, the filter, and the result; with an epilogue its first result, what it loads, and its other
        results.
      epilogue: what is done with the result, a matrix of places by channels, if `takes_epilogue` allows one.
    """
    problem = correlation(pattern)
    ways = (_depthwise, _narrow, _winograd, _tiled)
    return next(filter(None, (way(problem, operands, epilogue) for way in ways)), None)


def _depthwise(problem: Correlation, operands: Sequence[Operand], epilogue: Epilogue | None) -> Launched | None:
    if not depthwise.suits(problem):
        return None
    cut = depthwise.plan_depthwise(problem, host())
    if not _fits(problem, cut.region):
        return None
    emit = emit_of(epilogue, TARGET)
    made = get_kernel(
        ("depthwise", problem, cut, epilogue), lambda module: depthwise.emit(module, problem, cut, emit), problem.operations
    )  # fmt: skip
    return [Launch(made, tuple(operands))], ()


def _narrow(problem: Correlation, operands: Sequence[Operand], epilogue: Epilogue | None) -> Launched | None:
    cut = narrow.plan_narrow(problem, host())
    if cut is None:
        return None
    emit = emit_of(epilogue, TARGET)
    return _packed(
        get_kernel(("narrow filter", problem, cut), lambda module: narrow.emit_filter(module, problem, cut)),
        get_kernel(
            ("narrow", problem, cut, epilogue), lambda module: narrow.emit(module, problem, cut, emit), problem.operations
        ),
        operands, narrow.filter_bytes(problem, cut),
    )  # fmt: skip


def _winograd(problem: Correlation, operands: Sequence[Operand], epilogue: Epilogue | None) -> Launched | None:
    cut = winograd.plan_winograd(problem, host())
    if cut is None:
        return None
    emit = emit_of(epilogue, TARGET)
    return _packed(
        get_kernel(("winograd filter", problem, cut), lambda module: winograd_filters.emit(module, problem, cut)),
        get_kernel(
            ("winograd", problem, cut, epilogue), lambda module: winograd.emit(module, problem, cut, emit), problem.operations
        ),
        operands, winograd.WinogradPanels(problem, cut).bytes,
    )  # fmt: skip


def _tiled(problem: Correlation, operands: Sequence[Operand], epilogue: Epilogue | None) -> Launched | None:
    cut = _tiles(problem)
    if not _fits(problem, cut.region):
        return None
    emit = emit_of(epilogue, TARGET)
    return _packed(
        get_kernel(("filters", problem, cut), lambda module: filters.emit(module, problem, cut)),
        get_kernel(
            ("correlate", problem, cut, epilogue), lambda module: kernel.emit(module, problem, cut, emit), problem.operations
        ),
        operands, filters.FilterPanels(problem, cut).bytes,
    )  # fmt: skip


def _tiles(problem: Correlation) -> Any:
    """The plan of a convolution that is computed tile by tile."""
    lengths = (problem.examples, *problem.places)
    motion = Motion(lengths, problem.window, problem.strides, problem.dilations, problem.depth, problem.dtype)
    taps = max(len(phase.taps) for phase in problem.phases)
    return plan(motion, taps, problem.width, problem.operations, host())


def _packed(pack: Kernel, main: Kernel, operands: Sequence[Operand], size: int) -> Launched:
    """First the filter in the order in which the kernel reads it, then the kernel."""
    source, weights, *others = operands
    return [Launch(pack, (weights, _MEMORY)), Launch(main, (source, _MEMORY, *others))], (size,)


def _depthwise_gradient(problem: Correlation, columns: bool) -> Launched | None:
    if not depthwise.suits(problem):
        return None
    cut = depthwise.plan_depthwise(problem, host())
    if not _fits(problem, cut.region):
        return None
    partials = depthwise_gradient.DepthwisePartials(problem, cut, columns)
    return _in_two(
        ("depthwise", problem, cut, columns), problem, partials.bytes,
        lambda module: depthwise_gradient.emit_sums(module, problem, cut, partials),
        lambda module: depthwise_gradient.emit_total(module, problem, cut, partials),
    )  # fmt: skip


def _winograd_gradient(problem: Correlation, columns: bool) -> Launched | None:
    cut = winograd_gradient.plan_gradient(problem, host())
    if cut is None:
        return None
    sums = winograd_gradient.columns_of(problem, cut)
    wanted = sums if columns else None
    return _in_two(
        ("winograd", problem, cut, columns), problem, _partial_bytes(sums, columns),
        lambda module: winograd_gradient.emit_sums(module, problem, cut, wanted),
        lambda module: winograd_gradient.emit_total(module, problem, cut, wanted),
    )  # fmt: skip


def _filter_gradient(problem: Correlation, columns: bool) -> Launched | None:
    cut = gradient.plan_gradient(problem, host())
    if not _fits(problem, cut.region):
        return None
    sums = gradient.columns_of(problem, cut)
    wanted = sums if columns else None
    return _in_two(
        ("filter", problem, cut, columns), problem, _partial_bytes(sums, columns),
        lambda module: gradient.emit_sums(module, problem, cut, wanted),
        lambda module: gradient.emit_total(module, problem, cut, wanted),
    )  # fmt: skip


def _partial_bytes(sums: ColumnSums, columns: bool) -> int:
    """Bytes of the partial sums of a filter, and of those of columns."""
    return sums.start * sums.problem.dtype.size + (sums.bytes if columns else 0)


Emit = Callable[[ir.Module], tuple[ir.Function, int]]


def _in_two(key: tuple[object, ...], problem: Correlation, size: int, sums: Emit, total: Emit) -> Launched:
    """Partial sums, and then their sum."""
    first, second = get_kernel((*key, "sums"), sums, problem.operations), get_kernel((*key, "total"), total)
    results = outputs(0, 1) if key[-1] else outputs(0)
    return [Launch(first, (*inputs(0, 1), _MEMORY)), Launch(second, (_MEMORY, *results))], (size,)


def _fits(problem: Correlation, region: Region) -> bool:
    """True if a region may be put on the stack."""
    return region.size * problem.dtype.size <= STACK_BYTES
