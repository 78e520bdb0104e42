"""AutoGraph: `break`, `continue`, `return` and `else` in branches and loops of tensors and of Python."""

from behaviour import case

NUMBERS = [[1, 2, 3, 4], [5, -1, 2, 7], [0, 0, 0, 0], [9, 9, -9, 1]]
KINDS = ["tensor", "python"]


def given(tf, values, kind):
    """A tensor, or Python's numbers."""
    return tf.constant(values) if kind == "tensor" else values


def run(tf, function, values, kind):
    return tf.function(function)(given(tf, values, kind))


@case(values=NUMBERS, kind=KINDS)
def break_at_the_first_large_one(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x > 4:
                break
            total += x
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def break_after_the_update(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            total += x
            if total > 3:
                break
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def break_in_an_else_branch(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x >= 0:
                total += x
            else:
                break
            total += 100
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def break_in_nested_branches(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x > 0:
                if x > 4:
                    total += 1000
                    break
                total += 1
            total += x
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def two_breaks(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x > 6:
                break
            total += 1
            if x < 0:
                break
            total += 10
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def continue_over_even_ones(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x % 2 == 0:
                continue
            total = total * 2 + x
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def continue_in_both_branches(tf, values, kind):
    def f(xs):
        a = b = c = 0
        for x in xs:
            if x > 0:
                a += x
                if x > 4:
                    continue
            else:
                b += 1
                continue
            c += 1
        return a, b, c

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def break_and_continue(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x == 0:
                continue
            if x < 0:
                break
            total += x
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def continue_after_break(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x < 0:
                total += 100
                break
            total += 1
            if x > 4:
                total += 10
                continue
            total += x
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def break_of_the_inner_loop(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            for y in xs:
                if y > x:
                    break
                total += y
            total += 1
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def break_of_both_loops(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            for y in xs:
                if x + y > 8:
                    break
                total += y
            if total > 10:
                break
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=KINDS)
def continue_of_both_loops(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x < 0:
                continue
            for y in xs:
                if y > x:
                    continue
                total += y + x
        return total

    return run(tf, f, values, kind)


@case(n=[0, 1, 5, 40], kind=KINDS)
def while_with_break(tf, n, kind):
    def f(n):
        i, total = n * 0, n * 0
        while i < n:
            i += 1
            if i > 6:
                break
            total += i
        return i, total

    return run(tf, f, n, kind)


@case(n=[0, 1, 5, 40], kind=KINDS)
def while_with_continue(tf, n, kind):
    def f(n):
        i, total = n * 0, n * 0
        while i < n:
            i += 1
            if i % 3 == 1:
                continue
            total += i
        return i, total

    return run(tf, f, n, kind)


@case(n=[0, 1, 5, 40])
def while_and_condition_with_break(tf, n):
    def f(n):
        i, total = 0, 0
        while i < n and total < 50:
            i += 1
            if i == 9:
                break
            total += i
        return i, total

    return tf.function(f)(tf.constant(n))


@case(values=NUMBERS, kind=KINDS)
def return_from_a_loop_of_python(tf, values, kind):
    def f(xs):
        for k in range(3):
            if k == 2:
                return xs[k]
        return xs[0]

    return run(tf, f, values, kind)


@case(values=NUMBERS)
def return_under_pythons_condition(tf, values):
    def f(xs):
        total = 0
        for x in xs:
            if x > 4:
                return total * 1000
            total += x
        return total

    return tf.function(f)(values)


@case(values=NUMBERS)
def return_from_two_loops_of_python(tf, values):
    def f(xs):
        for a in xs:
            for b in xs:
                if a * b > 30:
                    return a, b
                if a * b < -30:
                    break
            else:
                continue
            return -a, -b
        return 0, 0

    return tf.function(f)(values)


@case(x=[-5, 0, 5, 50], kind=KINDS)
def returns_in_all_branches(tf, x, kind):
    def f(x):
        if x > 10:
            return x
        elif x > 0:
            return x * 2
        else:
            return -x

    return run(tf, f, x, kind)


@case(x=[-5, 0, 5, 50], kind=KINDS)
def returns_one_after_the_other(tf, x, kind):
    def f(x):
        if x > 10:
            return x
        x = x + 1
        if x > 3:
            return x * 2
        x = x - 5
        return x * 3

    return run(tf, f, x, kind)


@case(x=[-5, 0, 5, 50], kind=KINDS)
def return_in_else(tf, x, kind):
    def f(x):
        if x > 3:
            y = x * 10
        else:
            return x
        y = y + 1
        return y

    return run(tf, f, x, kind)


@case(x=[-5, 0, 5, 50], kind=KINDS)
def return_in_nested_branches(tf, x, kind):
    def f(x):
        if x > 0:
            if x > 10:
                return x
            else:
                return x + 1
        return x + 2

    return run(tf, f, x, kind)


@case(x=[-5, 0, 5, 50], kind=KINDS)
def return_that_may_not_come(tf, x, kind):
    def f(x):
        if x > 0:
            if x > 10:
                return x
            x = x + 1
        x = x * 2
        return x

    return run(tf, f, x, kind)


@case(x=[-5, 0, 5, 50], kind=KINDS)
def nothing_returned_in_one_branch(tf, x, kind):
    def f(x):
        if x > 0:
            return x

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=["python"])
def none_returned(tf, x, kind):
    def f(x):
        if x > 0:
            return
        return None

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def none_or_a_value(tf, x, kind):
    def f(x):
        if x > 0:
            return None
        return x

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def structures_returned(tf, x, kind):
    def f(x):
        if x > 0:
            return {"a": x, "b": (x, x + 1)}
        return {"a": -x, "b": (x * 2, x)}

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def other_dtypes_returned(tf, x, kind):
    def f(x):
        if x > 0:
            return x
        return 1.5

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def other_structures_returned(tf, x, kind):
    def f(x):
        if x > 0:
            return x, x
        return x

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def code_after_a_return(tf, x, kind):
    def f(x):
        if x > 0:
            return x
            x = x / 0
        else:
            return -x
        return x * 100

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def return_in_a_with(tf, x, kind):
    def f(x):
        with tf.name_scope("a"):
            if x > 0:
                return x * 2
            else:
                return x * 3

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def return_in_a_with_and_after_it(tf, x, kind):
    def f(x):
        with tf.name_scope("a"):
            if x > 0:
                return x * 2
        return x * 3

    return run(tf, f, x, kind)


@case(x=[-5, 5], kind=KINDS)
def return_before_and_in_a_with(tf, x, kind):
    def f(x):
        if x > 3:
            return x
        with tf.name_scope("a"):
            y = x * 2
            return y

    return run(tf, f, x, kind)


@case(values=NUMBERS, kind=["python"])
def for_else(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            if x < 0:
                break
            total += x
        else:
            total += 1000
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS, kind=["python"])
def for_else_without_break(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            total += x
        else:
            total += 1000
        return total

    return run(tf, f, values, kind)


@case(n=[0, 3, 30], kind=["python"])
def while_else(tf, n, kind):
    def f(n):
        i = n * 0
        while i < n:
            i += 1
            if i == 10:
                break
        else:
            i = i + 1000
        return i

    return run(tf, f, n, kind)


@case(values=NUMBERS)
def for_else_of_python_with_continue_outside(tf, values):
    def f(xs):
        found = []
        for a in xs:
            for b in xs:
                if a == b * 3:
                    break
            else:
                continue
            found.append(a)
        return found, len(found)

    return tf.function(f)(values)


@case(values=NUMBERS)
def for_else_of_python_with_return(tf, values):
    def f(xs):
        for a in xs:
            if a < 0:
                return "negative"
        else:
            return "none"

    return tf.function(f)(values)


@case
def break_keeps_the_rest_of_an_iterator(tf):
    def f():
        numbers = iter([1, 2, 3, 4])
        for x in numbers:
            if x == 2:
                break
        return x, list(numbers)

    return tf.function(f)()


@case
def return_keeps_the_rest_of_an_iterator(tf):
    numbers = iter([1, 2, 3, 4])

    def f():
        for x in numbers:
            if x == 2:
                return x
        return 0

    return tf.function(f)(), list(numbers)


@case
def break_in_a_loop_over_a_dict(tf):
    def f(x):
        table = {"a": 1, "b": 2, "c": 3}
        for key, value in table.items():
            if key == "b":
                break
            x = x + value
        return x, key

    return tf.function(f)(tf.constant(1))


@case(n=[0, 2, 9])
def break_over_a_range(tf, n):
    def f(n):
        total = 0
        for i in tf.range(n):
            if i == 4:
                break
            total += i
        return total

    return tf.function(f)(tf.constant(n))


@case(n=[0, 2, 9])
def break_over_a_dataset(tf, n):
    def f():
        total = tf.constant(0, tf.int64)
        for i in tf.data.Dataset.range(n):
            if i == 4:
                break
            if i == 1:
                continue
            total += i
        return total

    return tf.function(f)()


@case(values=NUMBERS)
def break_with_a_value_first_set_in_the_loop(tf, values):
    def f(xs):
        found = -1
        for x in xs:
            square = x * x
            if square > 10:
                found = square
                break
        return found

    return tf.function(f)(tf.constant(values))


@case(values=NUMBERS)
def values_set_after_a_continue(tf, values):
    def f(xs):
        last = 0
        for x in xs:
            if x < 0:
                continue
            last = x * 3
        return last

    return tf.function(f)(tf.constant(values))


@case(values=NUMBERS)
def value_first_set_after_a_continue(tf, values):
    def f(xs):
        for x in xs:
            if x < 0:
                continue
            last = x * 3
        return last

    return tf.function(f)(tf.constant(values))


@case(values=NUMBERS, kind=KINDS)
def break_in_try_finally(tf, values, kind):
    def f(xs):
        total = 0
        for x in xs:
            try:
                if x < 0:
                    break
                total += x
            finally:
                total += 100
            total += 1
        return total

    return run(tf, f, values, kind)


@case(values=NUMBERS)
def continue_in_an_except(tf, values):
    def f(xs):
        total = 0
        for x in xs:
            try:
                total += 10 // x
            except ZeroDivisionError:
                total += 1
                continue
            total += 100
        return total

    return tf.function(f)(values)


@case(x=[0, 2])
def return_in_try_and_except(tf, x):
    def f(x):
        if x > 100:
            return -1
        try:
            return 10 // x
        except ZeroDivisionError:
            return 0

    return tf.function(f)(x)


@case(x=[0, 2])
def return_value_that_raises(tf, x):
    def f(x):
        for _ in range(1):
            try:
                return 10 // x
            except ZeroDivisionError:
                pass
        return -1

    return tf.function(f)(x)


@case(x=[1, 3])
def finally_after_return(tf, x):
    log = []

    def f(x):
        for k in range(4):
            try:
                if k == x:
                    return k * 10
            finally:
                log.append(k)
        return -1

    return tf.function(f)(x), log
