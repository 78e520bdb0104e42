"""tf.experimental.StructuredTensor."""

from __future__ import annotations

import contextlib
import importlib

import numpy as np
from behaviour import case


def _st(tf):
    with contextlib.suppress(
        ImportError
    ):  # TensorFlow's functions of structured tensors are those of a module that tf does not load
        importlib.import_module(f"{tf.__name__}.python.ops.structured.structured_ops")
    return tf.experimental.StructuredTensor


def shown(tf, value):
    """A structured tensor as plain data, with the shape and the fields' kinds."""
    if isinstance(value, _st(tf)):
        fields = {name: shown(tf, value.field_value(name)) for name in value.field_names()}
        return {"fields": fields, "shape": value.shape, "partitions": [p.row_splits() for p in value.row_partitions]}
    if isinstance(value, (list, tuple)):
        return [shown(tf, v) for v in value]
    return value


def _rows(tf, lengths):
    return tf.experimental.RowPartition.from_row_lengths(lengths)


def _fields(tf, name):
    ragged, made = tf.ragged.constant, _st(tf).from_pyval
    return {
        "none": lambda: ({}, []),
        "scalars": lambda: ({"Foo": 5, "Bar": [1, 2, 3]}, []),
        "ragged": lambda: ({"p": ragged([[1, 2], [3]]), "q": ragged([[[4]], [], [[5, 6]]])}, []),
        "nested": lambda: ({"a": made({"x": 1, "y": [1, 2]}), "b": made([[{"x": 12}], [{"x": 13}, {"x": 14}]])}, []),
        "vector of none": lambda: ({}, [2]),
        "vector": lambda: ({"x": [1, 2], "y": [[1, 2], [3, 4]]}, [2]),
        "vector of unknown size": lambda: ({"x": [1, 2], "y": ragged([[1], [2, 3]])}, [None]),
        "vector of ragged": lambda: ({"p": ragged([[1, 2], [3]]), "r": ragged([[], [[[12]], [[13]]]])}, [2]),
        "vector of nested": lambda: ({"a": made([{"x": 1}, {"x": 2}]), "b": made([[{"x": 1}], [{"x": 2}]])}, [2]),
        "vector of nothing": lambda: ({"x": [], "y": np.zeros([0, 8]), "s": made([])}, [0]),
        "matrix of none": lambda: ({}, [2, 8]),
        "matrix": lambda: ({"x": [[1, 2, 3], [4, 5, 6]], "y": np.ones([2, 3, 8])}, [None, None]),
        "matrix of ragged": lambda: ({"a": ragged([[1, 2], [3]]), "c": ragged([[[1, 2], [3]], [[4, 5]]])}, [2, None]),
        "matrix of nested": lambda: (
            {"a": made([[{"x": 1}], [{"x": 2}, {"x": 3}]]), "b": made([[[{"y": 1}]], [[], [{"y": 2}]]])},
            [2, None],
        ),
        "matrix of both": lambda: ({"a": [[1, 2], [3, 4]], "b": ragged([[1, 2], [3, 4]])}, [2, None]),
        "deep": lambda: (
            {"a": np.ones([1, 2, 3, 1]), "b": np.ones([1, 2, 3, 1, 2]), "c": ragged(np.zeros([1, 2, 3, 1]))},
            [1, None, None, 1],
        ),
    }[name]()


@case(
    name=[
        "none", "scalars", "ragged", "nested", "vector of none", "vector", "vector of unknown size", "vector of ragged",
        "vector of nested", "vector of nothing", "matrix of none", "matrix", "matrix of ragged", "matrix of nested",
        "matrix of both", "deep",
    ],
    validate=[True, False],
)  # fmt: skip
def from_fields(tf, name, validate):
    fields, shape = _fields(tf, name)
    made = _st(tf).from_fields(fields, shape, validate=validate)
    return (
        made.shape,
        made.rank,
        sorted(made.field_names()),
        [made.field_value(k) for k in sorted(fields) if k in "xypqr"],
    )


@case(
    name=["vector", "vector of unknown size", "matrix", "matrix of ragged", "matrix of both", "deep", "scalars", "none"]
)
def from_fields_and_rank(tf, name):
    fields, shape = _fields(tf, name)
    return shown(tf, _st(tf).from_fields_and_rank(fields, len(shape)))


