"""Another library with TensorFlow's names, for which gradtape itself stands here."""

import numpy as np
import pytest
import scipy.special

import gradtape as tf
from fuzz.borrowed_names import borrowed
from fuzz.checks import Case
from fuzz.program import Block, Program, Step
from fuzz.reference import Reference

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
    own = (Step('REGISTRY["sinh"](x0)', ("v0",)), Step("tf.no_such_function(v0)", ("v1",)))
    lacking = Program(0, {"x0": X}, {}, own[:1], ("v0",), ("from gradtape.core.op import REGISTRY",))
    assert reference(Case(draws)) == reference(Case(lacking)) == ""
    assert reference.compared == before


def test_the_rest_is_compared(reference, monkeypatch):
    """Steps that the library lacks give way to inputs."""
    monkeypatch.setattr(tf, "here_only", tf.tanh, raising=False)
    steps = (Step("tf.here_only(x0)", ("v0",)), Step("tf.square(v0)", ("v1",)), Step("tf.here_only(v1)", ("v2",)))
    before = reference.compared
    assert reference(Case(Program(0, {"x0": X}, {}, steps, ("v1", "v2")))) == ""
    assert reference.compared == before + 1
    assert "here_only" in reference.lacks
    monkeypatch.setattr(tf, "square", tf.tanh)
    assert "elements differ" in reference(Case(Program(0, {"x0": X}, {}, steps, ("v1", "v2"))))


class TestBorrowedNames:
    """TensorFlow's names on NumPy, which stands for JAX here."""

    DTYPES = {name: getattr(np, name) for name in ("float32", "float64", "int32", "complex64")}
    NAMES = borrowed(np, scipy.special, DTYPES)

    @pytest.mark.parametrize(
        "text",
        [
            "tf.reduce_sum(x, axis=[0, -1])", "tf.math.reduce_variance(x, axis=1, keepdims=True)", "tf.nn.softmax(x, axis=0)",
            "tf.math.reduce_logsumexp(x)", "tf.math.cumsum(x, axis=1, reverse=True)", "tf.nn.gelu(x)", "tf.nn.elu(x)",
            "tf.nn.gelu(x, approximate=True)", "tf.matmul(x, x, transpose_b=True)", "tf.linalg.matvec(x, x[0])",
            "tf.gather(x, [2, 0], axis=1)", "tf.split(x, [1, 2], axis=1)[1]", "tf.pad(x, [[1, 0], [0, 2]], mode='SYMMETRIC')",
            "tf.sort(x, axis=0, direction='DESCENDING')", "tf.cast(tf.complex(x, x), tf.float32)", "tf.unstack(x, axis=1)[1]",
            "tf.nn.batch_normalization(x, x[0], x[0] ** 2, x[1], None, 0.01)", "tf.argmax(x, axis=0, output_type=tf.int32)",
            "tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(x), logits=x)", "tf.nn.softplus(x)",
            "tf.math.log_sigmoid(x)", "tf.reverse(x, [1])", "tf.einsum('ab,cb->ac', x, x)", "tf.clip_by_value(x, -0.5, 0.5)",
            "tf.constant(3)", "tf.constant([0.5, 2.0])",
        ],
    )  # fmt: skip
    def test_they_mean_the_same(self, text):
        x = np.array([[1.0, -2.0, 0.25], [0.5, 0.75, -1.5]], np.float32)
        got = eval(text, {"tf": self.NAMES, "x": self.NAMES.constant(x, np.float32)})
        want = eval(text, {"tf": tf, "x": tf.constant(x)}).numpy()
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        assert got.dtype == want.dtype
