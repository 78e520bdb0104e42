"""AutoGraph: the rest of Python's language in functions that are rewritten."""

import collections
import contextlib
import functools

from behaviour import case

# ruff: noqa: E731, F841, C416, B018, B905, C417, F821, SIM201

X = [-3, 0, 2, 7]
KINDS = ["tensor", "python"]
counter = 0
table_of_module = {"n": 0}


def run(tf, function, x, kind="tensor"):
    return tf.function(function)(tf.constant(x) if kind == "tensor" else x)


@case(x=X, kind=KINDS)
def inner_function_with_a_branch(tf, x, kind):
    def f(x):
        def g(y):
            if y > 1:
                return y * 10
            return y - 10

        return g(x) + g(x + 2)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def inner_function_with_a_loop(tf, x, kind):
    def f(x):
        def g(y):
            for k in range(5):
                if k == 3:
                    break
                y = y + k
            return y

        if x > 0:
            return g(x)
        return g(-x)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def inner_function_reads_what_changes_later(tf, x, kind):
    def f(x):
        y = x * 0

        def g():
            return y * 2

        if x > 0:
            y = x + 1
        return g()

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def lambda_reads_what_changes_later(tf, x, kind):
    def f(x):
        y = x + 5
        g = lambda z: z + y
        return g(x), [g(k) for k in (1, 2)]

    return run(tf, f, x, kind)


@case(x=X)
def nonlocal_of_python(tf, x):
    def f(x):
        count = 0

        def g(y):
            nonlocal count
            count += 1
            if y > 2:
                count += 10
            return y + count

        return g(x), g(x), count

    return run(tf, f, x, "python")


@case(x=X)
def nonlocal_in_a_branch(tf, x):
    total = 5

    def f(x):
        nonlocal total
        if x > 0:
            total = total + x
        else:
            total = total - 1
        return total

    return run(tf, f, x, "python"), total


@case(x=X)
def global_of_python(tf, x):
    def f(x):
        global counter
        counter = 0
        for k in range(3):
            if k < x:
                counter += 1
        return counter

    return run(tf, f, x, "python"), counter


@case(x=X, kind=KINDS)
def global_that_is_read(tf, x, kind):
    def f(x):
        global counter
        counter = 3
        if x > counter:
            x = x - counter
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def global_declared_in_a_branch(tf, x, kind):
    def f(x):
        for k in range(2):
            if k == 1:
                global table_of_module
                table_of_module = {"n": k}
        return x + table_of_module["n"]

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def class_defined_inside(tf, x, kind):
    def f(x):
        class Scale:
            factor = 3

            def __init__(self, by):
                self.by = by

            def __call__(self, y):
                if y > 0:
                    return y * self.by
                return y * self.factor

        if x > 100:
            x = x + 1
        return Scale(2)(x)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def class_that_inherits_inside(tf, x, kind):
    class Base:
        def value(self, y):
            return y + 1 if y > 0 else y - 1

    def f(x):
        class Derived(Base):
            def value(self, y):
                return super().value(y) * 2

        return Derived().value(x)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def private_names(tf, x, kind):
    class Holder:
        def __init__(self):
            self.value = 2

        def method(self, y):
            if y > 0:
                y = y * self.value
            return y

    return run(tf, Holder().method, x, kind)


@case(x=X, kind=KINDS)
def try_except_of_python(tf, x, kind):
    def f(x):
        try:
            y = {}["missing"]
        except KeyError as problem:
            y = len(problem.args)
        if x > 0:
            y = y + x
        return y

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def try_around_a_branch(tf, x, kind):
    def f(x):
        y = x
        try:
            if x > 0:
                y = x * 2
            raise ValueError("seen")
        except ValueError:
            y = y + 1
        else:
            y = y + 1000
        finally:
            y = y + 10
        return y

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def value_before_an_exception(tf, x, kind):
    def f(x):
        y = x
        try:
            if x > 1:
                y = x * 3
            raise KeyError
        except KeyError:
            pass
        return y

    return run(tf, f, x, kind)


