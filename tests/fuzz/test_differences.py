"""The checks find what is wrong, and say nothing of what only rounds otherwise; the shrinker leaves what matters."""

import signal
import time

import numpy as np
import pytest

from fuzz import agreement, checks, differences, draw_program, modes, script
from fuzz.checks import CHECKS
from fuzz.program import Block, Program, Step
from fuzz.report import printed
from fuzz.shrink import shrunk
from gradtape.compiler import backend
from gradtape.core.op import REGISTRY

INPUTS = {
    "x0": "tf.constant(np.random.default_rng(1).uniform(-2.0, 2.0, (4, 3)), tf.float32)",
    "x1": "tf.transpose(tf.constant(np.random.default_rng(2).uniform(-2.0, 2.0, (3, 4)), tf.float32))",
}
STEPS = (
    Step("x0 * x1 + 1.0", ("v0",)),
    Step("tf.nn.softmax(v0, axis=1)", ("v1",)),
    Step("tf.sinh(tf.tanh(v1 + x1))", ("v2",)),
    Step("tf.reduce_sum(v2 * v2, axis=0)", ("v3",)),
    Step("tf.concat([v1, x0], axis=0)", ("v4",)),
)
PROGRAM = Program(0, INPUTS, {"w0": INPUTS["x0"]}, STEPS, ("v0", "v3", "v4"))


@pytest.fixture
def wrong(request, monkeypatch, new_kernels):
    """An op with a rule that is wrong."""
    op, rule, change = request.param
    monkeypatch.setattr(type(REGISTRY[op]), rule, change)
    if rule == "vjp":
        monkeypatch.setattr(REGISTRY[op], "pull", lambda dy, residuals, needs, params: [dy])
    return op


def sinh_that_emits_cosh(self, cg, x):
    return cg.cosh(x)


@pytest.mark.parametrize("wrong", [("sinh", "scalar", sinh_that_emits_cosh)], indirect=True)
def test_wrong_code_is_found_and_shrunk(wrong):
    (found,) = differences(PROGRAM, ["traced", "compiled", "forward"])
    assert found.check == "compiled"
    assert "elements differ" in found.text
    small = shrunk(PROGRAM, "compiled", seconds=30)
    assert len(small.steps) == 1
    assert "sinh" in small.steps[0].text
    assert len(small.inputs) == 1
    assert "softmax" not in script(small)


@pytest.mark.parametrize("wrong", [("sinh", "vjp", lambda self, dy: (dy,))], indirect=True)
def test_wrong_derivative_is_found(wrong):
    found = {one.check for one in differences(PROGRAM, ["compiled", "central_differences"])}
    assert found == {"central_differences"}
    small = shrunk(PROGRAM, "central_differences", seconds=20)
    assert len(small.steps) == 1
    assert "sinh" in small.steps[0].text


def test_failure_is_found(monkeypatch):
    def fails(graph):
        raise RuntimeError("no code today")

    monkeypatch.setattr(backend, "prepare", fails)
    (found,) = differences(PROGRAM, ["compiled"])
    assert "RuntimeError: no code today" in found.text


def test_right_program_passes_every_check():
    assert not list(differences(PROGRAM, CHECKS))


def test_report_is_python(capsys):
    """What is printed runs, and prints the results."""
    small = Program(3, {"x0": INPUTS["x0"]}, {}, (Step("tf.sinh(x0)", ("v0",)),), ("v0",))
    for check in CHECKS:
        (one,) = [type("Found", (), {"check": check, "text": "told\nin lines"})]
        exec(compile(printed(small, one), "<report>", "exec"), {"__name__": "report"})
        assert "tf.Tensor" in capsys.readouterr().out


class TestAgreement:
    WANT = [np.array([1.0, -2.0, np.inf], np.float32), np.array([1, 2, 3])]

    def off(self, k, i, by):
        got = [x.copy() for x in self.WANT]
        got[k][i] += by
        return got

    def test_rounding_is_allowed(self):
        assert not agreement.mismatch(self.off(0, 0, 3e-7), self.WANT, [])
        assert "1 of 3" in agreement.mismatch(self.off(0, 0, 1e-3), self.WANT, [])

    def test_noise_widens_what_is_allowed(self):
        assert not agreement.mismatch(self.off(0, 0, 1e-3), self.WANT, [self.off(0, 1, 1e-4)])

    def test_whole_numbers_are_exact_where_noise_leaves_them(self):
        assert agreement.mismatch(self.off(1, 0, 1), self.WANT, [self.off(1, 1, 1)])
        assert not agreement.mismatch(self.off(1, 0, 1), self.WANT, [self.off(1, 0, 5)])

    def test_infinity_and_form(self):
        assert agreement.mismatch([np.array([1.0, -2.0, 5.0], np.float32), self.WANT[1]], self.WANT, [])
        assert "dtype" in agreement.mismatch([x.astype(np.float64) for x in self.WANT], self.WANT, [])
        assert "shape" in agreement.mismatch([x[:2] for x in self.WANT], self.WANT, [])

    def test_point_without_a_derivative(self):
        """Elements that lose half of their digits to noise need not be finite; others must be."""
        want, moved = [np.array([0.7, 0.0])], [np.array([0.3, 1e-12])]
        assert not agreement.mismatch([np.array([np.nan, 0.0])], want, [moved])
        assert agreement.mismatch([np.array([0.7, np.nan])], want, [moved])
        assert agreement.mismatch([np.array([9.0, 0.0])], want, [moved])

    def test_bits(self):
        assert agreement.different_bits(self.off(0, 0, 3e-7), self.WANT)
        assert not agreement.different_bits(self.WANT, [x.copy() for x in self.WANT])


