"""Functions of tf that a program gives another meaning for its own classes."""

# ruff: noqa: N806, UP006, UP007, UP045 - TensorFlow asks for these annotations, and classes are made in cases.

import contextlib
import typing

from behaviour import case


def _classes(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    class Plain(tf.experimental.ExtensionType):
        value: tf.Tensor

    return Masked, Plain


@contextlib.contextmanager
def _registered(tf, *handlers):
    try:
        yield
    finally:
        for handler in handlers:
            tf.experimental.unregister_dispatch_for(handler)


def _shown(value):
    return (value.values, value.mask) if hasattr(value, "mask") else getattr(value, "value", value)


@case(how=["names", "positions", "annotations", "one", "several"], call=["two", "keywords", "mixed", "tensor", "name"])
def add_of_a_class(tf, how, call):
    Masked, _ = _classes(tf)
    signatures = {
        "names": [{"x": Masked, "y": Masked}],
        "positions": [{0: Masked, 1: Masked}],
        "annotations": [],
        "one": [{"x": Masked}],
        "several": [{"x": Masked}, {"y": Masked}],
    }[how]

    def add(x, y, name=None):
        a, b = getattr(x, "values", x), getattr(y, "values", y)
        return Masked(tf.convert_to_tensor(a) + b, getattr(x, "mask", True) & getattr(y, "mask", True))

    if how == "annotations":
        add.__annotations__ = {"x": Masked, "y": Masked}
    tf.experimental.dispatch_for_api(tf.add, *signatures)(add)
    x, y = Masked([1, 2], [True, False]), Masked([10, 20], [True, True])
    with _registered(tf, add):
        return _shown(
            {
                "two": lambda: tf.add(x, y),
                "keywords": lambda: tf.math.add(y=y, x=x),
                "mixed": lambda: tf.add(x, y=[5, 6]),
                "tensor": lambda: tf.add(tf.constant([5, 6]), y),
                "name": lambda: tf.add(x, y, name="sum"),
            }[call]()
        )


@case(given=["list", "tuple", "mixed", "empty"])
def concat_of_a_class(tf, given):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_api(tf.concat, {"values": typing.List[typing.Union[Masked, tf.Tensor]]})
    def concat(values, axis, name="concat"):
        return Masked(tf.concat([getattr(v, "values", v) for v in values], axis), [True])

    x = Masked([1, 2], [True, False])
    values = {"list": [x, x], "tuple": (x, x), "mixed": [x, tf.constant([7])], "empty": []}[given]
    with _registered(tf, concat):
        return _shown(tf.concat(values, 0))


@case
def where_of_a_class_with_optionals(tf):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_api(
        tf.where, {"condition": Masked, "x": typing.Optional[Masked], "y": typing.Optional[Masked]}
    )
    def where(condition, x=None, y=None, name=None):
        return 0 if x is None else 1

    x = Masked([True, False], [True, False])
    with _registered(tf, where):
        return tf.where(x), tf.where(x, x, x)


@case(api=["shape", "rank", "reduce_sum", "reshape", "gather", "cast", "expand_dims", "stack", "matmul", "convert"])
def functions_of_a_plain_class(tf, api):
    _, Plain = _classes(tf)
    function = {
        "shape": tf.shape,
        "rank": tf.rank,
        "reduce_sum": tf.reduce_sum,
        "reshape": tf.reshape,
        "gather": tf.gather,
        "cast": tf.cast,
        "expand_dims": tf.expand_dims,
        "stack": tf.stack,
        "matmul": tf.matmul,
        "convert": tf.convert_to_tensor,
    }[api]

    def answer(*args, **kwargs):
        return len(args), sorted(set(kwargs) - {"name"})

    key = 0
    kind = typing.List[Plain] if api == "stack" else Plain
    tf.experimental.dispatch_for_api(function, {key: kind})(answer)
    x = Plain(1)
    more = {"reshape": ([1],), "gather": ([0],), "cast": (tf.int32,), "expand_dims": (0,), "matmul": (x,)}.get(api, ())
    with _registered(tf, answer):
        return function([x] if api == "stack" else x, *more)


@case
def a_function_without_name(tf):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_api(tf.add, {"x": Masked, "y": Masked})
    def add(x, y):
        return x.values + y.values

    x = Masked([1, 2], [True, False])
    with _registered(tf, add):
        return tf.add(x, x, name="sum"), tf.add(x, x, "sum"), tf.add(x, x)


@case(
    name=[
        "abs",
        "sign",
        "negative",
        "invert",
        "ones_like",
        "ones_like_float",
        "cast",
        "relu",
        "keyword",
        "zeros_like",
        "clip",
    ]
)
def unary_handler(tf, name):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def each(api_func, x):
        return Masked(api_func(x.values), x.mask)

    x = Masked([1, -2, -3], [True, True, False])
    with _registered(tf, each):
        return _shown(
            {
                "abs": lambda: tf.abs(x),
                "sign": lambda: tf.sign(x, name="s"),
                "negative": lambda: tf.negative(x, "n"),
                "invert": lambda: tf.bitwise.invert(x),
                "ones_like": lambda: tf.ones_like(x),
                "ones_like_float": lambda: tf.ones_like(x, tf.float32),
                "cast": lambda: tf.cast(x, tf.float64),
                "relu": lambda: tf.nn.relu(x),
                "keyword": lambda: tf.math.square(x=x),
                "zeros_like": lambda: tf.zeros_like(input=x),
                "clip": lambda: tf.clip_by_value(x, -1, 1),
            }[name]()
        )


@case(name=["add", "multiply", "minimum", "less", "pow", "keywords", "unknown"])
def binary_handler(tf, name):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, typing.Union[Masked, tf.Tensor])
    def each(api_func, x, y):
        return Masked(api_func(x.values, getattr(y, "values", y)), x.mask)

    x, y = Masked([1, -2, 3], [True, True, False]), Masked([1, 2, 2], [True, False, True])
    with _registered(tf, each):
        return _shown(
            {
                "add": lambda: tf.add(x, y),
                "multiply": lambda: tf.math.multiply(x, tf.constant(2)),
                "minimum": lambda: tf.minimum(x, y, "m"),
                "less": lambda: tf.less(x, y),
                "pow": lambda: tf.pow(y, y),
                "keywords": lambda: tf.subtract(y=y, x=x),
                "unknown": lambda: tf.add(tf.constant([1, 2, 3]), x),
            }[name]()
        )