@case(x=X)
def branch_in_an_except(tf, x):
    def f(x):
        try:
            raise KeyError("abc")
        except KeyError as problem:
            if x > 0:
                x = x + len(problem.args[0])
            else:
                x = x * 5
        return x

    return run(tf, f, x)


@case(x=X)
def value_set_in_try_or_except(tf, x):
    def f(x):
        try:
            y = 10 // x
        except ZeroDivisionError:
            y = -1
        for k in range(3):
            if y > k:
                y = y + k
        return y

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def with_that_suppresses(tf, x, kind):
    def f(x):
        y = x
        with contextlib.suppress(KeyError):
            y = x + 1
            if x > 0:
                y = y * 2
            raise KeyError
        return y

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def with_in_a_branch(tf, x, kind):
    def f(x):
        if x > 0:
            with tf.name_scope("a") as scope:
                y = x * 2
        else:
            with tf.name_scope("b") as scope:
                y = x * 3
        return y

    return run(tf, f, x, kind)


@case(x=X)
def tape_in_a_loop(tf, x):
    def f(x):
        x = tf.cast(x, tf.float32)
        for _ in tf.range(2):
            with tf.GradientTape() as tape:
                tape.watch(x)
                if x > 1.0:
                    y = x * x
                else:
                    y = x * 3.0
            x = tape.gradient(y, x)
        return x

    return run(tf, f, x)


@case(x=X, kind=KINDS)
def list_comprehension(tf, x, kind):
    def f(x):
        values = [x + k if k > 1 else x - k for k in range(4) if k != 2]
        return values, [a * b for a in (1, 2) for b in (x, 3)]

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def dict_and_set_comprehensions(tf, x, kind):
    def f(x):
        table = {k: x * k for k in range(3)}
        names = {str(k) for k in range(3)}
        return table, sorted(names)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def generator_expression(tf, x, kind):
    def f(x):
        return sum(x * k for k in range(4) if k), max(k for k in (1, 5, 2))

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def comprehension_with_the_name_of_a_variable(tf, x, kind):
    def f(x):
        k = 100
        values = [k for k in range(3)]
        if x > 0:
            k = k + x
        return k, values

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def attribute_in_a_branch(tf, x, kind):
    class Box:
        pass

    def f(x):
        box = Box()
        box.value = x
        if x > 0:
            box.value = x * 2
        return box.value

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def attribute_in_a_loop(tf, x, kind):
    class Box:
        pass

    def f(x):
        box = Box()
        box.total = x
        for k in tf.range(4):
            if k != 2:
                box.total = box.total + k
        return box.total

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def nested_attribute(tf, x, kind):
    class Box:
        pass

    def f(x):
        outer = Box()
        outer.inner = Box()
        outer.inner.value = x
        while outer.inner.value < 5:
            outer.inner.value += 2
        return outer.inner.value

    return run(tf, f, x, kind)


@case(x=X)
def attribute_of_an_object_from_outside(tf, x):
    class Model:
        def __init__(self):
            self.last = tf.constant(0)

        def call(self, x):
            if x > 0:
                self.last = x * 2
            else:
                self.last = x - 1
            y = self.last
            self.last = tf.constant(0)
            return y

    return run(tf, Model().call, x)


