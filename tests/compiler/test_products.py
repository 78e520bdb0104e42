"""Products in programs: what `lower` says of them, and the launches that compute them."""

import numpy as np
import pytest

from gradtape.compiler import eager
from gradtape.compiler.fusion.expansion import expand
from gradtape.compiler.graph import Graph, Node, Value
from gradtape.compiler.lowering import nodes as lowering
from gradtape.compiler.runtime import kernels, pool
from gradtape.core import dtypes
from gradtape.core.errors import CompilerWarning
from gradtape.core.patterns.product import Axis
from gradtape.core.shape import Spec
from gradtape.ops.einsum import Einsum
from gradtape.ops.matmul import MatMul

RANDOM = np.random.default_rng(3)


def normal(shape, dtype=np.float32):
    return RANDOM.standard_normal(shape).astype(dtype)


def matmul(a, b, **flags):
    """The product by its kernels."""
    specs = [Spec(x.shape, dtypes.as_dtype(x.dtype)) for x in (a, b)]
    node = Node(MatMul, [Value(s) for s in specs], flags, MatMul.infer(*specs, **flags))
    lowered = lowering.lower(node)
    return None if lowered is None else kernels.execute(lowered, (a, b), [node.outputs[0].spec])[0]


def check(a, b, **flags):
    expected = MatMul.kernel(a.astype(np.float64), b.astype(np.float64), **flags)
    found = matmul(a, b, **flags)
    assert found.dtype == a.dtype
    tolerance = 4 * np.finfo(a.dtype).eps * a.shape[-2 if flags.get("transpose_a") else -1] ** 0.5
    np.testing.assert_allclose(found, expected, rtol=0, atol=max(4.0, np.abs(expected).max(initial=0)) * tolerance)
    return found


def pattern(a, b, **flags):
    return MatMul.lower(Spec(a, dtypes.float32), Spec(b, dtypes.float32), **flags)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 4), (4, 5)),
        ((1, 7), (7, 1)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (2, 4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 6, 3, 4), (2, 6, 4, 5)),
        ((2, 1, 3, 4), (1, 6, 4, 5)),
        ((2, 1, 3, 4), (6, 4, 5)),
        ((2, 3, 1, 1, 2), (2, 1, 5, 2, 3)),
        ((3, 0), (0, 2)),
    ],
    ids=str,
)
def test_stacks_of_products(a, b, dtype):
    check(normal(a, dtype), normal(b, dtype))