def test_nan_counts_as_itself():
    nan = [np.array([np.nan, 1.0])]
    assert not agreement.mismatch(nan, nan, [])
    assert not agreement.different_bits(nan, nan)
    assert agreement.mismatch([np.array([0.0, 1.0])], nan, [nan])


def test_noise_stays_within_what_an_op_takes():
    """A probability of one may not be moved beyond it."""
    draw = "tf.random.stateless_binomial([3], seed=[1, 2], counts=5.0, probs=tf.sigmoid(x0))"
    steps = (Step(draw, ("v0",)), Step("x0 * tf.cast(v0, tf.float32)", ("v1",)))
    at_the_edge = Program(0, {"x0": "tf.constant([30.0, 40.0, 50.0])"}, {}, steps, ("v0", "v1"))
    assert not list(differences(at_the_edge, ["compiled", "forward"]))
    assert len(checks.Case(at_the_edge).twice_moved) == 3


def test_drawn_program_agrees():
    assert not list(differences(draw_program(1)))


def test_loop_without_an_end_is_left(monkeypatch):
    """The shrinker makes some, of loops that count."""
    monkeypatch.setattr(checks, "_SECONDS", 0.2)
    body = Block(("p0",), (Step("p0 * 1.0", ("v1",)),), ("v1",))
    endless = Program(0, {"x0": "tf.constant(1.0)"}, {}, (Step("p0 < 2.0 | x0", ("v0",), (body,), "while"),), ("v0",))
    assert not list(differences(endless))


def run_for_ever():
    while True:
        pass


def test_limits_nest():
    """What is left of the outer one goes on after the inner one."""
    with modes.limited(30.0):
        with pytest.raises(modes.TooSlow), modes.limited(0.05):
            run_for_ever()
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        assert 20.0 < left < 31.0
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_check_has_the_time_that_noisy_runs_take(monkeypatch):
    """They run in plain Python, of which some programs take much."""

    def slow(seed, **options):
        def moved(x):
            end = time.process_time() + 0.1
            while time.process_time() < end:
                pass
            return x

        return moved

    monkeypatch.setattr(checks, "noise", slow)
    case = checks.Case(Program(0, {"x0": "tf.constant(1.0)"}, {}, (Step("tf.sin(x0)", ("v0",)),), ("v0",)))
    assert case.twice
    with modes.limited(0.25):
        assert len(case.twice_moved) == 3


def test_what_float16_cannot_hold_may_be_held_in_between():
    """A kernel computes in float32: 1000 squared is no infinity in it. What a double cannot hold either is compared."""
    step = Step("tf.math.atan2(x0, tf.square(x0))", ("v0",))
    program = Program(0, {"x0": "tf.constant([1.5, 1000.0], tf.float16)"}, {}, (step,), ("v0",))
    assert not list(differences(program, ["compiled", "gradient_inside"]))
    case = checks.Case(Program(0, {"x0": "tf.constant([0.0, 1000.0], tf.float16)"}, {}, (step,), ("v0",)), checks.SURE)
    assert [np.isfinite(g).tolist() for g in case.gradient] == [[False, False]]
    assert np.isfinite(case.gradient_moved[-1][0]).tolist() == [False, True]


def test_what_a_short_dtype_rounds_away_may_be_held_in_between():
    """In bfloat16 tanh(5) is one and has no slope; the derivative of what comes before is large."""
    steps = (Step("tf.math.erfcinv(x0)", ("v0",)), Step("tf.tanh(tf.reduce_mean(tf.cast(v0, tf.bfloat16)))", ("v1",)))
    program = Program(0, {"x0": "tf.constant([2e-30, 2e-05, 0.06], tf.float64)"}, {}, steps, ("v1",))
    assert not list(differences(program, ["compiled", "gradient_inside"]))