@case(x=X, kind=KINDS)
def item_in_a_branch(tf, x, kind):
    def f(x):
        table = {"a": x, "b": 1}
        if x > 0:
            table["a"] = x * 2
        else:
            table["a"] += 5
        return table

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def item_by_number(tf, x, kind):
    def f(x):
        rows = [x, x + 1, x + 2]
        if x > 0:
            rows[1] = x * 100
        return rows

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def item_by_a_variable(tf, x, kind):
    def f(x):
        rows = [x, x, x]
        for k in range(3):
            if x > k:
                rows[k] = x * 10 + k
        return rows

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def new_item_in_both_branches(tf, x, kind):
    def f(x):
        table = {}
        if x > 0:
            table["new"] = x
        else:
            table["new"] = -x
        return table["new"]

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def new_item_in_one_branch(tf, x, kind):
    def f(x):
        table = {}
        if x > 0:
            table["new"] = x
        return len(table)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def list_that_grows_in_a_loop_of_python(tf, x, kind):
    def f(x):
        rows = []
        for k in range(4):
            if k == 2:
                continue
            rows.append(x + k)
        return rows

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def augmented_assignments(tf, x, kind):
    def f(x):
        a = b = c = d = x
        if x > 0:
            a += 2
            b -= 3
            c *= 4
        else:
            a -= 1
            d //= 2
        return a, b, c, d

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def unpacking(tf, x, kind):
    def f(x):
        a, (b, *c), d = x, (1, 2, 3), [4]
        if x > 0:
            a, b = b, a
            [d] = [5]
        return a, b, c, d

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def unpacking_in_a_for(tf, x, kind):
    def f(x):
        total = x
        for k, (a, *b) in enumerate([(1, 2, 3), (4, 5)]):
            if a > 2:
                total = total + sum(b) * k
            else:
                total = total - a
        return total

    return run(tf, f, x, kind)


@case(x=X, kind=["python"])
def annotated_assignments(tf, x, kind):
    def f(x):
        y: int = x
        z: int
        if x > 0:
            y: int = x * 2
            z = 1
        else:
            z = 2
        return y, z

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def deleted_variable(tf, x, kind):
    def f(x):
        y = x + 1
        if x > 0:
            z = y
        else:
            z = -y
        del y
        return z

    return run(tf, f, x, kind)


@case(x=[-3, 2])
def deleted_variable_that_is_read(tf, x):
    def f(x):
        y = x + 1
        if x > 0:
            x = x + 1
        del y
        return y

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def deleted_item(tf, x, kind):
    def f(x):
        table = {"a": 1, "b": 2}
        del table["a"]
        if x > 0:
            x = x + len(table)
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=["python"])
def conditional_expressions(tf, x, kind):
    def f(x):
        a = x if x > 0 else -x
        b = 1 if x > 5 else 2 if x > 0 else 3
        c = (a if x > 1 else b) + (10 if x == 0 else 20)
        return a, b, c

    return run(tf, f, x, kind)


@case(x=X)
def conditional_expression_of_other_dtypes(tf, x):
    return run(tf, lambda x: x if x > 0 else 1.5, x)


@case(x=X, kind=KINDS)
def logical_expressions(tf, x, kind):
    def f(x):
        a = x > 0 and x < 5
        b = x > 0 or x < -2
        c = not x > 0
        d = x > 0 and x > 1 and x > 2
        e = not (x > 0 or x < -2) and x == 0
        return a, b, c, d, e

    return run(tf, f, x, kind)


@case(x=X)
def logical_values_of_python(tf, x):
    def f(x):
        return x and "yes", x or "no", not x, (x > 0 and x) or -1

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def chained_comparisons(tf, x, kind):
    def f(x):
        return -1 < x < 5, 0 < x + 1 <= 3, -5 < x < 100 > 3, x == x == 2

    return run(tf, f, x, kind)


@case(x=X)
def chained_comparison_evaluates_once(tf, x):
    seen = []

    def middle(x):
        seen.append(1)
        return x

    def f(x):
        return -1 < middle(x) < 5

    return run(tf, f, x, "python")


