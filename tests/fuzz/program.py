"""Programs as data: what is drawn, run, shrunk and printed.

A program has inputs and variables, each an expression that makes it, steps that compute values from values, and outputs. Steps have
names for what they make: x0, x1 ... are inputs, w0 ... variables, v0 ... values, p0 ... parameters of blocks. A step with blocks is
control flow, a tape or a function inside the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_NAME = re.compile(r"\b[xwvp]\d+\b")


@dataclass(frozen=True)
class Block:
    """The inside of a step: a function of parameters, which sees the values around it."""

    params: tuple[str, ...]
    steps: tuple[Step, ...]
    results: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One statement.

    Attributes:
      text: what is computed, an expression with names of values; {0}, {1} ... stand for its blocks.
      results: names of what it makes; none for an effect.
      blocks: bodies and branches.
      form: how it is written: "call" as an assignment, or one of the statements in `text.py`.
      smooth: False if central differences would not see its derivative.
      random: True if it draws random numbers.
    """

    text: str
    results: tuple[str, ...]
    blocks: tuple[Block, ...] = ()
    form: str = "call"
    smooth: bool = True
    random: bool = False

    @property
    def own(self) -> set[str]:
        """Names of values that its own expression reads."""
        return set(_NAME.findall(self.text))

    @property
    def reads(self) -> set[str]:
        """Names of values that it reads, those of its blocks included."""
        return self.own | {name for block in self.blocks for name in reads(block)}

    def inside(self) -> Iterator[Step]:
        """It, and the steps inside it."""
        yield from _inside((self,))

    @property
    def changes(self) -> bool:
        """True if it, or a step inside it, changes a variable."""
        return not self.results or any(step.changes for block in self.blocks for step in block.steps)


def reads(block: Block) -> set[str]:
    """Names that a block reads from around it."""
    found = set(block.results)
    made = set(block.params)
    for step in block.steps:
        found |= step.reads
        made |= set(step.results)
    return found - made


@dataclass(frozen=True)
class Program:
    """A function of inputs and variables.

    Attributes:
      seed: what it was drawn from.
      inputs: by name, the expressions that make them.
      variables: the same for the initial values of variables.
      steps: in their order.
      outputs: names of values that are returned.
    """

    seed: int
    inputs: dict[str, str]
    variables: dict[str, str]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    imports: tuple[str, ...] = field(default=())

    def every_step(self) -> Iterator[Step]:
        """All steps, those inside others included."""
        yield from _inside(self.steps)

    @property
    def size(self) -> int:
        """How much there is to read: steps, names and the text of inputs."""
        texts = [*self.inputs.values(), *self.variables.values(), *[s.text for s in self.every_step()]]
        return 100 * len(list(self.every_step())) + 20 * (len(texts) + len(self.outputs)) + sum(map(len, texts))


def _inside(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        for block in step.blocks:
            yield from _inside(block.steps)


def without_dead(program: Program) -> Program:
    """The program without what no output and no variable depends on."""
    wanted = set(program.outputs)
    kept: list[Step] = []
    for step in reversed(program.steps):
        if step.changes or wanted.intersection(step.results):
            kept.append(step)
            wanted |= step.reads
    inputs = {name: text for name, text in program.inputs.items() if name in wanted}
    variables = {name: text for name, text in program.variables.items() if name in wanted}
    return replace(program, steps=tuple(reversed(kept)), inputs=inputs, variables=variables)


def renamed(step: Step, old: str, new: str) -> Step:
    """The step with another value in place of one that it reads."""
    text = re.sub(rf"\b{old}\b", new, step.text)
    return replace(step, text=text, blocks=tuple(renamed_block(b, old, new) for b in step.blocks))


def renamed_block(block: Block, old: str, new: str) -> Block:
    """The same for a block, unless the name is one of its parameters."""
    if old in block.params:
        return block
    steps = tuple(renamed(s, old, new) for s in block.steps)
    return replace(block, steps=steps, results=tuple(new if r == old else r for r in block.results))
