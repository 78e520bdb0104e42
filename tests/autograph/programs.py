"""Programs with jumps and other constructs that TensorFlow refuses or computes otherwise than Python: each takes a tensor of four
integers."""

# ruff: noqa: F811

import gradtape as tf

LOG = []


def return_a_row(xs):
    for x in xs:
        if x > 2:
            return x
    return -1


def return_in_a_while(xs):
    i = 0
    while i < 4:
        if xs[i] > 3:
            return i
        i += 1
    return -1


def return_from_two_loops(xs):
    for x in xs:
        for y in xs:
            if x * y > 10:
                return x + y
    return -1


def return_and_break(xs):
    total = 0
    for x in xs:
        if x > 6:
            return total
        if x < 0:
            break
        total += x
    return total * 10


def return_and_continue(xs):
    total = 0
    for x in xs:
        if x == 2:
            continue
        if x > 4:
            return total
        total += x + 1
    return total * 10


def continue_or_return_in_one_branch(xs):
    total = 0
    for x in xs:
        if x > 1:
            if x > 6:
                return total - 1
            if x > 3:
                continue
            total += 7
        total += x
    return total


def break_or_continue_or_return(xs):
    total = 0
    for x in xs:
        if x > 0:
            if x == 9:
                return -total
            elif x == 7:
                break
            elif x == 2:
                continue
            total += 1
        total += x
    return total


def loop_after_a_loop_that_returns(xs):
    for x in xs:
        if x > 8:
            return x
    total = 0
    for x in xs:
        if x < 0:
            return total
        total += x
    return total * 2


def return_from_a_called_function(xs):
    total = 0
    for x in xs:
        if x < 0:
            break
        total += return_a_row(xs) + x
    return total


def while_true(xs):
    i = total = 0
    while True:
        i += 1
        if i % 2 == 0:
            continue
        if i > xs[0]:
            break
        total += i
        if total > 10:
            total = -total
            break
    return i, total


def for_else(xs):
    total = 0
    for x in xs:
        if x < 0:
            break
        total += x
    else:
        total += 1000
    return total


def for_else_without_break(xs):
    total = 0
    for x in xs:
        total += x
    else:
        total += 1000
    return total


def for_else_and_return(xs):
    for x in xs:
        if x < 0:
            return x
        if x == 9:
            break
    else:
        return 1000
    return 2000


def for_else_in_a_loop(xs):
    total = 0
    for x in xs:
        for y in xs:
            if y > x:
                break
        else:
            if x > 8:
                break
            total += 100
            continue
        total += 1
    return total


def while_else(xs):
    i = 0
    while i < xs[0]:
        i += 1
        if i == 7:
            break
    else:
        i = i + 1000
    return i


def while_else_with_walrus(xs):
    i = 0
    while (y := xs[i]) < 5 and i < 3:
        i += 1
        if y == 2:
            break
    else:
        i = i + 1000
    return i, y


def continue_in_try_else(xs):
    total = 0
    for x in xs:
        try:
            if x < 2:
                continue
            total += x
        except ValueError:
            total += 5000
        else:
            total += 100
        total += 1
    return total


def break_in_try_except_finally(xs):
    total = 0
    for x in xs:
        try:
            total += 1
            raise KeyError
        except KeyError:
            if x < 0:
                break
            total += 10
        finally:
            total += 100
        total += x
    return total


def nonlocal_of_an_inner_function(xs):
    y = xs[0]

    def g():
        nonlocal y
        if xs[1] > 0:
            y = y * 100
        else:
            y = y + 1

    g()
    return y


def lambda_that_reads_later_values(xs):
    total = xs[0] * 0
    g = lambda: total * 2  # noqa: E731
    for x in xs:
        total = total + x
    return g()


def annotations(xs):
    y: int = xs[0]
    z: int
    if y > 3:
        y: int = y * 2
        z = 1
    else:
        z = 2
    return y, z


def conditional_expressions(xs):
    a, b, *_ = tf.unstack(xs)
    c = 1 if a > 5 else 2 if b > 0 else 3
    d = (a if b > 1 else c) + (10 if a == 0 else 20)
    return c, d


def asserting(xs):
    assert xs[0] > -100, "never"
    assert xs[0] > -100
    return xs + 1


def walrus(xs):
    if (y := xs[0] * 2) > 3:
        return y
    return y - 100


