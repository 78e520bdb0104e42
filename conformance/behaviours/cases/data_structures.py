"""tf.data: elements that are dataclasses, named tuples, datasets, optionals and None; checks of padding and of zip."""

import collections
import dataclasses

import numpy as np
from behaviour import case
from cases._draining import drain


@dataclasses.dataclass
class Masked:
    """A value with a mask that is no tensor."""

    mask: bool
    value: object

    def __tf_flatten__(self):
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(metadata[0], components[0])


def shown(value):
    if isinstance(value, Masked):
        return ["masked", value.mask, shown(value.value)]
    return [shown(v) for v in value] if isinstance(value, (list, tuple)) else value


def elements(dataset):
    return [shown(x) for x in dataset]


STAGES = {
    "map": lambda ds: ds.map(lambda m: Masked(not m.mask, m.value + 1)),
    "batch": lambda ds: ds.batch(2),
    "filter": lambda ds: ds.filter(lambda m: m.value > 1),
    "shuffle": lambda ds: ds.shuffle(1),
    "repeat": lambda ds: ds.repeat(2),
    "prefetch": lambda ds: ds.prefetch(None),
    "nested": lambda ds: ds.map(lambda m: (Masked(True, m), m.value)),
    "concatenate": lambda ds: ds.concatenate(ds),
    "cache": lambda ds: ds.cache(),
}


@case(stage=list(STAGES))
def dataclasses_through_a_stage(tf, stage):
    return elements(STAGES[stage](tf.data.Dataset.range(4).map(lambda x: Masked(True, x))))


@case(source=["from_tensors", "from_tensor_slices", "zip"])
def dataclasses_as_sources(tf, source):
    d = tf.data.Dataset
    return elements(
        {
            "from_tensors": lambda: d.from_tensors(Masked(True, np.array([1, 2]))),
            "from_tensor_slices": lambda: d.from_tensor_slices(Masked(False, np.array([1, 2]))),
            "zip": lambda: d.zip(Masked(True, d.range(2))),
        }[source]()
    )


@case
def dataclass_out_of_a_function(tf):
    f = tf.function(lambda x: Masked(x.mask, x.value * 2))
    return (
        shown(f(Masked(True, tf.constant([1.0])))),
        shown(f(Masked(False, tf.constant([1.0])))),
        (f.experimental_get_tracing_count()),
    )


@case(inner=["tuple", "dict", "list"])
def zip_of_a_structure_with_a_list(tf, inner):
    d = tf.data.Dataset
    return drain(
        tf,
        d.zip(
            {
                "tuple": (d.range(2), [d.range(2)]),
                "dict": {"a": [d.range(1)]},
                "list": [d.range(1), d.range(1)],
            }[inner]
        ),
    )


@case
def none_in_elements(tf):
    d = tf.data.Dataset

    @tf.function
    def total(ds):
        s = 0
        for x, _ in iter(ds):
            s += x
        return s

    return list(d.from_tensors((42, None))), total(d.range(4, output_type=tf.int32).map(lambda x: (x, None)))


@case
def named_tuples_of_datasets(tf):
    pair = collections.namedtuple("pair", ["a", "b"])
    ds = tf.data.Dataset.from_tensors(pair(a=3, b="test"))
    return str(tf.data.Dataset.from_tensor_slices([ds, ds]).element_spec)


@case
def dataset_as_an_argument(tf):
    d = tf.data.Dataset

    @tf.function
    def total(ds):
        s = tf.constant(0, tf.int64)
        for x in ds:
            s += x
        return s

    first = total.get_concrete_function(d.range(10))
    return (
        total(d.range(10)),
        total(d.range(11)),
        first is total.get_concrete_function(d.range(11)),
        total.experimental_get_tracing_count(),
    )


PADDINGS = {
    "rank": lambda tf, d: d.range(10).padded_batch(5, padded_shapes=[1]),
    "small": lambda tf, d: d.from_tensors([1, 2, 3]).padded_batch(5, padded_shapes=[1]),
    "matrix": lambda tf, d: d.from_tensors([1, 2, 3]).padded_batch(5, padded_shapes=[[1, 1], [1, 1]]),
    "floats": lambda tf, d: d.from_tensors([1, 2, 3]).padded_batch(5, padded_shapes=tf.constant([1.5, 2.0, 3.0])),
    "tensor": lambda tf, d: d.range(10).padded_batch(5, padded_shapes=tf.constant([1], tf.int64)),
    "unknown rank": lambda tf, d: d.from_generator(lambda: iter([1]), output_types=tf.int32).padded_batch(2),
    "sparse": lambda tf, d: d.from_tensors(tf.SparseTensor([[0, 0]], [42], [1, 1])).padded_batch(10),
    "ragged": lambda tf, d: d.from_tensors(tf.ragged.constant([[1], [2, 3]])).padded_batch(10),
    "too long": lambda tf, d: (
        d.from_tensor_slices([6, 5]).map(lambda x: tf.fill([x], x)).padded_batch(4, padded_shapes=[5])
    ),
    "bfloat16": lambda tf, d: d.range(5).map(lambda x: tf.cast(x, tf.float16)).padded_batch(10),
    "one value": lambda tf, d: (
        d.zip((d.range(1, 4), d.range(1, 4)))
        .map(lambda x, y: (tf.fill([x], x), tf.fill([y], y)))
        .padded_batch(2, padding_values=tf.constant(-1, tf.int64))
    ),
    "None for strings": lambda tf, d: (
        d.from_tensor_slices([1, 2])
        .map(lambda x: (tf.fill([x], x), {"s": tf.as_string(tf.fill([x], x))}))
        .padded_batch(2, padded_shapes=([-1], {"s": [-1]}), padding_values=(-1, None))
    ),
    "empty": lambda tf, d: (
        d.from_tensor_slices([0, 0]).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[-1])
    ),
}


@case(padding=list(PADDINGS))
def padding(tf, padding):
    return drain(tf, PADDINGS[padding](tf, tf.data.Dataset), 4)


@case(kind=["dense", "sparse", "nested", "optional"])
def value_in_an_optional(tf, kind):
    optional = tf.experimental.Optional
    value = {
        "dense": lambda: tf.constant(37.0),
        "sparse": lambda: tf.SparseTensor([[0, 1]], [5], [10, 10]),
        "nested": lambda: {"a": tf.constant(1.0), "b": (tf.constant(["x"]), tf.constant("y"))},
        "optional": lambda: optional.from_value(37.0),
    }[kind]()
    made = optional.from_value(value)
    inner = made.get_value()
    return str(made.element_spec), made.has_value(), inner.get_value() if kind == "optional" else inner


@case
def empty_optional(tf):
    made = tf.experimental.Optional.empty(tf.TensorSpec([], tf.float32))
    other = tf.TensorSpec([1], tf.float32)
    return made.has_value(), made.element_spec.is_compatible_with(other)


@case
def value_of_an_empty_optional(tf):
    return tf.experimental.Optional.empty(tf.TensorSpec([], tf.float32)).get_value()
