"""Collectives on tensors, eagerly and in functions, with gradients: each is compared with what the ranks hold together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

CHECKS = """
hvd.init()
r, n = hvd.rank(), hvd.size()

def values(rank, dtype, shape=(3, 2)):
    return np.random.default_rng(rank).integers(1, 5, shape).astype(dtype)

DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "complex64"]
REDUCE = {"Sum": np.add, "Min": np.minimum, "Max": np.maximum, "Product": np.multiply}
for dtype in DTYPES:
    kind = tf.as_dtype(dtype).as_numpy_dtype
    every = [values(k, kind) for k in range(n)]
    for name, ufunc in REDUCE.items():
        if dtype == "complex64" and name in ("Min", "Max"):
            continue
        wanted = every[0]
        for other in every[1:]:
            wanted = ufunc(wanted, other)
        found = hvd.allreduce(tf.constant(every[r]), op=getattr(hvd, name))
        assert found.dtype.name == dtype, (dtype, found.dtype)
        np.testing.assert_array_equal(found.numpy(), wanted, err_msg=f"{dtype} {name}")
    gathered = hvd.allgather(tf.constant(every[r][: r + 1]))
    np.testing.assert_array_equal(gathered.numpy(), np.concatenate([every[k][: k + 1] for k in range(n)]))
    np.testing.assert_array_equal(hvd.broadcast(tf.constant(every[r]), n - 1).numpy(), every[n - 1])

mean = hvd.allreduce(tf.constant([1.0 + r, 4.0]))
np.testing.assert_allclose(mean.numpy(), [1 + (n - 1) / 2, 4.0])
half = hvd.allreduce(tf.constant([1.0 + r]), compression=hvd.Compression.fp16, op=hvd.Sum)
assert half.dtype is tf.float32 and float(half[0]) == sum(1.0 + k for k in range(n))
scaled = hvd.allreduce(tf.ones([2]), op=hvd.Sum, prescale_factor=2.0, postscale_factor=3.0)
np.testing.assert_allclose(scaled.numpy(), [6.0 * n, 6.0 * n])
same = hvd.allreduce(tf.constant([3.0, 4.0]), op=hvd.Adasum)
np.testing.assert_allclose(same.numpy(), [3.0, 4.0], rtol=1e-6)  # equal gradients: their mean

