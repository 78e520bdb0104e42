"""Ops of the registry on the inputs of their samples, which know what an op needs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step
from gradtape.core import dtypes, errors
from gradtape.core.op import REGISTRY
from gradtape.testing.sample import SAMPLES, Sample

_MOST = 40  # elements of an input that is written out


@functools.cache
def _by_op() -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for sample in SAMPLES:
        if all(np.size(x) <= _MOST and np.asarray(x).dtype.kind in "fciub" for x in sample.inputs):
            found.setdefault(sample.op.name, []).append(sample)
    return found


@kind_of_step(7)
def op_of_registry(b: Builder) -> None:
    if not SAMPLES:
        raise Reject
    sample = b.draw.choice(_by_op()[b.draw.choice(list(_by_op()))])
    if sample.op.name not in REGISTRY or REGISTRY[sample.op.name] is not sample.op:
        raise Reject
    dtype = b.draw.choice(sample.dtypes)
    operands = [_operand(b, x, dtype) for x in sample.inputs]
    params = "".join(f", {name}={_literal(b, value)}" for name, value in sample.params.items())
    b.import_line("from gradtape.core.op import REGISTRY")
    b.import_line(f"import {type(sample.op).__module__}")
    try:
        result = sample.op(*[b.values[n] for n in operands], **sample.params)
    except (errors.OpError, ValueError, TypeError):  # for instance where a float must be a whole number
        raise Reject from None
    count = len(result) if isinstance(result, (tuple, list)) else 1
    text = f'REGISTRY["{sample.op.name}"]({", ".join(operands)}{params})'
    smooth = sample.smooth and sample.op.differentiable and not sample.op.constants
    b.add(text if not isinstance(result, (tuple, list)) or count > 1 else f"{text}[0]", count=count, smooth=smooth)


def _operand(b: Builder, x: Any, dtype: str) -> str:
    """An input of a sample, cast as the sample says; floats depend a little on the program."""
    array = np.asarray(x)
    of_kind = {"f": "f", "V": "f", "c": "c", "i": "i", "u": "i"}
    own = dtypes.as_dtype(dtype)
    if of_kind.get(array.dtype.kind) == of_kind.get(own.kind):
        array = array.astype(own.numpy)
    name = b.given(f"tf.constant({literal(array)}, tf.{dtypes.from_numpy(array.dtype).name})")
    if array.dtype.kind not in "fV" or b.draw.random() < 0.4:
        return name
    other = [n for n in b.visible if b.kind(n) == "f" and n != name and 0 not in b.shape(n)]
    if not other:
        return name
    return b.add(f"{name} + 0.001 * tf.tanh(tf.reduce_mean(tf.cast({b.draw.choice(other)}, {name}.dtype)))")[0]


def literal(array: Any) -> str:
    """The text of an array: nested lists, or zeros of a shape if it is empty."""
    if not np.size(array):
        return f"np.zeros({np.shape(array)})"
    wide = array.astype(np.float64) if dtypes.from_numpy(array.dtype).is_floating else array
    with np.printoptions(precision=17):
        return str(wide.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")


def _literal(b: Builder, value: Any) -> str:
    """The text of an op's parameter; classes that it needs are imported."""
    if isinstance(value, dtypes.DType):
        return f"tf.{value.name}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        b.import_line(f"from {type(value).__module__} import {type(value).__name__}")
        inside = [f"{name}={_literal(b, part)}" for name, part in zip(value._fields, value, strict=True)]
        return f"{type(value).__name__}({', '.join(inside)})"
    if isinstance(value, (tuple, list)):
        return f"({''.join(_literal(b, part) + ', ' for part in value)})"
    if isinstance(value, (bool, int, float, complex, str, type(None), slice, type(...))):
        return "..." if value is ... else repr(value).replace("inf", "np.inf")
    if isinstance(value, np.generic):
        return repr(value.item())
    raise Reject
