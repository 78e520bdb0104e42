"""What random programs have found: each a small program that went wrong, against plain Python."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gradtape as tf
from fuzz.modes import eagerly
from gradtape.core.op import REGISTRY


def gradients(f):
    """The gradients of a function as a function."""

    def g(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            y = f(*args)
        return tape.gradient(y, args, unconnected_gradients="zero")

    return g


def numbers(*shape, dtype=tf.float32, seed=0):
    return tf.constant(np.random.default_rng(seed).uniform(-2.0, 2.0, shape), dtype)


def agree(got, want, tolerance=1e-5):
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=tolerance, atol=tolerance)


def check(f, *args, tolerance=1e-5):
    """A compiled function gives what the function gives."""
    with eagerly():
        want = f(*args)
    agree(tf.function(f)(*args), want, tolerance)


def test_split_with_an_empty_part_alone():
    """The empty part was asked of a node whose other part was the input itself."""
    check(lambda x: tf.split(x * 2.0, [3, 0], axis=1)[1], tf.ones([2, 3]))


def test_equation_that_sums_two_axes_in_another_order():
    """Axes that are merged were taken for two that are exchanged."""
    weights = numbers(4, 17, seed=1)

    def g(x, e):
        with tf.GradientTape() as tape:
            tape.watch(e)
            y = tf.einsum("abcd,e->da", x, e)
        return tape.gradient(y, e, output_gradients=weights)

    check(g, numbers(17, 3, 2, 4), tf.ones([7]), tolerance=1e-4)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_minimum_of_numbers_that_are_rounded_when_stored(dtype):
    """In a fused loop no element was equal to the minimum, and the gradient was 0 / 0."""
    x = tf.constant([[1.0, 2.0, 2.0], [3.0, 3.0, 3.0]], dtype)
    check(gradients(lambda x: tf.reduce_min(x + 0.001, axis=1)), x, tolerance=1e-2)


def test_targets_that_no_tape_knows():
    """Their cotangents, of different shapes, were added up."""
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert float(tape.gradient([y, tf.ones([2, 3]), tf.ones([7])], x)) == 4.0


def test_loop_that_reads_a_product_in_two_ways():
    """Along rows of one element the largest one is the row itself; the product went into the loop, and was still read."""
    check(lambda x, w: tf.nn.softmax(x @ w, axis=-1), numbers(5, 8, 4), numbers(4, 1, seed=1))


@pytest.mark.parametrize("wrapper", [None, numbers.__code__])
def test_op_that_was_called_through_more_functions_before(monkeypatch, wrapper):
    """The place of the call was looked for at the depth where it was last, below the bottom of the stack."""
    monkeypatch.setattr(REGISTRY["sinh"], "path", (5_000, wrapper))
    assert float(gradients(tf.sinh)(tf.constant(0.0))[0]) == 1.0


class TestFunctions:
    def test_gradient_through_a_function_that_closes_over_arguments(self):
        def f(x, w):
            return tf.function(lambda p: tf.matmul(x, w) * p)(w)

        x, w = numbers(3, 3), numbers(3, 3, seed=1)
        with eagerly():
            want = gradients(f)(x, w)
        agree(gradients(tf.function(f))(x, w), want)

    def test_recomputed_loop_closes_over_arguments(self):
        def f(x, y):
            def inner(p):
                loop = tf.while_loop(
                    lambda i, z: i < 3, lambda i, z: (i + 1, z + tf.reduce_mean(x)), [tf.constant(0), y]
                )
                return p * loop[1]

            return tf.recompute_grad(inner)(y)

        x, y = numbers(2), numbers(2, seed=1)
        with eagerly():
            want = gradients(f)(x, y)
        agree(gradients(tf.function(f))(x, y), want)

    def test_recomputed_function_reads_a_variable_that_is_assigned_after_it(self):
        """It was computed again with the new value."""
        w = tf.Variable([0.5])

        def g(x):
            w.assign([0.5])
            with tf.GradientTape() as tape:
                y = tf.recompute_grad(lambda p: tf.tanh(w) * p)(x)
                w.assign_sub([1.5])
            return tape.gradient(y, w)

        check(g, tf.constant([1.0]))

    def test_gradient_of_a_variable_that_is_read_after_an_assignment_only(self):
        w = tf.Variable([1.0, 2.0])

        def f(x):
            w.assign(x)
            return w * 3.0

        with tf.GradientTape() as tape:
            y = tf.function(f)(tf.constant([4.0, 5.0]))
        assert tape.gradient(y, w).numpy().tolist() == [3.0, 3.0]

    def test_forward_mode_beside_results_that_are_whole_numbers(self):
        @tf.function
        def f(x):
            values, indices = tf.math.top_k(x, k=2)
            return tf.reduce_max(indices), values

        x = tf.constant([1.0, 3.0, 2.0])
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0, 3.0])) as accumulator:
            index, values = f(x)
        assert accumulator.jvp(index) is None
        assert accumulator.jvp(values).numpy().tolist() == [2.0, 3.0]

    def test_cotangent_for_a_target_of_unknown_size(self):
        """The target had one size when it was computed and another one when it was differentiated."""
        ids = tf.constant(np.repeat(np.arange(5), 26))
        cotangent = numbers(5, 8, seed=1)

        def g(x, ids):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.math.segment_min(x, ids)
            return tape.gradient(y, x, output_gradients=cotangent)

        check(g, numbers(130, 8), ids)

    def test_forward_mode_over_unknown_sizes(self):
        @tf.function
        def f(x, ids):
            v = tf.math.segment_sum(x, ids)
            return tf.reduce_mean(tf.square(v - tf.reduce_mean(v)))

        x = tf.constant([1.0, 3.0, 2.0, 4.0, 5.0])
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = f(x, tf.constant([0, 0, 0, 0, 1]))
        assert float(accumulator.jvp(y)) == 7.5

    def test_forward_mode_inside_over_unknown_sizes(self):
        """The tangent of what has no size yet was asked for its size."""

        def f(x, along, ids):
            with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
                y = tf.tanh(tf.math.segment_sum(x, tf.sort(ids)))
                mean = tf.reduce_mean(tf.square(y - tf.reduce_mean(y, axis=0)))
            return accumulator.jvp([y, mean])

        check(f, numbers(3, 5), numbers(3, 5, seed=1), tf.constant([4, 0, 2]))

    def test_one_direction_for_a_value_of_unknown_size(self):
        def f(x, ids):
            y = tf.math.segment_sum(x, ids)
            with tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as accumulator:
                z = y * y
            return accumulator.jvp(z)

        check(f, numbers(4), tf.constant([0, 0, 1, 1]))

    @pytest.mark.parametrize("rows", [6, None])
    def test_sizes_that_only_add_up_to_the_size_of_what_they_divide(self, rows):
        """What is split into 2 and 4 rows, or becomes 2 x 3, can only have 6, a number that stood nowhere."""

        def f(x):
            first, second = tf.split(x, [2, 4])
            third, _ = REGISTRY["split"](x, sizes=(1, 5), axis=0)
            y = tf.reshape(x, [2, 3]) * second[1:]
            return tf.reduce_sum(first) * tf.concat([y[0], third], axis=0)

        x = numbers(6)
        signature = [tf.TensorSpec([rows])]
        with eagerly():
            want = f(x), gradients(f)(x)
        agree((tf.function(f, signature)(x), tf.function(gradients(f), signature)(x)), want)

    def test_forward_mode_at_a_singular_matrix(self):
        """A cotangent that nobody wanted, the third derivative of the determinant, was computed and needs an inverse."""
        x, along = tf.constant([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]]), numbers(3, 3)

        def f(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.linalg.det(x)
            return tape.gradient(y, x)

        found = []
        for function in (f, tf.function(f)):
            with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
                y = function(x)
            found.append(accumulator.jvp(y))
        agree(found[1], found[0])


class TestLoops:
    def test_condition_on_a_constant(self):
        """`while i < 4` compared an output with () while it looked at the comparison."""

        def f(x):
            i, y = tf.constant(0), x
            while i < 4:
                i, y = i + 1, tf.maximum(y, 0.1)
            return i, y

        check(f, tf.constant([1.0, 2.0]))

    def test_gradient_through_a_loop_without_one(self):
        check(gradients(lambda x: tf.scan(lambda a, b: a, tf.floor(x), initializer=tf.floor(x))), numbers(3))

    @pytest.mark.parametrize("size", [20, 40, 64, 130])
    def test_carried_value_that_is_written_in_parts(self, size):
        """A part is written some bytes after the beginning of the value; it went elsewhere in every second step."""

        def f(x, y):
            def body(i, p, t):
                v = tf.tanh(tf.pad(y, [[1, 2], [1, 1]]))
                return i + 1, tf.tanh(p + 0.01 * tf.reduce_sum(v)), v

            return tf.while_loop(lambda i, p, t: i < 7, body, [tf.constant(0), x, tf.zeros([6, size + 2])])[1:]

        check(f, numbers(7, 5), numbers(3, size, seed=1))

    def test_forward_mode_over_a_value_that_a_loop_in_a_loop_keeps(self):
        """What the inner loop keeps of its steps has no value before the first one, and was asked for its size there."""

        @tf.function
        def f(x, y, ids, rows):
            def step(total, row):
                z = total
                for _ in row:
                    z = z + tf.reduce_mean(tf.math.segment_sum(y, tf.sort(ids)))
                return z

            return tf.foldr(step, rows, initializer=x)

        x, y = tf.constant(1.0), tf.constant([1.0, 1.0, 1.0])
        with tf.autodiff.ForwardAccumulator([x, y], [tf.constant(1.0), tf.constant([1.0, 2.0, 3.0])]) as accumulator:
            z = f(x, y, tf.constant([3, 1, 0]), tf.ones([3, 2]))
        assert float(accumulator.jvp(z)) == 1.0 + 6 * 1.5


class TestMaps:
    @pytest.mark.parametrize("rows", [5, None])
    def test_gradient_of_a_custom_gradient_in_a_map(self, rows):
        """Maps in functions have levels between whole numbers, which were taken for whole ones; or no known number of rows."""

        @tf.custom_gradient
        def product(a, b):
            return a * b, lambda dy: (3.0 * dy * b, 5.0 * dy * a)

        def g(x, w):
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                y = tf.vectorized_map(lambda row: product(tf.sin(row), tf.tanh(w)), x)
            return tape.gradient(y, [x, w])

        x, w = numbers(5, 3), numbers(3, seed=1)
        signature = [tf.TensorSpec([rows, 3]), tf.TensorSpec([3])]
        agree(tf.function(g, input_signature=signature)(x, w), g(x, w))

    def test_gradient_of_a_recomputed_function_in_a_map(self):
        check(
            gradients(lambda x: tf.vectorized_map(lambda row: tf.recompute_grad(tf.tanh)(tf.sort(row, axis=0)), x)),
            numbers(5, 4, 3),
        )

    def test_map_of_unknown_length_whose_result_is_the_same_for_all(self):
        f = tf.function(
            lambda x, w: tf.vectorized_map(lambda row: w * 2.0, x),
            input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([3])],
        )
        assert f(tf.ones([2, 3]), tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [[2.0, 4.0, 6.0]] * 2

    @pytest.mark.parametrize("rows", [5, None])
    @pytest.mark.filterwarnings("error")
    def test_function_in_a_map_in_a_function(self, rows):
        """Its nodes were to be nodes of the function around the map, which has all examples: they ran one by one."""
        w = tf.Variable([1.0, 2.0, 3.0])
        inner = tf.function(lambda row: tf.nn.softmax(row) * w)

        def g(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.vectorized_map(lambda row: inner(tf.sin(row)), x)
            return y, *tape.gradient(y, [x, w])

        x = numbers(5, 3)
        with eagerly():
            want = g(x)
        agree(tf.function(g, input_signature=[tf.TensorSpec([rows, 3])])(x), want)

    def test_random_numbers_in_a_map_of_unknown_length(self):
        def f(x):
            return tf.vectorized_map(lambda row: row + tf.random.normal([3]), x)

        general = tf.function(f, input_signature=[tf.TensorSpec([None, 3])])
        for rows in (4, 2):
            found = []
            for function in (general, tf.function(f)):
                tf.random.set_seed(1)
                found.append([function(tf.zeros([rows, 3])), function(tf.zeros([rows, 3]))])
            agree(found[0], found[1])
            assert len(np.unique(found[0])) == 2 * rows * 3

    def test_variable_that_control_flow_in_a_map_assigns_alike_for_all(self):
        """Loops and branches gave one new value for each example, so the examples were run one by one, each assigning."""
        w = tf.Variable([0.0, 0.0])

        def f(x, steps):
            def one(row):
                y = row
                for step in steps:
                    w.assign_add([1.0, 2.0])
                    y = y + step
                if tf.reduce_sum(steps) > 0.0:
                    w.assign_add([10.0, 20.0])
                    y = y * 2.0
                return y

            w.assign([0.0, 0.0])
            return tf.vectorized_map(one, x), w.read_value()

        check(f, numbers(5), tf.constant([1.0, 2.0, 3.0]))
        assert w.numpy().tolist() == [13.0, 26.0]


def test_a_norm_in_half_precision_has_a_finite_gradient():
    """The derivative of rsqrt alone is beyond float16 here; that of the quotient is not."""
    x = tf.constant([-0.01744, 0.5], tf.float16)

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.l2_normalize(x[:, tf.newaxis], axis=1)
        return tape.gradient(y, x)

    for run in (gradient, tf.function(gradient)):
        np.testing.assert_allclose(run(x), [0.0, 0.0], atol=0.1)


def test_a_function_in_a_map_whose_sizes_follow_from_values():
    """Its late node was run where the values were not known either."""

    def f(x, ids, rows):
        def one(row):
            return tf.function(lambda row: row * tf.reduce_sum(tf.math.segment_sum(x, ids) ** 2))(row)

        return tf.vectorized_map(one, rows)

    check(f, tf.constant([1.0, 2.0, 5.0]), tf.constant([0, 0, 2]), tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("segment", ["segment_sum", "segment_mean", "segment_max"])
def test_gradient_of_a_forward_derivative_whose_size_follows_from_values(segment):
    """The derivative with respect to the tangent has the tangent's shape, also where another one vanishes."""

    def g(x, tangent, ids):
        with tf.GradientTape() as tape:
            tape.watch([x, tangent])
            with tf.autodiff.ForwardAccumulator(x, tangent + 0.0) as accumulator:
                y = getattr(tf.math, segment)(x, tf.sort(ids))
            change = accumulator.jvp(y)
        return tape.gradient(change, [x, tangent], unconnected_gradients="zero")

    check(g, numbers(5), numbers(5, seed=1), tf.constant([1, 0, 2, 0, 2]))


