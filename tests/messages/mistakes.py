"""Mistakes that people make, with what the message must say.

An entry has the code; words that the first line must have; words that the fix must have, separated by `|`. Words in `[...]` may be any of
several: `[cast/convert]`. The code runs as a program with `tf` and `np`; what it raises, warns of or logs last is the message.
docs/messages.md shows all messages beside TensorFlow's.
"""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """A program that is wrong, and the words that its message must have."""

    subject: str
    code: str
    first: str
    fix: str


def _section(subject: str, *entries: tuple[str, str, str]) -> list[Mistake]:
    return [Mistake(subject, code, first, fix) for code, first, fix in entries]


SHAPES = _section(
    "Shapes that do not fit",
    ("tf.ones([8, 3]) @ tf.ones([4, 5])", "matmul|inner dimensions|f32[8,3]|f32[4,5]|3 vs 4", "transpose"),
    ("tf.ones([2, 3]) + tf.ones([2, 4])", "add|[2,3]|[2,4]|broadcast", "1"),
    ("tf.ones([3]) * tf.ones([4])", "multiply|[3]|[4]|broadcast", "1"),
    ("tf.maximum(tf.ones([2, 3]), tf.ones([3, 2]))", "maximum|[2,3]|[3,2]|broadcast", "1"),
    ("tf.reshape(tf.ones([2, 3]), [4, 2])", "reshape|[2,3]|[4, 2]|6|8", "[size/-1]"),
    ("tf.reshape(tf.ones([2, 3]), [-1, -1])", "reshape|-1", "one"),
    ("tf.reshape(tf.ones([2, 3]), [4, -1])", "reshape|4", "[divide/size/multiple/-1]"),
    ("tf.concat([tf.ones([2, 3]), tf.ones([2, 4])], 0)", "concat|[2,3]|[2,4]", "axis"),
    ("tf.stack([tf.ones([2]), tf.ones([3])])", "stack|[2]|[3]", "[shape/concat/pad]"),
    ("tf.concat(0, [tf.ones([2]), tf.ones([2])])", "concat|axis", "tf.concat([a, b], 0)"),
    ("tf.split(tf.ones([5]), 2)", "split|5|2", "[sizes/multiple/divide]"),
    ("tf.transpose(tf.ones([2, 3]), [0])", "transpose|perm", "axis|once"),
    ("tf.transpose(tf.ones([2, 3]), [0, 0])", "transpose|perm", "once"),
    ("tf.tile(tf.ones([2, 3]), [2])", "tile|multiples", "[2, 1/each/one]"),
    ("tf.broadcast_to(tf.ones([3]), [2, 4])", "broadcast_to|3|4", "1"),
    ("tf.squeeze(tf.ones([2, 3]), 0)", "squeeze|axis|2", "1"),
    ("tf.pad(tf.ones([2, 3]), [[1, 1]])", "pad|paddings", "before, after"),
    ("tf.zeros([-1, 2])", "zeros|negative|[-1, 2]", "size"),
    ("tf.ones('abc')", "shape|'abc'", "int"),
    ("tf.eye(-2)", "eye|negative|-2", "[0/size]"),
    ("tf.constant([1, 2, 3], shape=[2])", "constant|3|(2,)", "[shape/as many]"),
    ("tf.constant([[1, 2], [3]])", "non-rectangular", "[same length/ragged/pad]"),
    ("tf.linalg.matvec(tf.ones([2, 3]), tf.ones([2]))", "matvec|3|2", "[transpose/matrix/vector]"),
    ("tf.tensordot(tf.ones([2, 3]), tf.ones([4, 5]), 1)", "tensordot|3|4", "axes"),
    ("tf.einsum('ij,jk->ik', tf.ones([2, 3]), tf.ones([4, 5]))", "einsum|j|3|4", "length"),
    ("tf.matmul(tf.ones([3]), tf.ones([3, 2]))", "matmul|rank", "[matvec/tf.reshape/expand_dims]"),
    ("tf.slice(tf.ones([3]), [1], [5])", "slice|5|3", "[size/-1]"),
    ("tf.ensure_shape(tf.ones([2, 3]), [2, 4])", "ensure_shape|[2, 3]|[2, 4]", "None"),
    ("tf.boolean_mask(tf.ones([3]), [True, False])", "mask|3|2", "mask"),
)

