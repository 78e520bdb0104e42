"""Promotion in the modes "all" and "safe": laws that hold for all pairs, and what is refused."""

import itertools
import subprocess
import sys

import pytest

import gradtape as tf
from gradtape.experimental.numpy import _lattice as lattice

DTYPES = [
    tf.bool, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bfloat16, tf.float16,
    tf.float32, tf.float64, tf.complex64, tf.complex128,
]  # fmt: skip
OPERANDS = [*(lattice.operand(d) for d in DTYPES), *(lattice.operand(n) for n in (1, 1.5, 1j))]


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(OPERANDS, 2)))
def test_the_order_does_not_matter(a, b):
    for safe in (False, True):
        outcomes = []
        for pair in ([a, b], [b, a]):
            try:
                outcomes.append(lattice.promote(pair, safe).dtype)
            except TypeError:
                outcomes.append(None)
        assert outcomes[0] is outcomes[1]
    assert lattice.promote([a, a], True) == a


def test_python_numbers_are_weak():
    half = lattice.operand(tf.float16)
    assert lattice.promote([half, lattice.operand(2.5)], True).dtype is tf.float16
    assert lattice.promote([lattice.operand(tf.uint8), lattice.operand(2)], True).dtype is tf.uint8
    with pytest.raises(TypeError, match="safe"):
        lattice.promote([lattice.operand(tf.int32), lattice.operand(2.5)], True)


@pytest.mark.parametrize(("mode", "outcome"), [("all", "float32"), ("safe", "refused"), ("legacy", "float64")])
def test_operators_follow_the_mode(mode, outcome):
    program = f"""
import gradtape as tf
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode={mode!r})
try:
    print((tf.ones([2], tf.int32) + tf.ones([2], tf.float32)).dtype.name)
except TypeError:
    print("refused")
"""
    found = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert found.strip() == outcome
