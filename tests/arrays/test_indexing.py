"""Gathers, scatters and searches under TensorFlow's names."""

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads

X = np.arange(12.0).reshape(3, 4)


def test_gather_axes():
    np.testing.assert_array_equal(tf.gather(X, [2, 0]), X[[2, 0]])
    np.testing.assert_array_equal(tf.gather(X, [[1, 1], [3, 0]], axis=-1), X[:, [[1, 1], [3, 0]]])
    np.testing.assert_array_equal(tf.gather(X, 1, axis=tf.constant(1)), X[:, 1])
    assert tf.gather(["a", "b"], [1]).numpy().tolist() == [b"b"]


def test_gradients_of_gather_are_rows_only_along_an_axis_given_as_zero():
    x = tf.constant([1.0, 2.0, 3.0])
    for axis, kind in ((0, tf.IndexedSlices), (None, tf.IndexedSlices), (-1, tf.Tensor), (np.int64(-1), tf.Tensor)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, [2, 0, 2], axis=axis)
        gradient = tape.gradient(y, x)
        assert isinstance(gradient, kind), axis
        assert tf.convert_to_tensor(gradient).numpy().tolist() == [1.0, 0.0, 2.0]


def test_gather_batch_dims():
    indices = np.array([[1, 0], [0, 0], [3, 2]])
    wanted = np.take_along_axis(X, indices, axis=1)
    np.testing.assert_array_equal(tf.gather(X, indices, batch_dims=1), wanted)
    np.testing.assert_array_equal(tf.gather(X, indices, axis=1, batch_dims=-1), wanted)
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch_dims is 3"):
        tf.gather(X, indices, batch_dims=3)
    # With an axis of 0, TensorFlow gathers as if there were no batch dimensions.
    np.testing.assert_array_equal(tf.gather(X, [0, 2], axis=0, batch_dims=1), np.take(X, [0, 2], axis=0))