DTYPES = _section(
    "Dtypes that do not fit",
    ("tf.constant(1.0) + tf.constant(1)", "add|dtypes differ|f32|i32", "tf.cast(b, tf.float32)"),
    ("tf.constant(1) + tf.constant(1.0)", "add|dtypes differ|i32|f32", "tf.cast(a, tf.float32)"),
    ("tf.constant([1.0]) * tf.constant([2.0], tf.float64)", "multiply|f32|f64", "tf.cast"),
    ("tf.ones([2, 2], tf.float64) @ tf.ones([2, 2])", "matmul|f64|f32", "tf.cast"),
    ("tf.constant(1) + 0.5", "0.5|int32", "[tf.cast/float]"),
    ("tf.sqrt(tf.constant(4))", "sqrt|i32", "tf.cast"),
    ("tf.exp(tf.constant([1, 2]))", "exp|i32", "tf.cast"),
    ("tf.nn.softmax(tf.constant([1, 2]))", "softmax|i32", "tf.cast"),
    ("tf.reduce_all(tf.constant([1, 0]))", "reduce_all|i32", "[bool/!= 0/tf.cast]"),
    ("tf.logical_not(tf.constant(1.0))", "logical_not|f32|bool", "tf.cast"),
    ("tf.cast('1.5', tf.float32)", "cast|str[]|must", "tf.strings.to_number"),
    ("tf.cast(tf.constant([1.0]), tf.string)", "cast|string", "tf.strings.as_string"),
    ("tf.cast(1.0, 'flaot32')", "'flaot32'|dtype", "float32"),
    ("tf.cast(1.0, None)", "None|dtype", "tf.float32"),
    ("tf.constant(1.5, tf.int32)", "1.5|int32", "[tf.cast/float]"),
    ("tf.constant('a') + tf.constant(1)", "add|str|i32", "[tf.strings/as_string/tf.cast]"),
    ("tf.constant(['a']) * 2", "[string/str]|2", "tf.strings"),
    ("tf.convert_to_tensor(tf.constant(1.0), dtype=tf.int32)", "int32|float32", "tf.cast(x, tf.int32)"),
    ("tf.gather(tf.ones([3]), [0.5])", "gather|indices|f32", "tf.cast"),
    ("tf.one_hot(tf.constant([0.0, 1.0]), 2)", "one_hot|[float32/f32]", "[tf.cast/int]"),
    ("tf.where(tf.constant([1, 0]), 1.0, 2.0)", "where|[int32/i32]|bool", "!= 0"),
    ("tf.nn.embedding_lookup(tf.ones([3, 2]), [0.0])", "[gather/embedding_lookup]|[f32/float32]", "tf.cast"),
    ("tf.constant([True]) + tf.constant([True])", "add|bool", "tf.cast"),
    ("tf.bitwise.bitwise_and(tf.constant(1.0), tf.constant(2.0))", "bitwise_and|f32", "tf.cast"),
    ("tf.constant(300, tf.uint8) + 'a'", "[uint8/u8]|'a'", ""),
    ("tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64))", "complex|f32|f64", "tf.cast"),
    ("tf.range(0, 1.0, 'a')", "[range/'a']", ""),
    ("tf.constant(10**30)", "fit|int64", "[dtype/float]"),
)

VALUES = _section(
    "Values that cannot become tensors",
    ("tf.constant(None)", "None", "return|explain"),
    ("tf.constant([1.0, None])", "None", "numbers"),
    ("tf.constant([1, 'a'])", "mixed|'a'", "one kind|dtype"),
    ("tf.constant({'a': 1})", "{'a': 1}|dict", "[values/list]"),
    ("tf.constant({1, 2})", "set", "list"),
    ("tf.constant(object())", "object", "numbers"),
    ("tf.constant(lambda x: x)", "function", "[call/numbers]"),
    ("tf.reduce_sum(None)", "None", ""),
    ("tf.constant(x for x in range(3))", "generator", "list"),
    ("tf.abs('a')", "abs|str", ""),
    ("tf.constant(np.array([object()]))", "object", "numbers"),
    ("tf.constant(np.array(['2020-01-01'], 'datetime64[D]'))", "datetime64", "astype"),
    ("tf.add(tf.constant(1.0), None)", "None", ""),
    ("tf.matmul(tf.ones([2, 2]), None)", "None", ""),
    ("tf.constant(1.0) + [1.0, 'a']", "'a'", ""),
    ("tf.stack(5)", "stack|values|list|5", "[a, b]"),
    ("tf.add_n(tf.Variable)", "add_n|list", "[a, b]"),
)