@case(fits=[True, False])
def assert_handler(tf, fits):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def each(api_func, x, y):
        return api_func(tf.boolean_mask(x.values, x.mask), tf.boolean_mask(y.values, y.mask))

    x, y = Masked([1, 2], [True, not fits]), Masked([1, 5], [True, not fits])
    tf.debugging.assert_equal(x, y)
    return "equal"


@case(kind=["unary", "binary"])
def two_handlers_of_one_class(tf, kind):
    Masked, _ = _classes(tf)
    one, two = (
        (tf.experimental.dispatch_for_unary_elementwise_apis, (Masked,))
        if kind == "unary"
        else (tf.experimental.dispatch_for_binary_elementwise_apis, (Masked, Masked))
    )

    @one(*two)
    def each(api_func, *args):
        return 0

    with _registered(tf, each):
        one(*two)(lambda api_func, *args: 1)


@case
def two_functions_that_match(tf):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_api(tf.add, {"x": Masked})
    def first(x, y, name=None):
        return 1

    @tf.experimental.dispatch_for_api(tf.add, {"y": Masked})
    def second(x, y, name=None):
        return 2

    x = Masked([1, 2], [True, False])
    with _registered(tf, first, second):
        return tf.add(x, x)


@case
def one_of_two_functions(tf):
    Masked, Plain = _classes(tf)

    @tf.experimental.dispatch_for_api(tf.add, {"x": Masked})
    def first(x, y, name=None):
        return 1

    @tf.experimental.dispatch_for_api(tf.add, {"x": Plain})
    def second(x, y, name=None):
        return 2

    with _registered(tf, first, second):
        return tf.add(Masked([1], [True]), 1), tf.add(Plain(1), 1), tf.add(1, 1)


