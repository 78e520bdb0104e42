"""Native gathers, scatters and segments against NumPy's kernels, and errors of indices."""

import numpy as np
import pytest

import gradtape as tf
from gradtape import ops
from gradtape.compiler.graph import Node, Value
from gradtape.compiler.lowering import nodes as lowering
from gradtape.compiler.runtime import kernels, pool
from gradtape.compiler.runtime.program import Misfit
from gradtape.core.op import REGISTRY
from gradtape.core.shape import spec_of


def native(name: str, arrays, **params):
    """What the kernels of an op give."""
    ops.load_all()
    op = REGISTRY[name]
    specs = [spec_of(a) for a in arrays]
    node = Node(op, [Value(s) for s in specs], params, op.infer(*specs, **params))
    lowered = lowering.lower(node)
    assert lowered is not None
    return kernels.execute(lowered, arrays, [v.spec for v in node.outputs])[0]


CASES = {
    "rows": ("gather", lambda r: (r.normal(size=(50, 7)), r.integers(0, 50, 33)), {"axis": 0}),
    "one column": ("gather", lambda r: (r.normal(size=50), r.integers(0, 50, (3, 4))), {"axis": 0}),
    "inner axis": ("gather", lambda r: (r.normal(size=(3, 5, 4)), r.integers(0, 5, 6).astype("i4")), {"axis": 1}),
    "batch": ("gather", lambda r: (r.normal(size=(3, 2, 5, 4)), r.integers(0, 5, (3, 6))), {"axis": 2, "batch_dims": 1}),
    "bytes": ("gather", lambda r: (r.integers(0, 9, (9, 3)).astype("u1"), r.integers(0, 9, 5).astype("u1")), {"axis": 0}),
    "scatter": ("scatter_rows", lambda r: (r.integers(0, 9, 40), r.normal(size=(40, 33)).astype("f")), {"rows": 9}),
    "scatter many": ("scatter_rows", lambda r: (r.integers(0, 2000, 5000), r.normal(size=(5000, 64)).astype("f")), {"rows": 2000}),
    "scatter axis": ("scatter_rows", lambda r: (r.integers(0, 9, 5), r.normal(size=(4, 5, 3))), {"rows": 9, "axis": 1}),
    "coordinates": ("gather_nd", lambda r: (r.normal(size=(4, 5, 3)), r.integers(0, 4, (7, 2))), {}),
    "scatter_nd": ("scatter_nd", lambda r: (r.integers(0, 4, (30, 2)), r.normal(size=(30, 3))), {"shape": (4, 5, 3)}),
    "replace": ("tensor_scatter_nd_update", lambda r: (r.normal(size=(9, 3)), r.integers(0, 9, (5, 1)), r.normal(size=(5, 3))), {}),
    "max": ("tensor_scatter_nd_max", lambda r: (r.normal(size=(9, 13)), r.integers(0, 9, (5, 1)), r.normal(size=(5, 13))), {}),
    "segments": ("unsorted_segment_sum", lambda r: (r.normal(size=(40, 5)), r.integers(-1, 6, 40)), {"segments": 7}),
    "products": ("unsorted_segment_prod", lambda r: (r.normal(size=(40, 5)), r.integers(-1, 6, 40)), {"segments": 7}),
    "largest": ("unsorted_segment_max", lambda r: (r.integers(-9, 9, (40, 5)), r.integers(-1, 6, 40)), {"segments": 7}),
    "members": ("segment_gather", lambda r: (r.normal(size=(6, 5)), r.integers(-1, 6, 40)), {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_equals_the_kernel_of_numpy(case, random):
    name, make, params = CASES[case]
    arrays = make(random)
    found = native(name, arrays, **params)
    np.testing.assert_allclose(found, REGISTRY[name].kernel(*arrays, **params), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("case", ["scatter many", "rows"])
def test_bits_do_not_depend_on_threads(case, random):
    name, make, params = CASES[case]
    arrays = make(random)
    results = []
    for threads in (1, 2, 5):
        pool.set_threads(threads)
        results.append(native(name, arrays, **params))
    pool.set_threads(0)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize("index", [-1, 5, 2**40])
def test_an_index_outside_is_noticed(index):
    with pytest.raises(Misfit):
        native("gather", (np.ones((5, 2)), np.array([0, index])), axis=0)


def test_a_function_names_the_line_and_assigns_nothing():
    v = tf.Variable(tf.zeros([3]))

    @tf.function
    def step(x, i):
        y = tf.gather(x, i)
        v.assign_add(y)
        return y

    x = tf.constant([1.0, 2.0])
    step(x, tf.constant([0, 1, 0]))
    assert v.numpy().tolist() == [1.0, 2.0, 1.0]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)indices\[2\] = 7 is not in \[0, 2\).*test_indexing.py"
    ):
        step(x, tf.constant([0, 1, 7]))
    assert v.numpy().tolist() == [1.0, 2.0, 1.0]
