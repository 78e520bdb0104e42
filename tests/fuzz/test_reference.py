"""Another library with TensorFlow's names, for which gradtape itself stands here."""

import pytest

import gradtape as tf
from gradtape.testing.fuzz.checks import Case
from gradtape.testing.fuzz.program import Block, Program, Step
from gradtape.testing.fuzz.reference import Reference

X = "tf.constant([[1.0, -2.0], [0.5, 0.25]], tf.float32)"
DOUBLE = Block((), (Step("x0 * 2.0", ("v1",)),), ("v1",))
STEPS = (
    Step("tf.sinh(x0) @ w0", ("v0",)),
    Step("tf.reduce_sum(x0) > 0.0", ("v2",), (DOUBLE, Block((), (), ("x0",))), "if"),
    Step("w0.assign_add(v2)", ()),
    Step("tf.argmax(v0, axis=1)", ("v3",)),
)
PROGRAM = Program(0, {"x0": X}, {"w0": X}, STEPS, ("v0", "v2", "v3"))


@pytest.fixture(scope="module")
def reference():
    made = Reference("gradtape")
    yield made
    made.close()


def test_same_library_agrees(reference):
    before = reference.compared
    assert reference(Case(PROGRAM)) == ""
    assert reference.compared == before + 1


def test_difference_is_told(reference, monkeypatch):
    monkeypatch.setattr(tf, "sinh", tf.tanh)
    assert "elements differ" in reference(Case(PROGRAM))


def test_what_the_library_lacks_is_left_out(reference):
    before = reference.compared
    draws = Program(0, {}, {}, (Step("tf.random.stateless_normal([2], [1, 2])", ("v0",), random=True),), ("v0",))
    own = Program(0, {"x0": X}, {"w0": X}, STEPS[:1], ("v0",), ("import gradtape.ops.hyperbolic",))
    assert reference(Case(draws)) == reference(Case(own)) == ""
    assert reference.compared == before