@pytest.mark.parametrize("body", ["of another", "constant", "of itself"])
@pytest.mark.parametrize("steps", [0, 1, 2])
def test_a_loop_that_forgets_what_it_carries(body, steps):
    """Without a step, what comes out is what went in, with its derivatives in both directions."""

    def f(x, y):
        step = {"of another": lambda i, q: (i + 1, y), "constant": lambda i, q: (i + 1, tf.ones([3])),
                "of itself": lambda i, q: (i + 1, q * y)}[body]  # fmt: skip
        return tf.while_loop(lambda i, q: i < steps, step, [tf.constant(0), x])[1]

    x, y = numbers(3), numbers(3, seed=1)
    check(gradients(f), x, y)
    changes = []
    for g in (f, tf.function(f)):
        with tf.autodiff.ForwardAccumulator([x, y], [y, x]) as accumulator:
            z = g(x, y)
        changes.append(accumulator.jvp(z, unconnected_gradients="zero"))
    agree(changes[1], changes[0])


def test_what_is_known_of_a_shape_tells_the_rest_of_it():
    """Only one number of rows fits; it was not among those that were tried."""
    for shape in ([35], [5, 7], [7, 5]):
        check(
            lambda x, ids, shape=shape: tf.reshape(tf.reshape(tf.math.segment_sum(x, ids), [35]), shape),
            numbers(8, 7),
            tf.constant([0, 0, 1, 1, 2, 3, 4, 4]),
        )
    f = tf.function(lambda x: tf.reshape(x, [476]), input_signature=[tf.TensorSpec([None, 17, 4])])
    assert f(tf.ones([7, 17, 4])).shape == [476]


