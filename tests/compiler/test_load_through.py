"""Loops that read transposed, sliced and repeated values where they come from."""

import numpy as np
import pytest

import gradtape as tf
from compiler.graphs import results
from gradtape.compiler import pipeline
from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.fusion import load_through
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.lowering import nodes as lowering
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, spec_of

RANDOM = np.random.default_rng(11)


class Builder:
    """A graph in the making, from arrays."""

    def __init__(self, *arrays):
        self.graph = Graph("test")
        self.arrays = arrays
        self.graph.parameters = [Value(spec_of(a)) for a in arrays]

    def add(self, name, *inputs, **params):
        op = REGISTRY[name]
        node = Node(op, inputs, params, op.infer(*[v.spec for v in inputs], **params))
        self.graph.nodes.append(node)
        return node.outputs if node.several else node.outputs[0]

    def fused(self, *outputs):
        """The graph after fusion and after views were absorbed."""
        self.graph.outputs = list(outputs)
        graph = load_through.load_through(pipeline.fuse_pointwise(self.graph))
        graph.verify()
        return graph

    def check(self, graph, *wanted):
        for use_kernels in (False, True):
            for found, expected in zip(results(graph, self.arrays, use_kernels), wanted, strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def normal(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def names(graph):
    return ["kernel" if type(n.op) is KernelOp else n.op.name for n in graph.nodes]


VIEWS = [
    ("transpose", {"perm": (1, 0)}, (5, 7), lambda x: x.T),
    ("transpose", {"perm": (0, 2, 1, 3)}, (2, 3, 4, 16), lambda x: x.transpose(0, 2, 1, 3)),
    ("strided_slice", {"index": ((1, 4, 1),)}, (5, 7), lambda x: x[1:4]),
    ("strided_slice", {"index": ((0, 5, 1), (3, 67, 1))}, (5, 100), lambda x: x[:, 3:67]),
    ("strided_slice", {"index": ((0, 5, 1), 2)}, (5, 7, 16), lambda x: x[:, 2]),
    ("strided_slice", {"index": ((4, -1, -2), (0, 6, 3))}, (5, 7), lambda x: x[::-2, 0:6:3]),
    ("reverse", {"axis": (1,)}, (3, 70), lambda x: x[:, ::-1]),
    ("reverse", {"axis": (0,)}, (70,), lambda x: x[::-1]),
    ("broadcast_to", {"shape": (3, 5, 16)}, (5, 1), lambda x: np.broadcast_to(x, (3, 5, 16))),
    ("tile", {"multiples": (2, 3)}, (4, 16), lambda x: np.tile(x, (2, 3))),
    ("matrix_diag_part", {"k": (0, 0)}, (3, 6, 6), lambda x: np.diagonal(x, 0, 1, 2)),
]


@pytest.mark.parametrize(("name", "params", "shape", "reference"), VIEWS)
def test_a_loop_reads_through_a_view(name, params, shape, reference):
    tf.linalg.diag_part  # noqa: B018  (loads the op)
    x = normal(*shape)
    y = normal(*reference(x).shape)
    b = Builder(x, y)
    graph = b.fused(b.add("add", b.add("exp", b.add(name, b.graph.parameters[0], **params)), b.graph.parameters[1]))
    b.check(graph, np.exp(reference(x)) + y)
    assert names(graph) == ["kernel"]


def test_views_of_views_and_reshapes_between():
    x = normal(4, 6, 16)
    b = Builder(x)
    turned = b.add("transpose", b.graph.parameters[0], perm=(1, 0, 2))
    cut = b.add("strided_slice", turned, index=((1, 5, 2),))
    flat = b.add("reshape", cut, shape=(8, 16))
    graph = b.fused(b.add("exp", flat))
    b.check(graph, np.exp(x.transpose(1, 0, 2)[1:5:2].reshape(8, 16)))
    assert names(graph) == ["kernel"]


def test_the_same_array_straight_and_turned():
    x = normal(6, 6)
    b = Builder(x)
    graph = b.fused(b.add("add", b.graph.parameters[0], b.add("transpose", b.graph.parameters[0], perm=(1, 0))))
    b.check(graph, x + x.T)
    assert names(graph) == ["kernel"]
    (node,) = graph.nodes
    assert len(node.inputs) == 1
    assert lowering.lower(node).shares == ()


def test_a_view_that_others_read_stays():
    x = normal(6, 40)
    b = Builder(x)
    part = b.add("strided_slice", b.graph.parameters[0], index=((0, 6, 1), (0, 32, 1)))
    graph = b.fused(b.add("exp", part), part)
    b.check(graph, np.exp(x[:, :32]), x[:, :32])
    assert sorted(names(graph)) == ["kernel", "strided_slice"]


@pytest.mark.parametrize("shape", [(300, 200), (1000, 3)])
def test_large_transposes_and_short_rows_are_copied_first(shape):
    x = normal(*shape)
    b = Builder(x)
    view = b.add("transpose", b.graph.parameters[0], perm=(1, 0)) if shape[0] == 300 else b.add(
        "strided_slice", b.graph.parameters[0], index=((0, 1000, 1), (1, 3, 1))
    )  # fmt: skip
    graph = b.fused(b.add("exp", view))
    b.check(graph, np.exp(x.T if shape[0] == 300 else x[:, 1:3]))
    assert len(graph.nodes) == 2


def test_broadcasting_of_a_view():
    x, y = normal(16, 3), normal(4, 3, 16)
    b = Builder(x, y)
    turned = b.add("transpose", b.graph.parameters[0], perm=(1, 0))
    graph = b.fused(b.add("multiply", turned, b.graph.parameters[1]))
    b.check(graph, x.T * y)
    assert names(graph) == ["kernel"]


def test_sums_through_views():
    x = normal(8, 32)
    b = Builder(x)
    part = b.add("strided_slice", b.graph.parameters[0], index=((0, 8, 2),))
    graph = b.fused(b.add("reduce_sum", b.add("square", part), axis=(0, 1), keepdims=False))
    b.check(graph, np.sum(np.square(x[::2].astype(np.float64))))


def test_nothing_to_absorb_leaves_the_graph():
    b = Builder(normal(3, 4))
    b.graph.outputs = [b.add("exp", b.graph.parameters[0])]
    fused = pipeline.fuse_pointwise(b.graph)
    assert load_through.load_through(fused) is fused
    assert isinstance(fused.outputs[0].spec, Spec)