@pytest.mark.parametrize(("transpose_a", "transpose_b"), [(True, False), (False, True), (True, True)])
def test_transposed_operands(transpose_a, transpose_b):
    for lead in ((), (3,)):
        a = normal((*lead, 9, 20) if transpose_a else (*lead, 20, 9))
        b = normal((*lead, 33, 9) if transpose_b else (*lead, 9, 33))
        check(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def test_axes_are_joined():
    assert pattern((8, 128, 64), (64, 32))[:3] == (8 * 128, 32, 64)
    assert pattern((8, 128, 64), (64, 32)).axes == ()
    assert pattern((64, 32), (5, 32, 4)).axes == (Axis(5, 0, 128),)
    assert pattern((2, 3, 4, 5), (2, 3, 5, 6)).axes == (Axis(6, 20, 30),)
    assert pattern((2, 1, 4, 5), (1, 3, 5, 6)).axes == (Axis(2, 20, 0), Axis(3, 0, 30))
    # Rows of transposed matrices do not lie one after the other.
    assert pattern((8, 64, 128), (64, 32), transpose_a=True).axes == (Axis(8, 64 * 128, 0),)


def test_what_has_no_kernel():
    assert MatMul.lower(Spec((2, 3), dtypes.int32), Spec((3, 2), dtypes.int32)) is None
    assert MatMul.lower(Spec((2, 3), dtypes.bfloat16), Spec((3, 2), dtypes.bfloat16)) is None
    assert pattern((0, 3), (3, 2)) is None
    assert pattern((0, 2, 3), (3, 2)) is None
    assert matmul(normal((100, 1, 3, 2, 2)), normal((1, 3, 3, 2, 2))) is None


@pytest.mark.parametrize(
    ("a", "b", "flags"),
    [
        ((256, 300), (300, 260), {}),
        ((200, 1100), (400, 1100), {"transpose_b": True}),
        ((2, 250, 256), (2, 250, 260), {"transpose_a": True}),
        ((1, 40, 500), (40, 500, 30), {}),
    ],
    ids=str,
)
def test_threads_change_no_bit(a, b, flags):
    a, b = normal(a), normal(b)
    pool.set_threads(1)
    try:
        first = check(a, b, **flags)
        pool.set_threads(2)
        assert np.array_equal(first, matmul(a, b, **flags))
    finally:
        pool.set_threads(0)


def test_eager_products():
    for shape in ((64, 128, 200), (256, 256, 300)):
        a, b = normal(shape[::2]), normal(shape[:0:-1])
        run = eager.generate(MatMul, (a, b), {})
        out = np.empty((shape[0], shape[1]), np.float32)
        assert run(a, b, out=out) is out
        np.testing.assert_allclose(out, a @ b, rtol=0, atol=2e-4)
        assert np.array_equal(run(np.asfortranarray(a), b), out)
    assert eager.generate(MatMul, (normal((2, 1, 3, 3, 4)), normal((1, 5, 3, 4, 3))), {}) is None


EQUATIONS = [
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    ("ji,jk->ik", (4, 3), (4, 5)),
    ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5)),
    ("bqhd,hdm->bqm", (2, 3, 4, 5), (4, 5, 7)),
    ("hdm,bqhd->bqm", (4, 5, 7), (2, 3, 4, 5)),
    ("bm,hdm->bhd", (6, 7), (4, 5, 7)),
    ("i,i->", (4,), (4,)),
    ("j,ij->i", (4,), (3, 4)),
    ("i,j->ji", (3,), (4,)),
    ("ij->j", (3, 4)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
]


def einsum_graph(equation, shapes, dtype=dtypes.float32):
    graph = Graph("einsum")
    graph.parameters = [Value(Spec(s, dtype)) for s in shapes]
    params = {"equation": equation, "sizes": ()}
    node = Node(Einsum, graph.parameters, params, Einsum.infer(*[v.spec for v in graph.parameters], **params))
    graph.nodes, graph.outputs = [node], list(node.outputs)
    return graph


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda case: case[0])
def test_equations_become_products(case):
    equation, *shapes = case
    graph = expand(einsum_graph(equation, shapes))
    graph.verify()
    arrays = [normal(s) for s in shapes]
    values = dict(zip(graph.parameters, arrays, strict=True))
    for node in graph.nodes:
        assert node.op is not Einsum
        values[node.outputs[0]] = np.asarray(node.op.kernel(*[values[v] for v in node.inputs], **node.params))
    expected = np.einsum(equation, *[x.astype(np.float64) for x in arrays])
    found = values[graph.outputs[0]]
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_transpose_in_an_equation_is_a_flag():
    graph = expand(einsum_graph("kabi,kj->abij", [(4, 2, 3, 5), (4, 6)]))
    assert [node.op.name for node in graph.nodes] == ["reshape", "matmul", "reshape"]
    assert graph.nodes[1].params == {"transpose_a": True, "transpose_b": False}


def test_other_equations_stay():
    for equation, shape, dtype in [("ii->i", (3, 3), dtypes.float32), ("ij->i", (2, 3), dtypes.int32)]:
        assert [n.op for n in expand(einsum_graph(equation, [shape], dtype)).nodes] == [Einsum]


def test_a_failure_of_the_code_generator_leaves_numpys_kernel(monkeypatch):
    def broken(*arguments):
        raise RuntimeError("no tiles today")

    monkeypatch.setattr(eager, "_lower", broken)
    a, b = np.ones((40, 30), np.float32), np.ones((30, 20), np.float32)
    with pytest.warns(CompilerWarning, match="matmul.*no tiles today.*NumPy's kernels"):
        assert eager.generate(MatMul, (a, b), {}) is None
