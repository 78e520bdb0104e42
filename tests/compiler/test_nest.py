"""Nests: they say what machine code computes, wrong ones are found, and they can be read."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from compiler.golden_programs import PROGRAMS
from compiler.graphs import interpreted, launched, verified
from gradtape.compiler import passes, pipeline
from gradtape.compiler.bodies.kernel_op import KernelOp
from gradtape.compiler.graph import Graph, Node
from gradtape.compiler.nest import check
from gradtape.compiler.nest.body import NestBuilder, strided
from gradtape.compiler.nest.description import Dim, Nest, kind
from gradtape.compiler.nest.text import text_of
from gradtape.compiler.nest.translation import nest_of
from gradtape.core.shape import Spec


def fused(function: Callable[..., Any], specs: list[Any]) -> Graph:
    """The kernels of a function."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    graph = concrete.graph
    graph.outputs = list(concrete._staged.values)
    return pipeline.fuse(passes.optimize(graph))


def value_of(spec: Spec, random: np.random.Generator) -> Any:
    if spec.dtype.is_floating or spec.dtype.is_complex:
        return random.uniform(0.25, 2.0, spec.shape).astype(spec.dtype.numpy)
    return random.integers(0, 2, spec.shape).astype(spec.dtype.numpy)


def compare(graph: Graph) -> list[str]:
    """Compare nests with launches, node by node on the same values. The kinds of nests that were found."""
    random = np.random.default_rng(3)  # for each graph, so that the numbers do not depend on the order of the tests
    known = {v: value_of(v.spec, random) for v in graph.sources()} | graph.constants
    kinds = []
    for node in graph.nodes:
        if node.effect:
            continue
        given = [known[v] for v in node.inputs]
        made = launched(node, given)
        nest = verified(node) if type(node.op) is KernelOp else nest_of(node)
        if nest is not None:
            kinds.append(kind(nest))
            is_part = len(made) == 1 and type(node.op) is KernelOp and node.op.stores[0].is_part
            found = interpreted(node, nest, given, made[0] if is_part else None)
            for one, other in zip(found, made, strict=True):
                assert (one.shape, one.dtype) == (np.shape(other), np.asarray(other).dtype)
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * max(1.0, np.abs(other).max(initial=0)))
        known.update(zip(node.outputs, made, strict=True))
    return kinds


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_golden_programs(program: Any) -> None:
    compare(fused(*program()))


def gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function's result, and the gradients of its sum of squares."""

    def both(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(*inputs)
            loss = tf.reduce_sum(tf.square(y))
        return y, *tape.gradient(loss, inputs)

    return both


def convolved(stride: int, padding: str, dilation: int = 1) -> Callable[..., Any]:
    return gradients(
        lambda x, w, b: tf.nn.relu(tf.nn.conv2d(x, w, stride, padding, dilations=dilation) + b) if stride == 1
        else tf.nn.conv2d(x, w, stride, padding) + b
    )  # fmt: skip


def attention(x: Any, w: Any) -> Any:
    """Heads of a packed projection, their scores, and the heads side by side again."""
    q, k, v = [
        tf.transpose(tf.reshape(a, [2, 8, 4, 16]), [0, 2, 1, 3])
        for a in tf.split(tf.reshape(x, [16, 24]) @ w, 3, axis=1)
    ]
    scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.25)
    return tf.reshape(tf.transpose(tf.matmul(scores, v), [0, 2, 1, 3]), [16, 64])


def normalized(x: Any, gain: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, None, gain, 1e-5)


def lstm(x: Any, h: Any, c: Any, w: Any, u: Any) -> Any:
    i, f, g, o = tf.split(x @ w + h @ u, 4, axis=1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c)


