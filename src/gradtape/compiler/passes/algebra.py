"""Algebraic rules. All preserve every bit, including the signs of zeros, unless a rule says otherwise; the sign of a NaN does not count.

Sums and products of floating point numbers are not regrouped.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.compiler.graph import Node, Value
from gradtape.compiler.passes.rewriting import Rewriter
from gradtape.core.dtypes import DType
from gradtape.core.shape import Spec, broadcast


def same(graph: Rewriter, node: Node) -> Value | None:
    """identity(x), stop_gradient(x) = x: derivatives were taken before."""
    return node.inputs[0]


def first(graph: Rewriter, node: Node) -> Value | None:
    """connected(x, source) = x: derivatives were taken before. of_shape(x, like) = x: sizes that are known were compared."""
    return graph.fit(node.inputs[0], node.outputs[0].spec)


def unit_factor(graph: Rewriter, node: Node) -> Value | None:
    """x * 1 = x. Not for complex numbers, where inf * 1 has a NaN in it."""
    a, b = node.inputs
    spec = node.outputs[0].spec
    if spec.dtype.is_complex:
        return None
    for x, other in ((a, b), (b, a)):
        if graph.number(other) == 1:
            return graph.fit(x, spec)
    return None


def zero_factor(graph: Rewriter, node: Node) -> Value | None:
    """x * 0 = 0 for integers; a float may be inf, NaN or negative."""
    spec = node.outputs[0].spec
    if spec.dtype.is_integer and any(graph.number(v) == 0 for v in node.inputs):
        return graph.full(spec, 0)
    return None


def zero_summand(graph: Rewriter, node: Node) -> Value | None:
    """x + 0 = x, if x cannot be -0, or the zero is negative: -0 + 0 is 0."""
    a, b = node.inputs
    for x, other in ((a, b), (b, a)):
        n = graph.number(other)
        if n is not None and n == 0 and (_has_one_zero(x) or np.signbit(n)):
            return graph.fit(x, node.outputs[0].spec)
    return None


# Their results are never -0.
_POSITIVE = {"abs", "exp", "square", "sigmoid", "softmax", "softplus", "cosh"}


def _has_one_zero(x: Value) -> bool:
    return x.spec.dtype.is_integer or (
        x.node is not None and x.node.op.name in _POSITIVE and not x.spec.dtype.is_complex
    )


def zero_subtrahend(graph: Rewriter, node: Node) -> Value | None:
    """x - 0 = x."""
    x, other = node.inputs
    n = graph.number(other)
    if n is not None and n == 0 and (_has_one_zero(x) or not np.signbit(n)):
        return graph.fit(x, node.outputs[0].spec)
    return None


def negative_summand(graph: Rewriter, node: Node) -> Value | None:
    """a + (-b) = a - b, and (-a) + b = b - a."""
    a, b = node.inputs
    if _negated(b) is not None:
        return graph.make("subtract", a, _negated(b))
    return graph.make("subtract", b, _negated(a)) if _negated(a) is not None else None


def negative_subtrahend(graph: Rewriter, node: Node) -> Value | None:
    """a - (-b) = a + b."""
    a, b = node.inputs
    return graph.make("add", a, _negated(b)) if _negated(b) is not None else None


def negative_factors(graph: Rewriter, node: Node) -> Value | None:
    """(-a) * (-b) = a * b, and a quotient alike."""
    a, b = (_negated(v) for v in node.inputs)
    return graph.make(node.op.name, a, b) if a is not None and b is not None else None


def twice_negative(graph: Rewriter, node: Node) -> Value | None:
    """-(-x) = x."""
    x: Value | None = _negated(node.inputs[0])
    return x


def sign_is_lost(graph: Rewriter, node: Node) -> Value | None:
    """square(-x) = square(x), and |-x| = |x|."""
    x = _negated(node.inputs[0])
    return graph.make(node.op.name, x) if x is not None else None


def _negated(value: Value) -> Any:
    """x, if the value is -x."""
    return value.node.inputs[0] if value.node is not None and value.node.op.name == "negative" else None


def not_not(graph: Rewriter, node: Node) -> Value | None:
    """not not x = x."""
    x = node.inputs[0]
    return x.node.inputs[0] if x.node is not None and x.node.op.name == "logical_not" else None


def unit_divisor(graph: Rewriter, node: Node) -> Value | None:
    """x / 1 = x, real."""
    x, other = node.inputs
    spec = node.outputs[0].spec
    return graph.fit(x, spec) if not spec.dtype.is_complex and graph.number(other) == 1 else None


def power_of_two_divisor(graph: Rewriter, node: Node) -> Value | None:
    """x / 2^k = x * 2^-k: both are the rounded quotient, as long as 2^-k is a normal number."""
    x, other = node.inputs
    n = graph.number(other)
    if n is None or n.dtype.char not in "fd" or n == 0 or not np.isfinite(n) or abs(math.frexp(n)[0]) != 0.5:
        return None
    inverse = n.dtype.type(1) / n
    if not np.finfo(n.dtype).tiny <= abs(inverse) <= np.finfo(n.dtype).max:
        return None
    spec = Spec(other.spec.shape, other.spec.dtype)
    return graph.make("multiply", x, graph.full(spec, inverse))


def known_exponent(graph: Rewriter, node: Node) -> Value | None:
    """Powers 0, 1, 2 and -1 of floats. x * x and 1 / x are rounded once, so they are at least as close as `pow`.

    Not 0.5, where a square root differs at -0 and -inf.
    """
    x, other = node.inputs
    spec, n = node.outputs[0].spec, graph.number(other)
    if n is None or not spec.dtype.is_floating or x.spec.dtype is not spec.dtype:
        return None
    if n == 0:
        return graph.full(spec, 1)
    if n == 1:
        return graph.fit(x, spec)
    if n in (2, -1):
        return graph.fit(graph.make("square" if n == 2 else "reciprocal", x), spec)
    return None


def small_power(graph: Rewriter, node: Node) -> Value | None:
    """x to the first or second power."""
    (x,), exponent = node.inputs, node.params["exponent"]
    return x if exponent == 1 else graph.make("square", x) if exponent == 2 else None


def known_condition(graph: Rewriter, node: Node) -> Value | None:
    """where(True, a, b) = a, where(False, a, b) = b, where(c, a, a) = a."""
    condition, a, b = node.inputs
    n = graph.number(condition)
    if n is None and a is not b:
        return None
    return graph.fit(a if a is b or n else b, node.outputs[0].spec)


def known_mask(graph: Rewriter, node: Node) -> Value | None:
    """keep(x, True) = x, keep(x, False) = 0."""
    x, mask = node.inputs
    spec, n = node.outputs[0].spec, graph.number(mask)
    if n is None or spec.dtype.is_complex:
        return None
    return graph.fit(x, spec) if n else graph.full(spec, 0)


def useless_cast(graph: Rewriter, node: Node) -> Value | None:
    """A conversion to the dtype that is there, or that only undoes or repeats one that lost nothing."""
    (x,), dtype = node.inputs, node.params["dtype"]
    if x.spec.dtype is dtype:
        return x
    if x.node is None or x.node.op.name not in ("cast", "cast_to_discrete"):
        return None
    source = x.node.inputs[0]
    first, between = source.spec.dtype, x.spec.dtype
    if not is_lossless(first, between):
        return None
    if first is dtype:
        return source
    if is_lossless(first, dtype) or (first.is_floating and dtype.is_floating):
        return graph.make(node.op.name, source, dtype=dtype)
    return None


_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def is_lossless(source: DType, target: DType) -> bool:
    """True if every number of a dtype is one of another dtype too."""
    if source is target:
        return True
    if source.name not in _KINDS or target.name not in _KINDS:
        return False
    if source.is_bool:
        return True
    if target.is_bool or (source.is_floating and not target.is_floating):
        return False
    if source.is_integer and target.is_floating:
        # The largest is one less than a power of two, the smallest is a power of two; float16 ends before them.
        digits = 8 * source.numpy.itemsize - (source.numpy.kind == "i")
        return digits <= _DIGITS[target.name] and target.name != "float16"
    return bool(np.can_cast(source.numpy, target.numpy, "safe"))


_KINDS = {"bool", *_DIGITS, *[f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]}


def integer_constants(graph: Rewriter, node: Node) -> Value | None:
    """(x + c) + d = x + (c + d) and (x * c) * d = x * (c * d) for integers, which wrap around."""
    name = node.op.name
    if not node.outputs[0].spec.dtype.is_integer:
        return None
    for inner, d in (node.inputs, node.inputs[::-1]):
        if inner.node is None or inner.node.op.name != name or graph.number(d) is None:
            continue
        for x, c in (inner.node.inputs, inner.node.inputs[::-1]):
            if graph.number(c) is not None:
                return graph.fit(graph.make(name, x, graph.make(name, c, d)), node.outputs[0].spec)
    return None


def narrow_operands(graph: Rewriter, node: Node) -> Value | None:
    """Elementwise ops broadcast by themselves: operands need not be spread before, nor computed where they repeat."""
    spec = node.outputs[0].spec
    cores = [_core(graph, v) for v in node.inputs]
    if all(c is v for c, v in zip(cores, node.inputs, strict=True)) or not all(c.spec.is_known for c in cores):
        return None
    shape: Any = ()
    for core in cores:
        shape = broadcast(shape, core.spec.shape)
    return graph.fit(graph.make(node.op.name, *cores, **node.params), spec) if shape is not None else None


def _core(graph: Rewriter, value: Value) -> Value:
    """The value before it was spread over a shape."""
    n = graph.number(value) if value.spec.shape else None
    if n is not None:
        return graph.scalar(n, value.spec)
    if value.node is None:
        return graph.narrow(value)
    return value.node.inputs[0] if value.node.op.name == "broadcast_to" else value


RULES = {
    "identity": (same,),
    "stop_gradient": (same,),
    "connected": (first,),
    "of_shape": (first,),
    "multiply": (unit_factor, zero_factor, negative_factors, integer_constants),
    "add": (zero_summand, negative_summand, integer_constants),
    "subtract": (zero_subtrahend, negative_subtrahend),
    "divide": (unit_divisor, power_of_two_divisor, negative_factors),
    "negative": (twice_negative,),
    "square": (sign_is_lost,),
    "abs": (sign_is_lost,),
    "pow": (known_exponent,),
    "integer_pow": (small_power,),
    "where": (known_condition,),
    "keep": (known_mask,),
    "logical_not": (not_not,),
    "cast": (useless_cast,),
    "cast_to_discrete": (useless_cast,),
    "*": (narrow_operands,),
}