def test_a_size_that_depends_on_values_is_not_taken_from_examples():
    """The only example of a size was the same everywhere, and was believed."""
    shapes = []

    def f(x, ids, last):
        y = tf.tanh(tf.math.segment_sum(tf.math.segment_sum(x, ids), last))
        shapes.append(y.shape)
        return y

    def change(function, *args):
        with tf.autodiff.ForwardAccumulator(args[0], args[0]) as accumulator:
            y = function(*args)
        return accumulator.jvp(y)

    args = numbers(8, 3), tf.constant([0] * 8), tf.constant([4])
    check(f, *args)
    assert shapes[-1].as_list() == [None, 3]
    check(lambda x: gradients(lambda x: f(x, *args[1:]))(x), args[0])
    agree(change(tf.function(f), *args), change(f, *args))


def test_call_with_its_own_derivative_of_what_is_known_at_once():
    """Its node had nothing to run."""
    ones = tf.ones([2])

    def f(x):
        def block(p):
            tf.signal.fft(x)
            return p

        return tf.recompute_grad(block)(tf.fill([2], 0.5)) + ones

    check(f, tf.cast(numbers(4), tf.complex64))


@pytest.mark.parametrize("takes", [True, False])
def test_recomputed_block_that_closes_over_a_tensor_of_a_tape_outside(takes):
    c, v = numbers(2), tf.Variable([3.0, 4.0])

    def f(x):
        return tf.recompute_grad(lambda p: tf.sin(p * c) * v)(c if takes else tf.constant([1.0, 2.0]) + x)

    found = []
    for g in (f, tf.function(f)):
        x = tf.constant([0.5, 0.6])
        with tf.GradientTape() as tape:
            tape.watch([c, x])
            y = g(x)
        found.append(tape.gradient(y, [c, v, x], unconnected_gradients="zero"))
    agree(found[1], found[0])
    assert np.all(found[0][0].numpy())


