"""Out of memory is an error that programs catch, and leaves variables and the process as they were."""

import subprocess
import sys
from pathlib import Path

import pytest

import gradtape as tf

SCRIPT = Path(__file__).with_name("exhausting.py")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of address space are Linux's")
def test_every_way_to_run_out_of_memory() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert not done.stdout, done.stdout


def nested(depth: int) -> object:
    value: object = tf.constant(1.0)
    for _ in range(depth):
        value = [value]
    return value


HUGE = [2**31, 2**31, 4]


@pytest.mark.parametrize("make", [tf.zeros, tf.ones, lambda s: tf.fill(s, 1.0), lambda s: tf.broadcast_to(1.0, s)])
def test_impossible_shapes_are_invalid_arguments(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"2\^63"):
        make(HUGE)
    with pytest.raises(tf.errors.InvalidArgumentError, match="64 dimensions"):
        make([1] * 300)


def test_sizes_that_do_not_fit() -> None:
    large = tf.broadcast_to(tf.constant(1, tf.int8), [2**31])
    for function in (tf.size, tf.shape):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"out_type=tf\.int64"):
            function(large)
    assert tf.size(large, tf.int64).numpy() == 2**31


def test_arguments_nested_too_deeply() -> None:
    with pytest.raises(RecursionError, match=r"nested too deeply.*\n  at:  .*test_memory\.py"):
        tf.function(lambda x: 1.0)(nested(900))
