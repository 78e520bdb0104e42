"""A check that machine code can be compiled safely: a fault in LLVM, or in code that it emits, would end the user's process.

On kinds of machines on which the compiler's tests have run it is known. On others a child tries first: it compiles and runs a function. If
the child ends badly, NumPy's kernels run.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

KNOWN = {("linux", "x86_64"), ("linux", "aarch64")}
_PATIENCE = 120.0  # seconds
_MARK = "GRADTAPE_PROBES"  # is set in the child, which must not ask another one
_PROGRAM = """
import gradtape as tf
x = tf.reshape(tf.range(12.0), [3, 4])
f = tf.function(lambda x: (tf.reduce_sum(tf.tanh(x) @ tf.transpose(x), 1), tf.exp(x - tf.reduce_max(x, 1, keepdims=True))))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
compiled = [*y, tape.gradient(y, x)]
tf.config.run_functions_eagerly(True)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(x)
for a, b in zip(compiled, [*y, tape.gradient(y, x)]):
    tf.debugging.assert_near(a, b, 1e-4, 1e-4)
"""


def is_safe() -> bool:
    """True if the compiler is known to work on such machines, or works in a child."""
    if (sys.platform, platform.machine().lower()) in KNOWN or _MARK in os.environ:
        return True
    return _works_in_child(_PROGRAM)


def _works_in_child(program: str) -> bool:
    if getattr(sys, "frozen", False) or not os.path.basename(sys.executable or "").lower().startswith("python"):
        return False  # nobody knows how to start Python
    environment = os.environ | {_MARK: "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