def test_depthwise_gradient_of_an_axis_of_one():
    """NumPy says what it likes of the step along such an axis."""
    x, w = numbers(2, 8, 1, 2, dtype=tf.float16), numbers(1, 3, 2, 1, dtype=tf.float16, seed=1)

    def f(x, w):
        return tf.reduce_sum(tf.nn.depthwise_conv2d(x, w, strides=[1, 2, 2, 1], padding="SAME") ** 2)

    wide = gradients(f)(tf.cast(x, tf.float64), tf.cast(w, tf.float64))
    agree(gradients(f)(x, w), wide, tolerance=2e-2)


def test_a_second_derivative_that_vanishes_for_one_size():
    """Of a product of one element there is none; of more, which were examples of an unknown number, there is."""

    def f(x, ids):
        rows = tf.math.segment_max(x, ids)
        return tf.reduce_prod(tf.matmul(rows, rows, transpose_b=True), axis=[-1], keepdims=True)

    x = numbers(8, 8)
    for ids in (tf.constant([0] * 8), tf.constant([0, 0, 0, 1, 1, 1, 2, 2])):
        changes = []
        for g in (f, tf.function(f)):
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
                y = g(x, ids)
            changes.append(accumulator.jvp(y))
        np.testing.assert_allclose(changes[1], changes[0], rtol=1e-4)
        check(gradients(lambda x, ids=ids: gradients(lambda x: f(x, ids))(x)[0]), x, tolerance=1e-3)


