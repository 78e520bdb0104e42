"""Extension types: annotations, constructors, specs, equality, nested structures, batches."""

import copy
import inspect
import pickle
import typing

from behaviour import case
from cases._expression import message

# TensorFlow takes the annotations of typing only.
# ruff: noqa: UP006, UP007


def masked(tf, base="ExtensionType"):
    class Masked(getattr(tf.experimental, base)):
        values: typing.Union[tf.Tensor, tf.RaggedTensor]
        mask: typing.Union[tf.Tensor, tf.RaggedTensor]

    return Masked


def of_kind(tf, kind):
    class One(tf.experimental.ExtensionType):
        __annotations__ = {"a": eval(kind, {"tf": tf, "typing": typing})}

    return One


KINDS = {
    "int": ["1", "'a'", "True", "1.5"],
    "float": ["1", "1.5"],
    "str": ["'a'", "b'a'", "1"],
    "bytes": ["'a'", "b'a'"],
    "bool": ["1", "True"],
    "None": ["1", "None"],
    "tf.Tensor": ["1", "None", "'a'", "[[1], [1, 2]]", "tf.Variable(3.0)", "tf.ragged.constant([[1]])"],
    "tf.RaggedTensor": ["1", "tf.ragged.constant([[1]])"],
    "tf.TensorShape": ["1", "[1, None]", "None", "'a'"],
    "tf.DType": ["'int32'", "None", "tf.int32", "'nothing'"],
    "typing.Tuple[int, str]": ["1", "[1, 'a']", "(1,)", "(1, 2)"],
    "typing.Tuple[int, ...]": ["1", "[1, 'a']", "(1,)", "[]"],
    "tuple[int, ...]": ["(1, 2)"],
    "typing.Mapping[str, int]": ["1", "{'a': 1}", "{1: 1}", "{'a': 'a'}"],
    "typing.Mapping[str, typing.Mapping[str, tf.Tensor]]": ["{'a': {'b': 1}}", "{'a': 1}"],
    "typing.Union[int, str]": ["1", "'a'", "None", "[1]"],
    "typing.Union[int, tf.Tensor]": ["1", "[1, 1]"],
    "typing.Optional[tf.Tensor]": ["1", "None"],
    "typing.List[int]": ["[1]"],
    "typing.Dict[str, int]": ["{}"],
    "typing.ClassVar[int]": ["1"],
    "typing.Mapping[tf.Tensor, int]": ["{}"],
    "typing.Union[typing.Tuple[complex, ...], int]": ["1"],
    "typing.Any": ["1"],
    "complex": ["1"],
    "tf.TensorSpec": ["1"],
    "tf.Variable": ["1"],
    "list": ["[]"],
    "object": ["1"],
    "int | None": ["1"],
    "'NoSuchClass'": ["1"],
}


@case(call=[f"{kind} = {value}" for kind, values in KINDS.items() for value in values])
def field(tf, call):
    kind, _, value = call.partition(" = ")
    made = of_kind(tf, kind)(eval(value, {"tf": tf}))
    return made.a if not isinstance(made.a, typing.Mapping) else repr(made)


@case(call=[f"{kind} = {value}" for kind, values in KINDS.items() for value in values])
def field_message(tf, call):
    kind, _, value = call.partition(" = ")

    def make():  # by itself: messages quote the line, which must not have the words
        return of_kind(tf, kind)(eval(value, {"tf": tf}))

    return message(make, "In field 'a': Unsupported type annotation", "a: expected")


@case
def signatures(tf):
    class Base(tf.experimental.ExtensionType):
        a: int
        b: str = "x"
        c: typing.Tuple[int, ...] = [1, 2]

    class Derived(Base):
        d: bool
        a: int = 7

    def parameters(function):
        return [f"{p.name}|{p.kind}|{p.default}" for p in inspect.signature(function).parameters.values()]

    return [parameters(k.__init__) for k in (Base, Derived, Base.Spec, Derived.Spec)]


@case
def derived_fields(tf):
    class Instrument(tf.experimental.ExtensionType):
        name: tf.Tensor
        strings: int

    class Violin(Instrument):
        maker: tf.Tensor
        strings: int = 4
        name: str = "violin"

    x = Violin(maker="Amati", strings=5)
    return x.name, x.strings, x.maker, Violin(maker="Amati").strings