def walrus_in_operands(xs):
    y = xs[0]
    if not LOG and (y := xs[1] + 1) > 1:
        y = y + 10
    z = [(w := k) and w + 1 for k in range(3)]
    return y, z, (v := 3) if LOG else (v := 4), v, w


def walrus_in_operands_of_tensors(xs):
    y = xs[0]
    if xs[0] > 2 or (y := xs[1] + 1) > 1:
        y = y + 10
    i = total = 0
    while i < 4 and ((y := xs[i]) > 0 or i < 2):
        i += 1
        if y == 2:
            continue
        total += y
    return y, i, total


def walrus_in_a_loop(xs):
    i = total = 0
    while (y := xs[i]) > 0 and i < 3:
        if y == 2:
            i += 1
            continue
        total += y
        i += 1
    return i, total, y


def walrus_in_a_comprehension(xs):
    found = [y := x * 2 for x in xs]
    if y > 2:
        y = -y
    return found, y


def chained_comparisons(xs):
    a, b, c, d = tf.unstack(xs)
    return a < b < c < d, a <= b + 1 > c, 0 < tf.reduce_max(xs) < 8 < 10, 1 < a in (2, 5, 9)


def deleted(xs):
    y = xs[0]
    if y > 0:
        z = y
    else:
        z = -y
    del y
    for x in xs:
        y = x
        if y > 3:
            z = z + y
        del y
    return z


def exceptions_with_names(xs):
    total = xs[0]
    for k in range(3):
        try:
            if k == 1:
                raise KeyError("ab")
            total = total + k
        except KeyError as problem:
            if total > 3:
                total = total + len(problem.args[0])
    return total


def one_exception_after_the_other(xs):
    problem = None
    for k in range(3):
        try:
            raise KeyError(k)
        except KeyError as problem:
            text = str(problem)
        if k == 1:
            break
    return xs, text


def suppressed(xs):
    try:
        y = xs[0]
        if y > 2:
            y = y * 2
        raise ValueError
    except ValueError:
        pass
    for x in xs:
        y = y + x
    return y


def generators_inside(xs):
    def numbers(n):
        for k in range(n):
            if k == 1:
                continue
            yield k

    total = xs[0]
    if total > 2:
        total = total + sum(numbers(4))
    return total


def matching(xs):
    total = xs[0]
    for item in (("add", 2), {"sub": 3}, [1, 2, 3], "stop", "never"):
        match item:
            case ("add", n):
                total = total + n
            case {"sub": n}:
                if total > 3:
                    total = total - n
            case [first, *rest] if len(rest) > 1:
                total = total * first
                continue
            case "stop":
                break
        total = total + 100
    return total


def match_that_returns(xs):
    for item in (1, "two", 3.0):
        match item:
            case int():
                xs = xs + item
            case str() as text:
                if len(text) == 3:
                    return xs, text
    return xs, ""


def classes_inside(xs):
    class Counter:
        count = 0

        def add(self, x):
            if x > 0:
                self.count = self.count + x
            return self.count

    counter = Counter()
    for x in tf.unstack(xs):
        counter.add(x)
    return counter.count


def nested_functions_with_jumps(xs):
    def outer(y):
        def inner(z):
            for k in range(5):
                if k == 3:
                    return z
                z = z + k
            return -z

        for x in xs:
            if x < 0:
                return inner(y) + x
        return inner(y)

    return outer(xs[0])


def finally_is_run(xs):
    LOG.clear()
    for k in range(3):
        try:
            if k == 1:
                return xs * k, len(LOG)
        finally:
            LOG.append(k)
    return xs, 0


class Private:
    def __init__(self):
        self.__hidden = 3

    def __twice(self, __x):
        return __x * 2 if __x > 1 else __x

    def method(self, xs):
        __total = xs[0]
        for x in xs:
            if x > self.__hidden:
                __total = __total + self.__twice(x)

        def inner(__y):
            return __y + self.__hidden if __y > 4 else self.__twice(__y)

        return inner(__total)

    def value(self, xs):
        return xs[0] if xs[0] > 0 else -xs[0]


class Derived(Private):
    def value(self, xs):
        return super().value(xs) + 1

    def update(self, xs):
        return self.value(xs)


derived = Derived()


def methods_with_the_names_of_tensors(xs):
    return derived.update(xs)


PROGRAMS = [
    f
    for f in list(globals().values())
    if callable(f) and getattr(f, "__module__", "") == __name__ and not isinstance(f, type)
]
PROGRAMS += [Private().method, derived.value]
