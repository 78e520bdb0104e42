"""Tapes, forward accumulators and functions inside the program."""

from __future__ import annotations

from dataclasses import replace

from fuzz.builder import Builder, Reject
from fuzz.program import Block, renamed_block
from fuzz.steps import kind_of_step
from fuzz.steps.control import filled, free


def _pick(b: Builder) -> str:
    return b.pick("f", most=3, empty=False, suits=lambda n: n[0] != "w")


@kind_of_step(2.5)
def tape(b: Builder) -> None:
    (x,) = b.add(f"tf.identity({_pick(b)})")
    body = free(b, [b.values[x]])
    b.add(f"{x} | gradient", (_reading(body, x),), "tape")


def _reading(block: Block, x: str) -> Block:
    """A block of one parameter as a part of the code around it: it reads a value in place of the parameter."""
    (param,) = block.params
    return renamed_block(replace(block, params=()), param, x)


@kind_of_step(0.7)
def jacobian(b: Builder) -> None:
    source = b.pick("f", most=2, empty=False, suits=lambda n: b.values[n].shape.num_elements() <= 24)
    (x,) = b.add(f"tf.identity({source})")
    body = free(b, [b.values[x]])
    if b.values[body.results[0]].shape.num_elements() > 40:
        raise Reject
    b.add(f"{x} | jacobian", (_reading(body, x),), "tape")


@kind_of_step(1)
def forward(b: Builder) -> None:
    (x,) = b.add(f"tf.identity({_pick(b)})")
    body = free(b, [b.values[x]])
    b.add(f"{x} | {b.partner(x, exact=True)} + 0.0", (_reading(body, x),), "forward")


@kind_of_step(2.5)
def function(b: Builder) -> None:
    x = _pick(b)
    y = b.partner(x)
    body = free(b, [b.values[x], b.values[y]])
    b.add(f"tf.function({{0}})({x}, {y})", (body,))


@kind_of_step(1)
def recomputed(b: Builder) -> None:
    x = _pick(b)
    body = free(b, [b.values[x]])
    b.add(f"tf.recompute_grad({{0}})({x})", (body,))


@kind_of_step(0.5)
def checked_spec(b: Builder) -> None:
    x = _pick(b)
    body = filled(b, [b.values[x]], [x])
    b.add(f"tf.ensure_shape({{0}}({x}), {list(b.shape(x))})", (body,))
