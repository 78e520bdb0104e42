"""Random programs: the nest of every fused kernel computes what its machine code computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf
import ops.samples
from compiler.graphs import interpreted, launched, verified
from compiler.test_nest import value_of
from fuzz import worker
from fuzz.draws import draw_with_failures
from fuzz.instance import Instance
from gradtape.compiler import pipeline
from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.graph import Graph, Node

SEEDS = range(60)
AT_ONCE = 10
LARGEST = 1 << 20  # iterations that are interpreted


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[Graph]:
    """The graphs that are fused, of functions and of blocks."""
    found: list[Graph] = []

    def noted(run: Any) -> Any:
        def fuse(graph: Graph) -> Graph:
            found.append(run(graph))
            return found[-1]

        return fuse

    monkeypatch.setattr(pipeline, "fuse", noted(pipeline.fuse))
    monkeypatch.setattr(pipeline, "fuse_block", noted(pipeline.fuse_block))
    return found


@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_kernels_of_random_programs(first: int, graphs: list[Graph]) -> None:
    worker.prepare(ops.samples.__name__)
    for seed in range(first, first + AT_ONCE):
        with Instance(draw_with_failures(seed, 6)[0]) as instance:
            try:
                instance.called(tf.function(instance.function))
            except tf.errors.OpError:
                continue
    compared = sum([compare(node) for graph in graphs for node in graph.nodes if type(node.op) is KernelOp])
    assert compared > AT_ONCE


def compare(node: Node) -> bool:
    """Compare a nest with the launches of its kernel on some arrays; False if that would take long."""
    random = np.random.default_rng(3)
    nest, given = verified(node), [value_of(v.spec, random) for v in node.inputs]
    if np.prod(nest.axes, dtype=np.int64) > LARGEST or any(i.op == "require" for i in nest.instructions):
        return False
    with np.errstate(all="ignore"):
        made = launched(node, given)
        is_part = len(made) == 1 and node.op.stores[0].is_part
        found = interpreted(node, nest, given, made[0] if is_part else None)
    # Machine code computes what has two bytes in four, and rounds only what it stores.
    tolerance = 3e-2 if any(i.dtype.size == 2 for i in nest.instructions) else 1e-4
    for one, other in zip(found, made, strict=True):
        one, other = (x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) for x in (one, other))
        scale = np.abs(other[np.isfinite(other)]).max(initial=1.0)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale, err_msg=node.op.name)
    return True
