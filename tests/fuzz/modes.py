"""Switches for the ways to run a program; each is put back afterwards."""

from __future__ import annotations

import math
import signal
import threading as _threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import gradtape as tf
from gradtape.compiler import backend
from gradtape.compiler.codegen.simd import machine
from gradtape.compiler.codegen.simd.machine import Code
from gradtape.compiler.codegen.simd.translation import GOOD, QUICK
from gradtape.compiler.lowering import native
from gradtape.compiler.runtime import translator
from gradtape.core import hot_kernels
from gradtape.core.shape import Spec
from gradtape.core.state import settings
from gradtape.transform import repeated


@contextmanager
def eagerly() -> Iterator[None]:
    """Functions run as plain Python, and ops with NumPy's kernels alone, also if they run often."""
    before = settings.functions_run_eagerly, hot_kernels._enabled
    settings.functions_run_eagerly, hot_kernels._enabled = True, False
    try:
        yield
    finally:
        settings.functions_run_eagerly, hot_kernels._enabled = before


@contextmanager
def repeatedly() -> Iterator[None]:
    """Functions run as plain Python; a backward pass has a program of its own the second time."""
    before = settings.functions_run_eagerly, repeated._OFTEN, dict(repeated._places)
    settings.functions_run_eagerly, repeated._OFTEN = True, 0
    repeated._places.clear()
    try:
        yield
    finally:
        settings.functions_run_eagerly, repeated._OFTEN, places = before
        repeated._places.clear()
        repeated._places.update(places)


@contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads compute."""
    before = tf.config.threading.get_intra_op_parallelism_threads()
    tf.config.threading.set_intra_op_parallelism_threads(count)
    try:
        yield
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)


@contextmanager
def without_passes() -> Iterator[None]:
    """Graphs run as they were traced, node by node, with NumPy's kernels."""
    before = backend.prepare
    backend.prepare = lambda graph: graph
    try:
        yield
    finally:
        backend.prepare = before


class _Workshop(translator.Workshop):
    """Makes code of one quality, in this process, when it is asked for."""

    def __init__(self, effort: int) -> None:
        super().__init__()
        self._effort = effort

    def begin(self) -> None:
        """No other process works for it."""

    def code_of(self, job: translator.Job) -> tuple[Code, bool]:
        """Code of its quality, which stays."""
        if self._effort == GOOD:
            return super().code_of(job)
        return machine.translate(job.text, effort=self._effort), False


QUALITIES = (QUICK, GOOD)


@contextmanager
def quality(effort: int) -> Iterator[None]:
    """Kernels are made of quickly made code, or of good code, and stay so."""
    before = translator._workshop
    translator._workshop = _Workshop(effort)
    try:
        yield
    finally:
        translator._workshop = before


_GUARD = np.full(128, 0xA5, np.uint8)  # bytes behind an array that nobody may write


def _guarded(spec: Spec) -> Callable[[], Any]:
    """A function that makes an array with a guard behind it."""
    size = math.prod(spec.shape) * spec.dtype.numpy.itemsize

    def make() -> Any:
        memory = np.empty(size + _GUARD.size, np.uint8)
        memory[size:] = _GUARD
        return memory[:size].view(spec.dtype.numpy).reshape(spec.shape)

    return make


@contextmanager
def guards() -> Iterator[None]:
    """What native programs write beyond the ends of their results is an error. Variables are not updated in place meanwhile: results
    are parts of larger arrays."""
    makes, runs = native.maker, native.Native.launch

    def launch(self: native.Native, arrays: tuple[Any, ...], made: tuple[Any, ...]) -> tuple[Any, ...]:
        results = runs(self, arrays, made)
        for number, array in enumerate(made):
            memory = array
            while isinstance(memory.base, np.ndarray):
                memory = memory.base
            is_guarded = memory.dtype == np.uint8 and memory.size == array.nbytes + _GUARD.size
            if is_guarded and not np.array_equal(memory[array.nbytes :], _GUARD):
                raise RuntimeError(f"a kernel writes beyond the end of result {number} of {self.parts}.")
        return results

    native.maker, native.Native.launch = _guarded, launch  # type: ignore[method-assign]
    try:
        yield
    finally:
        native.maker, native.Native.launch = makes, runs  # type: ignore[method-assign]


class TooSlow(BaseException):
    """A way to run that takes much longer than it should. No Exception: a kernel that raises one is tried in another way."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """TooSlow after some seconds of computing, on the main thread of a system that has alarms; no limit elsewhere. Time in which
    other processes run does not count."""
    if not hasattr(signal, "setitimer") or _threading.current_thread() is not _threading.main_thread():
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise TooSlow(f"it computes for more than {seconds:.0f} s")

    before = signal.signal(signal.SIGPROF, ring)
    left, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, left)  # of a limit around this one
        signal.signal(signal.SIGPROF, before)
