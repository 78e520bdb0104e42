"""Builder: a program that grows step by step, with the values that it has, so that every step makes sense."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import gradtape as tf
from fuzz import arrays, text
from fuzz.modes import eagerly
from fuzz.program import Block, Program, Step, without_dead

_LIMIT = 1e3  # larger numbers say little about the steps that follow
_MOST = 200_000  # elements of a result


class Reject(Exception):
    """A step that makes no sense here; another one is drawn."""


class Builder:
    """The state of drawing a program.

    Attributes:
      draw: where random choices come from.
      values: the tensors and variables, by name.
      inputs, variables, imports: as in Program.
      steps: of the innermost open block, or of the program.
      visible: names of values that a step there can read.
      names: everything that expressions may use.
      depth: how many blocks are open.
      failures: steps that raised something other than a refusal in words.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.draw = random.Random(seed)
        self.values: dict[str, Any] = {}
        self.inputs: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.imports: dict[str, None] = {}
        self.failures: list[str] = []
        self.depth = 0
        self.steps: list[Step] = []
        self.visible: list[str] = []
        self._count = 0
        self.names: dict[str, Any] = {"tf": tf, "np": np}

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a value."""
        return tuple(self.values[name].shape)

    def rank(self, name: str) -> int:
        """The number of its dimensions."""
        return len(self.shape(name))

    def dtype(self, name: str) -> str:
        """The name of its dtype."""
        return str(self.values[name].dtype.name)

    def kind(self, name: str) -> str:
        """The kind of its dtype: bfloat16 counts as "f"."""
        kind = self.values[name].dtype.kind
        return "f" if kind == "V" else kind

    def axis(self, name: str) -> int:
        """A random axis, from the end now and then."""
        rank = self.rank(name)
        if not rank:
            raise Reject
        return self.draw.randrange(rank) - (rank if self.draw.random() < 0.3 else 0)

    def pick(
        self,
        kinds: str = "f",
        least: int = 0,
        most: int = 4,
        suits: Callable[[str], bool] | None = None,
        empty: bool = True,
        new: float = 0.2,
    ) -> str:
        """The name of a value of some kinds and ranks, one of the latest or a new input."""

        def fits(name: str) -> bool:
            shape = self.shape(name)
            return (
                self.kind(name) in kinds
                and least <= len(shape) <= most
                and (empty or 0 not in shape)
                and (suits is None or suits(name))
            )

        found = [name for name in self.visible if fits(name)]
        if found and self.draw.random() >= new:
            return self.draw.choice(found[-4:] if self.draw.random() < 0.7 else found)
        for _ in range(8):
            shape = arrays.choose_shape(self.draw, least, most)
            if (0 in shape and not empty) or (0 in shape and self.draw.random() < 0.5):
                continue
            name = self.new_input(arrays.choose_dtype(self.draw, kinds), shape)
            if fits(name):
                return name
        raise Reject

    def partner(self, name: str, exact: bool = False) -> str:
        """A value of the same dtype that broadcasts with another one."""
        shape = self.shape(name)

        def fits(other: str) -> bool:
            if self.dtype(other) != self.dtype(name):
                return False
            if exact:
                return self.shape(other) == shape
            try:
                return int(np.prod(np.broadcast_shapes(shape, self.shape(other)), dtype=int)) <= _MOST
            except ValueError:
                return False

        found = [n for n in self.visible if fits(n)]
        if found and self.draw.random() < 0.65:
            return self.draw.choice(found[-6:])
        return self.new_input(self.dtype(name), shape if exact else arrays.broadcasting(self.draw, shape))

    def indices(self, shape: tuple[int, ...], limit: int, dtype: str = "") -> str:
        """A new input with numbers from 0 to below a limit."""
        if not limit and 0 not in shape:
            raise Reject
        return self.new_input(dtype or self.draw.choice(("int32", "int32", "int64")), shape, 0, max(limit, 1))

    def new_input(self, dtype: str, shape: tuple[int, ...], low: Any = None, high: Any = None) -> str:
        """A new input; now and then a variable instead."""
        expression = arrays.expression(self.draw, dtype, shape, low, high)
        is_variable = low is None and dtype in arrays.FLOATS and self.draw.random() < 0.12
        return self.new_variable(expression) if is_variable else self.given(expression)

    def given(self, expression: str) -> str:
        """An input made by an expression."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = expression
        self._show(name, self._evaluated(expression))
        return name

    def new_variable(self, expression: str) -> str:
        """A variable with an initial value."""
        name = f"w{len(self.variables)}"
        self.variables[name] = expression
        self._show(name, tf.Variable(self._evaluated(expression)))
        return name

    def _evaluated(self, expression: str) -> Any:
        return eval(expression, dict(self.names))

    def _show(self, name: str, value: Any) -> None:
        self.values[name] = self.names[name] = value
        self.visible.append(name)

    def import_line(self, line: str) -> None:
        """Have a line at the top of the program."""
        self.imports[line] = None
        exec(line, self.names)

    def add(
        self, expression: str, blocks: Sequence[Block] = (), form: str = "call", count: int = 1, **marks: bool
    ) -> tuple[str, ...]:
        """Append a step, if it computes something sensible; the names of its results."""
        results = tuple([f"v{self._count + i}" for i in range(count)])
        self._count += count
        step = Step(expression, results, tuple(blocks), form, **marks)
        self._run(step)
        for name in results:
            self._check(self.names[name])
        self.steps.append(step)
        for name in results:
            self._show(name, self.names[name])
        return results

    def _run(self, step: Step) -> None:
        lines = "\n".join(text.statement(step))
        try:
            with np.errstate(all="ignore"), eagerly():
                exec(compile(lines, "<step>", "exec"), self.names)
        except (tf.errors.OpError, ValueError, NotImplementedError) as problem:
            raise Reject(f"{lines}: {problem}") from None
        except Exception as problem:
            self.failures.append(f"{type(problem).__name__}: {problem}\n{lines}")
            raise Reject from None

    def _check(self, value: Any) -> None:
        """Refuse what is too large or no number."""
        if not hasattr(value, "dtype"):
            raise Reject
        array = value.numpy()
        if np.size(array) > _MOST or np.ndim(array) > 6:
            raise Reject
        if value.dtype.kind in "fcV" and np.size(array):
            size = np.abs(array).astype(np.float64)
            if not np.all(np.isfinite(size)) or np.max(size) > _LIMIT:
                raise Reject

    @contextmanager
    def block(self, examples: Sequence[Any] = ()) -> Iterator[tuple[str, ...]]:
        """Open a block: the names of its parameters, which stand for the example values. Take it with `closed`."""
        before = self.steps, self.visible
        names = tuple([f"p{self._count + i}" for i in range(len(examples))])
        self._count += len(examples)
        self.steps, self.visible = [], list(before[1])
        self.depth += 1
        try:
            for name, value in zip(names, examples, strict=True):
                self._show(name, value)
            yield names
            self._last = tuple(self.steps)
        finally:
            inputs = [n for n in self.visible if n[0] in "xw" and n not in before[1]]
            self.steps, self.visible = before[0], [*before[1], *inputs]
            self.depth -= 1

    def closed(self, params: tuple[str, ...], results: Sequence[str]) -> Block:
        """The block that was closed last."""
        return Block(params, self._last, tuple(results))

    def finished(self) -> Program:
        """The program; what nothing reads is returned, and some values more."""
        if not self.steps:
            raise Reject
        read = {name for step in self.steps for name in step.reads}
        made = [name for step in self.steps for name in step.results]
        outputs = [name for name in made if name not in read or self.draw.random() < 0.1]
        return without_dead(
            Program(
                self.seed,
                dict(self.inputs),
                dict(self.variables),
                tuple(self.steps),
                tuple(outputs),
                tuple(self.imports),
            )
        )
