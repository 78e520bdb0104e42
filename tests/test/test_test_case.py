"""tf.test: comparisons, numerical gradients, benchmarks."""

from __future__ import annotations

import os
import unittest
from typing import Any

import numpy as np
import pytest

import gradtape as tf


class Case(tf.test.TestCase):
    """An instance to call the methods of."""

    __test__ = False

    def runTest(self) -> None:  # noqa: N802 - unittest's name
        """Nothing by itself."""


GOOD = [
    ("assertAllClose", ([1.0, 2.0], tf.constant([1.0, 2.0000001]))),
    ("assertAllClose", ({"a": [tf.ones([2]), 3.0]}, {"a": [np.ones(2), 3.0]})),
    ("assertAllEqual", (tf.constant(["a"]), ["a"])),
    ("assertAllEqual", (tf.Variable([1]), [1])),
    ("assertNotAllClose", ([1.0], [1.1])),
    ("assertNotAllEqual", ([1], [2])),
    ("assertAllCloseAccordingToType", (tf.constant([1.0], tf.float16), [1.0005])),
    ("assertAllCloseAccordingToType", (tf.constant([1.0], tf.bfloat16), [1.005])),
    ("assertShapeEqual", (np.ones([2, 3]), tf.ones([2, 3]))),
    ("assertDTypeEqual", (tf.ones([2]), tf.float32)),
    ("assertNear", (1.0, 1.05, 0.1)),
    ("assertArrayNear", ([1.0, 2.0], [1.05, 2.0], 0.1)),
    ("assertNDArrayNear", (np.ones(2), np.ones(2) + 0.01, 0.1)),
    ("assertAllGreater", (tf.constant([2.0]), 1.0)),
    ("assertAllLessEqual", (tf.constant([2.0]), 2.0)),
    ("assertAllInRange", (tf.constant([2.0, 3.0]), 2.0, 3.0)),
    ("assertAllInSet", (tf.constant([2, 3]), [1, 2, 3])),
    ("assertLen", ([1, 2], 2)),
    ("assertStartsWith", ("abc", "ab")),
    ("assertDeviceEqual", ("/cpu:0", "/job:localhost/device:CPU:0")),
]
BAD = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.1])),
    ("assertAllClose", ([1.0, 2.0], [1.0])),
    ("assertAllClose", ({"a": 1.0}, {"b": 1.0})),
    ("assertAllEqual", (tf.constant([1]), [2])),
    ("assertNotAllClose", ([1.0], [1.0])),
    ("assertNotAllEqual", ([1], [1])),
    ("assertShapeEqual", (np.ones([2, 3]), tf.ones([3]))),
    ("assertDTypeEqual", (tf.ones([2]), tf.float64)),
    ("assertNear", (1.0, 1.5, 0.1)),
    ("assertAllGreater", (tf.constant([2.0]), 2.0)),
    ("assertAllInRange", (tf.constant([2.0, 3.0]), 2.0, 3.0, False, True)),
    ("assertAllInSet", (tf.constant([2, 3]), [1, 2])),
]


@pytest.mark.parametrize(("name", "arguments"), GOOD)
def test_what_holds(name: str, arguments: Any) -> None:
    getattr(Case(), name)(*arguments)


@pytest.mark.parametrize(("name", "arguments"), BAD)
def test_what_does_not_hold(name: str, arguments: Any) -> None:
    with pytest.raises(AssertionError):
        getattr(Case(), name)(*arguments)


def test_a_suite_runs() -> None:
    class Square(tf.test.TestCase):
        def setUp(self) -> None:
            super().setUp()
            self.folder = self.get_temp_dir()

        def test_square(self) -> None:
            with self.session():
                self.assertAllClose(self.evaluate({"y": tf.square(3.0)}), {"y": 9.0})
            assert os.path.isdir(self.folder)
            with self.assertRaisesOpError("inner dimensions"):
                tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
            with self.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
                raise ValueError("x")

        @tf.test.disable_with_predicate(lambda: True, "never")
        def test_nothing(self) -> None:
            raise AssertionError

    case = unittest.defaultTestLoader.loadTestsFromTestCase(Square)
    result = unittest.TestResult()
    case.run(result)
    assert result.testsRun == 2
    assert not result.errors + result.failures
    assert result.skipped[0][1] == "never"