def refusals(tf):
    kind = tf.experimental.ExtensionType

    def made(name, body):
        return type(kind)(name, (kind,), {"__module__": __name__, "__qualname__": name, **body})

    return {
        "base": kind,
        "reserved": lambda: made("A", {"__annotations__": {"_to_components": int}}),
        "reserved prefix": lambda: made("A", {"__annotations__": {"_tf_extension_type_foo": int}}),
        "reserved method": lambda: made("A", {"is_compatible_with": lambda self, other: False}),
        "spec 12": lambda: made("A", {"Spec": 12}),
        "spec derived": lambda: made("A", {"Spec": type("Spec", (tf.TensorSpec,), {})}),
        "default": lambda: made("A", {"__annotations__": {"a": str}, "a": 5}),
        "missing": lambda: masked(tf)([1]),
        "extra": lambda: masked(tf)([1], [2], [3]),
        "unknown": lambda: masked(tf)([1], foo=3),
        "set": lambda: setattr(masked(tf)([1], [2]), "values", 3),
        "set other": lambda: setattr(masked(tf)([1], [2]), "score", 3),
        "delete": lambda: delattr(masked(tf)([1], [2]), "values"),
        "spec set": lambda: setattr(masked(tf)([1], [2])._type_spec, "values", 3),
        "spec delete": lambda: delattr(masked(tf)([1], [2])._type_spec, "values"),
        "spec of number": lambda: masked(tf).Spec(3, tf.TensorSpec([])),
        "spec missing": lambda: masked(tf).Spec(tf.TensorSpec([])),
        "hash": lambda: hash(masked(tf)([1], [2])),
    }


@case(which=list(refusals(type("tf", (), {"experimental": type("e", (), {"ExtensionType": object})}))))
def refuses(tf, which):
    return refusals(tf)[which]()


@case(which=["reserved", "reserved method", "spec 12", "spec derived", "set", "delete", "spec set", "base", "default"])
def refusal_message(tf, which):
    return message(
        refusals(tf)[which], "is reserved", "must be a nested class", "must be directly subclassed from tf.TypeSpec",
        "Cannot mutate attribute `values` outside the custom constructor of", "abstract base class", "expected 'str'",
    )  # fmt: skip


@case(own=["unset", "extra"])
def own_constructor(tf, own):
    class A(tf.experimental.ExtensionType):
        a: int
        b: int

        def __init__(self, a):
            self.a = a
            if own == "extra":
                self.b, self.c = 1, 2

    return A(3)


@case
def equality(tf):
    kind = masked(tf)
    x = kind([1, 2], [3, 4])
    others = [kind([1, 2], [3, 4]), kind([1, 2], [3, 5]), kind([[1, 2]], [3, 4]), kind([1.0, 2.0], [3, 4])]
    return [bool(x == y) for y in others], [bool(x != y) for y in others]


@case
def equality_of_unknown_shapes(tf):
    kind = masked(tf)
    vector, matrix = kind([1, 1], [1, 1]), kind([[1, 1]], [1, 1])
    spec = kind.Spec(tf.TensorSpec(None, tf.int32), tf.TensorSpec(None, tf.int32))
    same = tf.function(lambda a, b: a == b, input_signature=[spec, spec])
    return same(vector, vector), same(vector, matrix), same(matrix, matrix)


@case
def specs(tf):
    kind = masked(tf)
    spec = kind.Spec.from_value(kind([1, 2], [True, False]))
    other = kind.Spec(tf.TensorSpec([2], tf.int32), tf.TensorSpec([2], tf.bool))
    wide = kind.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec(None, tf.bool))
    return [
        spec == other, spec == wide, copy.copy(spec) == spec, copy.deepcopy(spec) == spec, repr(spec.values),
        wide.is_compatible_with(spec), spec.is_compatible_with(kind([1], [True])),
        spec.is_compatible_with(kind([3, 4], [True, True])), repr(spec._serialize()),
    ]  # fmt: skip


@case
def own_spec(tf):
    class Weighted(tf.experimental.ExtensionType):
        values: tf.Tensor
        weight: tf.Tensor

        class Spec:
            def __init__(self, shape, dtype, weight=tf.float32):
                self.values, self.weight = tf.TensorSpec(shape, dtype), tf.TensorSpec([], weight)

            shape = property(lambda self: self.values.shape)

            def with_shape(self, shape):
                return Weighted.Spec(shape, self.values.dtype, self.weight.dtype)

    spec = Weighted.Spec.from_value(Weighted([1, 2], 0.3))
    return spec.shape, spec == Weighted.Spec([2], tf.int32), spec.with_shape([3]).values.shape


@case
def values_copied(tf):
    x = masked(tf)([1, 2], [True, False])
    return bool(x == copy.copy(x)), bool(x == copy.deepcopy(x))


def zoo(tf):
    class Zoo(tf.experimental.ExtensionType):
        keepers: typing.Tuple[str, ...]
        animals: typing.Mapping[str, typing.Mapping[str, tf.Tensor]]

    return Zoo(["Z", "Y"], {"tiger": {"w": 87.5, "size": [1, 2]}, "bear": {"w": 2000.0, "a": [25]}})