@case
def explicit_rows(tf):
    make = _st(tf).from_fields
    deep = [_rows(tf, [3]), _rows(tf, [2, 0, 1]), tf.experimental.RowPartition.from_uniform_row_length(3, nvals=9)]
    made = [
        make({"x": [1, 2]}, [None], nrows=2),
        make({}, [2, None], row_partitions=[_rows(tf, [3, 7])]),
        make({}, [1, None, None, 3], row_partitions=deep),
    ]
    return [m.shape for m in made], [m.nrows() for m in made], made[1].to_pyval(), len(made[2].row_partitions)


@case(
    wrong=[
        "shape", "fields", "key", "value", "rank", "size", "sizes", "empty name", "name", "nrows", "partitions", "count",
        "no nrows", "no partitions", "row splits",
    ]
)  # fmt: skip
def fields_that_are_refused(tf, wrong):
    make, ragged = _st(tf).from_fields, tf.ragged.constant
    {
        "shape": lambda: make({}, object()),
        "fields": lambda: make(object(), []),
        "key": lambda: make({1: 2}, []),
        "value": lambda: make({"x": object()}, []),
        "rank": lambda: make({}, None),
        "size": lambda: make({"f": 5}, [5]),
        "sizes": lambda: make({"x": [1], "y": []}, [None]),
        "empty name": lambda: make({"": 5}, []),
        "name": lambda: make({"_": 5}, []),
        "nrows": lambda: make({}, (), nrows=5),
        "partitions": lambda: make({}, (), row_partitions=[0]),
        "count": lambda: make({}, (None, None, None), row_partitions=[]),
        "no nrows": lambda: make({}, [None]),
        "no partitions": lambda: make({}, [None, None]),
        "row splits": lambda: make({"a": ragged([[1, 2], [3]]), "b": ragged([[1], [4, 5]])}, [2, None], validate=True),
    }[wrong]()


PYVALS = {
    "nothing": {},
    "scalar": {"a": 12, "b": [1, 2, 3], "c": [[1, 2], [3]]},
    "nested": {"a": 12, "c": {"x": b"Z", "y": [10, 20]}},
    "empty": [],
    "empty rows": [[], []],
    "vector": [{"a": 1}, {"a": 2}],
    "vector of nested": [{"a": 1, "b": {"x": [1, 2]}}, {"a": 2, "b": {"x": [3]}}],
    "vector of nested rows": [{"a": 1, "b": [{"x": [1, 2]}, {"x": [5]}]}, {"a": 2, "b": [{"x": [3]}]}],
    "rows": [[{"a": 1}, {"a": 2}, {"a": 3}], [{"a": 4}, {"a": 5}]],
    "matrix": [[{"a": 1}, {"a": 2}], [{"a": 4}, {"a": 5}]],
    "floats": [{"a": 1.5, "s": "text"}],
    "empty dicts": [{}, {}],
    "rows of empty dicts": [[{}], [], [{}, {}]],
    "missing": [{"a": [1, 2]}, {"b": [3, 4]}],
    "depths": [{}, [{}]],
    "no dict": [[{}], 5],
    "mixed": [{"a": 1}, {"a": "x"}],
    "deep": [[[{"x": 1}, {"x": 2}], [{"x": 3}]], [[{"x": 4}]]],
}


@case(name=list(PYVALS))
def from_pyval(tf, name):
    made = _st(tf).from_pyval(PYVALS[name])
    return shown(tf, made), made.to_pyval() if isinstance(made, _st(tf)) else None


