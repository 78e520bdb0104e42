"""Variables: construction, assignment and use, as in TensorFlow."""

import copy
import pickle
import threading

import numpy as np
import pytest

import gradtape as tf


class TestConstruction:
    def test_initial_values(self):
        with pytest.raises(ValueError, match="initial_value"):
            tf.Variable()
        assert tf.Variable(lambda: [1.0]).shape == (1,)
        v = tf.Variable(3.0)
        w = tf.Variable(v)
        v.assign(4.0)
        assert w.numpy() == 3.0
        assert tf.Variable("s").dtype == tf.string
        assert tf.Variable(True).dtype == tf.bool

    def test_dtype(self):
        assert tf.Variable(np.float64(2.7), dtype=tf.int32).numpy() == 2
        with pytest.raises(TypeError):
            tf.Variable(2.7, dtype=tf.int32)
        with pytest.raises(ValueError):
            tf.Variable(tf.constant(1.0), dtype=tf.int32)

    def test_loose_shape(self):
        v = tf.Variable([1.0], shape=[None])
        v.assign([1.0, 2.0, 3.0])
        assert v.shape.as_list() == [None]
        assert tf.shape(v).numpy().tolist() == [3]
        tf.Variable([1.0], shape=tf.TensorShape(None)).assign([[1.0]])
        with pytest.raises(ValueError):
            tf.Variable([1.0], shape=[2])

    def test_loose_shapes_in_functions(self):
        v, w = tf.Variable([1.0, 2.0], shape=tf.TensorShape(None)), tf.Variable([[1.0, 2.0]], shape=[None, 2])

        @tf.function
        def replace(x):
            v.assign(x)
            v.assign_add(x)
            return v.assign_sub(tf.ones([3]))

        @tf.function
        def add(x):
            w.assign_add(x)

        replace(tf.ones([3]))
        assert v.numpy().tolist() == [1.0, 1.0, 1.0]
        w.assign(tf.ones([2, 2]))
        add(tf.ones([2, 2]))
        assert w.numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
        with pytest.raises(ValueError, match="shapes differ"):
            add(tf.ones([2, 3]))

    @pytest.mark.parametrize("shape", [[None], None])
    def test_updates_of_unknown_sizes_in_functions(self, shape):
        v = tf.Variable([1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec(shape)], autograph=False)
        def subtract(x):
            v.assign_sub(x)

        subtract(tf.ones([2]))
        for wrong in ([1], [3]) if shape else ([], [1], [1, 2]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
                subtract(tf.ones(wrong))
        assert v.numpy().tolist() == [0.0, 1.0]

    @pytest.mark.parametrize("shape", [[None, 2], None])
    def test_updates_of_loose_shapes_are_not_broadcast(self, shape):
        v = tf.Variable([[1.0, 2.0]], shape=tf.TensorShape(shape))

        @tf.function(input_signature=[tf.TensorSpec([None, 2])], autograph=False)
        def add(x):
            v.assign_add(x)

        add(tf.ones([1, 2]))
        v.assign([[1.0, 2.0], [3.0, 4.0]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have the shape of variable"):
            add(tf.ones([1, 2]))
        add(tf.ones([2, 2]))
        assert v.numpy().tolist() == [[2.0, 3.0], [4.0, 5.0]]

    def test_trainable(self):
        assert tf.Variable(1).trainable
        assert not tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable
        with pytest.raises(AttributeError):
            tf.Variable(1.0).trainable = False
        with pytest.raises(ValueError):
            tf.Variable(1.0, synchronization="often")
        with pytest.raises(ValueError):
            tf.Variable(1.0, constraint=3)
        assert [m.value for m in tf.VariableAggregation] == [0, 1, 2, 3]

    def test_names(self):
        assert tf.Variable(1.0).name == "Variable:0"
        with tf.name_scope("sc"):
            assert tf.Variable(1.0, name="foo").name == "sc/foo:0"
        assert tf.Variable(1.0, name="foo").name == "foo:0"

    def test_kinds(self):
        v = tf.Variable(1.0)
        assert tf.is_tensor(v)
        assert not isinstance(v, tf.Tensor)


class TestAssign:
    def test_returns_something_to_chain(self):
        v = tf.Variable(1.0)
        assert v.assign(2.0).assign_add(1.0).assign_sub(0.5).numpy() == 2.5
        assert v.assign(2.0, read_value=False) is None
        with tf.GradientTape() as tape:
            y = v.assign(3.0) * v
        assert float(tape.gradient(y, v)) == 6.0

    def test_shapes_and_dtypes(self):
        v, i = tf.Variable([1.0, 2.0]), tf.Variable(1)
        for bad, error in (
            (lambda: v.assign([1.0, 2.0, 3.0]), ValueError), (lambda: v.assign(1.0), ValueError),
            (lambda: v.assign_add(1.0), tf.errors.InvalidArgumentError),
            (lambda: v.assign_sub([1.0]), tf.errors.InvalidArgumentError),
            (lambda: v.assign(tf.constant([1, 2])), ValueError), (lambda: i.assign(1.5), TypeError),
            (lambda: v.assign(None), ValueError),
        ):  # fmt: skip
            with pytest.raises(error):
                bad()
        assert v.numpy().tolist() == [1.0, 2.0]
        assert v.assign(np.array([3.0, 4.0])).numpy().tolist() == [3.0, 4.0]

    def test_augmented_assignment_is_refused(self):
        v = tf.Variable(1.0)
        for statement in ("v += 1", "v -= 1", "v *= 2", "v /= 2", "v **= 2"):
            with pytest.raises(RuntimeError, match="not supported"):
                exec(statement, {"v": v})
        names = {"v": v}
        exec("v //= 1.0", names)
        assert isinstance(names["v"], tf.Tensor)

    def test_sliced(self):
        v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        assert v[0].assign([7.0, 8.0]) is v
        v[1:, 0].assign([9.0])
        assert v.numpy().tolist() == [[7.0, 8.0], [9.0, 4.0]]
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            v[0].assign([1.0, 2.0, 3.0])
        assert v.numpy().tolist() == [[7.0, 8.0], [9.0, 4.0]]
        with pytest.raises(AttributeError):
            v[0].assign_add([1.0, 1.0])
        with pytest.raises(TypeError):
            v[0] = 1.0

    def test_values_held_by_tapes_do_not_change(self):
        v = tf.Variable([1.0, 2.0])
        held = v.read_value()
        v[0].assign(9.0)
        v.assign_add([1.0, 1.0])
        v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
        assert held.numpy().tolist() == [1.0, 2.0]


class TestUse:
    def test_operators_give_tensors(self):
        v = tf.Variable([4.0, 9.0])
        for y in (
            v + 1,
            1 + v,
            v - v,
            v * 2.0,
            v / v,
            v // 2.0,
            v % 3.0,
            v**0.5,
            -v,
            abs(v),
            v > 5.0,
            v @ tf.ones([2, 1]) if False else v + v,
        ):
            assert type(y) is tf.Tensor
        assert (np.ones(2) + v).dtype == tf.float32
        assert [float(t) for t in v] == [4.0, 9.0]
        with pytest.raises(TypeError):
            len(v)
        with pytest.raises(TypeError, match="unhashable"):
            hash(v)
        assert (v == tf.Variable([4.0, 1.0])).numpy().tolist() == [True, False]
        assert bool(v == tf.Variable([1.0, 2.0, 3.0])) is False
        with pytest.raises(ValueError):
            v == None  # noqa: B015, E711

    def test_numpy(self):
        v = tf.Variable([1.0, 2.0])
        assert np.array(v).dtype == np.float32
        assert np.asarray(v, np.float64).dtype == np.float64
        assert float(tf.Variable(2.5)) == 2.5
        assert int(tf.Variable(3)) == 3

    def test_copies(self):
        v = tf.Variable([1.0], name="w", trainable=False)
        assert copy.copy(v) is v
        for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
            other.assign([5.0])
            assert v.numpy().tolist() == [1.0]
            assert (other.name, other.trainable) == ("w:0", False)

    def test_old_api(self):
        v = tf.Variable(1.0)
        with pytest.raises(RuntimeError):
            v.initial_value  # noqa: B018
        with pytest.raises(NotImplementedError):
            v.initialized_value()
        with pytest.raises(RuntimeError):
            v.eval()
        assert v.initializer is None
        assert bool(v.is_initialized())
        assert repr(v) == "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"


N = 1 << 16


class TestUpdateInPlace:
    """assign_add and assign_sub reuse the array only where nobody can see it."""

    def test_private_array_is_reused(self):
        v = tf.Variable(np.zeros(N, "f"))
        before = v._value._array.__array_interface__["data"]
        v.assign_add(np.ones(N, "f"))
        assert v._value._array.__array_interface__["data"] == before
        assert v.numpy().tolist() == [1.0] * N

    def test_everything_that_holds_the_value_keeps_it(self):
        holders = {
            "read": lambda v: v.read_value(),
            "identity": lambda v: tf.identity(v),
            "reshaped": lambda v: tf.reshape(v, [2, -1]),
            "row": lambda v: v[:4],
            "array": lambda v: np.asarray(v),
            "value": lambda v: v._value,
            "list": lambda v: [v.value()],
        }
        for name, hold in holders.items():
            v = tf.Variable(np.zeros(N, "f"))
            held = hold(v)
            v.assign_add(np.ones(N, "f"))
            assert not np.any(np.asarray(held)), name

    def test_the_source_of_a_variable_keeps_its_value(self):
        t = tf.zeros([N])
        v = tf.Variable(t)
        v.assign_add(tf.ones([N]))
        assert not np.any(t.numpy())
        big = tf.zeros([2, N])
        w = tf.Variable(tf.zeros([N]))
        w.assign(big[0])
        w.assign_add(tf.ones([N]))
        assert not np.any(big.numpy())
        u = tf.Variable(tf.broadcast_to(tf.constant([0.0]), [8]))
        u.assign_add(tf.range(8.0))
        assert u.numpy().tolist() == list(range(8))

    def test_tapes_keep_what_they_saved(self):
        v = tf.Variable(np.full(N, 3.0, "f"))
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        v.assign_add(np.ones(N, "f"))
        assert tape.gradient(y, v).numpy().tolist() == [6.0] * N
        with tf.GradientTape() as tape:
            y = v * v
            v.assign_sub(np.ones(N, "f"))
            z = y * v
        assert tape.gradient(z, v).numpy().tolist() == [2 * 4.0 * 3.0 + 16.0] * N

    def test_other_threads_never_see_half_an_update(self):
        v = tf.Variable(np.zeros(200_000, "f"))
        one = tf.ones([200_000])
        stop, wrong = threading.Event(), []

        def watch():
            while not stop.is_set():
                seen = v.read_value().numpy()
                if seen[0] != seen[-1] or seen.min() != seen.max():
                    wrong.append(seen)

        reader = threading.Thread(target=watch)
        reader.start()
        for _ in range(300):
            v.assign_add(one)
        stop.set()
        reader.join()
        assert not wrong
        assert v.numpy()[0] == 300.0

    def test_a_delta_that_is_the_value_itself(self):
        v = tf.Variable(np.full(N, 2.0, "f"))
        v.assign_add(v)
        assert v.numpy().tolist() == [4.0] * N
        v.assign_sub(v.read_value())
        assert not np.any(v.numpy())


def test_a_subclass_is_a_variable_to_all_ops() -> None:
    class Own(tf.Variable):
        pass

    v = Own([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * tf.exp(v) + v)
    dy = tape.gradient(y, v)
    np.testing.assert_allclose(dy, [1.0 + 2.0 * np.e, 1.0 + 3.0 * np.e**2], rtol=1e-6)


def test_references_can_be_sorted():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert sorted([a.ref(), b.ref()]) == sorted([b.ref(), a.ref()])
    with pytest.raises(TypeError):
        a.ref() < 1  # noqa: B015