def test_a_function_with_a_loop_in_a_function_of_unknown_sizes():
    """Saved values of the inner function's loop belong to the graph that is copied into the outer one."""

    def f(x, other):
        def inner(y):
            for _ in tf.range(3):
                y = other
            return y

        return tf.function(inner)(x)

    traced = tf.function(f, input_signature=[tf.TensorSpec([None, None])] * 2)
    for other in (numbers(3, 1), numbers(17, 5)):
        agree(traced(numbers(17, 5), other), other)


def test_first_calls_of_several_threads_with_a_size_that_depends_on_values():
    """Each thread made a program; only that of the first was machine code, so that the others had NumPy's last bits."""

    def f(x, ids):
        return tf.math.segment_sum(x, ids), tf.tan(tf.tanh(x + tf.sort(x)))

    x, ids = numbers(33, dtype=tf.float64), tf.constant([0] * 16 + [1] * 17)
    for _ in range(10):
        function, together = tf.function(f).get_concrete_function(x, ids), threading.Barrier(4)

        def call(_, function=function, together=together):
            together.wait()
            return [y.numpy() for y in function(x, ids)]

        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(call, range(4)))
        alone = [y.numpy() for y in function(x, ids)]
        for results in found:
            for got, want in zip(results, alone, strict=True):
                np.testing.assert_array_equal(got, want)


def test_a_loop_that_assigns_a_variable_to_itself():
    """Its value after the assignment was that of a read which the block does without."""
    v = tf.Variable(2.0)

    def f(x):
        for _ in tf.range(3):
            same = v.assign(v).read_value()
            v.assign_add(1.0)
            x = x + same
        return x

    agree(tf.function(f)(numbers(4)), numbers(4) + (2.0 + 3.0 + 4.0))
    assert float(v) == 5.0


def test_rows_of_unknown_rank_for_a_variable() -> None:
    """One number may stand for all rows, and whether there is one number was asked while tracing."""
    unknown = [tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.int32)]
    for rows, wanted in (([1.0, 2.0], [1, 1, 2, 3]), (5.0, [1, 1, 6, 6])):
        v = tf.Variable(tf.ones([4]))
        f = tf.function(lambda x, i, v=v: v.scatter_add(tf.IndexedSlices(x, i)) + 0.0, input_signature=unknown)
        assert f(tf.constant(rows), tf.constant([2, 3])).numpy().tolist() == wanted
