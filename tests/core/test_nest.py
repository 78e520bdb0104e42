"""Nested structures."""

import collections

import pytest

import gradtape as tf

Point = collections.namedtuple("Point", "x y")


def test_flatten_sorts_keys():
    assert tf.nest.flatten({"b": [1, (2,)], "a": Point(3, 4)}) == [3, 4, 1, 2]
    assert tf.nest.flatten(5) == [5]
    assert tf.nest.flatten([]) == []
    assert tf.nest.flatten("text") == ["text"]


def test_pack_keeps_types_and_order():
    structure = {"b": [0, (0,)], "a": Point(0, 0)}
    packed = tf.nest.pack_sequence_as(structure, [3, 4, 1, 2])
    assert packed == {"b": [1, (2,)], "a": Point(3, 4)}
    assert list(packed) == ["b", "a"]
    default = collections.defaultdict(list, {"k": 1})
    assert isinstance(tf.nest.pack_sequence_as(default, [2]), collections.defaultdict)
    with pytest.raises(ValueError):
        tf.nest.pack_sequence_as([1, 2], [1])


def test_map_and_compare():
    assert tf.nest.map_structure(lambda a, b: a * b, {"x": 2, "y": [3]}, {"x": 5, "y": [7]}) == {"x": 10, "y": [21]}
    with pytest.raises(ValueError):
        tf.nest.map_structure(lambda a, b: a, [1], [1, 2])
    with pytest.raises(TypeError):
        tf.nest.assert_same_structure([1], (1,))
    tf.nest.assert_same_structure([1], (1,), check_types=False)
    with pytest.raises(ValueError):
        tf.nest.assert_same_structure({"a": 1}, {"b": 1})
    assert tf.nest.is_nested([1])
    assert not tf.nest.is_nested(tf.constant([1]))


def test_deep_structures():
    deep: object = 1
    for _ in range(300):
        deep = [{"a": (deep,)}]
    assert tf.nest.flatten(tf.nest.map_structure(lambda v: v + 1, deep)) == [2]


def test_types_that_may_stand_for_each_other():
    class Own(list):
        pass

    one, other = collections.namedtuple("Pair", "a b"), collections.namedtuple("Pair", "a b")
    for first, second in [
        ({"a": 1}, collections.OrderedDict(a=2)),
        (Own([1, 2]), [3, 4]),
        (one(1, 2), other(3, 4)),
    ]:
        tf.nest.assert_same_structure(first, second)
        tf.nest.assert_same_structure(second, first)
    for first, second in [([1], (1,)), (one(1, 2), (1, 2)), (one(1, 2), collections.namedtuple("Pair", "a c")(1, 2))]:
        with pytest.raises(TypeError, match="sequence type"):
            tf.nest.assert_same_structure(first, second)


def test_attributes_of_users_objects_do_not_make_them_composites():
    class Model:
        def __init__(self) -> None:
            self._components = ["encoder", "decoder"]

        def _build(self) -> None:
            """As in libraries of layers."""

    model = Model()
    assert tf.nest.flatten({"model": model}, expand_composites=True) == [model]
    assert tf.nest.map_structure(lambda part: part, [model], expand_composites=True) == [model]
    tf.nest.assert_same_structure([model], [model], expand_composites=True)


def test_specs_of_composites_have_the_specs_of_their_tensors_as_leaves():
    spec = tf.SparseTensorSpec([2, None], tf.float32)
    parts = tf.nest.flatten([spec], expand_composites=True)
    assert [part.dtype for part in parts] == [tf.int64, tf.float32, tf.int64]
    tf.nest.assert_same_structure([spec], [spec], expand_composites=True)


def test_every_sequence_but_text_is_a_structure():
    assert tf.nest.flatten([range(3), collections.deque([4, (5,)])]) == [0, 1, 2, 4, 5]
    assert tf.nest.map_structure(lambda x: x + 1, collections.deque([1, 2])) == collections.deque([2, 3])
    assert tf.nest.flatten({"b": 1, "a": 2}.items()) == ["b", 1, "a", 2]
    assert tf.nest.pack_sequence_as({"b": 1, "a": 2}.values(), [3, 4]) == [3, 4]
    assert tf.nest.map_structure(lambda x: x, range(2)) == [0, 1]
    assert not any(tf.nest.is_nested(text) for text in ("ab", b"ab", bytearray(b"ab")))
    assert not tf.nest.is_nested(tf.TensorShape([1, 2]))
    with pytest.raises(TypeError, match="not the same sequence type"):
        tf.nest.assert_same_structure(collections.deque([1]), [1])


def test_tensors_in_any_sequence_are_sources_results_and_variables_of_modules():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(collections.deque([x]))
        y = x * x
    (dx,) = tape.gradient(y, collections.deque([x]))
    assert dx.numpy() == 4.0
    result = tf.function(lambda a: collections.deque([a, a + 1.0]))(x)
    assert type(result) is collections.deque
    assert result[1].numpy() == 3.0
    module = tf.Module()
    module.parts = collections.deque([tf.Variable(1.0)])
    assert len(module.variables) == 1