NETWORKS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]], set[str]]] = {
    "dense": (gradients(lambda x, w, b: tf.nn.gelu(x @ w + b)), [(9, 5), (5, 16), (16,)], {"product"}),
    "transposed": (lambda a, b: tf.matmul(a, b, transpose_a=True) + 1.0, [(7, 5), (7, 6)], {"product"}),
    "stacks": (gradients(lambda a, b: tf.matmul(a, b) * 2.0), [(3, 2, 4, 5), (2, 5, 6)], {"product"}),
    "convolution": (convolved(1, "SAME"), [(2, 6, 7, 3), (3, 3, 3, 8), (8,)], {"convolution"}),
    "valid": (convolved(1, "VALID", 2), [(2, 9, 8, 4), (3, 2, 4, 8), (8,)], {"convolution"}),
    "strides": (convolved(2, "SAME"), [(2, 7, 8, 3), (3, 3, 3, 4), (4,)], {"convolution"}),
    "groups": (convolved(1, "SAME"), [(2, 5, 6, 6), (3, 3, 3, 8), (8,)], {"convolution"}),
    "pooling": (lambda x: (tf.nn.max_pool2d(x, 3, 2, "SAME"), tf.nn.avg_pool2d(x, 3, 2, "SAME")), [(2, 7, 6, 4)], {"window"}),
    "pooling and epilogue": (gradients(lambda x, b: tf.nn.relu(tf.nn.max_pool2d(x, 2, 2, "SAME") * 2.0 + b)), [(2, 7, 6, 16), (16,)], {"window"}),
    "rows of images": (lambda x, b: tf.nn.avg_pool2d(x, 3, 1, "SAME") + b, [(3, 5, 4, 8), (5, 4, 8)], {"window"}),
    "gathers": (lambda x, b: tf.tanh(tf.gather(x, [[2, 0], [5, 5]])) + b, [(6, 32), (2, 32)], {"gather"}),
    "gathers along an axis": (lambda x: (tf.gather(x, [1, 3], axis=1) * 2.0, tf.gather_nd(x, [[0, 1], [1, 3]]) + 1.0), [(2, 4, 16)], {"gather"}),
    "rows and steps": (lambda x, b: (tf.nn.relu(tf.reduce_sum(x, -1)) * b, tf.reduce_max(x * 2.0, 0) + b[0]), [(4, 5, 6), (5,)], {"reduction"}),
    "columns and steps": (lambda x, b: (tf.exp(x), tf.nn.relu(tf.reduce_sum(tf.exp(x), 1)) * b), [(4, 5, 6), (4, 6)], {"rows"}),
    "softmax": (gradients(lambda x: tf.nn.log_softmax(x * 2.0)), [(5, 33)], {"rows"}),
    "normalization": (gradients(normalized), [(6, 20), (20,)], {"rows"}),
    "attention": (gradients(attention), [(2, 8, 24), (24, 192)], {"product", "rows"}),
    "lstm": (gradients(lstm), [(6, 5), (6, 32), (6, 32), (5, 128), (32, 128)], {"product", "pointwise"}),
    "movement": (
        lambda x: (tf.transpose(x), tf.concat([x, x], 1), x[::-1, 1:], tf.pad(x, [[1, 0], [2, 1]]), tf.tile(x, [2, 1])),
        [(4, 6)],
        {"movement"},
    ),
    "reductions": (
        lambda x: (tf.reduce_sum(x), tf.reduce_max(x, 0), tf.reduce_mean(x, [0, 2]), tf.reduce_prod(x, 1), tf.exp(x) - 1.0),
        [(4, 5, 6)],
        {"reduction"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name: str) -> None:
    function, shapes, expected = NETWORKS[name]
    kinds = compare(fused(function, [tf.TensorSpec(shape) for shape in shapes]))
    assert expected <= set(kinds)


def only(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Node:
    (node,) = fused(function, [tf.TensorSpec(shape) for shape in shapes]).nodes
    return node


def test_text_of_a_product() -> None:
    node = only(lambda x, w, b: tf.tanh(x @ w + b), (4, 3), (3, 2), (2,))
    assert text_of(verified(node)) == textwrap.dedent("""\
        product i:4 j:2 k:3*
          %0 = load in0[i, k]                                    float32
          %1 = load in1[k, j]                                    float32
          %2 = mul %0 %1                                         float32
          %3 = sum k %2                                          float32
          %4 = load in2[j]                                       float32
          %5 = add %3 %4                                         float32
          %6 = tanh %5                                           float32
          store out0[i, j] = %6""")


def test_text_of_a_convolution() -> None:
    node = only(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), (2, 6, 5, 3), (3, 3, 3, 4))
    text = text_of(nest_of(node))  # type: ignore[arg-type]
    assert text.startswith("convolution i:2 j:6 k:5 l:1 m:4 n:3* o:3* p:3*\n")
    assert "load in0[i, j+o-1, k+p-1, n] else 0.0" in text
    assert "store out0[i, j, k, m] = %3" in text


def test_text_of_rows() -> None:
    text = text_of(verified(only(tf.nn.softmax, (5, 7))))
    assert text.startswith("rows i:5 j:7*\n  %0 = load in0[i, j]")
    assert "= max j %0" in text
    assert "= sum j %" in text


def test_work() -> None:
    nest = verified(only(lambda x, w: tf.maximum(x @ w, 0.5), (4, 3), (3, 2)))
    assert nest.work() == 2 * 4 * 3 * 2 + 4 * 2


def test_nests_are_plain_data() -> None:
    one, other = (verified(only(lambda x, w: tf.exp(x @ w), (4, 3), (3, 2))) for _ in range(2))
    assert one is not other
    assert one == other
    assert hash(one) == hash(other)


def test_indices_by_strides() -> None:
    assert strided((4, 6), (4, 6), 0, [(0, 6), (1, 1)]) == [Dim(4, 0, ((0, 1),)), Dim(6, 0, ((1, 1),))]
    assert strided((4, 6), (2, 3), 8, [(0, 6), (1, 1)]) == [Dim(4, 1, ((0, 1),)), Dim(6, 2, ((1, 1),))]
    # An axis that goes on from one row to the next is an index of the whole array.
    assert strided((4, 6), (24,), 0, [(0, 1)]) == [Dim(24, 0, ((0, 1),))]
    assert strided((4, 6), (4,), 3, [(0, -1)]) == [Dim(4), Dim(6, 3, ((0, -1),))]


X = Spec((4, 6), tf.float32)


def written(change: Callable[[NestBuilder, Any], Any]) -> Nest:
    cg = NestBuilder((4, 6))
    x = cg.load(0, tf.float32, strided((4, 6), cg.axes, 0, [(0, 6), (1, 1)]))
    change(cg, x)
    return cg.nest()


def whole(cg: NestBuilder) -> list[Dim]:
    return strided((4, 6), cg.axes, 0, [(0, 6), (1, 1)])


FAULTS: dict[str, tuple[Callable[[NestBuilder, Any], Any], str]] = {
    "bounds": (lambda cg, x: cg.store(0, [Dim(4, 1, ((0, 1),)), Dim(6, 0, ((1, 1),))], x), "out of bounds"),
    "size": (lambda cg, x: cg.store(0, [Dim(4, 0, ((0, 1),)), Dim(7, 0, ((1, 1),))], x), "28 elements of 24"),
    "slot": (lambda cg, x: cg.store(1, whole(cg), x), "no array 1"),
    "dtype": (lambda cg, x: cg.store(0, whole(cg), cg.cast(x, tf.int32)), "another dtype"),
    "axis": (lambda cg, x: cg.store(0, [Dim(4, 0, ((0, 1),)), Dim(6)], x), "along which it is not stored"),
    "twice": (lambda cg, x: cg.store(0, [Dim(24, 0, ((0, 1), (1, 1)))], x), "twice"),
    "operands": (lambda cg, x: cg.store(0, whole(cg), cg.add(x, cg.cast(x, tf.float64))), "add of float32, float64"),
    "loaded": (lambda cg, x: cg.load(0, tf.int32, whole(cg)), "another dtype"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str) -> None:
    change, message = FAULTS[fault]
    with pytest.raises(AssertionError, match=message):
        check.verify(written(change), [X], [X])


def test_a_nest_without_faults() -> None:
    check.verify(written(lambda cg, x: cg.store(0, whole(cg), cg.exp(x))), [X], [X])
