"""A small slice of the benchmarks: they run, compute what NumPy computes, and README.md says what they measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


def run(script: str, *options: str) -> str:
    """The output of a benchmark."""
    command = [sys.executable, str(BENCHMARKS / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def benchmarks_on_path() -> Any:
    sys.path.append(str(BENCHMARKS))  # last, or its keras.py would be taken for Keras
    yield
    sys.path.remove(str(BENCHMARKS))


def expected_training_step(inputs: dict[str, Any]) -> list[Any]:
    """One step of the benchmark's training, in float64 by hand."""
    x, w1, b1, w2, b2 = (inputs[n].astype(np.float64) for n in ("x", "w1", "b1", "w2", "b2"))
    before = x @ w1 + b1
    h = np.maximum(before, 0)
    logits = h @ w2 + b2
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    d_logits = (p - np.eye(10)[inputs["labels"]]) / len(x)
    dh = d_logits @ w2.T * (before > 0)
    gradients = [x.T @ dh, dh.sum(axis=0), h.T @ d_logits, d_logits.sum(axis=0)]
    return [v - 0.01 * g for v, g in zip((w1, b1, w2, b2), gradients, strict=True)]


def expected_elementwise(inputs: dict[str, Any]) -> list[Any]:
    """The gradient of the benchmark's expression, in float64 by hand."""
    x = inputs["x"].astype(np.float64)
    e = np.exp(-x * x)
    return [(1 - np.tanh(np.sin(x) * e) ** 2) * e * (np.cos(x) - 2 * x * np.sin(x))]


def expected_jacobian(inputs: dict[str, Any]) -> list[Any]:
    """The Jacobian of the benchmark's network, in float64 by hand."""
    x, w1, b1, w2 = (inputs[n].astype(np.float64) for n in ("x", "w1", "b1", "w2"))
    slope = 1 - np.tanh(x @ w1 + b1)[0] ** 2
    return [(w1 * slope @ w2).T[None, :, None, :]]