@case(
    name=[
        "scalar",
        "empty",
        "shape",
        "row",
        "vector",
        "matrix",
        "key",
        "keys",
        "rank",
        "number",
        "list",
        "sparse",
        "struct",
    ]
)
def from_pyval_with_spec(tf, name):
    spec, ragged, tensor = _st(tf).Spec._from_fields_and_rank, tf.RaggedTensorSpec, tf.TensorSpec
    value, kind = {
        "scalar": lambda: (
            PYVALS["scalar"],
            spec({"a": tensor([], "int32"), "b": tensor([None], "int32"), "c": ragged([None, None], "int32")}, 0),
        ),
        "empty": lambda: ([], spec({"a": tensor([0], "int32")}, 1)),
        "shape": lambda: ([], spec({"a": tensor([0, 5], "int32")}, 2)),
        "row": lambda: ([[]], spec({"a": tensor([1, 0], "int32")}, 2)),
        "vector": lambda: (PYVALS["vector"], spec({"a": tensor([2], "int64")}, 1)),
        "matrix": lambda: (PYVALS["matrix"], spec({"a": tensor([2, 2], "int32")}, 2)),
        "key": lambda: ({"a": 1}, spec({"b": tensor([], "int32")}, 0)),
        "keys": lambda: ([{"a": 1}], spec({"b": tensor([1], "int32")}, 1)),
        "rank": lambda: ([{"a": 1}], spec({"a": tensor([], "int32")}, 0)),
        "number": lambda: (0, spec({"a": tensor([], "int32")}, 0)),
        "list": lambda: ({"a": [[1]]}, spec({"a": tensor([], "int32")}, 0)),
        "sparse": lambda: ([1, 2], tf.SparseTensorSpec([None], "int32")),
        "struct": lambda: ([[1]], spec({"a": tensor([1, 1], "int32")}, 2)),
    }[name]()
    return shown(tf, _st(tf).from_pyval(value, kind))


KEYS = {
    "row": lambda x: x[0], "last row": lambda x: x[-1], "rows": lambda x: x[1:], "field": lambda x: x[0, "a"],
    "fields": lambda x: x[:, "a"], "list": lambda x: x[[0, "a"]], "nested": lambda x: x[0, "n", "z"],
    "inside": lambda x: x[0, "b", 1], "slices inside": lambda x: x[:, "b", :1], "all": lambda x: x[:], "nothing": lambda x: x[()],
    "step": lambda x: x[::2], "new axis": lambda x: x[None], "dots": lambda x: x[...], "name": lambda x: x["a"],
    "number": lambda x: x[0, 1], "float": lambda x: x[1.5], "bytes": lambda x: x[0, b"a"], "out": lambda x: x[9],
    "not there": lambda x: x[0, "q"],
}  # fmt: skip


@case(key=list(KEYS))
def index_a_vector(tf, key):
    rows = [{"a": 1, "b": [1, 2], "n": {"z": 5}}, {"a": 2, "b": [3], "n": {"z": 6}}, {"a": 3, "b": [], "n": {"z": 7}}]
    return shown(tf, KEYS[key](_st(tf).from_pyval(rows)))


MATRIX_KEYS = {
    "row": lambda x: x[0], "element": lambda x: x[0, 1], "slice": lambda x: x[1:], "slices": lambda x: x[:, 1:],
    "field": lambda x: x[0, 1, "a"], "fields": lambda x: x[:, :, "a"], "inside": lambda x: x[0, :, "b", :1],
    "row of fields": lambda x: x[1, :, "b"],
}  # fmt: skip


@case(key=list(MATRIX_KEYS))
def index_rows(tf, key):
    rows = [[{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}], [{"a": 3, "b": []}]]
    return shown(tf, MATRIX_KEYS[key](_st(tf).from_pyval(rows)))


@case(key=["name", "all", "all inside", "number", "slice"])
def index_a_scalar(tf, key):
    x = _st(tf).from_pyval({"a": [1, 2], "b": {"c": [3, 4]}})
    keys = {"name": "a", "all": slice(None), "all inside": (slice(None), "c"), "number": 0, "slice": slice(1, None)}
    return shown(tf, x["b", "c"]) if key == "all inside" else shown(tf, x[keys[key]])


@case(lengths=["ragged", "uniform", "twice", "number", "scalar"])
def partition_outer_dimension(tf, lengths):
    x = _st(tf).from_pyval([{"x": 1, "y": [1, 2]}, {"x": 2, "y": [3]}, {"x": 3, "y": []}, {"x": 4, "y": [7, 8]}])
    if lengths == "number":
        return x.partition_outer_dimension(10)
    if lengths == "scalar":
        return x[0].partition_outer_dimension(_rows(tf, []))
    if lengths == "uniform":
        rows = tf.experimental.RowPartition.from_uniform_row_length(2, nvals=4, nrows=2)
        return shown(tf, x.partition_outer_dimension(rows))
    once = x.partition_outer_dimension(_rows(tf, [2, 0, 1, 1]))
    return shown(tf, once if lengths == "ragged" else once.partition_outer_dimension(_rows(tf, [1, 0, 3, 0])))


