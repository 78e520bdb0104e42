"""tf.scan, tf.foldl, tf.foldr, tf.map_fn and TensorArray, outside of functions and in them."""

import functools
import gc

import numpy as np
import pytest

import gradtape as tf
from gradtape.testing import check_grads
from gradtape.transform.record import Recording

X = np.array([[0.5, -1.0, 0.3], [1.2, 0.4, -0.6], [0.1, 0.9, 1.1], [-0.3, 0.2, 0.7]])


def mix(a, r):
    return tf.tanh(a * r) + a


OVER_ROWS = {
    "scan": lambda x: tf.scan(mix, x),
    "scan with initializer": lambda x: tf.scan(mix, x, x[0] * 2.0),
    "scan backwards": lambda x: tf.scan(mix, x, reverse=True),
    "scan of structures": lambda x: tf.scan(lambda a, r: (a[0] * r, a[1] + a[0]), x, (x[0], x[1]))[1],
    "foldl": lambda x: tf.foldl(mix, x),
    "foldr": lambda x: tf.foldr(mix, x),
    "foldr with initializer": lambda x: tf.foldr(mix, x, x[1]),
    "map_fn": lambda x: tf.map_fn(lambda r: tf.reduce_sum(r * x[0]), x),
    "map_fn of structures": lambda x: tf.map_fn(lambda p: p[0] * p[1], (x, x[::-1]), fn_output_signature=tf.float64),
}


@pytest.mark.parametrize("name", OVER_ROWS)
def test_over_rows(name):
    function = OVER_ROWS[name]
    np.testing.assert_allclose(tf.function(function)(X), function(tf.constant(X)))
    check_grads(tf.function(function), (X,), order=2)


def test_rows_of_unknown_number():
    f = tf.function(lambda x: tf.scan(lambda a, r: a + r, x), input_signature=[tf.TensorSpec([None], tf.int32)])
    assert f(tf.constant([1, 2, 3])).numpy().tolist() == [1, 3, 6]
    assert f(tf.constant([4, 5])).numpy().tolist() == [4, 9]
    assert f.experimental_get_tracing_count() == 1


def test_one_node_for_all_rows():
    graph = tf.function(OVER_ROWS["scan"]).get_concrete_function(tf.constant(X)).graph
    assert sum(node.op.name == "loop" for node in graph.nodes) == 1


def test_dtypes_are_checked_in_functions():
    with pytest.raises(tf.errors.DTypeError, match="map_fn: fn returns f32"):
        tf.function(lambda x: tf.map_fn(lambda r: tf.cast(r, tf.float32), x))(tf.constant([1, 2]))


def filled(x):
    array = tf.TensorArray(tf.float64, size=4)
    rows = tf.TensorArray(tf.float64, size=4, clear_after_read=False).unstack(x)

    def body(i, s, array):
        s = s * rows.read(i) + tf.sin(s)
        return i + 1, s, array.write(i, s * s)

    return tf.while_loop(lambda i, s, array: i < 4, body, [0, x[0], array])[2].stack()


