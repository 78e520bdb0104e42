"""Smaller programs near a program: what the shrinker tries."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from fuzz import modes
from fuzz.instance import Instance
from fuzz.program import Block, Program, Step, renamed, without_dead
from fuzz.steps.sampled import literal
from gradtape.core import dtypes

_WRITTEN_OUT = 60  # elements of an array that is written as a literal
_SECONDS = 10.0  # for a program, which may have become a loop without an end


def reductions(program: Program) -> Iterator[Program]:
    """Programs that are smaller in one respect, large steps first. Not all of them make sense."""
    for reduce in (
        _fewer_outputs,
        _cut,
        _without_effects,
        _bypassed,
        _inlined,
        _simpler_inputs,
        _shorter,
        _one_dtype,
        _fixed,
    ):
        yield from map(without_dead, reduce(program))


def _fewer_outputs(program: Program) -> Iterator[Program]:
    if len(program.outputs) > 1:
        for name in program.outputs:
            yield replace(program, outputs=(name,))
        for name in program.outputs:
            yield replace(program, outputs=tuple(n for n in program.outputs if n != name))


def _without_effects(program: Program) -> Iterator[Program]:
    for steps in _edited(program.steps, lambda step: [()] if not step.results else []):
        yield replace(program, steps=steps)


def _cut(program: Program) -> Iterator[Program]:
    """With an input in place of what a step computes."""
    values = values_of(program)
    for k in reversed(range(len(program.steps))):
        results = program.steps[k].results
        if results and all(name in values for name in results):
            shorter = without_step(program, k, values)
            if shorter.outputs:
                yield shorter


def without_step(program: Program, k: int, values: dict[str, Any]) -> Program:
    """The program with inputs in place of what its k-th step computes; outputs of the step are left out."""
    results = program.steps[k].results
    made = {f"x{name[1:]}0{len(program.inputs)}": (name, values[name]) for name in results}
    later, outputs = program.steps[k + 1 :], program.outputs
    for new, (old, _) in made.items():
        later = tuple(renamed(s, old, new) for s in later)
        outputs = tuple(name for name in outputs if name != old)
    inputs = program.inputs | {new: _constant(value) for new, (_, value) in made.items()}
    return replace(program, steps=(*program.steps[:k], *later), inputs=inputs, outputs=outputs)


def values_of(program: Program) -> dict[str, Any]:
    """What the steps of a program compute."""
    names = [name for step in program.steps for name in step.results]
    try:
        whole = replace(program, outputs=tuple(names))
        with modes.limited(_SECONDS), modes.eagerly(), np.errstate(all="ignore"), Instance(whole) as instance:
            return dict(zip(names, instance.called(instance.function), strict=False))
    except (Exception, modes.TooSlow):
        return {}


def _constant(value: Any) -> str:
    dtype = dtypes.from_numpy(value.dtype)
    if value.size <= _WRITTEN_OUT:
        if dtype.is_floating:
            value = np.round(value.astype(np.float64), 3)
        return (
            f"tf.constant({literal(value)}, tf.{dtype.name})"
            if value.size
            else f"tf.zeros({list(value.shape)}, tf.{dtype.name})"
        )
    if dtype.is_floating:
        return f"tf.constant(np.random.default_rng(0).uniform(-2.0, 2.0, {value.shape}), tf.{dtype.name})"
    return f"tf.constant({literal(value)}, tf.{dtype.name})"


def _bypassed(program: Program) -> Iterator[Program]:
    """With a value that a step reads in place of what it computes."""
    for step in program.every_step():
        for name in sorted(step.own):
            if len(step.results) == 1:
                yield _replaced(program, step.results[0], name)


def _replaced(program: Program, old: str, new: str) -> Program:
    def dropped(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        kept = [s for s in steps if old not in s.results]
        return tuple(_within(renamed(s, old, new), dropped) for s in kept)

    outputs = tuple(dict.fromkeys(new if name == old else name for name in program.outputs))
    return replace(program, steps=dropped(program.steps), outputs=outputs)


def _within(step: Step, change: Any) -> Step:
    """A step with its blocks' steps changed."""
    return replace(step, blocks=tuple(replace(b, steps=change(b.steps)) for b in step.blocks)) if step.blocks else step


def _edited(steps: tuple[Step, ...], options: Any) -> Iterator[tuple[Step, ...]]:
    """All versions of some steps in which one, at any depth, is replaced by other steps."""
    for k, step in enumerate(steps):
        for instead in options(step):
            yield (*steps[:k], *instead, *steps[k + 1 :])
        for number, block in enumerate(step.blocks):
            for inner in _edited(block.steps, options):
                blocks = (*step.blocks[:number], replace(block, steps=inner), *step.blocks[number + 1 :])
                yield (*steps[:k], replace(step, blocks=blocks), *steps[k + 1 :])


