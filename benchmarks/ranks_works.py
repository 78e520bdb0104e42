"""The programs of `ranks.py`: one process, and two ranks, with gradtape and with PyTorch; each prints what it measured as JSON.

python benchmarks/ranks_works.py WORK gradtape one|ranks
python benchmarks/ranks_works.py WORK torch RANK RANKS FOLDER
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = int(os.environ.get("GRADTAPE_BENCHMARK_STEPS", "20"))
RATE = 0.01
WARM = 3  # steps whose losses are compared
WIDTH, LAYERS = 512, 6

WORKS = {
    "mlp": "MLP, 6 layers of 512, 256 rows",
    "convnet": "convnet, 32 to 128 channels, 64 images of 16 x 16",
}


def inputs(work: str) -> tuple[list[np.ndarray], np.ndarray]:
    """The first weights, and the batch of all ranks together."""
    random = np.random.default_rng(0)
    if work == "mlp":
        shapes, x = [(WIDTH, WIDTH)] * LAYERS, random.normal(size=(256, WIDTH))
    else:
        shapes, x = [(3, 3, 3, 32), (3, 3, 32, 64), (3, 3, 64, 128)], random.normal(size=(64, 16, 16, 3))
    weights = [random.normal(size=s) * (1.5 / np.prod(s[:-1])) ** 0.5 for s in shapes]
    return [w.astype("f4") for w in weights], x.astype("f4")


def part(x: np.ndarray, rank: int, ranks: int) -> np.ndarray:
    """The rows of a rank."""
    rows = len(x) // ranks
    return x[rank * rows : (rank + 1) * rows]


def timed(step: Callable[[], Any]) -> list[float]:
    """Seconds of each of some steps."""
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return times


def gradtape(work: str, together: bool) -> dict[str, Any]:
    """Times of gradtape; of two ranks, also what travels."""
    import gradtape as tf
    import gradtape.horovod as hvd

    if together:
        hvd.init()
    rank, ranks = (hvd.rank(), hvd.size()) if together else (0, 1)
    start, whole = inputs(work)
    x = tf.constant(part(whole, rank, ranks))

    def forward(weights: list[Any], x: Any) -> Any:
        for w in weights:
            x = (
                tf.tanh(x @ w)
                if work == "mlp"
                else tf.nn.avg_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "VALID")
            )
        return tf.reduce_mean(x * x)

    def make(reduces: bool) -> Callable[[], Any]:
        weights = [tf.Variable(w) for w in start]

        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = forward(weights, x)
            if reduces:
                tape = hvd.DistributedGradientTape(tape)
            for w, d in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(RATE * d)
            return loss

        return lambda: step(x)

    step = make(together)
    found: dict[str, Any] = {"losses": [float(step()) for _ in range(WARM)], "times": timed(step), "rank": rank}
    if together:
        silent = make(False)
        for _ in range(WARM):
            silent()
        hvd.barrier()
        found["silent"] = timed(silent)
        found |= travelled(step)
        found["blocking"] = min(timed(lambda: hvd.grouped_allreduce(start, op=hvd.Sum)))
    return found


def travelled(step: Callable[[], Any]) -> dict[str, Any]:
    """Collectives, bytes and seconds of waiting in a step."""
    import gradtape.horovod as hvd
    from gradtape.ranks import _buckets, _group

    counts = {"reductions": 0, "agreements": 0, "bytes": 0, "waited": 0.0}
    start_sum, vote, finish = _group.Group.start_sum, _group.Group.vote, _buckets.Reduction.finish

    def counted_sum(self: Any, flat: Any, op: Any) -> Any:
        counts["reductions"] += 1
        counts["bytes"] += flat.nbytes
        return start_sum(self, flat, op)

    def counted_vote(self: Any, numbers: Any) -> Any:
        counts["agreements"] += 1
        return vote(self, numbers)

    def timed_finish(self: Any) -> Any:
        start = time.perf_counter()
        found = finish(self)
        counts["waited"] += time.perf_counter() - start
        return found

    hvd.barrier()
    _group.Group.start_sum, _group.Group.vote, _buckets.Reduction.finish = counted_sum, counted_vote, timed_finish
    try:
        for _ in range(STEPS):
            step()
    finally:
        _group.Group.start_sum, _group.Group.vote, _buckets.Reduction.finish = start_sum, vote, finish
    return {name: value / STEPS for name, value in counts.items()}


def torch(work: str, rank: int, ranks: int, folder: str) -> dict[str, Any]:
    """Times of PyTorch; of several ranks, with DistributedDataParallel on gloo."""
    import torch as library
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    library.set_num_threads(1 if ranks > 1 else os.cpu_count() or 1)
    start, whole = inputs(work)
    layers: list[Any] = []
    for w in start:
        if work == "mlp":
            layer: Any = library.nn.Linear(*w.shape, bias=False)
            after, order = [library.nn.Tanh()], (1, 0)
        else:
            layer = library.nn.Conv2d(w.shape[2], w.shape[3], 3, padding=1, bias=False)
            after, order = [library.nn.ReLU(), library.nn.AvgPool2d(2)], (3, 2, 0, 1)
        layer.weight.data = library.from_numpy(np.ascontiguousarray(w.transpose(order)))
        layers += [layer, *after]
    net: Any = library.nn.Sequential(*layers)
    if ranks > 1:
        distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=ranks)
        net = DistributedDataParallel(net)
    optimizer = library.optim.SGD(net.parameters(), RATE)
    rows = part(whole, rank, ranks)
    x = library.from_numpy(np.ascontiguousarray(rows if work == "mlp" else rows.transpose(0, 3, 1, 2)))

    def step() -> float:
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return {"losses": [step() for _ in range(WARM)], "times": timed(step), "rank": rank}


def main() -> int:
    """Run what the command line names, and print it."""
    work, system, *rest = sys.argv[1:]
    found = (
        gradtape(work, rest == ["ranks"]) if system == "gradtape" else torch(work, int(rest[0]), int(rest[1]), rest[2])
    )
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