def test_gather_refusals():
    with pytest.raises(IndexError, match="axis is 2"):
        tf.gather(X, [0], axis=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="a scalar"):
        tf.gather(1.0, [0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="a scalar"):
        tf.gather(1.0, [0], axis=0)
    with pytest.raises(IndexError, match="is not in"):
        tf.gather(X, [3])


def test_gather_nd():
    np.testing.assert_array_equal(tf.gather_nd(X, [[0, 1], [2, 3]]), X[[0, 2], [1, 3]])
    np.testing.assert_array_equal(tf.gather_nd(X, [[1], [2], [3]], batch_dims=1), X[[0, 1, 2], [1, 2, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad_indices_policy"):
        tf.gather_nd(X, [[0, 1]], bad_indices_policy="OTHER")


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()], ids=["eager", "function"])
def test_indices_out_of_range_are_ignored_on_request(run):
    x, at, new = tf.constant([1.0, 2.0, 3.0]), tf.constant([[1], [7], [-1]]), tf.constant([5.0, 6.0, 7.0])
    policy = {"bad_indices_policy": "IGNORE"}
    assert run(lambda: tf.gather_nd(x, at, **policy)).numpy().tolist() == [2.0, 0.0, 0.0]
    assert run(lambda: tf.scatter_nd(at, new, [3], **policy)).numpy().tolist() == [0.0, 5.0, 0.0]
    for function, wanted in (
        (tf.tensor_scatter_nd_add, [1.0, 7.0, 3.0]),
        (tf.tensor_scatter_nd_sub, [1.0, -3.0, 3.0]),
        (tf.tensor_scatter_nd_max, [1.0, 5.0, 3.0]),
        (tf.tensor_scatter_nd_min, [1.0, 2.0, 3.0]),
    ):
        assert run(lambda f=function: f(x, at, new, **policy)).numpy().tolist() == wanted


def test_scatter_nd_takes_a_shape_in_any_form():
    for shape in ([4], (4,), np.array([4]), tf.constant([4]), tf.TensorShape([4])):
        assert tf.scatter_nd([[1], [1]], [1.0, 2.0], shape).numpy().tolist() == [0.0, 3.0, 0.0, 0.0]


def test_scatter_nd_of_bools_and_strings():
    assert tf.scatter_nd([[1], [1]], [True, True], [3]).numpy().tolist() == [False, True, False]
    assert tf.scatter_nd([[1]], ["a"], [3]).numpy().tolist() == [b"", b"a", b""]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("shape", "count"), [((3, 2), 50), ((400, 30), 1000)])
def test_scatters_add_in_the_order_of_the_updates(shape, count, sign):
    """Sums of float32 depend on their order: each update is added to what the place has by then."""
    rng = np.random.default_rng(0)
    start, updates = rng.random(shape).astype("f"), rng.random((count, shape[1])).astype("f")
    index = rng.integers(0, shape[0], count)
    wanted = start.copy()
    for i, row in zip(index, updates, strict=True):
        wanted[i] += np.float32(sign) * row
    scattered = tf.tensor_scatter_nd_add if sign > 0 else tf.tensor_scatter_nd_sub
    np.testing.assert_array_equal(scattered(start, index[:, None], updates), wanted)
    np.testing.assert_array_equal(
        tf.function(scattered)(tf.constant(start), tf.constant(index[:, None]), tf.constant(updates)), wanted
    )
    rows, places = tf.Variable(start), tf.Variable(start)
    name = "add" if sign > 0 else "sub"
    getattr(rows, f"scatter_{name}")(tf.IndexedSlices(updates, index))
    getattr(places, f"scatter_nd_{name}")(index[:, None], updates)
    np.testing.assert_array_equal(rows, wanted)
    np.testing.assert_array_equal(places, wanted)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (tf.tensor_scatter_nd_update, [1.0, 4.0, 3.0]),
        (tf.tensor_scatter_nd_add, [1.0, 11.0, 3.0]),
        (tf.tensor_scatter_nd_sub, [1.0, -7.0, 3.0]),
        (tf.tensor_scatter_nd_max, [1.0, 5.0, 3.0]),
        (tf.tensor_scatter_nd_min, [1.0, 2.0, 3.0]),
    ],
)
def test_tensor_scatter(function, wanted):
    assert function([1.0, 2.0, 3.0], [[1], [1]], [5.0, 4.0]).numpy().tolist() == wanted
    assert function(tf.constant([1.0, 2.0, 3.0]), [[1], [1]], [5, 4]).dtype is tf.float32
    with pytest.raises(tf.errors.InvalidArgumentError):
        function([1.0, 2.0, 3.0], [[3]], [0.0])
    check_grads(lambda x, u: function(x, [[2], [0]], u), (np.array([1.0, 2.0, 3.0]), np.array([2.5, 7.0])))