@case(x=X)
def membership_of_python(tf, x):
    def f(x):
        return x in (1, 2, 7), x not in [0], "a" in "abc" not in ("x",), x in {2: 3}

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def identity(tf, x, kind):
    def f(x, y=None):
        if y is None:
            y = x
        if x is not None and y is not None:
            return x + y
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def star_arguments(tf, x, kind):
    def g(a, *rest, scale=1, **options):
        total = a
        for r in rest:
            total = total + r
        if scale > 1:
            total = total * scale
        return total + options.get("bias", 0)

    def f(x):
        values, options = (x, 2, 3), {"bias": 100}
        return g(*values), g(x, *[1], scale=3, **options), g(*values, *(4, 5), scale=2)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def decorated_inner_functions(tf, x, kind):
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(function(*args))

        return wrapper

    def f(x):
        @twice
        def grow(y, by=x):
            if y > 0:
                return y + by
            return y - 1

        return grow(x)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def partial_functions(tf, x, kind):
    def g(a, b, c):
        return a + b if a > b else b - c

    def f(x):
        return functools.partial(g, c=3)(x, 1), functools.partial(g, 2)(x, 5)

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def recursion_of_python(tf, x, kind):
    def power(y, n):
        if n == 0:
            return y * 0 + 1
        return y * power(y, n - 1)

    return run(tf, lambda x: power(x, 3), x, kind)


@case(x=X)
def generator_of_python(tf, x):
    def numbers(n):
        for k in range(n):
            if k != 1:
                yield k

    def f(x):
        total = x
        for k in numbers(4):
            total = total + k
        return total

    return run(tf, f, x)


@case(x=X, kind=["python"])
def asserts(tf, x, kind):
    def f(x):
        assert x > -2, "too small"
        assert isinstance(x, object)
        return x + 1

    return run(tf, f, x, kind)


@case(x=X)
def raise_in_a_branch(tf, x):
    def f(x):
        if x > 5:
            raise ValueError("large")
        elif x == 0:
            raise KeyError("zero")
        return x

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def raise_in_a_branch_of_python(tf, x, kind):
    def f(x, mode="good"):
        if mode == "bad":
            raise ValueError
        elif x > 0:
            return x
        return -x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def import_inside(tf, x, kind):
    def f(x):
        import math
        from operator import add as plus

        if x > 0:
            x = plus(x, math.floor(2.5))
        return x

    return run(tf, f, x, kind)


@case(x=X)
def import_in_a_branch(tf, x):
    def f(x):
        if x > 0:
            import math as library
        else:
            import operator as library
        return library.__name__

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def formatted_strings(tf, x, kind):
    def f(x):
        names = []
        for k in range(2):
            names.append(f"{k:>3}-{'a' if k else 'b'}")
        return names, f"{len(names)}"

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def pass_and_expressions(tf, x, kind):
    def f(x):
        """Text."""
        if x > 0:
            pass
        else:
            ...
        for _ in range(2):
            pass
        x
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def variables_of_one_branch(tf, x, kind):
    def f(x):
        if x > 0:
            a = x
            b = a + 1
            result = b * 2
        else:
            c = -x
            result = c
        return result

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def undefined_after_a_branch(tf, x, kind):
    def f(x):
        if x > 0:
            y = x
        return y

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def undefined_in_a_nested_branch(tf, x, kind):
    def f(x):
        if x > 0:
            y = x
            if x > 5:
                z = x
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def defined_in_all_branches(tf, x, kind):
    def f(x):
        if x > 5:
            y = 1
        elif x > 0:
            y = 2
        elif x == 0:
            y = 3
        else:
            y = 4
        return y

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def deep_nesting(tf, x, kind):
    def f(x):
        total = x
        for a in tf.range(2):
            for b in range(2):
                while total < 20:
                    if total % 2 == 0:
                        total = total + a + 3
                    else:
                        if total > 10:
                            total = total + 5
                        else:
                            total = total + b + 1
                total = total - 7
        return total

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def while_over_a_condition_of_calls(tf, x, kind):
    def below(y, n):
        return y < n and not y == 4

    def f(x):
        while below(x, 9):
            x = x + 1
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def loop_variable_is_changed(tf, x, kind):
    def f(x):
        total = x
        for k in range(4):
            k = k * 2
            total = total + k
        return total, k

    return run(tf, f, x, kind)


@case(x=X)
def loop_variable_after_a_loop_of_tensors(tf, x):
    def f(x):
        k = -1
        for k in tf.range(3):
            if k == x:
                break
        return k

    return run(tf, f, x)


