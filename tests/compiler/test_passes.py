"""Passes: golden graphs, rules that keep every bit, and random graphs that compute the same before and after.

`python tests/compiler/test_passes.py` writes the golden graphs anew; read the difference before you keep it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from compiler.golden_programs import PROGRAMS, spec
from gradtape.compiler import passes
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.passes.algebra import is_lossless
from gradtape.compiler.passes.rewriting import uniform
from gradtape.compiler.runtime.program import Program
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, spec_of

GOLDEN = Path(__file__).parent / "golden"


def traced(function: Callable[..., Any], specs: list[Any]) -> Graph:
    """The graph of a function as it is traced."""
    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    graph = concrete.graph
    graph.outputs = list(concrete._staged.values)
    return graph


def story(graph: Graph) -> str:
    """The graph after each pass that changes it, without the places in the source."""
    parts, before = [], ""
    for name, run in (("trace", lambda g: g), *[(p.__name__, p) for p in passes.PASSES]):
        graph = run(graph)
        graph.verify()
        text = "\n".join([line.partition("#")[0].rstrip() for line in str(graph).splitlines()])
        parts.append(f"-- {name}\n{'as before' if text == before else text}\n")
        before = text
    return "\n".join(parts)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_graph_after_each_pass_is_the_golden_one(program: Any) -> None:
    expected = (GOLDEN / f"{program.__name__}.txt").read_text()
    assert story(traced(*program())) == expected, "Run this file as a script to write the golden graphs anew."


def test_every_golden_graph_has_a_program() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {p.__name__ for p in PROGRAMS}


SPECIAL = np.array([0.0, -0.0, 1.0, -1.5, 3e-41, -np.inf, np.inf, np.nan, 1e38, 7.0], np.float32)


def ops_of(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes]


def assert_same_bits(found: Any, expected: Any) -> None:
    """Equal dtype, shape and bits; one NaN is as good as another."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)
    if expected.dtype.kind == "f":
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(expected)[known])


EXACT = {
    "1 x": (lambda x: 1.0 * x, []),
    "x + -0": (lambda x: x + -0.0, []),
    "x + 0": (lambda x: x + 0.0, ["add"]),
    "x - 0": (lambda x: x - 0.0, []),
    "x - -0": (lambda x: x - -0.0, ["subtract"]),
    "0 x": (lambda x: x * 0.0, ["multiply"]),
    "exp x + 0": (lambda x: tf.exp(x) + 0.0, ["exp"]),
    "x / 1": (lambda x: x / 1.0, []),
    "x / 8": (lambda x: x / 8.0, ["multiply"]),
    "x / 2^127": (lambda x: x / 2.0**127, ["divide"]),
    "x / 3": (lambda x: x / 3.0, ["divide"]),
    "x / 0": (lambda x: x / 0.0, ["divide"]),
    "x / inf": (lambda x: x / np.inf, ["divide"]),
    "x^1": (lambda x: tf.pow(x, tf.constant(1.0)), []),
    "x^0": (lambda x: tf.pow(x, tf.constant(0.0)), []),
    "x^0.5": (lambda x: tf.pow(x, tf.constant(0.5)), ["pow"]),
    "--x": (lambda x: tf.negative(-x), []),
    "x + -y": (lambda x: x + -tf.sqrt(x), ["sqrt", "subtract"]),
    "-x - -y": (lambda x: -x - -tf.sqrt(x), ["sqrt", "subtract"]),
    "where": (lambda x: tf.where(tf.constant(True), x, 2.0 * x), []),
    "sum of one": (lambda x: tf.reduce_sum(x[:, None], 1), ["add"]),
    "mean of one": (lambda x: tf.reduce_mean(x[:, None], 1), ["add"]),
    "sum of none": (lambda x: tf.reduce_sum(x, []), ["add"]),
    "sum of one square": (lambda x: tf.reduce_sum(tf.square(x)[:, None], 1), ["square"]),
    "maximum of one": (lambda x: tf.reduce_max(x[:, None], 1), []),
    "max of repeated": (lambda x: tf.reduce_max(tf.broadcast_to(x, [3, 10]), 0), []),
    "transposed": (lambda x: tf.transpose(tf.transpose(tf.reshape(x, [2, 5]))), ["reshape"]),
    "sin of repeated": (lambda x: tf.sin(tf.broadcast_to(x, [3, 10])), ["sin", "broadcast_to"]),
    "there and back": (lambda x: tf.cast(tf.cast(x, tf.float64), tf.float32), []),
    "half and back": (lambda x: tf.cast(tf.cast(x, tf.float16), tf.float32), ["cast", "cast"]),
    "zeros": (lambda x: x - tf.zeros_like(x), []),
    "shape that is there": (lambda x: tf.ensure_shape(x, [10]), []),
    "stopped": (lambda x: tf.stop_gradient(tf.identity(x)), []),
}


