"""Lists of numbers become tensors by TensorFlow's rules: the first number chooses, NumPy's integers are integers."""

import collections
import itertools

import numpy as np
import pytest

import gradtape as tf

INTEGERS = [1, np.int8(1), np.uint8(1), np.int16(1), np.uint16(1), np.int32(1), np.uint32(1), np.int64(1), np.uint64(1)]
FLOATS = [(1.5, "float32"), (np.float16(1.5), "float16"), (np.float32(1.5), "float32"), (np.float64(1.5), "float64")]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(INTEGERS, INTEGERS)))
def test_integers_of_any_kind_are_int32(a, b):
    for value in ([a, b], [[a], [b]], (a, b), [np.array([a]), np.array([b])]):
        assert tf.constant(value).dtype is tf.int32
    assert tf.constant([a, 2**40, b]).dtype is tf.int64


@pytest.mark.parametrize(("first", "name"), FLOATS)
@pytest.mark.parametrize("other", [*INTEGERS, *[f for f, _ in FLOATS], True])
def test_the_first_float_chooses(first, name, other):
    assert tf.constant([first, other]).dtype.name == name
    if not isinstance(other, bool) and isinstance(other, (int, np.integer)):
        assert tf.constant([other, first]).dtype.name == "float32"


@pytest.mark.parametrize(
    "pair", [(1, "a"), (True, 1), (1, np.bool_(True)), (1.5, 1j), ("a", 1.5), (np.bool_(True), 1.5)]
)
def test_kinds_that_do_not_go_together(pair):
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant(list(pair))


def test_integers_wrap_in_a_dtype_that_was_asked_for():
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32"):
        values = [-(2**40) - 3, -1, 0, 300, 2**31, 2**40 + 5]
        wanted = np.array(values).astype(name).tolist()
        assert tf.constant(values, name).numpy().tolist() == wanted
        assert [int(tf.constant(v, name)) for v in values] == wanted
    with pytest.raises(ValueError, match="does not fit"):
        tf.constant([2**63], tf.int32)


def test_arrays_and_lists_beside_each_other():
    assert tf.constant([np.array([1, 2]), [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="non-rectangular"):
        tf.constant([np.array([1, 2]), [3]])


def test_tensors_in_a_list_are_cast_only_where_a_dtype_is_asked_for():
    assert tf.convert_to_tensor([1, tf.constant(2)], tf.float32).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.convert_to_tensor([tf.constant(1), tf.constant(2.5)])
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.convert_to_tensor([x, 1], tf.float64) ** 2)
    assert float(tape.gradient(y, x)) == 6.0


def test_values_in_text():
    x = tf.constant([1.5, 2.5])
    assert f"{x}" == "[1.5 2.5]"
    assert f"{x[0]}" == "1.5"
    assert f"{x[0]:.2f}" == "1.50"
    assert f"{tf.constant('a')}" == "b'a'"
    assert str(x) == "tf.Tensor([1.5 2.5], shape=(2,), dtype=float32)"


class Numbered:
    """Has a length and elements by number, and is no list."""

    def __init__(self, length: int = 3) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> int:
        return [1, 2, 3][i]


def test_other_sequences() -> None:
    assert tf.constant(Numbered()).numpy().tolist() == [1, 2, 3]
    assert tf.constant([Numbered(), [4, 5, 6]]).numpy().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert tf.constant(collections.deque([1.5, 2])).dtype is tf.float32
    with pytest.raises(ValueError, match="non-rectangular"):
        tf.constant(Numbered(4))
    with pytest.raises(ValueError, match="unsupported type"):
        tf.constant({0: 1})