@case(x=X, kind=KINDS)
def loop_over_strings_and_dicts(tf, x, kind):
    def f(x):
        seen = []
        for name in ("a", "b"):
            for key in {"p": 1, "q": 2}:
                if name == "a" or key == "q":
                    seen.append(name + key)
                    x = x + 1
        return x, seen

    return run(tf, f, x, kind)


@case(x=X)
def zip_and_enumerate_of_python(tf, x):
    def f(x):
        for k, (a, b) in enumerate(zip([1, 2], "ab")):
            if b == "b":
                x = x + a * k
        return x

    return run(tf, f, x)


@case(x=X, kind=KINDS)
def named_tuples_in_branches(tf, x, kind):
    Pair = collections.namedtuple("Pair", ["a", "b"])

    def f(x):
        pair = Pair(x, 1)
        if x > 0:
            pair = pair._replace(a=x * 2)
        else:
            pair = Pair(pair.b, pair.a)
        return pair.a, pair.b

    return run(tf, f, x, kind)


@case(x=X)
def lists_in_branches(tf, x):
    def f(x):
        values = [x, x]
        if x > 0:
            values = [x + 1, x + 2]
        else:
            values = [values[1], values[0] * 5]
        return values

    return run(tf, f, x)


@case(x=X)
def lists_of_other_lengths_in_branches(tf, x):
    def f(x):
        if x > 0:
            values = [x]
        else:
            values = [x, x]
        return values

    return run(tf, f, x)


@case(x=X)
def functions_chosen_by_python(tf, x):
    def f(x):
        if x > 0:

            def g(y):
                return y if y > 3 else -y

        else:

            def g(y):
                return y * 2

        return g(x)

    return run(tf, f, x, "python")


@case(x=X)
def functions_chosen_by_a_tensor(tf, x):
    def f(x):
        if x > 0:
            g = lambda y: y
        else:
            g = lambda y: y * 2
        return g(x)

    return run(tf, f, x)


@case(x=X)
def stateful_branches(tf, x):
    v = tf.Variable(10)

    def f(x):
        for k in tf.range(3):
            if x > k:
                v.assign_add(k + 1)
            else:
                v.assign_sub(1)
        return v.read_value()

    return run(tf, f, x)


@case(x=X)
def tensor_array_in_a_loop_with_break(tf, x):
    def f(x):
        rows = tf.TensorArray(tf.int32, size=4)
        for k in tf.range(4):
            if k > x:
                break
            rows = rows.write(k, k * 10)
        return rows.stack() if x >= 3 else tf.zeros([4], tf.int32)

    return run(tf, f, x)


@case(x=X)
def shape_invariants_with_break(tf, x):
    def f(x):
        rows = tf.constant([0])
        for k in tf.range(5):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(rows, tf.TensorShape([None]))])
            if k > x:
                break
            rows = tf.concat([rows, [k]], 0)
        return rows

    return run(tf, f, x)


@case(x=X, kind=KINDS)
def methods_and_properties(tf, x, kind):
    class Model:
        scale = 3

        @property
        def doubled(self):
            return self.scale * 2 if self.scale > 1 else 0

        @classmethod
        def make(cls, y):
            return y * cls.scale if y > 0 else y

        @staticmethod
        def fixed(y):
            return y + 1 if y > 0 else y - 1

        def call(self, y):
            return self.make(y) + self.fixed(y) + self.doubled

    return run(tf, Model().call, x, kind)


@case(x=X, kind=KINDS)
def callable_objects(tf, x, kind):
    class Layer:
        def __init__(self, n):
            self.n = n

        def __call__(self, y):
            for _ in range(self.n):
                if y > 4:
                    y = y - 1
                else:
                    y = y + 2
            return y

    layers = [Layer(k) for k in range(3)]

    def f(x):
        for layer in layers:
            x = layer(x)
        return x

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def map_and_filter_of_python(tf, x, kind):
    def f(x):
        return list(map(lambda k: x if k > 1 else k, [1, 2, 3])), len(list(filter(lambda k: k > 1, [1, 2, 3])))

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def closures_in_a_loop(tf, x, kind):
    def f(x):
        functions = []
        for k in range(3):

            def g(y, k=k):
                return y + k if y > 0 else y - k

            functions.append(g)
        return [g(x) for g in functions]

    return run(tf, f, x, kind)