@case(
    wrong=[
        "api",
        "signature",
        "parameter name",
        "extra parameter",
        "annotation",
        "unknown parameter",
        "list",
        "key",
        "callable",
        "unregister",
    ]
)
def registrations_that_are_refused(tf, wrong):
    Masked, _ = _classes(tf)
    register = tf.experimental.dispatch_for_api

    def add(x, y, name=None):
        return 0

    def other(x, why, name=None):
        return 0

    def longer(x, y, name=None, more=None):
        return 0

    {
        "api": lambda: register(lambda x: x, {"x": Masked}),
        "signature": lambda: register(tf.add)(add),
        "parameter name": lambda: register(tf.add, {"x": Masked})(other),
        "extra parameter": lambda: register(tf.add, {"x": Masked})(longer),
        "annotation": lambda: register(tf.add, {"x": typing.Tuple[Masked]})(add),
        "unknown parameter": lambda: register(tf.add, {"z": Masked})(add),
        "list": lambda: register(tf.add, [Masked])(add),
        "key": lambda: register(tf.add, {None: Masked})(add),
        "callable": lambda: register(tf.abs, {0: Masked})("no"),
        "unregister": lambda: tf.experimental.unregister_dispatch_for(add),
    }[wrong]()


@case
def after_it_was_unregistered(tf):
    _, Plain = _classes(tf)

    @tf.experimental.dispatch_for_api(tf.add, {"x": Plain})
    def first(x, y, name=None):
        return 1

    tf.experimental.unregister_dispatch_for(first)
    return tf.add(Plain(1), 1)


@case(where=["function", "map", "scan", "gradient", "dataset"])
def handlers_in(tf, where):
    class Masked(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def each(api_func, x, y):
        return Masked(api_func(x.values, y.values), x.mask & y.mask)

    @tf.experimental.dispatch_for_api(tf.reduce_sum)
    def reduce_sum(input_tensor: Masked, axis=None, keepdims=False, name=None):
        return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0), axis, keepdims)

    x = Masked([1.0, 2.0, 3.0], [True, False, True])
    with _registered(tf, each, reduce_sum):
        if where == "function":
            return tf.function(lambda m: tf.reduce_sum(tf.multiply(m, m)))(x)
        if where == "gradient":
            with tf.GradientTape() as tape:
                tape.watch(x.values)
                y = tf.reduce_sum(tf.multiply(x, x))
            return tape.gradient(y, x.values)
        if where == "dataset":
            ds = tf.data.Dataset.from_tensor_slices(Masked([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]]))
            return [tf.reduce_sum(tf.add(m, m)) for m in ds]
        if where == "map":
            return tf.map_fn(lambda m: tf.reduce_sum(tf.add(m, m)), x, fn_output_signature=tf.float32)
        return tf.cond(tf.constant(True), lambda: tf.reduce_sum(x), lambda: 0.0)


@case
def masked_tensors_of_the_guide(tf):
    class Masked(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)

        def with_default(self, default):
            return tf.where(self.mask, self.values, default)

        def __add__(self, other):
            return tf.add(self, other)

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api_func, x):
        return Masked(api_func(x.values), x.mask)

    @tf.experimental.dispatch_for_binary_elementwise_apis(
        typing.Union[Masked, tf.Tensor], typing.Union[Masked, tf.Tensor]
    )
    def binary(api_func, x, y):
        both = [v if isinstance(v, Masked) else Masked(v, tf.ones_like(v, tf.bool)) for v in (x, y)]
        return Masked(api_func(*[v.values for v in both]), both[0].mask & both[1].mask)

    @tf.experimental.dispatch_for_api(tf.stack)
    def stack(values: typing.List[Masked], axis=0):
        return Masked(tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis))

    x = Masked([1, -2, 3], [True, False, True])
    with _registered(tf, unary, binary, stack):
        return [
            _shown(v)
            for v in (tf.abs(x), x + tf.constant([1, 1, 1]), tf.stack([x, x]), tf.add(tf.constant([4, 5, 6]), x))
        ]


@case(sign=["*", "-", "<", "&"])
def operators_of_tensors_with_a_class(tf, sign):
    Masked, _ = _classes(tf)

    @tf.experimental.dispatch_for_binary_elementwise_apis(tf.Tensor, Masked)
    def each(api_func, x, y):
        return Masked(api_func(x, y.values), y.mask)

    x, y = tf.constant([1, 2]), Masked([3, 1], [True, False])
    with _registered(tf, each):
        return _shown({"*": lambda: x * y, "-": lambda: x - y, "<": lambda: x < y, "&": lambda: x & y}[sign]())
