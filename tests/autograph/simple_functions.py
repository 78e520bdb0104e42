"""Functions of simple statements, for tests of AutoGraph: each takes a tensor and a number."""

import functools

import gradtape as tf


def halved(x):
    if x > 1.0:
        x = x / 2.0
    return x


class Scaled:
    factor = 3.0

    def __init__(self):
        self.__secret = 2.0

    def __call__(self, x):
        return halved(x) * self.__secret

    def method(self, x, *, by=1.0):
        return self(x) * by

    @classmethod
    def of_class(cls, x):
        return halved(x) * cls.factor

    @staticmethod
    def fixed(x):
        return halved(x)


class Deeper(Scaled):
    def method(self, x, **options):
        y = [super().method(x, **options)]
        return super().method(x) + y[0]


scaled, deeper = Scaled(), Deeper()


def straight(x, n):
    """With a docstring."""
    y = tf.sin(x) * n
    return y, halved(y)


def stars(x, n):
    def inner(a, *b, c=1.0, **d):
        return a + sum(b) + c + d["e"]

    more, options = [1.0, 2.0], {"e": 4.0}
    return inner(x, *more, 3.0, **options), inner(*[x], *more, c=n, **options), inner(*(x, x), e=0.5)


def expressions(x, n):
    a = 1.0 if x > 0.0 else 2.0
    b = 0.0 < x < 2.0 and not x > 5.0
    c = x < -1.0 or n in [1.0, 3.0] or n not in (2.0, 4.0)
    d = n > 1.0 and x
    e = f"{n:.1f}" if n else ""
    return a, b, c, d, float(e), -x


def comprehensions(x, n):
    rows = tf.stack([x, x + 1.0])
    y = [halved(r) * n for r in rows]
    z = {k: v for k, v in zip("ab", rows) if n}  # noqa: B905 - AutoGraph's zip has no `strict`
    return y, z, sum(r for r in rows), list(map(halved, rows)), len({str(i) for i in range(3)})


def branches(x, n):
    y = x
    if x > 0.0:
        y = y * 2.0
        t = y + 1.0
    elif n > 1.0:
        t = x * 5.0
    else:
        y, t = x, x
    if n == 2.0:
        u = y
    else:
        u = t
    return y, t, u


def loops(x, n):
    total = x * 0.0
    for i in tf.range(3):
        for k in range(2):
            part = x * tf.cast(i, tf.float32)
            if part > 1.0:
                total += part + float(k)
    count = tf.constant(0)
    while tf.reduce_sum(total) < 20.0 and count < 10:
        more = total + n
        total, count = more, count + 1
    return total, count, k


def python_loops(x, n):
    found = []
    for k, (a, *b) in enumerate([(1.0, 2.0, 3.0), (4.0,)]):
        found.append(x * a + sum(b))
        with tf.name_scope("inner") as scope:
            inside = k
    return found, k, inside, bool(scope)


def tapes(x, n):
    with tf.GradientTape() as tape, tf.GradientTape() as second:
        tape.watch(x)
        second.watch(x)
        y = halved(x) * x
    return tape.gradient(y, x), second.gradient(y, x)


def objects(x, n):
    part = functools.partial(Scaled.fixed)
    return scaled(x), deeper.method(x, by=n), Scaled.of_class(x), part(x), Scaled().method(x)


def asserting(x, n):
    assert n > 0.0, "never"
    assert x > -100.0
    try:
        y = halved(x) / 0 if n > 1e9 else halved(x)
        raise KeyError(str(n))
    except KeyError as problem:
        text = str(problem)
    return y, len(text)


def decorated(x, n):
    def twice(function):
        @functools.wraps(function)
        def inner(*args):
            return function(function(*args))

        return inner

    @twice
    def shrink(y: float = n) -> float:
        return halved(y)

    return shrink(x), twice(lambda y: y + n)(x)


def globally(x, n):
    global state_of_test
    state_of_test = n
    import math

    values = [1.0, 2.0]
    values[0] += n
    values[1]: float = 4.0
    del values[-1:]
    return x * math.pi, values, state_of_test


def raising(x, n):
    if n > 100.0:
        raise ValueError("large")
    elif n > 1.0:
        y = x
    else:
        raise ValueError("small")
    return y


def early(x, n):
    """Returns in both branches, and after."""
    y = x + n
    if x > 5.0:
        return y, y
    else:
        y = y * 2.0
    z = halved(y)
    if n > 100.0:
        return z, y
    return y, z


def late(x, n):
    if n < 1.0:
        y = x
    else:
        return halved(x)
    y = y + 1.0
    return y


def nothing(x, n):
    scaled.seen = x
    if n < 1.0:
        return x


def by_cases(x, n):
    for _ in range(2):
        x = x + 1.0
    if n < 1.0:
        return x
    elif n < 2.0:
        return x * 2.0
    elif n < 3.0:
        y = x * 3.0
    else:
        raise ValueError("large")
    return y


FUNCTIONS = (
    early, late, nothing, by_cases, straight, stars, expressions, comprehensions, branches, loops, python_loops, tapes, objects, asserting, decorated,
    globally, raising, Scaled.__call__, Deeper.method, lambda x, n: halved(x) + n if n > 0.0 else x,
    lambda x, n, *rest, by=2.0: [halved(x) * by, rest],
)  # fmt: skip
METHODS = {
    Scaled.__call__: lambda f: lambda x, n: f(scaled, x),
    Deeper.method: lambda f: lambda x, n: f(deeper, x, by=n),
}
