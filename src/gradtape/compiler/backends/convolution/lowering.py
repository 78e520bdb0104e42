"""Launches of convolutions: which way a convolution is computed, and its kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

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
from gradtape.compiler.backends.convolution.plan import STACK_BYTES, Motion, Region, plan
from gradtape.compiler.backends.convolution.problem import Correlation, correlation
from gradtape.compiler.backends.product.epilogue import Epilogue
from gradtape.compiler.bodies.epilogue import Ending
from gradtape.compiler.codegen import ir
from gradtape.compiler.codegen.simd.machine import host
from gradtape.compiler.runtime.kernels import Kernel, Launch, Lowered, Operand, emitted, inputs, outputs
from gradtape.core.patterns.convolution import Convolve

Launched = tuple[list[Launch], tuple[int, ...]]

_MEMORY = Operand("scratch", 0)


def lowered(pattern: Convolve) -> Lowered | None:
    """The launches of a convolution, or of one of its transposes; None if a window sees too much for a region."""
    if pattern.kind != "filter":
        found = launched(pattern, (*inputs(0, 1), *outputs(0)))
    else:
        problem = correlation(pattern._replace(kind="forward"))
        found = _depthwise_gradient(problem) or _winograd_gradient(problem) or _filter_gradient(problem)
    return None if found is None else Lowered(tuple(found[0]), found[1])


def takes_ending(pattern: Convolve) -> bool:
    """True if what follows can be done as a part of the convolution: by a kernel that takes an ending, where such a one would also
    run without."""
    one = pattern.kind == "forward" or (pattern.kind == "input" and math.prod(pattern.strides) == 1)
    if not one or pattern.groups != 1:
        return False
    problem = correlation(pattern)
    if depthwise.suits(problem) or narrow.plan_narrow(problem, host()) is not None:
        return False
    return winograd.plan_winograd(problem, host()) is not None or _fits(problem, _tiles(problem).region)


def launched(pattern: Convolve, operands: Sequence[Operand], ending: Ending | None = None) -> Launched | None:
    """The launches of a convolution or of its transpose in the input, and the bytes of its temporaries, as of products.

    Args:
      pattern: what to compute.
      operands: the source, the filter, and the result; with an ending its first result, what it loads, and its other
        results.
      ending: what is done with the result, a matrix of places by channels, if `takes_ending` allows one.
    """
    problem = correlation(pattern)
    if ending is None:
        found = _depthwise(problem, operands) or _narrow(problem, operands)
        if found is not None:
            return found
    return _winograd(problem, operands, ending) or _tiled(problem, operands, ending)


def _depthwise(problem: Correlation, operands: Sequence[Operand]) -> Launched | None:
    if not depthwise.suits(problem):
        return None
    cut = depthwise.plan_depthwise(problem, host())
    if not _fits(problem, cut.region):
        return None
    made = emitted(("depthwise", problem, cut), lambda module: depthwise.emit(module, problem, cut), problem.operations)
    return [Launch(made, tuple(operands))], ()


def _narrow(problem: Correlation, operands: Sequence[Operand]) -> Launched | None:
    cut = narrow.plan_narrow(problem, host())
    if cut is None:
        return None
    return _packed(
        emitted(("narrow filter", problem, cut), lambda module: narrow.emit_filter(module, problem, cut)),
        emitted(("narrow", problem, cut), lambda module: narrow.emit(module, problem, cut), problem.operations),
        operands, narrow.filter_bytes(problem, cut),
    )  # fmt: skip


def _winograd(problem: Correlation, operands: Sequence[Operand], ending: Ending | None) -> Launched | None:
    cut = winograd.plan_winograd(problem, host())
    if cut is None:
        return None
    epilogue = _epilogue(ending)
    return _packed(
        emitted(("winograd filter", problem, cut), lambda module: winograd_filters.emit(module, problem, cut)),
        emitted(
            ("winograd", problem, cut, ending), lambda module: winograd.emit(module, problem, cut, epilogue), problem.operations
        ),
        operands, winograd.Panels(problem, cut).bytes,
    )  # fmt: skip


def _tiled(problem: Correlation, operands: Sequence[Operand], ending: Ending | None) -> Launched | None:
    cut = _tiles(problem)
    if not _fits(problem, cut.region):
        return None
    epilogue = _epilogue(ending)
    return _packed(
        emitted(("filters", problem, cut), lambda module: filters.emit(module, problem, cut)),
        emitted(
            ("correlate", problem, cut, ending), lambda module: kernel.emit(module, problem, cut, epilogue), problem.operations
        ),
        operands, filters.Panels(problem, cut).bytes,
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


def _epilogue(ending: Ending | None) -> Epilogue | None:
    return None if ending is None else lambda cg, value, at: ending.emit(cg, value, at, kernel.TARGET)


def _depthwise_gradient(problem: Correlation) -> Launched | None:
    if not depthwise.suits(problem):
        return None
    cut = depthwise.plan_depthwise(problem, host())
    if not _fits(problem, cut.region):
        return None
    return _in_two(
        "depthwise", problem, cut, depthwise_gradient.Partials(problem, cut).bytes,
        lambda module: depthwise_gradient.emit_sums(module, problem, cut),
        lambda module: depthwise_gradient.emit_total(module, problem, cut),
    )  # fmt: skip


def _winograd_gradient(problem: Correlation) -> Launched | None:
    cut = winograd_gradient.plan_gradient(problem, host())
    if cut is None:
        return None
    return _in_two(
        "winograd", problem, cut, winograd_gradient.Partials(problem, cut).bytes,
        lambda module: winograd_gradient.emit_sums(module, problem, cut),
        lambda module: winograd_gradient.emit_total(module, problem, cut),
    )  # fmt: skip


def _filter_gradient(problem: Correlation) -> Launched | None:
    cut = gradient.plan_gradient(problem, host())
    if not _fits(problem, cut.region):
        return None
    return _in_two(
        "filter", problem, cut, gradient.Partials(problem, cut).bytes,
        lambda module: gradient.emit_sums(module, problem, cut),
        lambda module: gradient.emit_total(module, problem, cut),
    )  # fmt: skip


Emit = Callable[[ir.Module], tuple[ir.Function, int]]


def _in_two(name: str, problem: Correlation, cut: object, size: int, sums: Emit, total: Emit) -> Launched:
    """Partial sums, and then their sum."""
    first = emitted((name, "sums", problem, cut), sums, problem.operations)
    second = emitted((name, "total", problem, cut), total)
    return [Launch(first, (*inputs(0, 1), _MEMORY)), Launch(second, (_MEMORY, *outputs(0)))], (size,)


def _fits(problem: Correlation, region: Region) -> bool:
    """True if a region may be put on the stack."""
    return region.size * problem.dtype.size <= STACK_BYTES