@case(axes=["0 1", "1 2", "0 2", "2 1", "-2 -1", "0 3"])
def merge_dims(tf, axes):
    rows = [[[{"x": 1, "y": [1]}, {"x": 2, "y": []}], [{"x": 3, "y": [3, 3]}]], [[{"x": 4, "y": [4]}]]]
    merged = _st(tf).from_pyval(rows).merge_dims(*[int(a) for a in axes.split()])
    return shown(tf, merged), merged.to_pyval()


@case
def field_paths(tf):
    x = _st(tf).from_pyval({"a": 5, "b": {"c": [1, 2, 3]}})
    return x.field_value(("a",)), x.field_value(("b", "c")), x.field_value(["b", "c"])


@case(path=["a b", "q", "b q"])
def field_paths_that_are_missing(tf, path):
    return _st(tf).from_pyval({"a": 5, "b": {"c": [1, 2, 3]}}).field_value(tuple(path.split()))


@case
def text(tf):
    return repr(_st(tf).from_pyval({"a": 5, "b": {"c": [1, 2, 3]}})), str(_st(tf).from_pyval([{"a": [1]}, {"a": []}]))


UPDATES = {
    "new": {"n": [1, 2]}, "changed": {"a": [9, 8]}, "function": {"a": lambda v: v + 1}, "deleted": {"a": None},
    "path": {("c", "x"): lambda v: v * 2}, "new inside": {("c", "n"): [5, 6]}, "list": {("a",): [7, 7]},
    "missing function": {"q": lambda v: v}, "missing deleted": {"q": None}, "missing parent": {("q", "x"): 1},
    "parent that is a tensor": {("a", "x"): 1}, "both": {"c": None, ("c", "x"): [1, 2]}, "empty": {"": 1}, "size": {"n": [1]},
}  # fmt: skip


@case(update=list(UPDATES))
def with_updates(tf, update):
    x = _st(tf).from_pyval([{"a": 1, "c": {"x": 3}}, {"a": 2, "c": {"x": 4}}])
    return x.with_updates(UPDATES[update]).to_pyval()


@case(path=["docs tokens", "docs", "docs info n", "docs info"])
def promote(tf, path):
    docs = [
        {"docs": [{"tokens": [1, 2], "info": {"n": 1}}, {"tokens": [3], "info": {"n": 2}}]},
        {"docs": [{"tokens": [7], "info": {"n": 3}}]},
    ]
    return _st(tf).from_pyval(docs).promote(tuple(path.split()), "new").to_pyval()


@case
def types_of_lengths(tf):
    x = _st(tf).from_pyval([{"a": [1, 2]}, {"a": []}]).with_shape_dtype(tf.int32)
    return x.nrows(), x.field_value("a").row_splits, tf.shape(x).dtype


VALUES = {
    "scalar": {"x": 1}, "vector": [{"x": [1, 3]}, {"x": [2, 7, 9]}], "numbers": [{"x": 1}, {"x": 2}],
    "rows": [[{"x": [1]}, {"x": [2]}], [{"x": [3, 4]}]], "rows of numbers": [[{"x": 1}, {"x": 2}], [{"x": 3}]],
    "deep": [[[{"x": [1]}, {"x": [2]}], [{"x": [3]}]], [[{"x": [4, 5]}]]], "empty dicts": [[{}, {}], [{}]],
    "nested": [{"x": {"y": [1]}}, {"x": {"y": [2, 3]}}],
}  # fmt: skip


@case(value=list(VALUES), axis=[0, 1, 2, 3, -1, -2, 4])
def expand_dims(tf, value, axis):
    found = tf.expand_dims(_st(tf).from_pyval(VALUES[value]), axis)
    return found.shape, found.to_pyval()


@case(value=list(VALUES), dtype=["int32", "float32", None])
def likes_and_sizes(tf, value, dtype):
    x = _st(tf).from_pyval(VALUES[value])
    return tf.size(x, out_type=dtype or "int64"), tf.rank(x), tf.zeros_like(x, dtype), tf.ones_like(x, dtype)


@case(value=["vector", "rows", "deep", "nested", "numbers", "empty dicts"], axis=[0, 1, -1])
def concat(tf, value, axis):
    x = _st(tf).from_pyval(VALUES[value])
    return tf.concat([x, x], axis).to_pyval()


