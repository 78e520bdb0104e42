"""The convolutions of real networks: what share of the processor's peak each of them reaches, in all three directions.

    python benchmarks/convolution.py                         prints all shapes of all models; writes benchmarks/results/convolution.*
    python benchmarks/convolution.py --models unet --threads 1 --seconds 0.2 --output /tmp/x

Shapes are those of a training step of `networks.py`, each once. A direction is a compiled function of its own: the result, the gradient with
respect to the input, or with respect to the filter. A multiply-add counts as two operations and padding is counted like the rest, so
Winograd's algorithm can pass 100 %. The peak is that of fused multiply-adds in registers on one core (`gemm.py`), times the threads; `product` is
what a large matrix product reaches of it. Depthwise convolutions are bound by memory: beside their share is what they read and write in a second.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("KERAS_BACKEND", "gradtape")
sys.path.append(sys.path.pop(0))  # keras.py beside this file must not be taken for Keras

import gemm
import gradtape as tf
import harness
import keras
from network_works import WORKS
from report import markdown
from systems import networks
from systems.runs import repeated

MODELS = ("resnet50", "mobilenet_v2", "efficientnet_b0", "unet")
DIRECTIONS = ("forward", "input gradient", "filter gradient")
PRODUCT = 1024


class Shape(NamedTuple):
    """A convolution: sizes of the input and of the filter, stride, dilation and padding.

    Attributes:
      kind: "", "depthwise" or "transposed".
    """

    kind: str
    image: tuple[int, ...]
    filters: tuple[int, ...]
    stride: int
    dilation: int
    padding: str

    def __str__(self) -> str:
        more = [f"stride {self.stride}"] * (self.stride > 1) + [f"dilation {self.dilation}"] * (self.dilation > 1)
        kernel = f"{self.filters[0]}x{self.filters[1]}"
        image = "x".join(map(str, self.image))
        outputs = self.filters[2 if self.kind == "transposed" else 3]
        channels = "" if self.kind == "depthwise" else f" to {outputs}"
        return " ".join([f"{kernel} {self.kind}".strip(), f"{image}{channels}", *more])

    def apply(self, x: Any, filters: Any) -> Any:
        """The convolution."""
        strides, padding = [1, self.stride, self.stride, 1], self.padding.upper()
        if self.kind == "depthwise":
            return tf.nn.depthwise_conv2d(x, filters, strides, padding, dilations=[self.dilation] * 2)
        if self.kind == "transposed":
            size = [x.shape[0], x.shape[1] * self.stride, x.shape[2] * self.stride, self.filters[2]]
            return tf.nn.conv2d_transpose(x, filters, size, strides, padding)
        return tf.nn.conv2d(x, filters, strides, padding, dilations=self.dilation)


def shapes(model: Any, batch: int) -> Iterator[Shape]:
    """The convolutions of a model, in the order of its layers; one that recurs, each time."""
    layers = keras.layers
    kinds = {layers.Conv2D: "", layers.DepthwiseConv2D: "depthwise", layers.Conv2DTranspose: "transposed"}
    for layer in model.layers:
        kind = kinds.get(type(layer))
        if kind is not None:
            image = (batch, *layer.input.shape[1:])
            yield Shape(kind, image, tuple(layer.kernel.shape), layer.strides[0], layer.dilation_rate[0], layer.padding)


def run_of(shape: Shape, direction: str) -> tuple[Callable[[], Any], float, float]:
    """A call of a compiled function; its operations, and the bytes of its operands and its result."""
    x = tf.random.stateless_normal(shape.image, [0, 1])
    filters = tf.random.stateless_normal(shape.filters, [0, 2])
    y = shape.apply(x, filters)
    taps = shape.filters[0] * shape.filters[1]
    places = tf.size(x if shape.kind == "transposed" else y).numpy()
    inner = {"depthwise": 1, "transposed": shape.filters[2]}.get(shape.kind, shape.filters[2])
    moved = 4.0 * sum(int(tf.size(t)) for t in (x, filters, y))

    def gradient(x: Any, filters: Any, dy: Any) -> Any:
        source = x if direction == "input gradient" else filters
        with tf.GradientTape() as tape:
            tape.watch(source)
            y = shape.apply(x, filters)
        return tape.gradient(y, source, output_gradients=dy)

    if direction == "forward":
        call, operands = tf.function(shape.apply), (x, filters)
    else:
        call, operands = tf.function(gradient), (x, filters, y)
    compiled = call.get_concrete_function(*operands)
    return lambda: compiled(*operands), 2.0 * taps * inner * places, moved


def settle(runs: Sequence[Callable[[], Any]], seconds: float) -> None:
    """Call all in turns, until optimised code has replaced the first."""
    end = time.perf_counter() + seconds
    while True:
        for run in runs:
            run()
        if time.perf_counter() > end:
            return


def best(run: Callable[[], Any], seconds: float) -> float:
    """The shortest time of a call, of at least a few."""
    return min(repeated(run)(seconds))


def main() -> int:
    """Measure, print, write."""
    cores = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--threads", type=int, default=cores)
    parser.add_argument("--seconds", type=float, default=0.5, help="for each direction of each shape")
    parser.add_argument(
        "--settle", type=float, default=20.0, help="seconds for which a model's shapes run before they are measured"
    )
    parser.add_argument("--output", type=Path, default=harness.RESULTS, help="folder of the results")
    options = parser.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    peak = gemm.peak(1.0) * options.threads
    a = tf.random.stateless_normal([PRODUCT, PRODUCT], [0, 0])
    multiply = tf.function(tf.matmul)
    settle([lambda: multiply(a, a)], options.settle / 4)
    product = 2.0 * PRODUCT**3 / best(lambda: multiply(a, a), options.seconds)
    batches = {work.model: len(work.inputs(1.0)["x"]) for work in WORKS if work.trains}
    head = f"peak {peak / 1e9:.0f} GFLOP/s on {options.threads} threads; a product of {PRODUCT}x{PRODUCT} reaches {product / peak:.0%}"
    print(head)
    rows: list[dict[str, Any]] = []
    for name in options.models:
        found = list(shapes(getattr(networks, name)(keras), batches[name]))
        prepared = {shape: [run_of(shape, direction) for direction in DIRECTIONS] for shape in dict.fromkeys(found)}
        settle([run for directions in prepared.values() for run, *_ in directions], options.settle)
        for shape, directions in prepared.items():
            row: dict[str, Any] = {"model": name, "shape": str(shape), "count": found.count(shape)}
            for direction, (run, operations, moved) in zip(DIRECTIONS, directions, strict=True):
                seconds = best(run, options.seconds)
                row[direction] = {"seconds": seconds, "share": operations / seconds / peak, "bytes": moved / seconds}
            rows.append(row)
            print(
                f"{name:<16}{row['count']:>3} x {row['shape']:<44}"
                + "".join(f"{_cell(row, d):>26}" for d in DIRECTIONS),
                flush=True,
            )
    content = {"machine": harness.machine(), "peak": peak, "product": product, "threads": options.threads, "rows": rows}
    print(f"Written: {harness.write('convolution', content, options.output)}")
    table = markdown(
        ["model", "convolution", "times", *DIRECTIONS],
        [[r["model"], r["shape"], str(r["count"]), *[_cell(r, d) for d in DIRECTIONS]] for r in rows],
    )
    (options.output / "convolution.md").write_text(f"Time, and share of the {head}.\n\n{table}\n")
    return 0


def _cell(row: dict[str, Any], direction: str) -> str:
    found = row[direction]
    speed = f", {found['bytes'] / 1e9:.0f} GB/s" if "depthwise" in row["shape"] else ""
    return f"{harness.duration(found['seconds'])}, {found['share']:.0%}{speed}"


if __name__ == "__main__":
    sys.exit(main())
