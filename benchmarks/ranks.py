"""Two ranks against one process with the same work, against PyTorch's DDP, and a simulation of many ranks.

    python benchmarks/ranks.py [--torch PYTHON] [--rounds 5]      writes benchmarks/results/ranks.*

One process computes whole batches with two threads; two ranks compute half of each with one thread. Runs alternate, and the best of several
counts. PYTHON is an interpreter with PyTorch; this one by default. The simulation is arithmetic, not a measurement: it takes the
measured time and bytes of a step, and a latency and a bandwidth as parameters.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WIDTH, LAYERS, ROWS = 512, 6, 256
STEPS = int(os.environ.get("GRADTAPE_BENCHMARK_STEPS", "20"))
LATENCY, BANDWIDTH = 5e-6, 10e9 / 8  # of the simulated network: 5 microseconds, 10 Gbit/s
RANKS = (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
BACKWARD = 2 / 3  # of a step's computing: what communication can hide behind
PIECE = 4 << 20  # bytes of a bucket


def best_steps(step: Any) -> list[float]:
    """Seconds of each of some steps, after a few to warm up."""
    for _ in range(3):
        step()
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return times


def ours(together: bool) -> dict[str, Any]:
    """Times of gradtape in this process; together with the other ranks, also what travels."""
    import numpy as np

    import gradtape as tf
    import gradtape.horovod as hvd
    from gradtape.ranks import _buckets, _group

    random = np.random.default_rng(0)
    weights = [tf.Variable((random.normal(size=(WIDTH, WIDTH)) / WIDTH**0.5).astype("f4")) for _ in range(LAYERS)]
    if together:
        hvd.init()
    rows = ROWS // hvd.size() if together else ROWS
    x = tf.constant(random.normal(size=(rows, WIDTH)).astype("f4"))

    def make(reduces: bool) -> Any:
        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                h = x
                for w in weights:
                    h = tf.tanh(h @ w)
                loss = tf.reduce_mean(h * h)
            if reduces:
                tape = hvd.DistributedGradientTape(tape)
            for w, d in zip(weights, tape.gradient(loss, weights), strict=True):
                w.assign_sub(0.01 * d)
            return loss

        return lambda: step(x)

    if not together:
        return {"times": best_steps(make(False))}
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

    times = best_steps(make(True))
    silent = best_steps(make(False))
    _group.Group.start_sum, _group.Group.vote, _buckets.Reduction.finish = counted_sum, counted_vote, timed_finish
    step = make(True)
    for _ in range(3):
        step()
    hvd.barrier()
    for name in counts:
        counts[name] = 0
    for _ in range(STEPS):
        step()
    per_step = {name: value / STEPS for name, value in counts.items()}
    arrays = [w.numpy() for w in weights]
    blocking = best_steps(lambda: hvd.grouped_allreduce(arrays, op=hvd.Sum))
    n = hvd.size()
    return {
        "times": times,
        "silent": silent,
        "blocking": min(blocking),
        "collectives": per_step["reductions"],
        "agreements": per_step["agreements"],
        "bytes": per_step["bytes"],
        "wire": per_step["bytes"] * 2 * (n - 1) / n,
        "waited": per_step["waited"],
        "hidden": max(0.0, 1 - per_step["waited"] / min(blocking)),
        "rank": hvd.rank(),
    }


def ddp(rank: int, ranks: int, folder: str) -> dict[str, Any]:
    """Times of PyTorch's DistributedDataParallel with gloo."""
    import torch
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    torch.set_num_threads(1)
    net: Any = torch.nn.Sequential()
    for _ in range(LAYERS):
        net.append(torch.nn.Linear(WIDTH, WIDTH, bias=False))
        net.append(torch.nn.Tanh())
    if ranks > 1:
        distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=ranks)
        net = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    x = torch.randn(ROWS // ranks, WIDTH)

    def step() -> None:
        optimizer.zero_grad()
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()

    return {"times": best_steps(step), "rank": rank}


def started(commands: list[list[str]], **environment: str) -> list[dict[str, Any]]:
    """What programs print as JSON that run side by side."""
    settings = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", **environment}
    jobs = [subprocess.Popen(c, stdout=subprocess.PIPE, text=True, env=settings) for c in commands]
    found = []
    for job in jobs:
        out, _ = job.communicate(timeout=300)
        found += [json.loads(line.partition("] ")[2] or line) for line in out.splitlines() if '"times"' in line]
    return found


def simulate(compute: float, size: float) -> list[dict[str, Any]]:
    """Seconds of a step on many ranks, with ring and tree, by latency and bandwidth."""
    pieces = max(1, math.ceil(size / PIECE))
    rows = []
    for n in RANKS:
        ring = pieces * 2 * (n - 1) * LATENCY + 2 * (n - 1) / n * size / BANDWIDTH
        tree = pieces * 2 * math.ceil(math.log2(n)) * LATENCY + 2 * math.ceil(math.log2(n)) * size / BANDWIDTH
        row: dict[str, Any] = {"ranks": n}
        for name, time_of in (("ring", ring), ("tree", tree)):
            last = time_of / pieces  # the last bucket is ready when the pass ends: nothing is left to hide it behind
            row[name] = compute + max(last, time_of - BACKWARD * compute)
        rows.append(row)
    return rows


def draw(rows: list[dict[str, Any]], compute: float) -> str | None:
    """The chart of the simulation; None without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name in ("ring", "tree"):
        axes.plot([r["ranks"] for r in rows], [compute / r[name] for r in rows], marker="o", label=name)
    axes.set(xscale="log", xlabel="ranks", ylabel="efficiency: computing / step", ylim=(0, 1.05))
    axes.set_xscale("log", base=2)
    axes.set_title("SIMULATION, not measured: 5 us latency, 10 Gbit/s")
    axes.legend()
    figure.tight_layout()
    path = HERE / "results" / "ranks.png"
    figure.savefig(path, dpi=120)
    return str(path)


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", default=sys.executable, help="an interpreter with PyTorch")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.worker:
        kind, *rest = chosen.worker
        print(json.dumps(ddp(int(rest[0]), int(rest[1]), rest[2]) if kind == "ddp" else ours(kind == "ranks")))
        return 0
    import tempfile

    this = [str(Path(__file__)), "--worker"]
    launch = [sys.executable, "-m", "gradtape", "launch", "-n", "2", *this, "ranks"]
    has_torch = subprocess.run([chosen.torch, "-c", "import torch"], capture_output=True, check=False).returncode == 0
    times: dict[str, list[float]] = {}
    told: list[dict[str, Any]] = []
    for _ in range(chosen.rounds):
        times.setdefault("one process", []).extend(started([[sys.executable, *this, "one"]])[0]["times"])
        both = started([launch])
        told += both
        for name in ("times", "silent"):
            label = "two ranks" if name == "times" else "two ranks without communication"
            times.setdefault(label, []).extend(max(pair) for pair in zip(*[b[name] for b in both], strict=True))
        if has_torch:
            with tempfile.TemporaryDirectory() as folder:
                pair = started([[chosen.torch, *this, "ddp", str(r), "2", folder] for r in range(2)])
            times.setdefault("torch DDP (gloo), two ranks", []).extend(
                max(p) for p in zip(*[b["times"] for b in pair], strict=True)
            )
    best = {name: min(found) for name, found in times.items()}
    median = {name: sorted(found)[len(found) // 2] for name, found in times.items()}
    first = told[0]
    hidden = sorted(t["hidden"] for t in told)
    result = {
        "best": best,
        "median": median,
        "collectives": first["collectives"],
        "agreements": first["agreements"],
        "bytes": first["bytes"],
        "wire": first["wire"],
        "hidden": hidden[len(hidden) // 2],
        "load": os.getloadavg()[0],
        "simulation": simulate(best["two ranks without communication"], first["bytes"]),
    }
    for name in best:
        print(f"{name:<34} best {best[name] * 1e3:7.1f} ms   median {median[name] * 1e3:7.1f} ms")
    print(f"two ranks / one process            best {best['two ranks'] / best['one process']:.2f}")
    print(
        f"each step: {first['collectives']:.0f} reductions and {first['agreements']:.0f} agreements, {first['bytes'] / 1e6:.1f} MB of "
        f"gradients, {first['wire'] / 1e6:.1f} MB sent by a rank; hidden: {result['hidden']:.0%} (median of {len(hidden)})"
    )
    picture = draw(result["simulation"], best["two ranks without communication"])
    (HERE / "results" / "ranks.json").write_text(json.dumps(result, indent=1) + "\n")
    print(f"Written: {picture}" if picture else "matplotlib is not installed: no chart.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
