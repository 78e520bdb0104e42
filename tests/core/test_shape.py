"""TensorShape and TensorSpec."""

import pickle

import pytest

import gradtape as tf
from gradtape.core.shape import broadcast


def test_shape_is_a_sequence_with_unknowns():
    s = tf.TensorShape([2, None, 4])
    assert s.as_list() == [2, None, 4]
    assert (s.rank, len(s), s[0], s[1]) == (3, 3, 2, None)
    assert s[1:] == [None, 4]
    assert s + [5] == [2, None, 4, 5]
    assert [1] + s == [1, 2, None, 4]
    assert not s.is_fully_defined()
    assert s.num_elements() is None
    assert tf.TensorShape([2, 3]).num_elements() == 6
    assert tf.TensorShape([]).num_elements() == 1
    assert str(s) == "(2, None, 4)"
    assert str(tf.TensorShape([1])) == "(1,)"
    assert repr(s) == "TensorShape([2, None, 4])"
    assert tf.TensorShape([2]) == (2,)
    assert pickle.loads(pickle.dumps(s)) == s


def test_unknown_rank():
    s = tf.TensorShape(None)
    assert s.rank is None
    assert not s
    assert str(s) == "<unknown>"
    with pytest.raises(ValueError):
        s.as_list()
    with pytest.raises(ValueError):
        len(s)
    assert s.is_compatible_with([1, 2])


def test_relations():
    s = tf.TensorShape([2, None])
    assert s.is_compatible_with([2, 5])
    assert not s.is_compatible_with([3, 5])
    assert s.merge_with([None, 7]) == [2, 7]
    assert s.most_specific_compatible_shape([2, 3]) == [2, None]
    assert s.with_rank(2) == s
    with pytest.raises(ValueError, match="rank at least 3"):
        s.with_rank_at_least(3)
    with pytest.raises(ValueError, match="incompatible"):
        s.assert_is_compatible_with([3, 3])


@pytest.mark.parametrize(("bad", "error"), [([-1], ValueError), (["a"], TypeError), ([1.5], TypeError)])
def test_bad_dimensions(bad, error):
    with pytest.raises(error):
        tf.TensorShape(bad)


def test_spec():
    spec = tf.TensorSpec([None, 3], tf.float32, "x")
    assert spec.is_compatible_with(tf.ones([2, 3]))
    assert not spec.is_compatible_with(tf.ones([2, 4]))
    assert not spec.is_compatible_with(tf.ones([2, 3], tf.float64))
    assert repr(spec) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name='x')"
    assert tf.TensorSpec.from_tensor(tf.ones([2, 3])) == tf.TensorSpec([2, 3])
    assert spec.most_specific_compatible_type(tf.TensorSpec([4, 3])) == tf.TensorSpec([None, 3])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [((2, 1), (3,), (2, 3)), ((), (4,), (4,)), ((2,), (3,), None), ((0,), (1,), (0,)), ((5, 1, 2), (7, 1), (5, 7, 2))],
)
def test_broadcast(a, b, expected):
    assert broadcast(a, b) == expected
    assert broadcast(b, a) == expected


def test_dimensions_compare_and_divide():
    three, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    assert three > 2
    assert three >= 3
    assert three <= tf.compat.v1.Dimension(3)
    assert not three < 3
    assert [unknown > 2, unknown <= 2, three >= unknown] == [None, None, None]
    assert (7 // three).value == 2
    assert (7 % three).value == 1
    assert (7 // unknown).value is None


def test_dimensions_in_shapes_and_values():
    three, unknown = tf.compat.v1.Dimension(3), tf.compat.v1.Dimension(None)
    assert tf.TensorShape(three) == [3]
    assert (tf.TensorShape([2]) + unknown).as_list() == [2, None]
    assert tf.constant([three, 2]).numpy().tolist() == [3, 2]
    assert tf.convert_to_tensor(three).numpy() == 3
    assert tf.reshape(tf.zeros([three, 2]), [three * 2]).shape == [6]
    assert tf.fill([three], 1).shape == [3]


def test_dimensions_as_python_sees_them():
    dimension = tf.compat.v1.Dimension
    assert [str(dimension(3)), str(dimension(None)), repr(dimension(3))] == ["3", "?", "Dimension(3)"]
    assert [bool(dimension(3)), bool(dimension(0)), bool(dimension(None))] == [True, False, False]
    assert pickle.loads(pickle.dumps(dimension(3))) == 3
    assert (dimension(3) == "3") is False
    assert (dimension(None) == None) is None  # noqa: E711
    for wrong in ("3", 3.0, [3]):
        with pytest.raises(TypeError, match="must be integer or None"):
            dimension(wrong)
    with pytest.raises(ValueError, match="-1 must be >= 0"):
        dimension(-1)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        dimension(3).assert_is_compatible_with(4)
    with pytest.raises(TypeError, match="'Dimension' and 'int', please use // instead"):
        dimension(3) / 2
    with pytest.raises(TypeError, match="'int' and 'Dimension', please use // instead"):
        2 / dimension(3)
    with pytest.raises(TypeError, match="unsupported operand"):
        dimension(3) + "a"


def test_a_shape_and_its_message_say_the_same():
    for dims in ([2, None, 3], [], None):
        proto = tf.TensorShape(dims).as_proto()
        again = tf.TensorShape(proto)
        assert proto.unknown_rank is (dims is None)
        assert (again.rank, again.dims and again.as_list()) == (tf.TensorShape(dims).rank, dims)