@pytest.mark.parametrize("name", EXACT)
def test_rule_keeps_every_bit(name: str) -> None:
    function, left = EXACT[name]
    graph = traced(function, [spec(10)])
    simple = passes.optimize(graph, check=True)
    assert ops_of(simple) == left
    assert_same_bits(Program(simple)([SPECIAL])[0], Program(graph)([SPECIAL])[0])


ROUNDED_ONCE = {
    "x^2": (lambda x: tf.pow(x, tf.constant(2.0)), ["square"]),
    "x^-1": (lambda x: tf.pow(x, tf.constant(-1.0)), ["reciprocal"]),
    "sum of repeated": (lambda x: tf.reduce_sum(tf.broadcast_to(x, [7, 10]), 0), ["multiply", "add"]),
    "mean of repeated": (lambda x: tf.reduce_mean(tf.broadcast_to(x, [7, 10]), 0), ["add"]),
}


@pytest.mark.parametrize("name", ROUNDED_ONCE)
def test_rule_is_at_least_as_close_as_what_it_replaces(name: str) -> None:
    function, left = ROUNDED_ONCE[name]
    graph = traced(function, [spec(10)])
    simple = passes.optimize(graph, check=True)
    assert ops_of(simple) == left
    numbers = np.where(SPECIAL == 1e38, np.float32(0.3), SPECIAL)  # seven times as much is infinite
    found, expected = (Program(g)([numbers])[0] for g in (simple, graph))
    np.testing.assert_allclose(found, expected, rtol=5e-7)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(expected)[known])


def test_mean_of_huge_repeated_numbers_does_not_overflow() -> None:
    graph = traced(lambda x: tf.reduce_mean(tf.broadcast_to(x, [7, 1]), 0), [spec(1)])
    assert Program(passes.optimize(graph))([np.array([3e38], np.float32)])[0] == np.float32(3e38)


def test_reduction_that_others_read_too_is_not_computed_twice() -> None:
    def function(x: Any) -> Any:
        total = tf.reduce_sum(x, 1)
        return tf.reshape(total, [3, 1]) * x, total

    assert ops_of(passes.optimize(traced(function, [spec(3, 4)]))).count("reduce_sum") == 1


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("batch", [(5,), (2, 3), (1,), (0,)])
def test_one_matrix_times_many_columns_is_one_product(
    transpose_a: bool, transpose_b: bool, batch: tuple[int, ...]
) -> None:
    def function(a: Any, b: Any) -> Any:
        return tf.matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b)

    rng = np.random.default_rng(0)
    a = rng.integers(-9, 9, (7, 4) if transpose_a else (4, 7)).astype(np.float32)
    b = rng.integers(-9, 9, (*batch, 1, 7) if transpose_b else (*batch, 7, 1)).astype(np.float32)
    assert_same_bits(tf.function(function)(a, b), function(tf.constant(a), tf.constant(b)))
    graph = traced(function, [spec(*a.shape), spec(*b.shape)])
    for run in passes.PASSES:
        graph = run(graph)
    products = [node for node in graph.nodes if node.op.name == "matmul"]
    assert all(len(v.spec.shape) == 2 for node in products for v in node.inputs)