@case(x=X, kind=KINDS)
def names_that_flags_would_have(tf, x, kind):
    def f(x):
        break_, continue_, do_return, retval_ = 1, 2, 3, 4
        for k in range(4):
            if k == 1:
                continue
            if k == 3:
                break
            x = x + break_ + continue_
        if x > 3:
            return x
        return x * do_return * retval_

    return run(tf, f, x, kind)


@case(x=X)
def match_of_python(tf, x):
    def f(x):
        match x:
            case 0:
                return "zero"
            case 2 | 7:
                y = "two or seven"
            case other if other < 0:
                y = f"negative {other}"
            case _:
                y = "other"
        return y

    return run(tf, f, x, "python")


@case(x=X)
def match_of_structures(tf, x):
    def f(x):
        found = []
        for item in [("add", x, 1), {"op": "neg", "value": x}, [1, 2, 3], None]:
            match item:
                case ("add", a, b):
                    found.append(a + b)
                case {"op": name, **rest}:
                    found.append(len(rest))
                case [first, *others]:
                    found.append(first + len(others))
                case None:
                    break
        return found

    return run(tf, f, x)


@case(x=X, kind=["python"])
def walrus_in_an_if(tf, x, kind):
    def f(x):
        if (y := x * 2) > 3:
            return y
        return y - 100

    return run(tf, f, x, kind)


@case(x=X)
def walrus_in_a_comprehension(tf, x):
    def f(x):
        values = [last := k + x for k in range(3)]
        return values, last

    return run(tf, f, x, "python")


@case(x=X)
def walrus_and_logic(tf, x):
    def f(x):
        if x > 0 and (y := x + 1) > 3:
            return y
        return -1

    return run(tf, f, x, "python")


@case(x=X)
def walrus_in_a_while_of_python(tf, x):
    def f(x):
        values = [3, 2, 1, 0]
        total = 0
        while (v := values.pop(0)) > 0:
            if v == x:
                continue
            total += v
        return total, v

    return run(tf, f, x, "python")


@case(x=X, kind=KINDS)
def slices_and_items(tf, x, kind):
    def f(x):
        rows = list(range(5))
        if rows[1:3] == [1, 2]:
            rows[1:3] = [9]
        return [x + r for r in rows[::2]]

    return run(tf, f, x, kind)


@case(x=X)
def rows_of_a_matrix(tf, x):
    def f(x):
        matrix = tf.reshape(tf.range(6), [3, 2]) + x
        total = tf.zeros([2], tf.int32)
        for row in matrix:
            if tf.reduce_sum(row) % 2 == 0:
                continue
            total += row
        return total

    return run(tf, f, x)


@case(x=X)
def gradients_of_jumps(tf, x):
    v = tf.Variable(2.0)

    def f(x):
        x = tf.cast(x, tf.float32)
        with tf.GradientTape() as tape:
            y = v * 1.0
            for _ in tf.range(6):
                if y > 20.0:
                    break
                if y < 0.0:
                    y = y * 0.5
                    continue
                y = y * v + x
        return y, tape.gradient(y, v)

    return run(tf, f, x)


@case(x=X)
def mapped_functions_with_jumps(tf, x):
    def g(n):
        for k in tf.range(10):
            if k * k > n:
                break
        return k

    def f(x):
        return tf.map_fn(g, tf.stack([x, x + 10, x + 50]))

    return run(tf, f, x) if x >= 0 else None


@case(x=X)
def datasets_with_jumps(tf, x):
    def g(n):
        total = n * 0
        for k in tf.range(n):
            if k == 3:
                continue
            total += k
        return total

    return list(tf.data.Dataset.range(5).map(g).as_numpy_iterator())
