"""What the first call of a function loads: the back ends that its ops need, and no more."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import sys
import gradtape as tf

w, b, x, y = tf.Variable(tf.ones([8, 4])), tf.Variable(tf.zeros([4])), tf.ones([16, 8]), tf.ones([16, 4])

@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.tanh(x @ w + b) - y))
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * dw)
    b.assign_sub(0.1 * db)
    return loss

files = set()
root = tf.__file__.removesuffix("__init__.py")
sys.setprofile(lambda frame, event, _: files.add(frame.f_code.co_filename))
step(x, y)
sys.setprofile(None)
assert step.explain().traces[0].native, step.explain()
print(len([f for f in files if f.startswith(root)]))
print(*[m for m in sys.modules if m.startswith("gradtape.compiler.")])
"""
# With the modules that are only loaded. A limit against needless loading, not a goal: raise it if a new module has its use here.
MOST_COLD, MOST_WARM = 141, 124


def first_call(folder: str) -> tuple[int, set[str]]:
    """How many files of gradtape a first call passes through, and the compiler's modules that are loaded then."""
    environment = os.environ | {"GRADTAPE_CACHE": folder, "GRADTAPE_DEBUG": ""}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, modules = done.stdout.splitlines()
    return int(count), set(modules.split())


def test_a_first_call_loads_what_it_needs(tmp_path) -> None:
    cold, modules = first_call(str(tmp_path))
    assert cold <= MOST_COLD
    assert not {m for m in modules if "convolution" in m or "window" in m or m.endswith((".segment_check", ".entry"))}
    warm, modules = first_call(str(tmp_path))
    assert warm <= MOST_WARM
    assert "gradtape.compiler.codegen.simd.emitter" not in modules  # the code is on disk