def test_large_constants_stay_numbers() -> None:
    graph = passes.optimize(
        traced(lambda x: x * tf.ones([1000, 1000]) + tf.fill([1000, 1000], 2.0), [spec(1000, 1000)])
    )
    assert all(array.size == 1 for array in graph.constants.values())
    assert ops_of(graph) == ["add"]


def test_assignments_before_an_effect_or_of_other_variables_stay() -> None:
    v, w = tf.Variable(0.0), tf.Variable(0.0)

    def overwritten(x: Any) -> Any:
        v.assign(x)
        w.assign(x + 1.0)
        v.assign(x + 2.0)

    def seen(x: Any) -> Any:
        v.assign(x)
        tf.print("here")
        v.assign(x + 2.0)

    assert ops_of(passes.optimize(traced(overwritten, [spec()]))).count("assign") == 2
    assert ops_of(passes.optimize(traced(seen, [spec()]))).count("assign") == 2
    tf.function(overwritten)(tf.constant(1.0))
    assert (v.numpy(), w.numpy()) == (3.0, 2.0)


def test_unknown_dimensions_are_left_alone() -> None:
    def function(x: Any) -> Any:
        return tf.reshape(tf.identity(x) * 1.0, [-1])

    for result in tf.function(function, input_signature=[tf.TensorSpec([None, 2])])(tf.ones([3, 2])).numpy():
        assert result == 1.0


@pytest.mark.parametrize(
    "source", ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "float16", "bfloat16", "float32"]
)
@pytest.mark.parametrize("target", ["int16", "int32", "uint64", "float16", "bfloat16", "float32", "float64"])
def test_lossless_casts_lose_nothing(source: str, target: str) -> None:
    a, b = tf.as_dtype(source), tf.as_dtype(target)
    if a.is_bool:
        values = np.array([False, True])
    elif a.is_integer:
        values = np.array([a.min, a.max, a.max - 1, 0, 1], a.as_numpy_dtype)
    else:
        values = np.array([float(a.max), 1.0 + float(np.float32(2.0**-7 if source == "bfloat16" else 2.0**-10))])
        values = values.astype(a.as_numpy_dtype)
    with np.errstate(all="ignore"):
        back = values.astype(b.as_numpy_dtype).astype(a.as_numpy_dtype)
        same = bool(np.all(back == values)) and not (a is not b and b.is_integer and a.is_floating)
    assert not is_lossless(a, b) or same


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros(3, np.float32), 0.0),
        (np.array([0.0, -0.0], np.float32), None),
        (np.array([np.nan, np.nan]), "nan"),
        (np.array([1, 1, 2]), None),
        (np.zeros(0, np.float32), None),
        (np.ones((2, 2), np.complex64), None),
        (np.float32(2.0), 2.0),
        (np.broadcast_to(np.float32(5.0), (3, 3)), 5.0),
    ],
)
def test_uniform_arrays_are_found_by_their_bits(array: Any, expected: Any) -> None:
    found = uniform(array)
    assert (np.isnan(found) if expected == "nan" else found == expected) if expected is not None else found is None