def test_a_subclass_may_name_its_methods_freely() -> None:
    class Own(Case):
        def _compare(self) -> None:
            raise NotImplementedError

        _differ = _value = _compare

    Own().assertAllEqual([1, 2], tf.constant([1, 2]))
    Own().assertNotAllClose(1.0, tf.constant(2.0))


def test_evaluate() -> None:
    case = Case()
    assert case.evaluate(None) is None
    assert case.evaluate(lambda: tf.constant(3)) == 3
    assert isinstance(case.evaluate(tf.constant(2.0)), np.float32)
    sparse = case.evaluate(tf.sparse.from_dense([0, 5]))
    assert sparse.values.tolist() == [5]
    assert sparse.dense_shape.tolist() == [2]
    for value in (1, slice(1), np.ones(2)):
        with pytest.raises(ValueError, match="Unsupported type"):
            case.evaluate(value)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.complex128])
def test_numerical_gradients(dtype: Any) -> None:
    x = tf.cast(tf.constant([[0.5, -1.0], [2.0, 1.5]]), dtype)
    y = tf.cast(tf.constant([[1.0], [2.0]]), dtype)
    theoretical, numerical = tf.test.compute_gradient(lambda a, b: tf.square(tf.matmul(a, b)), [x, y])
    parts = 2 if dtype is tf.complex128 else 1
    assert [t.shape for t in theoretical] == [(2 * parts, 4 * parts), (2 * parts, 2 * parts)]
    for a, b in zip(theoretical, numerical, strict=True):
        np.testing.assert_allclose(np.abs(a), np.abs(b), rtol=2e-2, atol=2e-2)
    with pytest.raises(ValueError, match="list or tuple"):
        tf.test.compute_gradient(tf.square, tf.ones([2]))


def test_questions_about_the_machine() -> None:
    assert tf.test.is_built_with_xla() is False
    assert tf.test.is_gpu_available() == bool(tf.config.list_physical_devices("GPU"))
    assert tf.test.gpu_device_name() in ("", "/device:GPU:0")
    assert set(tf.sysconfig.get_build_info()) >= {"is_cuda_build", "is_rocm_build"}
    assert tf.version.VERSION.startswith("2.")


def test_benchmarks_report(capsys: pytest.CaptureFixture[str]) -> None:
    class Sum(tf.test.Benchmark):
        def benchmark_sum(self) -> None:
            found = self.run_op_benchmark(lambda: tf.reduce_sum(tf.ones([5])), min_iters=3)
            assert found["iters"] == 3
            self.report_benchmark(wall_time=1e-3, extras={"size": 5}, name="other", metrics=[{"name": "m", "value": 1}])

    Sum().benchmark_sum()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("benchmark_sum: ")
    assert lines[1] == "other: 1e+03 us, size: 5, m: 1"


def test_values_of_structures() -> None:
    """`evaluate` gives scalars of NumPy, and the arrays of tensors of several parts."""

    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: bool

    case = Case()
    assert type(case.evaluate(tf.constant(1.5))) is np.float32
    assert case.evaluate([tf.constant("a"), None, lambda: tf.Variable(2)]) == [b"a", None, 2]
    sparse = case.evaluate({"s": tf.SparseTensor([[1]], [2.0], [3])})["s"]
    assert isinstance(sparse, tf.compat.v1.SparseTensorValue)
    assert [part.tolist() for part in sparse] == [[[1]], [2.0], [3]]
    ragged = case.evaluate(tf.ragged.constant([[[1], []], [[2, 3]]]))
    assert isinstance(ragged, tf.compat.v1.ragged.RaggedTensorValue)
    assert ragged.to_list() == [[[1], []], [[2, 3]]]
    assert (ragged.shape, ragged.ragged_rank, ragged.flat_values.tolist()) == ((2, None, None), 2, [1, 2, 3])
    case.assertAllEqual(ragged, [[[1], []], [[2, 3]]])
    slices = case.evaluate(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    assert (slices.values.tolist(), slices.indices.tolist(), slices.dense_shape) == ([1.0], [0], None)
    masked = case.evaluate(Masked(tf.constant([1]), True))
    assert (type(masked), masked.values.tolist(), masked.mask) == (Masked, [1], True)
    with pytest.raises(ValueError, match="Unsupported type 'int'"):
        case.evaluate([1])
    with pytest.raises(TypeError, match="row_splits must be a 1-D int32 or int64"):
        tf.compat.v1.ragged.RaggedTensorValue(np.ones(1), [0, 1])