def test_where_several_attain_an_extremum_they_share_the_gradient():
    x, u = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([9.0, 2.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.tensor_scatter_nd_max(x, [[0], [1], [1]], u)
    gx, gu = tape.gradient(y, [x, u])
    np.testing.assert_allclose(gx, [0.0, 1 / 3, 1.0], rtol=1e-6)
    np.testing.assert_allclose(gu, [1.0, 1 / 3, 1 / 3], rtol=1e-6)


def test_of_several_updates_for_one_place_the_last_gets_the_gradient():
    x, u = tf.Variable([1.0, 2.0, 3.0]), tf.Variable([[4.0, 5.0], [6.0, 7.0]])
    with tf.GradientTape() as tape:
        y = tf.tensor_scatter_nd_update(x, [[[1], [2]], [[1], [1]]], u) * tf.constant([10.0, 20.0, 30.0])
    gx, gu = tape.gradient(y, [x, u])
    assert gx.numpy().tolist() == [10.0, 0.0, 0.0]
    assert gu.numpy().tolist() == [[0.0, 30.0], [0.0, 20.0]]
    check_grads(lambda x, u: tf.tensor_scatter_nd_update(x, [[1], [1]], u), (np.ones((2, 2)), np.ones((2, 2))))


TWICE = {
    "gather": lambda t: tf.gather(t, [2, 0, 2]),
    "gather axis": lambda t: tf.gather(t, [[3, 1]], axis=1),
    "gather batch": lambda t: tf.gather(t, [[1, 1], [0, 3], [2, 2]], batch_dims=1),
    "gather_nd": lambda t: tf.gather_nd(t, [[0, 1], [2, 3], [0, 1]]),
    "gather_nd batch": lambda t: tf.gather_nd(t, [[[1]], [[0]], [[3]]], batch_dims=1),
    "scatter_nd": lambda t: tf.scatter_nd([[4], [0], [4]], t, [5, 4]),
    "add": lambda t: tf.tensor_scatter_nd_add(t, [[1], [1]], t[:2]),
    "sub": lambda t: tf.tensor_scatter_nd_sub(t, [[1], [1]], t[:2]),
    "update": lambda t: tf.tensor_scatter_nd_update(t, [[1], [1]], t[:2]),
    "max": lambda t: tf.tensor_scatter_nd_max(t, [[1], [2]], t[:2] * 1.5),
    "min": lambda t: tf.tensor_scatter_nd_min(t, [[1], [2]], t[:2] * 1.5),
    "boolean_mask": lambda t: tf.boolean_mask(t, [True, False, True, True], axis=1),
}


@pytest.mark.parametrize("name", TWICE)
def test_twice_differentiable_and_mapped(name):
    """Second derivatives of a nonlinear function around the op, and a map against a loop."""
    function = TWICE[name]
    check_grads(lambda t: function(tf.sin(t)), [(X + 1.0) / 9.0], order=2)
    many = tf.constant(np.stack([X, X[::-1] + 0.5, -X]))
    mapped = tf.vectorized_map(function, many, fallback_to_while_loop=False)
    np.testing.assert_allclose(mapped.numpy(), np.stack([function(row).numpy() for row in many]), rtol=1e-12)


def test_boolean_mask():
    np.testing.assert_array_equal(tf.boolean_mask(X, [True, False, True]), X[[0, 2]])
    np.testing.assert_array_equal(tf.boolean_mask(X, X > 5.0), X[X > 5.0])
    np.testing.assert_array_equal(tf.boolean_mask(X, tf.constant([True, False, False, True]), axis=1), X[:, [0, 3]])
    with pytest.raises(ValueError, match="scalar"):
        tf.boolean_mask(X, True)
    with pytest.raises(ValueError, match="mask has shape"):
        tf.boolean_mask(X, [True, False])
    check_grads(lambda x: tf.boolean_mask(x, X > 5.0), (X,))


def test_argmax_and_argmin():
    assert tf.argmax(X).numpy().tolist() == [2, 2, 2, 2]
    assert tf.argmin(X, axis=-1).numpy().tolist() == [0, 0, 0]
    assert tf.math.argmax(X, output_type=tf.int32).dtype is tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        tf.argmax(X, output_type=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.argmax(1.0)
    with pytest.raises(TypeError):
        tf.argmax(X, axis=[0])


def test_there_is_no_gradient_through_positions():
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.cast(tf.argmax(x), tf.float64)
    assert tape.gradient(y, x) is None


def test_searchsorted():
    assert tf.searchsorted([[1.0, 2.0, 3.0]], [[2.0, 5.0]], side="right").numpy().tolist() == [[2, 3]]
    assert tf.searchsorted([1, 3], [3], out_type=tf.int64).dtype is tf.int64
    with pytest.raises(ValueError, match="side"):
        tf.searchsorted([1.0], [1.0], side="middle")
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.searchsorted([1.0, 2.0], 2.0)


def test_gather_without_batch_dims() -> None:
    assert tf.gather([[1, 2], [3, 4]], [1, 0], axis=1, batch_dims=None).numpy().tolist() == [[2, 1], [4, 3]]


def test_strings_for_one_place_are_appended() -> None:
    run = tf.function(lambda places: tf.scatter_nd(places, ["a", "b", "c"], [4]))
    for scatter in (lambda places: tf.scatter_nd(places, ["a", "b", "c"], [4]), run):
        assert scatter(tf.constant([[2], [0], [2]])).numpy().tolist() == [b"b", b"", b"ac", b""]
    rows = tf.scatter_nd([[1], [1]], [["a", "b"], ["c", "d"]], [2, 2])
    assert rows.numpy().tolist() == [[b"", b""], [b"ac", b"bd"]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index"):
        tf.scatter_nd([[4]], ["a"], [4])


def test_searchsorted_without_a_type_gives_int32():
    assert tf.searchsorted([1.0, 2.0], [1.5], out_type=None).dtype == tf.int32