class Maker:
    """Random graphs of ops that keep every bit, on few shapes, with constants that rules like."""

    NUMBERS = (0.0, -0.0, 1.0, 2.0, -1.0, np.inf, 0.3)
    UNARY = ("identity", "negative", "square", "abs", "tanh", "stop_gradient", "exp", "relu")
    BINARY = ("add", "subtract", "multiply", "divide", "maximum")

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.graph = Graph("random")
        for shape in ((2, 3), (3,), (), (2, 1)):
            self.graph.parameters.append(Value(Spec(shape, tf.float32)))
        self.values = list(self.graph.parameters)

    def make(self, nodes: int) -> Graph:
        """A graph of so many nodes, all of whose values are returned."""
        for _ in range(nodes):
            choice = self.random.choice(
                [self.constant, self.unary, self.binary, self.movement, self.reduction, self.choice]
            )
            choice()
        self.graph.outputs = list(self.values)
        self.graph.verify()
        return self.graph

    def arrays(self) -> list[Any]:
        """Inputs with special numbers among them."""
        return [self.random.choice(SPECIAL, p.spec.shape).astype(np.float32) for p in self.graph.parameters]

    def pick(self) -> Value:
        return self.values[int(self.random.integers(len(self.values)))]

    def add(self, name: str, *inputs: Value, **params: Any) -> None:
        op = REGISTRY[name]
        node = Node(op, inputs, params, op.infer(*[v.spec for v in inputs], **params))
        self.graph.nodes.append(node)
        self.values += node.outputs

    def constant(self) -> None:
        shape = [(), (3,), (2, 3), (2, 1)][int(self.random.integers(4))]
        array = np.full(shape, self.random.choice(self.NUMBERS), np.float32)
        if array.size > 1 and self.random.random() < 0.3:
            array = self.random.choice(SPECIAL, shape).astype(np.float32)
        value = Value(Spec(shape, tf.float32))
        self.graph.constants[value] = array if shape else array[()]
        self.values.append(value)

    def unary(self) -> None:
        self.add(str(self.random.choice(self.UNARY)), self.pick())

    def binary(self) -> None:
        a, b = self.pick(), self.pick()
        try:
            np.broadcast_shapes(a.spec.shape, b.spec.shape)
        except ValueError:
            return
        self.add(str(self.random.choice(self.BINARY)), a, b)

    def movement(self) -> None:
        x = self.pick()
        shape = x.spec.shape
        kind = int(self.random.integers(4))
        if kind == 0:
            self.add("transpose", x, perm=tuple(int(p) for p in self.random.permutation(len(shape))))
        elif kind == 1:
            self.add("reshape", x, shape=tuple(self.random.permutation([*shape, 1]).tolist()))
        elif kind == 2 and len(shape) < 4:
            self.add("broadcast_to", x, shape=(2, *[3 if n == 1 else n for n in shape]))
        elif shape:
            self.add("concat", x, x, axis=0)
            self.add("strided_slice", self.values[-1], index=((0, shape[0], 1),))

    def reduction(self) -> None:
        x = self.pick()
        name = str(self.random.choice(["reduce_max", "reduce_min", "reduce_sum"]))
        unit = [a for a, n in enumerate(x.spec.shape) if n == 1 or name != "reduce_sum"]
        axis = tuple(a for a in unit if self.random.random() < 0.6)
        self.add(name, x, axis=axis, keepdims=bool(self.random.integers(2)))

    def choice(self) -> None:
        x = self.pick()
        condition = Value(Spec((), tf.bool))
        self.graph.constants[condition] = np.bool_(self.random.integers(2))
        if self.random.integers(2):
            self.add("keep", x, condition)
        else:
            self.add("where", condition, x, x)


@pytest.mark.parametrize("seed", range(150))
def test_random_graph_computes_the_same_bits_before_and_after(seed: int) -> None:
    maker = Maker(seed)
    graph = maker.make(25)
    arrays = maker.arrays()
    simple = passes.optimize(graph, check=True)
    assert len(simple.nodes) <= 2 * len(graph.nodes)
    for found, expected in itertools.zip_longest(Program(simple)(arrays), Program(graph)(arrays)):
        assert spec_of(found) == spec_of(expected)
        assert_same_bits(found, expected)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for made in PROGRAMS:
        (GOLDEN / f"{made.__name__}.txt").write_text(story(traced(*made())))
