"""AutoGraph: variables that loops and branches make, delete or leave, and shapes that vary."""

from behaviour import case

KINDS = ["python", "tensor"]


def number(tf, n, kind):
    return n if kind == "python" else tf.constant(n)


def static(tf, i):
    return tf.zeros([1, 2])


def open_size(tf, i):
    return tf.zeros([1, tf.random.uniform((), i, i + 1, tf.int32)])


def open_rank(tf, i):
    return tf.zeros(tf.range(tf.random.uniform((), i, i + 1, tf.int32)))


def grows(tf, i):
    return tf.range(i)


def nested(tf, i):
    return {"a": tf.zeros([1, 2]), "b": (tf.range(i), tf.ones([2]))}


MADE = {f.__name__: f for f in (static, open_size, open_rank, grows, nested)}


@case(made=list(MADE), n=[0, 1, 2], kind=KINDS)
def variable_that_a_while_makes(tf, made, n, kind):
    make = MADE[made]

    def f(n):
        i = 0
        while i < n:
            v = make(tf, i)
            i += 1
        return v

    return tf.function(f)(number(tf, n, kind))


ITERATED = {
    "tensor": lambda tf: tf.constant([1, 2, 3]),
    "range": lambda tf: tf.range(3),
    "dataset": lambda tf: tf.data.Dataset.from_tensor_slices([1, 2, 3]),
    "iterator": lambda tf: iter(tf.data.Dataset.from_tensor_slices([1, 2, 3])),
}


@case(over=list(ITERATED))
def shape_that_a_for_changes(tf, over):
    def f(rows):
        t = tf.constant([1])
        for _ in rows:
            t = tf.constant([1, 1])
        return t

    return tf.function(f)(ITERATED[over](tf))


@case(over=list(ITERATED))
def shape_that_a_for_forgets(tf, over):
    def f(rows):
        t = tf.constant([1])
        for _ in rows:
            t = tf.range(tf.random.uniform((), 2, 3, dtype=tf.int32))
        return t

    return tf.function(f)(ITERATED[over](tf))


@case(over=list(ITERATED))
def shape_that_breaks_an_invariant(tf, over):
    def f(rows):
        t = tf.constant([1])
        for _ in rows:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(t, tf.TensorShape([1]))])
            t = tf.range(tf.random.uniform((), 2, 3, dtype=tf.int32))
        return t

    return tf.function(f)(ITERATED[over](tf))


@case(over=list(ITERATED))
def dtype_that_a_for_changes(tf, over):
    def f(rows):
        n = tf.constant(0)
        for _ in rows:
            n = tf.constant(0.0)
            break
        return n

    return tf.function(f)(ITERATED[over](tf))


@case(over=list(ITERATED))
def structure_that_a_for_changes(tf, over):
    def f(rows):
        s = [tf.constant(0)]
        for _ in rows:
            s = s + [tf.constant(0)]
        return s

    return tf.function(f)(ITERATED[over](tf))


@case(over=["range", "dataset"], n=[0, 1, 2])
def sparse_variable_that_gains_axes(tf, over, n):
    def f(rows):
        v = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [3, 3])
        for _ in rows:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape(None))])
            v = tf.sparse.expand_dims(v)
        return v

    return tf.function(f)(tf.range(n) if over == "range" else tf.data.Dataset.range(n))


@case(over=["range", "dataset"], n=[0, 1, 2])
def matrix_that_grows(tf, over, n):
    def f(rows):
        m = tf.constant([[0, 0], [0, 0]])
        for i in rows:
            tf.autograph.experimental.set_loop_options(shape_invariants=[(m, tf.TensorShape(None))])
            m = tf.pad(m, [[1, 1], [1, 1]], constant_values=tf.cast(i, tf.int32))
        return m

    return tf.function(f)(tf.range(n) if over == "range" else tf.data.Dataset.range(n))


@case(value=[True, False], kind=KINDS)
def variable_that_both_branches_delete(tf, value, kind):
    def f(p):
        i = 1
        if p:
            del i
        else:
            del i
        return i

    return tf.function(f)(number(tf, value, kind))


@case(value=[True, False], kind=KINDS)
def variable_that_one_branch_deletes(tf, value, kind):
    def f(p):
        i = 1
        if p:
            del i
        return i

    return tf.function(f)(number(tf, value, kind))


@case(n=[0, 1, 2])
def none_that_a_loop_gives_a_value(tf, n):
    def f(n):
        y = None
        for i in tf.range(n):
            y = i * 2
        return y

    return tf.function(f)(tf.constant(n))


@case
def none_that_a_loop_reads(tf):
    def f(n):
        y = None
        for i in tf.range(n):
            y = i + y
        return y

    return tf.function(f)(tf.constant(2))


@case(n=[0, 1, 2], kind=KINDS)
def variable_that_a_branch_in_a_loop_makes(tf, n, kind):
    def f(n):
        for i in range(n):
            if i == 0:
                a = 1
            else:
                a = 2
        return a

    return tf.function(f)(number(tf, n, kind))


@case(n=[0, 1, 2], kind=KINDS)
def variable_that_a_loop_reads_before_it_is_made(tf, n, kind):
    def f(n):
        for i in range(n):
            if i == 0:
                a = 1
            else:
                a = a + 1
        return a

    return tf.function(f)(number(tf, n, kind))


@case(kind=["break", "resumed", "next", "nested"])
def iterator_made_in_a_function(tf, kind):
    def stopped(ds):
        s = tf.constant(0, tf.int64)
        for e in iter(ds):
            s = s + e
            if s > 10:
                break
        return s

    def resumed(ds):
        s, it = tf.constant(0, tf.int64), iter(ds)
        for e in it:
            s = s * 10 + e
            break
        for e in it:
            s = s * 10 + e
        return s

    def by_next(ds):
        it = iter(ds)
        return 10 * next(it) + next(it)

    def in_a_loop(ds):
        s, it = tf.constant(0, tf.int64), iter(ds)
        for _ in tf.range(5):
            s = s * 10 + next(it)
        return s

    function = {"break": stopped, "resumed": resumed, "next": by_next, "nested": in_a_loop}[kind]
    return tf.function(function)(tf.data.Dataset.range(7))