@case
def nested_structures(tf):
    x = zoo(tf)
    parts = tf.nest.flatten(x, expand_composites=True)
    again = tf.nest.pack_sequence_as(x, [2 * p for p in parts], expand_composites=True)
    of_spec = tf.nest.pack_sequence_as(x._type_spec, parts, expand_composites=True)
    mapped = tf.nest.map_structure(lambda t: t + 1, x, expand_composites=True)
    pairs = [again.animals["tiger"]["w"], of_spec.animals["bear"]["a"], mapped.animals["bear"]["a"]]
    return parts, pairs, type(x.animals).__name__, tf.function(lambda z: z.animals["bear"])(x)["w"]


@case(second=["kind([5, 6], [True, True])", "kind([5.0, 6.0], [True, True])", "kind([5], [True])", "tf.constant(3)"])
def same_structure(tf, second):
    kind = masked(tf)
    other = eval(second, {"tf": tf, "kind": kind})
    return tf.nest.assert_same_structure(kind([1, 2], [True, False]), other, expand_composites=True)


@case
def as_dict(tf):
    return tf.experimental.extension_type.as_dict(masked(tf)([1], [2]))


@case
def pickled_spec(tf):
    spec = Pickled(tf)._type_spec
    return pickle.loads(pickle.dumps(spec)) == spec


def Pickled(tf):  # noqa: N802
    if "Kept" not in globals():
        globals()["Kept"] = type(tf.experimental.ExtensionType)(
            "Kept",
            (tf.experimental.ExtensionType,),
            {"__module__": __name__, "__qualname__": "Kept", "__annotations__": {"a": tf.Tensor}},
        )
    return globals()["Kept"]([1, 2])


@case(traced=[False, True])
def loops_and_branches(tf, traced):
    kind = masked(tf)

    def run(more):
        start = kind([1, 2], [True, False])
        _, after = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, kind(x.values * 2, x.mask)), [0, start])
        chosen = tf.cond(more, lambda: after, lambda: kind([0, 0], [True, True]))
        return chosen.values, chosen.mask

    return (tf.function(run) if traced else run)(tf.constant(True))


def batch(tf, rows):
    kind = masked(tf, "BatchableExtensionType")
    if rows == "ragged":
        return kind(tf.ragged.constant([[1], [2, 3], [4]]), tf.ragged.constant([[True], [False, True], [True]]))
    return kind([[1], [2], [3]], [[True], [False], [True]])


@case(rows=["dense", "ragged"])
def dataset_of_rows(tf, rows):
    x = batch(tf, rows)
    rows_of = tf.data.Dataset.from_tensor_slices(x)
    unbatched = tf.data.Dataset.from_tensors(x).unbatch()
    again = next(iter(rows_of.batch(3, drop_remainder=True)))
    return (
        [e.values for e in rows_of],
        [e.mask for e in unbatched],
        again.values,
        again.mask,
        [e.values for e in rows_of.batch(2)],
    )


@case(traced=[False, True], rows=["dense", "ragged"])
def map_fn(tf, traced, rows):
    x = batch(tf, rows)

    def run(x):
        totals = tf.map_fn(lambda e: tf.reduce_sum(e.values), x, fn_output_signature=tf.int32)
        doubled = tf.map_fn(lambda e: type(x)(e.values * 2, e.mask), x)
        return totals, doubled.values

    return (tf.function(run) if traced else run)(x)


@case
def vectorized_map(tf):
    return tf.vectorized_map(lambda e: e.values * 2, batch(tf, "dense"))


@case
def batches_of_specs(tf):
    spec = batch(tf, "dense")._type_spec
    return repr(spec._batch(7).values), repr(spec._unbatch().values)


@case
def own_encoder(tf):
    """An encoder of one's own: two complex parts of a value are one tensor."""

    class Encoder(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            return Pair.Spec(tf.TensorSpec([batch_size, *spec.a.shape]), tf.TensorSpec([batch_size, *spec.b.shape]))

        def unbatch(self, spec):
            return Pair.Spec(tf.TensorSpec(spec.a.shape[1:]), tf.TensorSpec(spec.b.shape[1:]))

        def encode(self, spec, value, minimum_rank=0):
            return tf.stack([value.a, value.b], axis=-1)

        def encoding_specs(self, spec):
            return tf.TensorSpec([*spec.a.shape, 2])

        def decode(self, spec, encoded):
            return Pair(encoded[..., 0], encoded[..., 1])

    class Pair(tf.experimental.BatchableExtensionType):
        __batch_encoder__ = Encoder()
        a: tf.Tensor
        b: tf.Tensor

    x = Pair([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    found = tf.map_fn(
        lambda e: Pair(e.a + e.b, e.b), x, fn_output_signature=Pair.Spec(tf.TensorSpec([]), tf.TensorSpec([]))
    )
    return found.a, found.b, [e.b for e in tf.data.Dataset.from_tensor_slices(x)]
