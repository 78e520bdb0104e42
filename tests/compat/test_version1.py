"""Functions of `tf.compat.v1` take the parameters of version 1. The numbers are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.compat import v1

X = np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1)
ROWS = np.array([[0.1, 0.9, 0.3]], np.float32)
TABLES = [np.array([[0.0], [2.0], [4.0]], np.float32), np.array([[1.0], [3.0]], np.float32)]

SAME = [
    (lambda: v1.space_to_batch(X, [[0, 0], [0, 0]], 2), lambda: tf.space_to_batch(X, [2, 2], [[0, 0], [0, 0]])),
    (
        lambda: v1.batch_to_space(np.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], block_size=2),
        lambda: tf.ones([1, 2, 2, 1], tf.float64),
    ),
    (
        lambda: v1.nn.pool(X, [2, 2], "MAX", "VALID", dilation_rate=[1, 2]),
        lambda: tf.nn.pool(X, [2, 2], "MAX", dilations=[1, 2]),
    ),
    (
        lambda: v1.nn.erosion2d(X, np.ones([2, 2, 1], np.float32), [1] * 4, [1] * 4, "VALID"),
        lambda: tf.nn.erosion2d(X, np.ones([2, 2, 1], np.float32), [1] * 4, "VALID", "NHWC", [1] * 4),
    ),
    (lambda: v1.nn.in_top_k(ROWS, [2], 2), lambda: tf.math.in_top_k([2], ROWS, 2)),
    (lambda: v1.math.in_top_k(ROWS, [0], 2), lambda: tf.math.in_top_k([0], ROWS, 2)),
    (lambda: v1.confusion_matrix([1, 0], [1, 1], 2, tf.int64), lambda: tf.constant([[0, 1], [0, 1]], tf.int64)),
    (lambda: v1.math.reduce_sum(X, reduction_indices=[1], keep_dims=True), lambda: tf.reduce_sum(X, 1, True)),
    (lambda: v1.math.argmax(X, dimension=1), lambda: tf.argmax(X, 1)),
    (lambda: v1.linalg.norm(X, keep_dims=True), lambda: tf.norm(X, keepdims=True)),
    (lambda: v1.strings.to_number(string_tensor=["1"]), lambda: tf.constant([1.0])),
    (lambda: v1.nn.embedding_lookup(TABLES, [[0, 1], [4, 3]]), lambda: tf.constant([[[0.0], [1.0]], [[4.0], [3.0]]])),
    (lambda: v1.nn.embedding_lookup(TABLES, [0, 1, 4], "div"), lambda: tf.constant([[0.0], [2.0], [3.0]])),
    (
        lambda: v1.nn.embedding_lookup_sparse(TABLES, tf.sparse.from_dense([[1, 2], [3, 0]]), None, combiner="sum"),
        lambda: tf.constant([[3.0], [3.0]]),
    ),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_parameters_of_version_1(old, new) -> None:
    found, wanted = old(), new()
    assert found.dtype is wanted.dtype
    np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_losses_whose_tables_take_turns() -> None:
    whole = np.arange(10.0, dtype=np.float32).reshape(5, 2)
    sampled = (tf.constant([1, 3], tf.int64), tf.constant([[0.4]]), tf.constant([0.4, 0.4]))
    arguments = ([[2]], tf.ones([1, 2]), 2, 5, 1, sampled)
    bias = np.arange(5.0, dtype=np.float32)
    wanted = tf.nn.sampled_softmax_loss(whole, bias, *arguments)
    parts = [whole[::2], whole[1::2]], [bias[::2], bias[1::2]]
    np.testing.assert_allclose(v1.nn.sampled_softmax_loss(*parts, *arguments).numpy(), wanted.numpy())


@pytest.mark.parametrize(
    ("method", "align", "row"),
    [
        ("BILINEAR", False, [0, 0.6667, 1.3333, 2, 2.6667, 3]),
        ("BILINEAR", True, [0, 0.6, 1.2, 1.8, 2.4, 3]),
        ("NEAREST_NEIGHBOR", False, [0, 0, 1, 2, 2, 3]),
        ("BICUBIC", False, [0, 0.5744, 1.3701, 2, 2.741, 3.1111]),
        ("AREA", False, [0, 0.5, 1, 2, 2.5, 3]),
    ],
)
def test_resizing_by_corners(method: str, align: bool, row: list[float]) -> None:
    found = v1.image.resize(X, [6, 6], getattr(v1.image.ResizeMethod, method), align_corners=align)
    np.testing.assert_allclose(found.numpy()[0, 0, :, 0], row, atol=1e-4)


def test_resizing_keeps_what_fits() -> None:
    small = X.astype(np.uint8)
    assert v1.image.resize(small, [4, 4]).dtype is tf.uint8
    assert v1.image.resize(small, [6, 6]).dtype is tf.float32
    assert v1.image.resize_nearest_neighbor(small[0], [6, 6]).shape == (6, 6, 1)
    with pytest.raises(ValueError, match="size"):
        v1.image.resize(X, [1, 2, 3])


def test_a_constant_with_a_shape_that_is_checked() -> None:
    with pytest.raises(TypeError, match="Expected Tensor"):
        v1.constant(1, shape=[2], verify_shape=True)
    assert v1.constant(1, shape=[2]).shape == (2,)


@pytest.mark.parametrize(
    "name", ["random_normal", "truncated_normal", "uniform_unit_scaling", "orthogonal", "identity"]
)
def test_initializers_of_floats(name: str) -> None:
    with pytest.raises(ValueError, match="is expected to be floating point"):
        getattr(v1.initializers, name)(dtype=tf.string)


def test_an_initial_value_is_no_tensor() -> None:
    for value in (tf.constant([1.0]), tf.Variable([1.0])):
        with pytest.raises(TypeError, match="Invalid type for initial value"):
            v1.initializers.constant(value)


def test_device_specs_can_be_changed():
    spec = tf.compat.v1.DeviceSpec(job="a")
    spec.task = 3
    spec.merge_from(tf.compat.v1.DeviceSpec.from_string("/replica:1/cpu:0"))
    assert spec.to_string() == "/job:a/replica:1/task:3/device:CPU:0"
    spec.parse_from_string("/job:b")
    assert spec.to_string() == "/job:b"
    spec.job = None
    assert spec == tf.compat.v1.DeviceSpec()


def test_templates_have_their_own_variables():

    def dense(trainable=True):
        return v1.get_variable("w", [1], trainable=trainable)

    first, second = v1.make_template("dense", dense), v1.make_template("dense", dense, trainable=False)
    with v1.variable_scope("templates"):
        a, b = first(), second()
    with v1.variable_scope("elsewhere"):
        assert first() is a
        assert second() is b
    assert (a.name, b.name) == ("templates/dense/w:0", "templates/dense_1/w:0")
    assert first.variable_scope.name == "templates/dense"
    assert (first.trainable_variables, second.trainable_variables, second.non_trainable_variables) == ([a], [], [b])
    with pytest.raises(ValueError, match="name cannot be None"):
        v1.make_template(None, dense)


def test_templates_in_templates_use_the_variables_of_the_first_call():

    def inner():
        return v1.get_variable("w", [1])

    def outer():
        return v1.make_template("inner", inner)(), v1.make_template("inner", inner)()

    calls = []

    def getter(make, name, *args, **kwargs):
        calls.append(name)
        return make(name, *args, **kwargs)

    template = v1.make_template("nested_templates", outer, custom_getter_=getter)
    a, b = template()
    assert template()[0] is a
    assert template()[1] is b
    assert a is not b
    assert b.name == "nested_templates/inner_1/w:0"
    assert len(calls) == 6


def test_convert_to_tensor_takes_the_name_third():
    assert v1.convert_to_tensor(1, None, "x", preferred_dtype=tf.float32).dtype == tf.float32
    assert v1.convert_to_tensor(1, None, "x").dtype == tf.int32


def test_the_two_seeds_of_an_op():
    try:
        tf.random.set_seed(None)
        assert v1.get_seed(None) == (None, None)
        assert v1.get_seed(1) == (87654321, 1)
        tf.random.set_seed(5)
        assert v1.get_seed(7) == (5, 7)
        assert v1.get_seed(None)[0] == 5
        tf.random.set_seed(0)
        assert v1.get_seed(0) == (0, 2**31 - 1)
    finally:
        tf.random.set_seed(None)


def test_variables_in_parts():
    v1 = tf.compat.v1
    with v1.variable_scope("table", partitioner=v1.fixed_size_partitioner(3)):
        table = v1.get_variable("w", [7, 2], initializer=tf.constant_initializer(2.0))
        scalar = v1.get_variable("s", [])
    assert [part.shape for part in table] == [[3, 2], [2, 2], [2, 2]]
    assert [part.name for part in table] == [f"table/w/part_{i}:0" for i in range(3)]
    assert table.shape == [7, 2]
    assert scalar.shape == []
    table.assign(tf.reshape(tf.range(14.0), [7, 2]))
    np.testing.assert_array_equal(tf.convert_to_tensor(table), np.arange(14.0).reshape(7, 2))
    np.testing.assert_array_equal(tf.nn.embedding_lookup(list(table), [6, 3]), [[12.0, 13.0], [6.0, 7.0]])
    cut = v1.get_variable("c", initializer=tf.range(5.0), dtype=tf.float32, partitioner=v1.fixed_size_partitioner(2))
    assert [part.numpy().tolist() for part in cut] == [[0.0, 1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ValueError, match="cut one axis at most"):
        v1.get_variable("d", [4, 4], partitioner=lambda **_: [2, 2])
    assert v1.variable_axis_size_partitioner(64)(shape=[7, 4], dtype=tf.float32) == [2, 1]
    assert v1.min_max_variable_partitioner(4, 0, 16)(shape=[7, 4], dtype=tf.float32) == [4, 1]


def test_fractional_pooling_of_version_1_has_its_own_checks():
    for function in (tf.compat.v1.nn.fractional_max_pool, tf.compat.v1.nn.fractional_avg_pool):
        with pytest.raises(tf.errors.UnimplementedError):
            function(np.zeros((2, 8, 8, 1), "f"), [2.0, 1.5, 1.5, 1.0])
        assert function(np.zeros((2, 9, 9, 1), "f"), [1.0, 1.5, 1.5, 1.0], seed=1)[0].shape == [2, 6, 6, 1]


def test_variables_take_the_dtype_of_their_value() -> None:
    assert v1.get_variable("of_an_int", initializer=tf.constant(1)).dtype is tf.int32
    with pytest.raises(ValueError, match="don't match"):
        v1.get_variable("of_two_dtypes", initializer=tf.constant(1), dtype=tf.float64)


def test_variables_without_a_value_are_looked_for_in_each_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("v", [1])
        missing = v1.report_uninitialized_variables()
        assert session.run(missing).tolist() == [b"v"]
        session.run(v1.global_variables_initializer())
        assert session.run(missing).tolist() == []


def test_constants_of_graphs_repeat_their_last_element() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(v1.constant([1, 2, 3], shape=[2, 3])).tolist() == [[1, 2, 3], [3, 3, 3]]
        with pytest.raises(ValueError, match="Too many elements"):
            v1.constant([1, 2, 3], shape=[2])
    with pytest.raises(TypeError, match="cannot fill the shape"):
        v1.constant([1, 2, 3], shape=[2, 3])
