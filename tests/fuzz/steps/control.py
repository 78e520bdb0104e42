"""Control flow: as functions, and as Python's own over tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradtape as tf
from fuzz import draws
from fuzz.builder import Builder, Reject
from fuzz.program import Block
from fuzz.steps import kind_of_step

_DEEPEST = 2


def filled(b: Builder, examples: Sequence[Any], like: Sequence[str], effects: bool = False) -> Block:
    """A block of a few steps on examples. Its results have the specs of the values `like`, and their magnitude."""
    if b.depth >= _DEEPEST:
        raise Reject
    with b.block(examples) as params:
        draws.some_steps(b, b.draw.randrange(1, 4))
        results = [_formed(b, name) for name in like]
    return b.closed(params, results)


def free(b: Builder, examples: Sequence[Any]) -> Block:
    """A block with one result, of any spec."""
    if b.depth >= _DEEPEST:
        raise Reject
    with b.block(examples) as params:
        draws.some_steps(b, b.draw.randrange(1, 5))
        made = [n for n in b.visible if n[0] == "v" and n in b.names and b.kind(n) == "f"]
        x = b.draw.choice(params)
        if not made:
            raise Reject
        (result,) = (
            b.add(f"tf.tanh({x}) * tf.cast(tf.reduce_mean({made[-1]}), {x}.dtype)")
            if _empty(b, made[-1])
            else (made[-1],)
        )
        if not _depends(b, result, set(params)):
            (result,) = b.add(f"{x} * tf.cast(tf.reduce_sum(tf.tanh({result})), {x}.dtype)")
    return b.closed(params, [result])


def _empty(b: Builder, name: str) -> bool:
    return 0 in b.shape(name)


def _depends(b: Builder, name: str, params: set[str]) -> bool:
    """True if a value of the open block is computed from its parameters."""
    reached = set(params)
    for step in b.steps:
        if reached & step.reads:
            reached |= set(step.results)
    return name in reached


def _formed(b: Builder, like: str) -> str:
    """A value with the spec of another one, computed from the latest of the block."""
    latest = [n for n in b.visible if n[0] in "vp" and b.kind(n) == "f" and not _empty(b, n)]
    if not latest:
        raise Reject
    same = [n for n in latest[-3:] if b.shape(n) == b.shape(like) and b.dtype(n) == b.dtype(like)]
    if same and b.draw.random() < 0.5:
        return same[-1]
    mean = f"tf.reduce_mean(tf.cast({latest[-1]}, {like}.dtype))"
    return b.add(f"tf.tanh({like} + {mean})")[0]


def without_functions(block: Block) -> Block:
    """A block of a statement, which may not define functions: what those read, AutoGraph takes for read later."""
    if any(step.blocks and step.form == "call" for step in block.steps):
        raise Reject
    return block


def _pick(b: Builder, least: int = 0) -> str:
    return b.pick("f", least=least, most=3, empty=False, suits=lambda n: n[0] != "w")


def _condition(b: Builder, x: str) -> str:
    return b.draw.choice(
        (f"tf.reduce_mean({x}) > 0.05", f"tf.reduce_sum(tf.sin({x})) <= 0.3", f"tf.reduce_max({x}) > 1.0")
    )


@kind_of_step(2)
def cond(b: Builder) -> None:
    x = _pick(b)
    yes, no = filled(b, (), [x]), filled(b, (), [x])
    b.add(f"tf.cond({_condition(b, x)}, {{0}}, {{1}})", (yes, no), smooth=False)


@kind_of_step(2)
def python_if(b: Builder) -> None:
    x = _pick(b)
    yes, no = filled(b, (), [x]), filled(b, (), [x])
    b.add(_condition(b, x), (without_functions(yes), without_functions(no)), "if", smooth=False)


@kind_of_step(0.7)
def switch(b: Builder) -> None:
    x = _pick(b)
    blocks = [filled(b, (), [x]) for _ in range(3)]
    index = f"tf.cast(tf.clip_by_value(tf.reduce_sum({x}), 0.0, 2.0), tf.int32)"
    b.add(f"tf.switch_case({index}, [{{0}}, {{1}}, {{2}}])", blocks, smooth=False)


@kind_of_step(1.5)
def while_loop(b: Builder) -> None:
    x = _pick(b)
    if b.depth >= _DEEPEST:
        raise Reject
    with b.block([tf.constant(0), b.values[x]]) as params:
        (limit,) = b.add(f"{params[0]} < {b.draw.randrange(5)}")
    condition = b.closed(params, [limit])
    with b.block([tf.constant(0), b.values[x]]) as params:
        draws.some_steps(b, b.draw.randrange(1, 4))
        result = _formed(b, params[1])
        (count,) = b.add(f"{params[0]} + 1")
    body = b.closed(params, [count, result])
    b.add(f"tf.while_loop({{0}}, {{1}}, [tf.constant(0), {x}])", (condition, body), count=2)


@kind_of_step(1.5)
def python_for(b: Builder) -> None:
    x = _pick(b)
    if b.depth >= _DEEPEST:
        raise Reject
    rows = b.draw.random() < 0.4 and b.rank(x) >= 1 and b.shape(x)[0] <= 8
    first = b.values[x][0] if rows else tf.constant(0)
    over = x if rows else f"tf.range({b.draw.randrange(1, 5)})"
    start = _pick(b)
    with b.block([first, b.values[start]]) as params:
        draws.some_steps(b, b.draw.randrange(1, 4))
        result = _formed(b, params[1])
    b.add(f"{over} | {start}", (without_functions(b.closed(params, [result])),), "for")


@kind_of_step(1)
def python_while(b: Builder) -> None:
    x = _pick(b)
    if b.depth >= _DEEPEST:
        raise Reject
    with b.block([tf.constant(0), b.values[x]]) as params:
        draws.some_steps(b, b.draw.randrange(1, 4))
        result = _formed(b, params[1])
        (count,) = b.add(f"{params[0]} + 1")
    limit = b.draw.randrange(1, 5)
    condition = f"{params[0]} < {limit}"
    if b.draw.random() < 0.3:
        condition += f" and tf.reduce_max({params[1]}) < 30.0"
    body = without_functions(b.closed(params, [count, result]))
    b.add(f"{condition} | tf.constant(0), {x}", (body,), "while", count=2, smooth=False)


@kind_of_step(2)
def over_rows(b: Builder) -> None:
    x = b.pick("f", least=1, most=3, empty=False, suits=lambda n: b.shape(n)[0] <= 17 and n[0] != "w")
    name = b.draw.choice(("map_fn", "vectorized_map", "map_fn"))
    body = free(b, [b.values[x][0]])
    b.add(f"tf.{name}({{0}}, {x})", (body,))


@kind_of_step(1.5)
def scans(b: Builder) -> None:
    x = b.pick("f", least=1, most=3, empty=False, suits=lambda n: b.shape(n)[0] <= 9 and n[0] != "w")
    name = b.draw.choice(("scan", "scan", "foldl", "foldr"))
    start = _pick(b)
    if b.depth >= _DEEPEST:
        raise Reject
    with b.block([b.values[start], b.values[x][0]]) as params:
        draws.some_steps(b, b.draw.randrange(1, 4))
        result = _formed(b, params[0])
    b.add(f"tf.{name}({{0}}, {x}, initializer={start})", (b.closed(params, [result]),))
