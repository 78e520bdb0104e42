"""TestCase: unittest's, with comparisons of tensors and arrays."""

# ruff: noqa: N802, PT009 - the methods are unittest's, by name and by use

from __future__ import annotations

import contextlib
import functools
import random
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gradtape.core import array_values, dtypes, errors, nest
from gradtape.core.array_values import RaggedTensorValue
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor, to_numpy
from gradtape.core.variable import Variable
from gradtape.random._functions import set_seed

_SEED = 87654321


class TestCase(unittest.TestCase):
    """A unittest.TestCase that seeds all random generators, and compares tensors, arrays and structures of them.

    >>> class SquareTest(tf.test.TestCase):
    ...     def test_square(self):
    ...         self.assertAllClose(tf.square([2.0, 3.0]), [4.0, 9.0])
    >>> unittest_result = SquareTest("test_square").run()
    >>> unittest_result.wasSuccessful()
    True
    """

    __test__ = False  # pytest must not take the base itself for a test

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__test__" not in vars(cls):
            cls.__test__ = True

    def setUp(self) -> None:
        """Seed Python's, NumPy's and the library's random generators."""
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def get_temp_dir(self) -> str:
        """A folder that is removed after the test; the same in all calls of a test."""
        if not hasattr(self, "_folder_of_test"):
            self._folder_of_test = tempfile.mkdtemp()
            self.addCleanup(lambda: __import__("shutil").rmtree(self._folder_of_test, ignore_errors=True))
        return self._folder_of_test

    def evaluate(self, tensors: Any) -> Any:
        """A structure with NumPy values in place of tensors; functions in it are called.

        Sparse and ragged tensors become `tf.compat.v1.SparseTensorValue` and `tf.compat.v1.ragged.RaggedTensorValue`.
        """
        return None if tensors is None else nest.map_structure(_evaluate, tensors)

    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """A block without effect: there are no sessions. It gives None."""
        yield None

    cached_session = session

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Two structures of numbers are equal up to tolerances."""
        _compare(self, a, b, lambda x, y: np.testing.assert_allclose(_wide(x), _wide(y), rtol, atol, True), msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Two structures of numbers are equal up to tolerances that fit the narrower dtype."""
        limits = [
            (dtypes.float32, float_rtol, float_atol),
            (dtypes.float16, half_rtol, half_atol),
            (dtypes.bfloat16, bfloat16_rtol, bfloat16_atol),
        ]
        found = {_value(leaf).dtype for s in (a, b) for leaf in nest.flatten(s)}
        for dtype, relative, absolute in limits:
            if np.dtype(dtype.as_numpy_dtype) in found or (dtype is dtypes.float32 and np.dtype("complex64") in found):
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Two structures hold equal values."""
        _compare(self, a, b, lambda x, y: np.testing.assert_array_equal(_text(x), _text(y)), msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Two structures differ somewhere by more than tolerances."""
        _differ(lambda: self.assertAllClose(a, b, rtol, atol), msg or "The values are close everywhere.")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Two structures differ somewhere."""
        _differ(lambda: self.assertAllEqual(a, b), msg or "The values are equal everywhere.")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Two tensors or arrays have the same shape."""
        self.assertEqual(tuple(_value(input_a).shape), tuple(_value(input_b).shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """A tensor or array has a dtype."""
        self.assertEqual(dtypes.as_dtype(_value(target).dtype), dtypes.as_dtype(expected_dtype))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Two numbers differ by no more than `err`."""
        self.assertTrue(f1 == f2 or abs(float(f1) - float(f2)) <= err, msg or f"{f1} != {f2} +/- {err}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Two rows of numbers differ by no more than `err` anywhere."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """Two arrays differ by no more than `err` as vectors."""
        self.assertLessEqual(float(np.linalg.norm(_wide(_value(ndarray1)) - _wide(_value(ndarray2)))), err, msg)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater than a value."""
        self.assertGreater(np.min(_value(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at least a value."""
        self.assertGreaterEqual(np.min(_value(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less than a value."""
        self.assertLess(np.max(_value(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are at most a value."""
        self.assertLessEqual(np.max(_value(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """All elements lie between two bounds, which may be open."""
        (self.assertAllGreater if open_lower_bound else self.assertAllGreaterEqual)(target, lower_bound)
        (self.assertAllLess if open_upper_bound else self.assertAllLessEqual)(target, upper_bound)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """All elements are among some values."""
        found = set(np.unique(_value(target)).tolist()) - set(expected_set)
        self.assertFalse(found, f"{sorted(found)} are not in {expected_set}.")

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """A container has a length."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """A container is empty."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """A container is not empty."""
        self.assertNotEqual(len(container), 0, msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """A text begins with another one."""
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Any:
        """A block raises an exception whose message matches a pattern, or which a function accepts."""
        return _raises(self, exception_type, expected_err_re_or_predicate)

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """A block raises an error of `tf.errors`."""
        return _raises(self, errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = errors.InvalidArgumentError, *args: Any) -> Any:
        """A block raises an error about shapes."""
        return _raises(self, exception_type, "(?i)shape|broadcast")

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Two names mean the same device."""
        from gradtape.core.device import parse

        self.assertEqual(parse(str(device1)), parse(str(device2)), msg)


# Functions, not methods: a test class may have methods with any name, such as _compare.
def _differ(compare: Callable[[], None], msg: str) -> None:
    try:
        compare()
    except AssertionError:
        return
    raise AssertionError(msg)


def _compare(
    case: unittest.TestCase, a: Any, b: Any, compare: Callable[[Any, Any], None], msg: str | None, path: str = ""
) -> None:
    """Compare two structures leaf by leaf; a list of numbers counts as an array, a ragged tensor as a list."""
    a, b = _rows(a), _rows(b)
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        case.assertEqual(set(a), set(b), msg)
        for key in a:
            _compare(case, a[key], b[key], compare, msg, f"{path}[{key!r}]")
        return
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and not (_is_array(a) and _is_array(b)):
        case.assertEqual(len(a), len(b), msg)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            _compare(case, x, y, compare, msg, f"{path}[{i}]")
        return
    x, y = _value(a), _value(b)
    case.assertEqual(np.shape(x), np.shape(y), f"Shape mismatch{path and ' at ' + path}. {msg or ''}")
    try:
        compare(x, y)
    except AssertionError as problem:
        where = f"Mismatched value{path and ' at ' + path}: "
        raise AssertionError(f"{where}{problem}{'' if msg is None else f' : {msg}'}") from None


@contextlib.contextmanager
def _raises(case: unittest.TestCase, kind: Any, pattern: Any) -> Iterator[None]:
    accepts = pattern if callable(pattern) else lambda problem: re.search(pattern, str(problem))
    try:
        yield
    except kind as problem:
        if not accepts(problem):
            raise AssertionError(
                f"Exception of type {type(problem)}: {problem} is not as expected: {pattern}"
            ) from problem
        return
    case.fail(f"{getattr(kind, '__name__', kind)} not raised")


def _evaluate(leaf: Any) -> Any:
    """The value of a tensor, or of what a function returns; of tensors of several parts the arrays of all."""
    if leaf is None:
        return None
    if callable(leaf):
        called = leaf()
        return None if called is None else nest.map_structure(_evaluate, called)
    try:
        return array_values.of_tensor(leaf)
    except AttributeError as problem:
        what = f"evaluate: Unsupported type {type(leaf).__name__!r}, got {errors.brief(leaf)}."
        raise ValueError(errors.compose(what, "give tensors, or structures of tensors.")) from problem


def _rows(value: Any) -> Any:
    """A ragged tensor as nested lists."""
    return value.to_list() if isinstance(value, (Composite, RaggedTensorValue)) and hasattr(value, "to_list") else value


def _is_array(value: Any) -> bool:
    """True for a nested list that is an array of plain values."""
    if any(isinstance(leaf, Mapping) for leaf in value):
        return False
    try:
        return np.asarray([_value(v) for v in value]).dtype.kind != "O" or all(
            isinstance(v, (str, bytes)) for v in value
        )
    except ValueError:
        return False


def _value(value: Any) -> Any:
    """The NumPy value of anything that has one."""
    if isinstance(value, (Tensor, Variable)):
        return np.asarray(to_numpy((value._read() if isinstance(value, Variable) else value)._array))
    if isinstance(value, IndexedSlices):
        from gradtape.core.indexed_slices import densify

        return _value(densify(value))
    if callable(getattr(value, "numpy", None)) and not isinstance(value, dtypes.DType):
        return np.asarray(value.numpy())
    return np.asarray(value)


def _wide(array: Any) -> Any:
    """An array of a dtype in which differences can be taken."""
    return (
        array.astype(np.float32)
        if array.dtype.kind == "V" or array.dtype.name.startswith(("bfloat", "float8"))
        else array
    )


def _text(array: Any) -> Any:
    """An array with text as bytes, as tensors hold it."""
    if array.dtype.kind not in "UOS":
        return array
    return np.frompyfunc(lambda v: v.encode() if isinstance(v, str) else v, 1, 1)(array)


def main(argv: Any = None) -> None:
    """Run the tests of the main module, as `unittest.main`."""
    unittest.main(argv=argv)


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[[Any], Any]:
    """A decorator that skips a test where a function returns true.

    >>> @tf.test.disable_with_predicate(pred=tf.test.is_built_with_rocm, skip_message="not on ROCm")
    ... def test(self):
    ...     return "ran"
    >>> test(None)
    'ran'
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return run

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """A decorator of test classes without effect: eager ops are not wrapped in functions.

    >>> tf.test.with_eager_op_as_function(tf.test.TestCase) is tf.test.TestCase
    True
    """
    return cls if cls is not None else lambda decorated: decorated