class TestTensorArray:
    def test_filled_in_a_loop(self):
        np.testing.assert_allclose(tf.function(filled)(X), filled(tf.constant(X)))
        check_grads(filled, (X,), order=2)
        check_grads(tf.function(filled), (X,), order=2)

    @pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
    def test_methods(self, wrap):
        def f(x):
            array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
            array = array.write(1, tf.constant([9.0, 9.0]))
            array = array.scatter([0], tf.constant([[7.0, 7.0]]))
            return (
                array.stack(),
                array.concat(),
                array.gather([2, 0]),
                array.read(1),
                array.size(),
                array.identity().stack(),
            )

        stacked, joined, some, one, count, same = wrap(f)(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
        assert stacked.numpy().tolist() == [[7.0, 7.0], [9.0, 9.0], [5.0, 6.0]] == same.numpy().tolist()
        assert joined.numpy().tolist() == [7.0, 7.0, 9.0, 9.0, 5.0, 6.0]
        assert some.numpy().tolist() == [[5.0, 6.0], [7.0, 7.0]]
        assert one.numpy().tolist() == [9.0, 9.0]
        assert int(count) == 3

    @pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
    def test_split(self, wrap):
        f = wrap(lambda x: tf.TensorArray(tf.int32, size=2, clear_after_read=False).split(x, [2, 2]).read(1))
        assert f(tf.constant([1, 2, 3, 4])).numpy().tolist() == [3, 4]

    def test_grows(self):
        @tf.function
        def squares(n):
            array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
            return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, i * i)), [0, array])[1].stack()

        assert squares(tf.constant(4)).numpy().tolist() == [0, 1, 4, 9]
        assert squares(tf.constant(0)).numpy().tolist() == []
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        assert array.write(2, 5).stack().numpy().tolist() == [0, 0, 5]

    def test_gradients_through_an_array_that_grows(self):
        @tf.function
        def powers(x, n):
            with tf.GradientTape() as tape:
                tape.watch(x)
                array, power = tf.TensorArray(tf.float32, size=0, dynamic_size=True), x
                for i in tf.range(n):
                    array = array.write(i, power)
                    power = power * x
                    if power > 50.0:
                        break
                stacked = array.stack()
                y = tf.reduce_sum(stacked)
            return stacked, tape.gradient(y, x)

        for n in (3, 9):
            stacked, slope = powers(tf.constant(2.0), tf.constant(n))
            exponents = np.arange(1, min(n, 5) + 1)
            np.testing.assert_allclose(stacked, 2.0**exponents)
            np.testing.assert_allclose(slope, np.sum(exponents * 2.0 ** (exponents - 1)))

    def test_elements_are_read_once(self):
        array = tf.TensorArray(tf.float32, size=1).write(0, 1.0)
        array.read(0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
            array.read(0)

    def test_properties(self):
        array = tf.TensorArray("float32", 2, element_shape=[3])
        assert (array.dtype, array.dynamic_size, array.element_shape.as_list()) == (tf.float32, False, [3])
        assert array.stack().shape == (2, 3)
        assert "float32" in repr(array)
        array.close()

    @pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
    def test_errors(self, wrap):
        new = functools.partial(tf.TensorArray, tf.float32, size=2)
        with pytest.raises(
            tf.errors.OutOfRangeError, match="write to index 5 but array is not resizeable and size is: 2"
        ):
            wrap(lambda: new().write(5, 1.0).stack())()
        with pytest.raises(ValueError, match="trying to write dtype int32"):
            wrap(lambda: new().write(0, tf.constant(1)).stack())()
        with pytest.raises(ValueError, match="Incompatible shape"):
            wrap(lambda: new(element_shape=[2]).write(0, 1.0).stack())()

    def test_in_branches(self):
        @tf.function
        def f(p, x):
            array = tf.TensorArray(tf.float32, size=2).unstack(x)
            return tf.cond(p, lambda: array.write(0, 5.0), lambda: array.write(1, 6.0)).stack()

        x = tf.constant([1.0, 2.0])
        assert f(tf.constant(True), x).numpy().tolist() == [5.0, 2.0]
        assert f(tf.constant(False), x).numpy().tolist() == [1.0, 6.0]

    def test_rows_are_written_in_place(self):
        from gradtape.tracing.control.in_place import prepared

        concrete = tf.function(filled).get_concrete_function(tf.constant(X))
        loop = next(n for n in concrete.graph.nodes if n.op.name == "loop")
        assert len(prepared(loop.params["body"], loop.params["carried"])[1]) == 1


def test_a_function_that_is_gone_leaves_no_tape_behind():
    def run():
        @tf.function
        def f(x, n):
            with tf.GradientTape() as tape:
                tape.watch(x)
                array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
                for i in tf.range(n):
                    array = array.write(i, x)
                y = tf.reduce_sum(array.stack())
            return tape.gradient(y, x)

        return f(tf.constant(2.0), tf.constant(3))

    def tapes():
        gc.collect()
        return sum(type(o) is Recording for o in gc.get_objects())

    before = tapes()
    assert run() == 3.0
    assert tapes() == before


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_only_single_reads_clear_elements(wrap):
    """Elements may be stacked, joined and gathered again and again."""

    def f(x):
        array = tf.TensorArray(tf.float32, size=3).unstack(x)
        twice = array.stack() * array.stack(), array.concat() + array.concat()
        return *twice, array.gather([0, 2]) * array.gather([0, 1]), array.read(1)

    x = tf.constant([[1.0], [2.0], [3.0]])
    found = wrap(f)(x)
    for got, wanted in zip(found, ([[1], [4], [9]], [2, 4, 6], [[1], [6]], [2]), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_an_element_is_read_once_outside_of_functions():
    array = tf.TensorArray(tf.float32, size=3).unstack(tf.constant([[1.0], [2.0], [3.0]]))
    array.read(1)
    np.testing.assert_array_equal(array.stack(), [[1], [0], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="clear_after_read"):
        array.read(1)
    with pytest.raises(tf.errors.OutOfRangeError):
        array.gather([3])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("rows", [1, 3])
def test_scatter_takes_one_row_for_each_index(dynamic, rows):
    def scatter(indices, values):
        return tf.TensorArray(tf.float32, 3, dynamic_size=dynamic).scatter(indices, values).stack()

    sizes = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 2], tf.float32)]
    of_any_size = tf.function(scatter, input_signature=sizes, autograph=False)
    for f in (scatter, tf.function(scatter, autograph=False), of_any_size):
        assert f(tf.constant([2, 0]), tf.ones([2, 2])).numpy().tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"len\(indices\) == .*, but saw: 2 vs. {rows}"):
            f(tf.constant([2, 0]), tf.ones([rows, 2]))


@pytest.mark.parametrize("method", ["unstack", "scatter"])
def test_a_scalar_has_no_rows(method):
    array = tf.TensorArray(tf.float32, 1)
    with pytest.raises(ValueError, match=f"{method}: value must have rows"):
        array.unstack(1.0) if method == "unstack" else array.scatter([0], 1.0)