rows, received = hvd.alltoall(tf.repeat(tf.constant([float(r)]), n * (n + 1) // 2), splits=list(range(1, n + 1)))
assert received.numpy().tolist() == [r + 1] * n
assert rows.numpy().tolist() == [float(k) for k in range(n) for _ in range(r + 1)]
part = hvd.reducescatter(tf.reshape(tf.range(10.0), [5, 2]) * (r + 1.0), op=hvd.Sum)
whole = np.arange(10.0).reshape(5, 2) * sum(k + 1 for k in range(n))
np.testing.assert_allclose(part.numpy(), np.array_split(whole, n)[r])
assert hvd.allgather_object({"rank": r}) == [{"rank": k} for k in range(n)]
assert hvd.broadcast_object(f"from {r}", root_rank=n - 1) == f"from {n - 1}"
v = tf.Variable([float(r), 7.0])
hvd.broadcast_variables([v], root_rank=n - 1)
assert v.numpy().tolist() == [n - 1.0, 7.0]
hvd.barrier()
print("ok")
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_collectives_hold_what_the_ranks_hold_together(launch: Callable[..., Any], ranks: int) -> None:
    job = launch(ranks, CHECKS)
    assert job.status == 0, job.err
    assert sorted(job.out.splitlines()) == [f"[{r}] ok" for r in range(ranks)]


def test_gradients_of_collectives_in_both_modes(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        hvd.init()
        r, n = hvd.rank(), hvd.size()
        x = tf.constant([[1.0 + r, 2.0], [3.0, 4.0]])
        CASES = {
            "allreduce": (lambda x: hvd.allreduce(x, op=hvd.Sum), lambda: np.full((2, 2), 1.0 + 2.0)),
            "average": (lambda x: hvd.allreduce(x), lambda: np.full((2, 2), 1.5)),
            "allgather": (lambda x: hvd.allgather(x), lambda: np.full((2, 2), 3.0)),
            "broadcast": (lambda x: hvd.broadcast(x, 1), lambda: np.full((2, 2), 3.0 * (r == 1))),
            "alltoall": (lambda x: hvd.alltoall(x), lambda: np.array([[1.0, 1.0], [2.0, 2.0]])),
            "reducescatter": (lambda x: hvd.reducescatter(x, op=hvd.Sum), lambda: np.array([[1.0, 1.0], [2.0, 2.0]])),
        }
        for name, (collective, wanted) in CASES.items():
            def loss(x):
                return tf.reduce_sum(collective(x)) * (r + 1.0)
            def both(x):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = loss(x)
                return y, tape.gradient(y, x)
            eager, traced = both(x), tf.function(both)(x)
            np.testing.assert_allclose(eager[1].numpy(), wanted(), err_msg=name)
            np.testing.assert_allclose(traced[1].numpy(), wanted(), err_msg=name + " in a function")
            np.testing.assert_allclose(eager[0].numpy(), traced[0].numpy(), err_msg=name)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(hvd.allreduce(x, op=hvd.Sum) ** 3)
            d = inner.gradient(y, x)
        total = np.array([[3.0, 4.0], [6.0, 8.0]])
        np.testing.assert_allclose(d.numpy(), 2 * 3 * total**2)
        np.testing.assert_allclose(outer.gradient(d, x).numpy(), 4 * 6 * total)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_process_sets(launch: Callable[..., Any]) -> None:
    job = launch(
        3,
        """
        hvd.init()
        outer = hvd.add_process_set(hvd.ProcessSet([0, 2]))
        assert outer.included() == (hvd.rank() != 1) and outer.process_set_id == 1
        if outer.included():
            assert outer.size() == 2 and outer.rank() == hvd.rank() // 2
            assert float(hvd.allreduce(tf.constant(float(hvd.rank())), op=hvd.Sum, process_set=outer)) == 2.0
        else:
            try:
                hvd.allreduce(tf.constant(1.0), process_set=outer)
            except tf.errors.InvalidArgumentError as problem:
                assert "not in the process set" in str(problem)
            else:
                raise AssertionError
        assert float(hvd.allreduce(tf.constant(1.0), op=hvd.Sum)) == 3.0
        assert hvd.remove_process_set(outer) and not hvd.remove_process_set(outer)

        from mpi4py import MPI
        world = MPI.COMM_WORLD
        parity = hvd.ProcessSet(world.Split(world.rank % 2, world.rank))  # ranks 0 and 2, rank 1
        hvd.init(world, process_sets=[parity])
        assert parity.ranks == [[0, 2], [1], [0, 2]][hvd.rank()] and parity.process_set_id == 1
        assert float(hvd.allreduce(tf.constant(float(hvd.rank())), op=hvd.Sum, process_set=parity)) == [2.0, 1.0, 2.0][hvd.rank()]
        hvd.init(process_sets="dynamic")
        text = str(hvd.add_process_set([0, 1]))
        assert text == "ProcessSet(process_set_id=2, ranks=[0, 1], mpi_comm=None)", text
        assert str(hvd.global_process_set) == "ProcessSet(process_set_id=0, ranks=[0, 1, 2], mpi_comm=None)"
        try:
            hvd.init(comm=[0, 1])
        except tf.errors.UnimplementedError as problem:
            assert "comm must have all 3 ranks" in str(problem)
        try:
            hvd.add_process_set([0, 1] if hvd.rank() else [1, 2])
        except tf.errors.InvalidArgumentError as problem:
            assert "all ranks must add the same set" in str(problem)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3


def test_ranks_with_less_data_join(launch: Callable[..., Any]) -> None:
    job = launch(
        3,
        """
        hvd.init()
        r = hvd.rank()
        for step in range(2 + r):
            found = float(hvd.allreduce(tf.constant(1.0 + r)))
            active = [k for k in range(3) if step < 2 + k]
            np.testing.assert_allclose(found, np.mean([1.0 + k for k in active]))
            rows = hvd.allgather(tf.fill([1, 2], float(r)))
            assert rows.shape[0] == len(active)
        assert hvd.join() == 2
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3


def test_ranks_join_those_that_run_a_function(launch: Callable[..., Any]) -> None:
    """The gradients are several buckets, which are nodes of the function: who has joined takes part in all of them."""
    job = launch(
        3,
        """
        hvd.init()
        r, n = hvd.rank(), hvd.size()
        weights = [tf.Variable(tf.ones([600, 600])) for _ in range(4)]

        @tf.function
        def step(scale):
            with tf.GradientTape() as tape:
                loss = sum(tf.reduce_sum(w) for w in weights) * scale
            return hvd.DistributedGradientTape(tape).gradient(loss, weights)

        for k in range(2 + r):
            active = [q for q in range(n) if k < 2 + q]
            for d in step(tf.constant(1.0 + r)):
                np.testing.assert_allclose(d.numpy(), np.mean([1.0 + q for q in active]), rtol=1e-6)
        assert hvd.join() == n - 1
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3


def test_integers_and_halves_are_scaled_after_they_were_added(launch: Callable[..., Any]) -> None:
    job = launch(
        3,
        """
        hvd.init()
        r, n = hvd.rank(), hvd.size()
        whole = np.array([1, 2, 3, 7, -5], np.int32)
        for dtype in ("int8", "int32", "int64", "uint8"):
            x = np.abs(whole).astype(dtype) if dtype[0] == "u" else whole.astype(dtype)
            np.testing.assert_array_equal(hvd.allreduce(tf.constant(x)).numpy(), x)
        np.testing.assert_array_equal(hvd.allreduce(tf.constant(whole + r % 2)).numpy(), np.trunc(whole + 1 / 3))
        np.testing.assert_array_equal(hvd.allreduce(tf.constant(whole), op=hvd.Sum, prescale_factor=0.5).numpy(), np.trunc(whole / 2) * n)
        np.testing.assert_array_equal(hvd.allreduce(tf.constant(whole), op=hvd.Sum, postscale_factor=0.5).numpy(), np.trunc(whole * n / 2))
        rows = hvd.reducescatter(tf.constant(whole[:, None]), op=hvd.Average)
        np.testing.assert_array_equal(rows.numpy(), np.array_split(whole[:, None], n)[r])
        for size in (5, 40000):  # the smallest and the largest numbers: neither divided nor added in 16 bits
            for number in (6e-8, 60000.0):
                x = np.full(size, number, "f2")
                np.testing.assert_array_equal(hvd.allreduce(tf.constant(x)).numpy(), x)
                sent = hvd.allreduce(tf.constant(x.astype("f4")), compression=hvd.Compression.fp16)
                np.testing.assert_array_equal(sent.numpy(), x.astype("f4"))
        try:
            hvd.reducescatter(tf.ones([3, 1]), op=hvd.Adasum)
        except tf.errors.UnimplementedError as problem:
            assert "op must be hvd.Average or hvd.Sum" in str(problem)
        else:
            raise SystemExit(1)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3


def test_gradients_of_extremes_and_products(launch: Callable[..., Any]) -> None:
    """Against the gradient of the same reduction over an axis, in one process."""
    job = launch(
        3,
        """
        hvd.init()
        r, n = hvd.rank(), hvd.size()
        every = np.array([[1.0, 4.0, 0.0, 0.0], [2.0, 4.0, 3.0, 0.0], [3.0, 4.0, 2.0, 5.0]], "f4")
        ONE = {hvd.Max: tf.reduce_max, hvd.Min: tf.reduce_min, hvd.Product: tf.reduce_prod}
        for op, reduce in ONE.items():
            def both(x):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = hvd.allreduce(x, op=op)
                return tape.gradient(y, x)
            stack = tf.constant(every)
            with tf.GradientTape() as tape:
                tape.watch(stack)
                y = reduce(stack, 0) * n  # each rank has the result
            wanted = tape.gradient(y, stack)[r]
            for run in (both, tf.function(both)):
                np.testing.assert_allclose(run(stack[r]).numpy(), wanted.numpy(), err_msg=op.name)
        x = tf.constant(every[r])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = hvd.allreduce(x, op=hvd.Adasum)
        try:
            tape.gradient(y, x)
        except tf.errors.UnimplementedError as problem:
            assert "Adasum has no gradient" in str(problem)
        else:
            raise SystemExit(1)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3


def test_ranks_that_have_joined_change_no_result(launch: Callable[..., Any]) -> None:
    job = launch(
        3,
        """
        hvd.init()
        r = hvd.rank()
        if r != 2:
            for dtype in (tf.float32, tf.float16, tf.int32):
                for op, number in ((hvd.Min, 5), (hvd.Max, -5), (hvd.Product, 5), (hvd.Average, 7)):
                    wanted = 25 if op is hvd.Product else number
                    assert float(hvd.allreduce(tf.constant(number, dtype), op=op)) == wanted, (op, dtype)
            rows = tf.IndexedSlices(tf.ones([2, 3]) * (1.0 + r), tf.constant([0, 1]), tf.constant([4, 3]))
            mean = hvd.allreduce(rows)
            np.testing.assert_allclose(tf.convert_to_tensor(mean).numpy()[:2], np.full((2, 3), 1.5))
            import keras
            v = keras.Variable(np.ones(2, "f4"))
            scaled = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.5), initial_scale=4.0)
            hvd.DistributedOptimizer(scaled).apply([tf.constant([4.0, 8.0])], [v])
            np.testing.assert_allclose(v.numpy(), [0.5, 0.0])  # the joined rank has no say in whether all are finite
        assert hvd.join() in (0, 1)
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3


def test_a_function_runs_again_after_an_error_between_its_buckets(launch: Callable[..., Any]) -> None:
    job = launch(
        2,
        """
        hvd.init()
        weights = [tf.Variable(tf.ones([700, 700])) for _ in range(3)]

        @tf.custom_gradient
        def checked(x):
            return tf.identity(x), lambda dy: tf.debugging.check_numerics(dy * factor, "bad")

        factor = tf.Variable(2.0)

        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(weights[2] * factor) + tf.reduce_sum(weights[1]) + tf.reduce_sum(checked(weights[0]))
            return hvd.DistributedGradientTape(tape).gradient(loss, weights)

        for number in (2.0, np.inf, 3.0):
            factor.assign(number)
            try:
                found = [float(d[0, 0]) for d in step()]
            except tf.errors.InvalidArgumentError:
                assert number == np.inf
            else:
                assert found == [number, 1.0, number], found
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 2


def test_numbers_become_narrow_on_the_way_into_their_bucket() -> None:
    from gradtape.ranks import _arithmetic as arithmetic

    random = np.random.default_rng(0)
    for size in (0, 1, 2047, 2049, 150_001):
        for wide in ("f4", "f8"):
            numbers = (random.normal(size=size) * 1e5).astype(wide)
            numbers[:4] = [np.nan, np.inf, 6e-8, 65519.0][:size]
            bucket = np.full(size + 3, 7, "f2")
            arithmetic.pack(numbers, bucket[3:])
            with np.errstate(over="ignore"):
                np.testing.assert_array_equal(bucket[3:], numbers.astype("f2"))
            assert (bucket[:3] == 7).all()


def test_compressed_gradients_in_all_ways(launch: Callable[..., Any]) -> None:
    """From the tape, in functions with one bucket and with several, and through the reduction itself."""
    job = launch(
        3,
        """
        hvd.init()
        r, n = hvd.rank(), hvd.size()
        half = hvd.Compression.fp16
        for rows in (3, 200_003):
            starts = [np.random.default_rng(s).normal(size=(rows, 2)).astype("f4") for s in range(n)]
            want = np.mean([s.astype("f2").astype("f4") * 2 for s in starts], 0).astype("f2").astype("f4")
            v, w = tf.Variable(starts[r]), tf.Variable(starts[r][:, 0])
            def gradients():
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(v * v) + tf.reduce_sum(w * w)
                return hvd.DistributedGradientTape(tape, compression=half).gradient(loss, [v, w])
            for run in (gradients, gradients, tf.function(gradients)):
                of_v, of_w = run()
                assert of_v.dtype == of_w.dtype == tf.float32
                np.testing.assert_allclose(of_v, want, rtol=1e-3, atol=1e-3)
                np.testing.assert_array_equal(of_w.numpy(), of_v.numpy()[:, 0])
            with tf.GradientTape() as tape:
                total = tf.reduce_sum(hvd.allreduce(v, compression=half, op=hvd.Sum) * 2.0)
            np.testing.assert_array_equal(tape.gradient(total, v).numpy(), np.full((rows, 2), 2.0 * n, "f4"))
        np.testing.assert_array_equal(hvd.allreduce(tf.constant([1.0 + r]), op=hvd.Max, compression=half).numpy(), [n])
        print("ok")
        """,
    )
    assert job.status == 0, job.err
    assert job.out.count("ok") == 3
