"""Programs as data: drawing, text, what is read and dead."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf
from fuzz import draw_program, script
from fuzz.instance import Instance
from fuzz.modes import eagerly
from fuzz.noise import noise
from fuzz.program import Block, Program, Step, renamed, without_dead
from fuzz.text import widened

X = {"x0": "tf.constant([1.0, 2.0], tf.float32)"}


def program(*steps, outputs, inputs=X, variables=None):
    return Program(0, inputs, variables or {}, steps, outputs)


class TestDrawing:
    def test_same_seed_same_program(self):
        assert [draw_program(k) for k in range(8)] == [draw_program(k) for k in range(8)]
        assert len({script(draw_program(k)) for k in range(8)}) == 8

    def test_same_in_every_process(self):
        """Neither the order of imports nor hashes decide."""
        code = "from fuzz import draw_program, script; print(script(draw_program(5)))"
        told = [
            subprocess.run(
                [sys.executable, "-c", f"import fuzz.{module}\n{code}"],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
            ).stdout
            for module, seed in (("steps.sampled", "1"), ("worker", "2"))
        ]
        assert told[0] == told[1]
        assert "def f(" in told[0]

    @pytest.mark.parametrize("seed", range(20))
    def test_programs_run(self, seed):
        drawn = draw_program(seed)
        with eagerly(), np.errstate(all="ignore"), Instance(drawn) as instance:
            first = instance.called(instance.function)
            again = instance.called(instance.function)
        assert len(first) == len(drawn.outputs) + len(drawn.variables)
        assert all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(first, again, strict=True))

    def test_kinds_of_programs(self):
        """Within some programs there are control flow, tapes, variables, random numbers, views and several dtypes."""
        drawn = [draw_program(seed) for seed in range(120)]
        forms = {step.form for one in drawn for step in one.every_step()}
        text = "\n".join(map(script, drawn))
        assert forms == {"call", "if", "for", "while", "tape", "forward"}
        for word in ("cond(", "while_loop(", "scan(", "map_fn(", "tf.function(", ".assign", "stateless_", "bfloat16", "float16",
                     "complex", "int8", "tf.transpose(tf.constant", "::2]", "broadcast_to(tf.constant", "(0,"):  # fmt: skip
            assert word in text, word


class TestText:
    def test_script_runs_by_itself(self):
        names = {}
        exec(script(program(Step("tf.square(x0)", ("v0",)), outputs=("v0",))), names)
        assert names["f"](names["x0"])[0].numpy().tolist() == [1.0, 4.0]

    def test_widened(self):
        assert widened("tf.cast(x0, tf.bfloat16) + tf.complex64") == "tf.cast(x0, tf.float64) + tf.complex128"

    def test_noise_on_every_part(self):
        step = Step("tf.cast(tf.reduce_sum(tf.tanh(x0) * 2.0), tf.float64)", ("v0",))
        text = script(program(step, outputs=("v0",)), noisy=True)
        assert "noise(tf.reduce_sum(noise(noise(tf.tanh(x0)) * 2.0)))" in text

    def test_derivatives_read_what_noise_has_moved(self):
        x = tf.constant([9.0, 9.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = noise(0)(tf.tanh(x))
        assert tape.gradient(y, x).numpy().tolist() == (1.0 - y.numpy() ** 2).tolist()

    @pytest.mark.parametrize(
        ("form", "text", "params", "want"),
        [
            ("if", "tf.reduce_sum(x0) > 0.0", (), [2.0, 4.0]),
            ("for", "tf.range(2) | x0", ("p0", "p1"), [2.0, 4.0]),
            ("tape", "x0 | gradient", (), [2.0, 2.0]),
            ("forward", "x0 | x0", (), [2.0, 4.0]),
        ],
    )
    def test_statements(self, form, text, params, want):
        double = Block(params, (Step("x0 * 2.0", ("v0",)),), ("v0",))
        blocks = (double, Block((), (), ("x0",))) if form == "if" else (double,)
        one = program(Step(text, ("v1",), blocks, form), outputs=("v1",))
        with Instance(one) as instance:
            assert instance.called(instance.function)[0].tolist() == want
            assert instance.called(tf.function(instance.function))[0].tolist() == want


class TestNames:
    def test_what_is_read(self):
        inner = Block(("p0",), (Step("p0 + v1", ("v2",)),), ("v2",))
        assert Step("tf.map_fn({0}, x0)", ("v3",), (inner,)).reads == {"x0", "v1"}

    def test_renaming_stops_at_parameters(self):
        inner = Block(("p0",), (Step("p0 + x1", ("v2",)),), ("v2",))
        step = Step("tf.map_fn({0}, x1)", ("v3",), (inner,))
        assert renamed(step, "x1", "v9").reads == {"v9"}
        assert renamed(step, "p0", "v9") == step

    def test_dead_steps_go_and_effects_stay(self):
        steps = [Step("x0 + 1.0", ("v0",)), Step("x0 + 2.0", ("v1",)), Step("w0.assign(v1)", ()), Step("x1", ("v2",))]
        whole = program(*steps, outputs=("v0",), inputs=X | {"x1": X["x0"]}, variables={"w0": X["x0"]})
        kept = without_dead(whole)
        assert [s.results for s in kept.steps] == [("v0",), ("v1",), ()]
        assert list(kept.inputs) == ["x0"]