def _inlined(program: Program) -> Iterator[Program]:
    """With the inside of a block in place of the step around it; and with blocks that lack what is dead in them."""
    for k, step in enumerate(program.steps):
        for block in step.blocks:
            if block.params or len(block.results) != len(step.results):
                continue
            later = program.steps[k + 1 :]
            outputs = program.outputs
            for old, new in zip(step.results, block.results, strict=True):
                later = tuple(renamed(s, old, new) for s in later)
                outputs = tuple(new if name == old else name for name in outputs)
            yield replace(program, steps=(*program.steps[:k], *block.steps, *later), outputs=outputs)
    cleaned = tuple(_within_live(step) for step in program.steps)
    if cleaned != program.steps:
        yield replace(program, steps=cleaned)


def _within_live(step: Step) -> Step:
    return replace(step, blocks=tuple(_live(block) for block in step.blocks))


def _live(block: Block) -> Block:
    wanted, kept = set(block.results), list[Step]()
    for step in reversed(block.steps):
        if step.changes or wanted.intersection(step.results):
            kept.append(_within_live(step))
            wanted |= step.reads
    return replace(block, steps=tuple(reversed(kept)))


def _simpler_inputs(program: Program) -> Iterator[Program]:
    """With plain arrays in place of views, literals in place of random numbers, inputs in place of variables."""
    for group in ("inputs", "variables"):
        given: dict[str, str] = getattr(program, group)
        for name, text in given.items():
            for simpler in _simpler(text):
                changed: Any = {group: given | {name: simpler}}
                yield replace(program, **changed)
    assigned = {name for step in program.every_step() for name in step.own if not step.results}
    for name in program.variables:
        if name not in assigned:
            new = f"x{len(program.inputs)}0{name[1:]}"
            variables = {n: t for n, t in program.variables.items() if n != name}
            steps = tuple(renamed(s, name, new) for s in program.steps)
            yield replace(
                program, inputs=program.inputs | {new: program.variables[name]}, variables=variables, steps=steps
            )


def _simpler(text: str) -> Iterator[str]:
    import gradtape as tf

    value = eval(text, {"tf": tf, "np": np}).numpy()
    array = np.asarray(value)
    if array.size and array.size <= _WRITTEN_OUT:
        if dtypes.from_numpy(array.dtype).is_floating:
            for numbers in (
                np.ones(array.shape),
                np.round(array.astype(np.float64), 1),
                np.round(array.astype(np.float64), 3),
            ):
                yield _constant(numbers.astype(array.dtype))
        yield _constant(array)
    if not text.startswith("tf.constant") or text.endswith("]"):
        yield _constant(array)


def _shorter(program: Program) -> Iterator[Program]:
    """With a part of an expression in place of the whole."""

    def options(step: Step) -> Iterator[tuple[Step, ...]]:
        for text in _parts(step.text):
            yield (replace(step, text=text),)

    for steps in _edited(program.steps, options):
        yield replace(program, steps=steps)


def _parts(text: str) -> Iterator[str]:
    """An expression with one of its operations replaced by one of its operands."""
    try:
        nodes = [n for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, (ast.Call, ast.BinOp, ast.UnaryOp))]
    except SyntaxError:
        return
    for node in nodes:
        operands = (
            node.args if isinstance(node, ast.Call) else [getattr(node, "left", None), getattr(node, "right", None)]
        )
        operands = [node.operand] if isinstance(node, ast.UnaryOp) else operands
        whole = ast.get_source_segment(text, node)
        for operand in operands:
            part = None if operand is None else ast.get_source_segment(text, operand)
            if whole and part and re.search(r"\b[xwvp]\d+\b", part):
                shorter = text.replace(whole, part if part.isidentifier() else f"({part})", 1)
                if len(shorter) < len(text):
                    yield shorter


def _one_dtype(program: Program) -> Iterator[Program]:
    """With float32 in place of other floating types."""
    for other in ("bfloat16", "float16", "float64"):
        yield _rewritten(program, f"tf.{other}", "tf.float32")


def _rewritten(program: Program, old: str, new: str) -> Program:
    def steps(given: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(_within(replace(s, text=s.text.replace(old, new)), steps) for s in given)

    inputs = {n: t.replace(old, new) for n, t in program.inputs.items()}
    variables = {n: t.replace(old, new) for n, t in program.variables.items()}
    return replace(program, inputs=inputs, variables=variables, steps=steps(program.steps))


def _fixed(program: Program) -> Iterator[Program]:
    """With names in order, which is easier to read."""
    old = [*program.inputs]
    new = [f"x{k}" for k in range(len(old))]
    if old == new:
        return
    steps = program.steps
    for name in old:
        steps = tuple(renamed(s, name, f"x9999{name[1:]}") for s in steps)
    for name, fresh in zip(old, new, strict=True):
        steps = tuple(renamed(s, f"x9999{name[1:]}", fresh) for s in steps)
    yield replace(program, steps=steps, inputs=dict(zip(new, program.inputs.values(), strict=True)))