@case(wrong=["fields", "ranks", "tensor", "order"])
def concat_that_is_refused(tf, wrong):
    make = _st(tf).from_pyval
    values = {
        "fields": [make([{"a": 1}]), make([{"b": 1}])],
        "ranks": [make([{"a": 1}]), make([[{"a": 1}]])],
        "tensor": [make([{"a": 1}]), tf.constant([1])],
        "order": [make([{"a": 1, "b": 2}]), make([{"b": 4, "a": 3}])],
    }[wrong]
    return tf.concat(values, 0).to_pyval()


@case(
    value=["vector", "rows", "nested", "numbers", "empty dicts"],
    indices=["one", "some", "matrix", "ragged"],
    axis=[None, 0, 1],
)
def gather(tf, value, indices, axis):
    at = {"one": 1, "some": [1, 0, 1], "matrix": [[0, 1], [1, 0]], "ragged": tf.ragged.constant([[0], [1, 0]])}[indices]
    return tf.gather(_st(tf).from_pyval(VALUES[value]), at, axis=axis).to_pyval()


@case
def gather_of_batches(tf):
    x = _st(tf).from_pyval([[{"a": 1}, {"a": 2}], [{"a": 3}, {"a": 4}, {"a": 5}]])
    return tf.gather(x, tf.ragged.constant([[1], [2, 0]]), batch_dims=1, axis=1).to_pyval()


@case(value=["vector", "scalar"])
def shuffle(tf, value):
    found = tf.random.shuffle(_st(tf).from_pyval(VALUES[value])).to_pyval()
    return sorted(str(row) for row in found)


@case
def shapes(tf):
    x = _st(tf).from_pyval([[{"a": 1}], [{"a": 2}, {"a": 3}]])
    return str(tf.shape(x)), str(tf.shape(x, tf.int64).dtype)


@case(how=["argument", "result", "loop", "cond", "gradient", "signature"])
def in_functions(tf, how):
    x = _st(tf).from_pyval([{"a": 1.0, "b": [1.0, 2.0]}, {"a": 2.0, "b": [3.0]}])
    if how == "argument":
        return tf.function(lambda s: tf.reduce_sum(s.field_value("b")) + s.field_value("a"))(x)
    if how == "result":
        return tf.function(lambda s: s.with_updates({"c": s.field_value("a") * 2}))(x).to_pyval()
    if how == "loop":
        return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s.with_updates({"a": lambda v: v * 3})), (0, x))[
            1
        ].to_pyval()
    if how == "cond":
        return tf.cond(tf.constant(True), lambda: x, lambda: x).to_pyval()
    if how == "gradient":
        a = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.reduce_sum(_st(tf).from_fields({"a": a}, [2])[1:].field_value("a") ** 2)
        return tape.gradient(y, a)
    return tf.function(lambda s: s.field_value("a") + 1, input_signature=[x._type_spec])(x)


@case(stage=["slices", "tensors", "batch", "unbatch", "empty", "filter"])
def in_datasets(tf, stage):
    x = _st(tf).from_pyval([{"a": 1, "b": [1, 2], "c": {"d": 3}}, {"a": 2, "b": [3], "c": {"d": 4}}])
    ds = tf.data.Dataset.from_tensor_slices(x)
    made = {
        "slices": lambda: ds,
        "tensors": lambda: tf.data.Dataset.from_tensors(x),
        "batch": lambda: ds.repeat(2).batch(3),
        "unbatch": lambda: ds.batch(2).unbatch(),
        "empty": lambda: tf.data.Dataset.from_tensor_slices(_st(tf).from_pyval([{}, {}])),
        "filter": lambda: ds.filter(lambda s: s.field_value("a") > 1),
    }[stage]()
    return [element.to_pyval() for element in made]


@case
def in_map_fn(tf):
    x = _st(tf).from_pyval([{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}])
    return tf.map_fn(lambda s: s.field_value("a") * tf.reduce_sum(s.field_value("b")), x, fn_output_signature=tf.int32)


@case
def specs(tf):
    x = _st(tf).from_pyval([{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}])
    spec = x._type_spec
    return spec.shape, spec.rank, spec.is_compatible_with(x), spec.is_compatible_with(x[:1]), spec == x._type_spec


@case
def flattened(tf):
    x = _st(tf).from_pyval([{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3]}])
    leaves = tf.nest.flatten(x, expand_composites=True)
    return leaves[:3], tf.nest.pack_sequence_as(x, leaves, expand_composites=True).to_pyval()
