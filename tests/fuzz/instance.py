"""Instance: a program that was made to run, with its inputs and variables."""

from __future__ import annotations

import concurrent.futures
import itertools
import linecache
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import gradtape as tf
from fuzz import text
from fuzz.program import Program

_number = itertools.count()
Arrays = list[Any]


class Instance:
    """A program as functions on its own inputs.

    Attributes:
      function: the Python function.
      inputs: the tensors that it is called with.
      variables: what it reads and assigns.
      sources: inputs and variables that can have a gradient.
    """

    def __init__(self, program: Program, noise: Callable[[Any], Any] | None = None, wide: bool = False) -> None:
        self._program, self._files = program, list[str]()
        self._names: dict[str, Any] = {"__name__": "program", "noise": noise}
        source = text.script(program, noisy=noise is not None)
        self._execute(text.widened(source) if wide else source)
        self.function = self._names["f"]
        self.inputs = [self._names[name] for name in program.inputs]
        self.variables = [self._names[name] for name in program.variables]
        self.sources = [x for x in (*self.inputs, *self.variables) if x.dtype.is_trainable]
        self._initial = [w.numpy().copy() for w in self.variables]

    def _execute(self, source: str) -> None:
        file = f"<program {self._program.seed}.{next(_number)}>"
        # AutoGraph reads the source.
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        self._files.append(file)
        with np.errstate(all="ignore"):
            exec(compile(source, file, "exec"), self._names)

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *problem: object) -> None:
        for file in self._files:
            linecache.cache.pop(file, None)

    def reset(self) -> None:
        """Give the variables their initial values."""
        for variable, value in zip(self.variables, self._initial, strict=True):
            variable.assign(value)

    def called(self, function: Callable[..., Any], times: int = 1) -> Arrays:
        """The results of a function on the inputs, of each call, and the variables after it, from their initial values."""
        self.reset()
        found: Arrays = []
        for _ in range(times):
            outputs = function(*self.inputs)
            found += [array(y) for y in (*outputs, *self.variables)]
        return found

    def called_by_threads(self, function: Callable[..., Any], count: int) -> list[Arrays]:
        """The results of one call by each of several threads, which begin together."""
        self.reset()
        together = threading.Barrier(count)

        def call(_: int) -> Arrays:
            together.wait()
            return [array(y) for y in (*function(*self.inputs), *self.variables)]

        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            return list(pool.map(call, range(count)))

    def open_specs(self) -> list[Any]:
        """Specs of the inputs in which about half of the sizes are unknown, and now and then a rank."""
        random = np.random.default_rng(self._program.seed)
        return [tf.TensorSpec(_opened(tuple(x.shape), random), x.dtype) for x in self.inputs]

    def gradient_text(self, outputs: list[Any]) -> str:
        """The gradient as the text of a function, given arrays like the outputs."""
        program = self._program
        names = [*program.inputs, *program.variables]
        sources = [name for name in names if self._names[name].dtype.is_trainable]
        watched = [name for name in sources if name in program.inputs]
        targets = [k for k, y in enumerate(outputs) if _is_trainable(y)]
        return text.gradient_function(list(program.inputs), watched, targets, sources)

    def gradient_function(self, outputs: list[Any]) -> Callable[..., Any]:
        """The gradient as a Python function of the inputs, given arrays like the outputs."""
        self._names["weights"] = [weight(y, k) for k, y in enumerate([y for y in outputs if _is_trainable(y)])]
        self._execute(self.gradient_text(outputs))
        return self._names["g"]  # type: ignore[no-any-return]

    def gradient(self, function: Callable[..., Any]) -> Arrays:
        """The gradients of the outputs, by a tape around a function."""
        self.reset()
        with tf.GradientTape() as tape:
            tape.watch([x for x in self.inputs if x.dtype.is_trainable])
            outputs = [y for y in function(*self.inputs) if y.dtype.is_trainable]
        weights = [tf.constant(weight(y, k)) for k, y in enumerate(outputs)]
        found = tape.gradient(outputs, self.sources, output_gradients=weights, unconnected_gradients="zero")
        return [array(d) for d in found]

    def change(self, function: Callable[..., Any]) -> tuple[Arrays, float]:
        """By forward mode: the tangents of the outputs, and the change of their weighted sum, as all inputs move."""
        self.reset()
        along = [direction(x, k) for k, x in enumerate(self.sources)]
        with tf.autodiff.ForwardAccumulator(self.sources, along) as accumulator:
            outputs = [y for y in function(*self.inputs) if y.dtype.is_trainable]
            found = [accumulator.jvp(y, unconnected_gradients="zero") for y in outputs]
        tangents = [array(t) for t in found]
        return tangents, sum([inner(weight(y, k), t) for k, (y, t) in enumerate(zip(outputs, tangents, strict=True))])

    def along(self, gradients: Arrays) -> float:
        """The same change, from gradients."""
        return sum(
            [inner(g, direction(x, k).numpy()) for k, (x, g) in enumerate(zip(self.sources, gradients, strict=True))]
        )

    def shifted(self, step: float) -> float:
        """The weighted sum of the outputs after all sources have moved by so much."""
        self.reset()
        moved = {id(x): x + step * direction(x, k) for k, x in enumerate(self.sources)}
        for variable in self.variables:
            if id(variable) in moved:
                variable.assign(moved[id(variable)])
        outputs = self.function(*[moved.get(id(x), x) for x in self.inputs])
        return sum([inner(weight(y, k), array(y)) for k, y in enumerate([y for y in outputs if y.dtype.is_trainable])])


def _opened(shape: tuple[int, ...], random: np.random.Generator) -> list[int | None] | None:
    if random.random() < 0.15:
        return None
    return [None if random.random() < 0.5 else size for size in shape]


def _is_trainable(x: Any) -> bool:
    return tf.as_dtype(x.dtype).is_trainable


def array(x: Any) -> Any:
    """A copy of a tensor's elements."""
    return np.array(tf.convert_to_tensor(x).numpy())


def _signed(x: Any, seed: int, least: float) -> Any:
    random = np.random.default_rng(seed)
    shape = tuple(x.shape)
    numbers = random.uniform(least, 1.0, shape) * random.choice([-1.0, 1.0], shape)
    return np.asarray(numbers).astype(tf.as_dtype(x.dtype).numpy)


def weight(y: Any, k: int) -> Any:
    """The cotangent of the k-th output that can have one: numbers of both signs."""
    return _signed(y, k, 0.5)


def direction(x: Any, k: int) -> Any:
    """Where the k-th source moves."""
    return tf.constant(_signed(x, 100 + k, 0.3))


def inner(a: Any, b: Any) -> float:
    """The real inner product, in double precision."""
    wide = np.complex128 if np.asarray(a).dtype.kind == "c" else np.float64
    return float(np.sum(np.real(np.conj(np.asarray(a).astype(wide)) * np.asarray(b).astype(wide))))