EXPECTED = {
    "square": lambda inputs: [6.0],
    "multiplies": lambda inputs: [101 * inputs["w"].astype(np.float64) ** 100],
    "training_step": expected_training_step,
    "elementwise": expected_elementwise,
    "jacobian": expected_jacobian,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_work_computes_what_numpy_computes(name: str, benchmarks_on_path: None) -> None:
    import works
    from systems import ours

    inputs = getattr(works, name)(0.001)
    found = [ours.to_numpy(r) for r in getattr(ours, name)(inputs)()]
    for one, other in zip(found, EXPECTED[name](inputs), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-6)


def in_float64(inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs, so that references are more accurate than what they judge."""
    return {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in inputs.items()}


def cross_entropy(logits: Any, labels: Any) -> Any:
    """The mean of the negative logarithms of the probabilities of the labels."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels])


def mlp_loss(x: Any, labels: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """The loss of two dense layers."""
    return cross_entropy(np.maximum(x @ w1 + b1, 0) @ w2 + b2, labels)


def mlp_adam_loss(x: Any, y: Any, **layers: Any) -> Any:
    """The squared error of four dense layers."""
    for k in (1, 2, 3, 4):
        x = x @ layers[f"w{k}"] + layers[f"b{k}"]
        x = np.maximum(x, 0) if k < 4 else x
    return np.mean((x - y) ** 2)


def convnet_loss(x: Any, labels: Any, k1: Any, b1: Any, k2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    """The loss of two convolutions, each tap a product of its own."""
    for kernel, offset in ((k1, b1), (k2, b2)):
        height, width = x.shape[1:3]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [padded[:, i : i + height, j : j + width] @ kernel[i, j] for i in range(3) for j in range(3)]
        x = np.maximum(sum(taps) + offset, 0)
        x = x.reshape(len(x), height // 2, 2, width // 2, 2, -1).max(axis=(2, 4))
    return cross_entropy(x.reshape(len(x), -1) @ w3 + b3, labels)


def lstm_loss(x: Any, labels: Any, w: Any, u: Any, b: Any, w_out: Any, b_out: Any) -> Any:
    """The loss of the last state of a cell."""
    h = c = np.zeros((len(x), len(u)))
    for t in range(x.shape[1]):
        i, f, g, o = np.split(x[:, t] @ w + h @ u + b, 4, axis=1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
    return cross_entropy(h @ w_out + b_out, labels)


def transformer_loss(x: Any, y: Any, **p: Any) -> Any:
    """The squared error of a block, head by head."""
    from scipy.special import erf, softmax

    def normalized(x: Any, k: int) -> Any:
        deviation = x - x.mean(-1, keepdims=True)
        return deviation / np.sqrt((deviation**2).mean(-1, keepdims=True) + 1e-5) * p[f"gain{k}"] + p[f"offset{k}"]

    q, k, v = np.split(normalized(x, 1) @ p["w_qkv"] + p["b_qkv"], 3, axis=-1)
    parts = [slice(i, i + 64) for i in range(0, 256, 64)]
    mixed = [softmax(q[..., s] @ k[..., s].swapaxes(1, 2) / 8, axis=-1) @ v[..., s] for s in parts]
    x = x + np.concatenate(mixed, -1) @ p["w_out"] + p["b_out"]
    h = normalized(x, 2) @ p["w_up"] + p["b_up"]
    x = x + (h * (1 + erf(h / np.sqrt(2))) / 2) @ p["w_down"] + p["b_down"]
    return np.mean((x - y) ** 2)


def pinn_loss(t: Any, x: Any, **layers: Any) -> Any:
    """The mean square of the residual of Burgers' equation, by central differences."""

    def u(t: Any, x: Any) -> Any:
        h = np.concatenate([t, x], axis=1)
        for k in (1, 2, 3, 4):
            h = h @ layers[f"w{k}"] + layers[f"b{k}"]
            h = np.tanh(h) if k < 4 else h
        return h

    e = 1e-4
    u_t, u_x = (u(t + e, x) - u(t - e, x)) / (2 * e), (u(t, x + e) - u(t, x - e)) / (2 * e)
    u_xx = (u(t, x + e) - 2 * u(t, x) + u(t, x - e)) / e**2
    return np.mean((u_t + u(t, x) * u_x - 0.01 / np.pi * u_xx) ** 2)


LOSSES = {
    "mlp": mlp_loss,
    "mlp_adam": mlp_adam_loss,
    "convnet": convnet_loss,
    "lstm": lstm_loss,
    "transformer": transformer_loss,
    "pinn": pinn_loss,
}


@pytest.mark.parametrize("name", LOSSES)
def test_compiled_step_has_the_loss_that_numpy_computes_and_lowers_it(name: str, benchmarks_on_path: None) -> None:
    import compiled_works
    from systems import compiled_ours

    work = next(w for w in compiled_works.WORKS if w.name == name)
    inputs = work.inputs(0.05)
    step = getattr(compiled_ours, name)(inputs)
    first, second = (step()[0].numpy() for _ in range(2))
    np.testing.assert_allclose(first, LOSSES[name](**in_float64(inputs)), rtol=2e-5)
    assert second < first


def test_compiled_derivatives_are_those_of_numpy(benchmarks_on_path: None) -> None:
    import compiled_works
    from systems import compiled_ours

    def of(name: str, inputs: dict[str, Any]) -> Any:
        return getattr(compiled_ours, name)(inputs)()[0].numpy()

    inputs = {w.name: w.inputs(0.001) for w in compiled_works.WORKS}
    np.testing.assert_allclose(of("scalar", inputs["scalar"]), 9 + np.sin(3), rtol=1e-6)
    for name, expected in (("elementwise", expected_elementwise), ("jacobian", expected_jacobian)):
        np.testing.assert_allclose(of(name, inputs[name]), expected(inputs[name])[0], rtol=2e-4, atol=2e-6)
    np.testing.assert_allclose(of("hessian", inputs["hessian"]), fit_hessian(**inputs["hessian"]), rtol=1e-3, atol=1e-5)


def fit_hessian(p: Any, x: Any, y: Any) -> Any:
    """Central differences of the gradient of the benchmark's fit, in float64 by hand."""

    def gradient(p: Any) -> Any:
        bumps = np.tanh(np.outer(x, p[:16]) + p[16:32])
        slope = p[32:48] * (1 - bumps**2)
        by_parameter = np.concatenate([slope * x[:, None], slope, bumps, x[:, None], np.ones((len(x), 1))], axis=1)
        return 2 * by_parameter.T @ (bumps @ p[32:48] + p[48] * x + p[49] - y) / len(x)

    steps = 1e-5 * np.eye(50)
    return np.array([(gradient(p + step) - gradient(p - step)) / 2e-5 for step in steps])


def test_compiled_functions_are_measured_and_written(tmp_path: Path) -> None:
    options = ("--systems", "gradtape", "--rounds", "1", "--seconds", "0.001", "--scale", "0.05")
    run("compiled.py", *options, "--works", "scalar", "--output", str(tmp_path))
    content = json.loads((tmp_path / "compiled.json").read_text())
    assert [row["name"] for row in content["works"]] == ["scalar"]
    assert all(row["systems"]["gradtape"]["best"] > 0 for row in content["works"])
    assert all(work["gradtape"]["seconds"] > 0 for work in content["cold"].values())
    assert {limit["text"].partition(":")[0] for limit in content["limits"]} == {"scalar", "start"}
    assert all(work["gradtape"]["warm"] > 0 for work in content["cold"].values())
    assert "first result" in (tmp_path / "compiled.md").read_text()


def test_models_of_keras_are_measured_and_written(tmp_path: Path) -> None:
    options = ("--systems", "gradtape", "--rounds", "1", "--seconds", "0.001", "--scale", "0.001")
    run("keras.py", *options, "--works", "mlp", "custom_loop", "predict", "--output", str(tmp_path))
    content = json.loads((tmp_path / "keras.json").read_text())
    assert [row["name"] for row in content["works"]] == ["mlp", "custom_loop", "predict", "first_step"]
    assert all(row["systems"]["gradtape"]["best"] > 0 for row in content["works"])


def test_machine_is_measured_beside_a_work(benchmarks_on_path: None) -> None:
    import compiled
    import compiled_works

    work = next(w for w in compiled_works.WORKS if w.name == "transformer")
    row = {"systems": {"gradtape": {"best": 0.1}}, "limits": []}
    compiled.add_share(row, work, gemm=0.02, traffic=0.01)
    operations, moved = work.cost
    least = operations / (2 * 1024**3 / 0.02) + moved / (3 * 2**26 / 0.01)
    assert row["machine"]["shares"]["gradtape"] == pytest.approx(least / 0.1)
    assert not row["limits"][0]["passed"]


def test_share_beyond_the_machine_is_no_success(benchmarks_on_path: None) -> None:
    import compiled
    import compiled_works

    work = next(w for w in compiled_works.WORKS if w.name == "mlp_adam")
    row = {"systems": {"gradtape": {"best": 0.001}}, "limits": []}
    compiled.add_share(row, work, gemm=0.02, traffic=0.01)
    assert not row["limits"][0]["passed"]
    assert "was busy" in row["limits"][0]["text"]


def test_system_that_fails_or_is_slow_is_absent_with_its_reason(benchmarks_on_path: None) -> None:
    import compiled
    import harness

    class Unable:
        system = "unable"

        def results(self, *asked: Any) -> Any:
            raise harness.Failed("no such op")

    assert compiled.agreeing([Unable(), Unable()], "mlp") == ([], {"unable": "no such op"})
    process = harness.Process("the machine", 1, 0.01, "compiled")
    with pytest.raises(harness.Failed, match="longer than 0 s"):
        process.ask("time", 0.01, work="gemm", seconds=3.0)
    assert process.results("gemm", 1)[0].shape == (10, 10)  # another worker goes on
    with pytest.raises(harness.Failed, match="AttributeError"):
        process.results("mlp", 1)
    process.close()


def test_eager_measures_and_writes(tmp_path: Path) -> None:
    options = ["--systems", "gradtape", "--rounds", "1", "--seconds", "0.01", "--scale", "0.001"]
    run("eager.py", *options, "--works", "square", "training_step", "--output", str(tmp_path))
    rows = json.loads((tmp_path / "eager.json").read_text())["works"]
    assert [row["name"] for row in rows] == ["square", "training_step"]
    assert all(0 < row["systems"]["gradtape"]["best"] < 1 for row in rows)
    assert "x**2" in (tmp_path / "eager.md").read_text()


def test_ops_are_measured_and_written(tmp_path: Path) -> None:
    options = ("--systems", "gradtape", "--rounds", "1", "--seconds", "0.001", "--scale", "0.01")
    run("ops.py", *options, "--output", str(tmp_path))
    works = json.loads((tmp_path / "ops.json").read_text())["works"]
    assert len(works) == 7
    assert all(row["systems"]["gradtape"]["best"] > 0 for row in works)


def test_provenance_is_measured(tmp_path: Path) -> None:
    text = run("provenance.py", "--processes", "1", "--seconds", "0", "--no-limits", "--output", str(tmp_path))
    works = json.loads((tmp_path / "provenance.json").read_text())["works"]
    assert all(work["ratio"] > 0 for work in works.values())
    assert text.count("%") == 3 * len(works)


def test_memory_stays(tmp_path: Path) -> None:
    run("memory.py", "--steps", "1000", "--output", str(tmp_path))
    content = json.loads((tmp_path / "memory.json").read_text())
    objects = list(content["objects"].values())
    # Objects are counted exactly, unlike pages; a leak of one object in each step would show.
    assert max(objects[50:]) - objects[50] < 500


def test_backward_is_linear_and_does_not_recurse(tmp_path: Path) -> None:
    run("scaling.py", "--largest", "100000", "--output", str(tmp_path))
    # The benchmark allows less; a test shares its machine. Quadratic cost would be a factor of a thousand.
    assert json.loads((tmp_path / "scaling.json").read_text())["growth"] < 5


def test_compiled_table_has_absent_systems_and_first_results(benchmarks_on_path: None) -> None:
    import report

    times = {"gradtape": {"best": 1e-3}, "JAX": {"best": 4e-3}}
    cold = {"mlp": {"gradtape": {"seconds": 0.1}, "JAX": {"seconds": 1.0}, "torch.compile": {"failed": "too slow"}}}
    versions = {"gradtape": "1", "JAX": "2", "torch.compile": "3"}
    table = report.compiled_comparison(
        {"versions": versions, "works": [{"title": "MLP", "systems": times}], "cold": cold}
    )
    assert "| MLP | **1.00 ms** | 4.00 ms (4x) | - |" in table
    assert "| **100 ms** | 1.00 s (10x) | - |" in table


def test_readme_says_what_was_measured() -> None:
    run("report.py", "--check")


def test_pipelines_are_measured_and_written(tmp_path: Path) -> None:
    options = ("--systems", "gradtape", "--rounds", "1", "--seconds", "0.001", "--scale", "0.01")
    run("data.py", *options, "--output", str(tmp_path))
    content = json.loads((tmp_path / "data.json").read_text())
    assert [row["name"] for row in content["works"]] == ["shuffle_batch", "python_map", "prefetch"]
    assert all(row["systems"]["gradtape"]["best"] > 0 for row in content["works"])
    assert "tf.function" in (tmp_path / "data.md").read_text()


def test_convolutions_of_networks_and_their_operations(benchmarks_on_path: None) -> None:
    import convolution
    import keras

    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.Conv2D(4, 3, strides=2, padding="same"),
            layers.DepthwiseConv2D(3, padding="same"),
            layers.Conv2DTranspose(5, 2, strides=2),
        ]
    )
    usual, depthwise, transposed = convolution.shapes(model, 2)
    assert [str(s) for s in (usual, depthwise, transposed)] == [
        "3x3 2x8x8x3 to 4 stride 2",
        "3x3 depthwise 2x4x4x4",
        "2x2 transposed 2x4x4x4 to 5 stride 2",
    ]
    # A multiply-add for each tap, channel that is read, and number of the result; a transposed one for each number that is read.
    operations = {
        usual: 2 * 9 * 3 * 2 * 4 * 4 * 4,
        depthwise: 2 * 9 * 2 * 4 * 4 * 4,
        transposed: 2 * 4 * 5 * 2 * 4 * 4 * 4,
    }
    results = {usual: (2, 4, 4, 4), depthwise: (2, 4, 4, 4), transposed: (2, 8, 8, 5)}
    for shape, expected in operations.items():
        for direction, like in (
            ("forward", results[shape]),
            ("input gradient", shape.image),
            ("filter gradient", shape.filters),
        ):
            call, counted, _ = convolution.run_of(shape, direction)
            assert counted == expected
            assert tuple(call().shape) == like