INDEXING = _section(
    "Indexing and assigning",
    ("tf.constant([1.0, 2.0])[2]", "index|2", "[0/1]"),
    ("tf.constant([1.0])[0] = 2.0", "assign", "[tensor_scatter_nd_update/assign]"),
    ("x = tf.ones([3])\nx[0] = 2.0", "item assignment", "tensor_scatter_nd_update"),
    ("v = tf.Variable([1.0, 2.0])\nv[0] = 2.0", "item assignment", "v[0].assign(2.0)"),
    ("tf.constant([1.0, 2.0])['a']", "'a'", "int"),
    ("tf.constant([1.0, 2.0])[0.5]", "0.5", "int"),
    ("tf.constant([1.0, 2.0])[0, 0]", "rank 1|2", "[index/axis]"),
    ("tf.ones([3])[[0, 2]]", "2 indices|rank 1", "tf.gather"),
    ("tf.ones([3])[tf.constant([True, False])]", "mask|3|2", "mask"),
    ("tf.gather([1.0, 2.0], 5)", "gather|5|2", "[0/1]"),
    ("tf.gather_nd([[1.0]], [[0, 1]])", "gather_nd|1", ""),
    ("tf.scatter_nd([[5]], [1.0], [3])", "scatter_nd|5|3", ""),
    ("del tf.ones([2])[0]", "delet", "[boolean_mask/concat]"),
    ("tf.tensor_scatter_nd_update([1.0, 2.0], [0], [3.0])", "tensor_scatter_nd_update|indices", "index"),
    ("x = tf.ones([2])\nx += [1.0, 2.0, 3.0]", "add|[2]|[3]", "1"),
    ("{tf.ones([2]): 1}", "unhashable", ".ref()"),
    ("{tf.Variable(1.0)}", "unhashable", ".ref()"),
    ("len(tf.constant(1.0))", "len|scalar", "[tf.size/reshape]"),
    ("for v in tf.constant(1.0): pass", "iterate|scalar", "reshape"),
    ("float(tf.ones([2]))", "one element|(2,)", "[reduce/numpy]"),
    ("int(tf.constant('a'))", "'a'|int", "tf.strings.to_number"),
    ("bool(tf.ones([2]))", "ambiguous|2", "[reduce_any/reduce_all]"),
    ('f"{tf.ones([2]):.2f}"', "'.2f'|(2,)", "numpy"),
    ("range(tf.constant(2.0))", "integer|float32", "tf.cast"),
)

AXES = _section(
    "Axes and other arguments",
    ("tf.reduce_sum(tf.ones([2, 3]), axis=2)", "reduce_sum|axis|2|rank 2", "-2 to 1"),
    ("tf.reduce_mean(tf.ones([3]), axis='rows')", "reduce_mean|axis|'rows'", "int"),
    ("tf.reduce_sum(tf.ones([2, 3]), axis=(0, 0))", "reduce_sum|twice", "once"),
    ("tf.argmax(tf.ones([3]), axis=1)", "argmax|axis|1|rank 1", "0"),
    ("tf.concat([tf.ones([2]), tf.ones([2])], 1)", "concat|axis|1", "[0/tf.stack]"),
    ("tf.expand_dims(tf.ones([2]), 3)", "expand_dims|axis|3", "-2 to 1"),
    ("tf.stack([1.0, 2.0], axis=2)", "stack|axis|2", "-1 to 0"),
    ("tf.reverse(tf.ones([2]), [1])", "reverse|axis|1", "0"),
    ("tf.roll(tf.ones([2]), 1, axis=1)", "roll|axis|1", "0"),
    ("tf.cumsum(tf.ones([2]), axis=1)", "cumsum|axis|1", "0"),
    ("tf.unstack(tf.ones([2]), axis=1)", "unstack|axis|1", "0"),
    ("tf.random.normal(2, 3)", "shape|list", "tf.random.normal([2, 3])"),
    ("tf.random.uniform(2, 3)", "shape|list", "[2, 3]"),
    ("tf.transpose(tf.ones([2, 3]), 1, 0)", "transpose|perm|vector", "list"),
    ("tf.random.uniform([2], minval=1, maxval=0, dtype=tf.int32)", "uniform|minval|maxval", "maxval|minval + 1"),
    ("tf.random.uniform([2], dtype=tf.int32)", "uniform|maxval", "maxval"),
    ("tf.nn.dropout(tf.ones([2]), rate=1.5)", "dropout|rate|1.5", "rate=0.5"),
    ("tf.image.resize(tf.ones([4, 4]), [2, 2])", "resize|images|(4, 4)", "height, width, channels"),
    ("tf.linalg.norm(tf.ones([2]), ord='fro3')", "norm|'fro3'", "[euclidean/ord]"),
    ("tf.sort([2, 1], direction='UP')", "sort|'UP'", "ASCENDING"),
    ("tf.one_hot([0, 1], -1)", "one_hot|depth|-1", "[0/positive/classes]"),
    ("tf.range(0, 10, 0)", "range|delta", "[not be 0/step/1]"),
    ("tf.math.top_k([1.0, 2.0], k=3)", "top_k|3|2", "k"),
    ("tf.nn.top_k([1.0, 2.0], k=-1)", "top_k|-1", "k"),
)
