"""What the errors of kernels say, which scalars may be vectors, and numbers at the edges of what kernels take."""

from behaviour import case
from cases._expression import evaluate

WORDS = [
    ("tf.slice(c([0,1,2,3]), [1], [4])", "expected size[0] in [0, 3]"),
    ("tf.slice(c([0,1,2,3]), [5], [1])", "expected begin[0] in [0, 4]"),
    ("tf.slice(c([0,1,2,3]), [-1], [1])", "expected begin[0] in [0, 4]"),
    ("tf.stack([c([1,2]), c([3,4])], axis=2)", "argument `axis` = 2 not in range [-2, 2)"),
    ("tf.stack([c([1,2]), c([3,4])], axis=-3)", "argument `axis` = -3 not in range [-2, 2)"),
    ("tf.gather_nd([[1,2],[3,4]], [[0,2]])", "indices[0] = [0, 2] does not index into param shape [2,2]"),
    ("tf.gather_nd([[1,2],[3,4]], [[[2]]])", "indices[0,0] = [2] does not index into param shape [2,2]"),
    ("tf.scatter_nd([[0],[3]], [1.,2.], [3])", "indices[1] = [3] does not index into shape [3]"),
    ("tf.scatter_nd([[0,3]], [1.], [2,3])", "indices[0] = [0, 3] does not index into shape [2,3]"),
    ("tf.scatter_nd(np.zeros([3,2,2], int), np.zeros([2,2,2]), [2,2,2])", "of indices[shape=[3,2,2]]"),
    ("tf.scatter_nd(np.zeros([2,2,1], int), np.zeros([2,2]), [2,2,2])", "of input[shape=[2,2,2]]"),
    (
        "tf.tensor_scatter_nd_update(np.zeros([2,2,2]), np.zeros([3,2,2], int), np.zeros([2,2,2]))",
        "outer dimensions of indices and update must match",
    ),
    (
        "tf.tensor_scatter_nd_add(np.zeros([2,2,2]), np.zeros([2,2,1], int), np.zeros([2,2]))",
        "inner dimensions of output shape must match",
    ),
    (
        "tf.Variable(np.zeros([2,2,2])).scatter_nd_update(np.zeros([3,2,2], int), np.zeros([2,2,2]))",
        "of indices[shape=[3,2,2]]",
    ),
    (
        "tf.Variable(np.zeros([2,2,2])).scatter_nd_add(np.zeros([2,2,1], int), np.zeros([2,2]))",
        "of input[shape=[2,2,2]]",
    ),
    ("tf.sparse.segment_sum(ramp(4,2), [3,-1], [0,1])", "indices[1] == -1 out of range [0, 4)"),
    ("tf.sparse.segment_mean(ramp(4,2), [3,9], [0,1])", "indices[1] == 9 out of range [0, 4)"),
    ("tf.sparse.segment_sqrt_n(ramp(4,2), [4], [0])", "indices[0] == 4 out of range [0, 4)"),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits([4], [[1.,2.,3.]])",
        "received a label value of 4 which is outside the valid range of [0, 3)",
    ),
    (
        "tf.nn.sparse_softmax_cross_entropy_with_logits([-1], [[1.,2.,3.]])",
        "received a label value of -1 which is outside the valid range of [0, 3)",
    ),
    ("tf.roll([1,2,3], [1], 0)", "shift and axis must have the same size"),
    ("tf.roll([1,2,3], 1, [0])", "shift and axis must have the same size"),
    (
        "tf.image.crop_and_resize(image(1,4,4,1), [[0.,0,1,1]], [1], [2,2])",
        "box_index has values outside [0, batch_size)",
    ),
    (
        "tf.image.crop_and_resize(image(1,4,4,1), [[0.,0,inf,1]], [0], [2,2])",
        "boxes contains at least one element that is not finite",
    ),
    ("tf.nn.pool(normal(1,5,5,1), [2,2], 'MAX', strides=[2,2], dilations=[2,2])", "not supported in conjunction"),
    (
        "tf.quantization.quantize_and_dequantize_v2([2.5,2.5], [0.,0.], [1.,1.], axis=10)",
        "shape must be at least rank 11 but is rank 1",
    ),
    ("tf.debugging.assert_shapes([(tf.zeros([4,2]), (4, ...))])", "only allowed as the first entry"),
    ("tf.debugging.assert_shapes([(tf.zeros([4]), 4)])", "specified shape must be an iterable"),
    ("tf.debugging.assert_type(tf.ragged.constant([[1.]]), tf.string)", "must be of type"),
    ("tf.debugging.assert_type(tf.sparse.from_dense([[1.]]), tf.string)", "must be of type"),
    ("traced(lambda x: tf.debugging.Assert(x > 0, ['abc', x]) and 0, c(-3))", "assertion failed: [abc] [-3]"),
    ("tnp.concatenate([])", "need at least one array"),
    *[
        (f"tf.{room}({data}{ids})", word)
        for room, data in (
            ("math.segment_sum", "ramp(4,2), "),
            ("math.segment_max", "ramp(4,2), "),
            ("sparse.segment_mean", "ramp(4,2), [0,1,2,3], "),
        )
        for ids, word in (
            ("[-1,-1,0,0]", "segment id -1 out of range [0, 1), possibly because"),
            ("[0,1,2,0]", "segment id 1 out of range [0, 1), possibly because"),
            ("[0,1,0,1]", "segment ids are not increasing"),
            ("[0,0,0,-1]", "segment ids must be >= 0"),
        )
    ],
    ("tf.math.unsorted_segment_sum([[17.]], [[7]], num_segments=2)", "segment_ids[0,0] = 7 is out of range [0, 2)"),
    (
        "tf.function(lambda: tf.sparse.segment_sum(ramp(4,2), [0,1], [0,1], num_segments=-2))()",
        "cannot specify a negative value for num_segments",
    ),
]

VECTORS = [
    "tf.concat([ramp(2,2)]*2, {})",
    "tf.split(ramp(2,2), 2, {})",
    "tf.argmax(ramp(2,2), {})",
    "tf.cumsum(ramp(2,2), {})",
    "tf.softmax(ramp(2,2), {})",
    "tf.linalg.band_part(ramp(2,2), {}, 0)",
    "tf.random.categorical(ramp(1,2), {}).shape",
    "tf.image.rot90(image(4,4,1), {}).shape",
]

COUNTS = [
    "tf.math.top_k(ramp(2,3), {})",
    "tf.math.in_top_k([0,1], ramp(2,3), {})",
    "tf.math.unsorted_segment_sum([1,2], [0,1], {})",
    "tf.sparse.segment_sum(ramp(2,2), [0,1], [0,1], num_segments={})",
    "tf.math.bincount([1,1], minlength={})",
    "tf.histogram_fixed_width(ramp(4), [0.,4.], nbins={})",
    "tf.math.sobol_sample({}, 1)",
    "tf.math.sobol_sample(2, {})",
    "tf.math.sobol_sample(2, 1, {})",
    "tf.linspace(0., 1., {})",
    "tf.one_hot([0,1], {})",
    "tf.linalg.diag([1.,2.], num_rows={})",
    "tf.image.non_max_suppression([[0.,0,1,1]], [1.], {})",
    "tf.signal.frame(ramp(4), {}, 1)",
]

KERNELS = [
    *[
        f"grad(tf.math.{name}, {x}, {y})"
        for name in ("xlogy", "xlog1py", "xdivy")
        for x, y in (("0.", "3.1"), ("3.1", "0."), ("0.", "0."), ("0.", "-2."), ("2.", "3."), ("[0., 1.]", "nan"))
    ],
    *[f"tf.searchsorted([0.,1.,2.], [nan,1.,inf], side={side!r})" for side in ("left", "right")],
    "tf.searchsorted([[0.,1.],[2.,3.]], [[nan],[2.]])",
    "traced(lambda x: tf.searchsorted([0.,1.,2.], x), c([nan,1.]))",
    "tf.function(lambda: tf.searchsorted(tf.ones([10**10]), tf.ones([10**10]), out_type=tf.int64)).get_concrete_function() is not None",
    *[f"tf.linspace(c(0,tf.{d}), c(5,tf.{d}), 4)" for d in ("int8", "uint8", "int16", "uint16", "int32", "int64")],
    "tf.nn.leaky_relu([nan, inf, 1., -1.], alpha=0.)",
    "tf.sequence_mask([1.5, 0.5])",
    "tf.sequence_mask([1.5, 3.2], 3)",
    "tf.gather(ramp(2,3), [0,1], axis=0, batch_dims=1)",
    "tf.gather(ramp(2,3), [[0],[1]], axis=1, batch_dims=1)",
    *[
        f"tf.linalg.normalize(c([[3+4j,1],[0,2j]], tf.complex64), ord={o}, axis=(0,1))"
        for o in ("'euclidean'", "1", "inf")
    ],
    "tf.linalg.normalize([[3.,4.]])",
    "tnp.count_nonzero([1j, 0, 2])",
    "tnp.count_nonzero([[1j, 0], [0, 0]], axis=0)",
    "tnp.dot(True, True)",
    "tnp.inner(True, [True, False])",
    "tnp.outer([True, False], [True, True])",
    "tnp.kron([True, False], [True, True])",
    "tnp.append(1, [])",
    "tnp.append([1, 2], np.array([3], np.int8))",
    "tnp.append(np.array([1.5], np.float16), 1.0)",
    "tnp.concatenate([[1, 2], np.array([3], np.int8)])",
    "tnp.isclose([1j, 2], [1j, 3])",
    "bool(tnp.allclose([1j], [1j]))",
    "tnp.argsort(3)",
    "tnp.argmax(3, axis=0)",
    "tnp.argmin(3.0, axis=-1)",
    "tnp.flip(3, 0)",
    "tnp.fliplr(2.5)",
    "tnp.flipud(2.5)",
    "tnp.cumsum([1, 2, 3], dtype=float)",
    "tnp.cumprod([1., 2., 3.], dtype=int)",
    "tnp.mean([1., 2., 1.], dtype=int)",
    "tnp.var([1., 2., 1.], dtype=np.int64)",
    "tnp.var([1j, 2., 1j])",
    "tnp.take([1, 2, 3], [5, -1])",
    "tnp.take([1, 2, 3], [5, -1], mode='clip')",
    "tnp.take([1, 2, 3], [5, -1], mode='wrap')",
    *[f"tnp.diagflat([], {k})" for k in (-3, 0, 2)],
    "tnp.diagflat([[], []], 1)",
    "tnp.array(tf.IndexedSlices(tf.ones([2,3]), c([1,4]), c([6,3])), copy=False)",
    "tf.function(lambda x: tnp.size(x), input_signature=[tf.TensorSpec(None)])(tf.ones([2,3])) == 6",
    "tf.sparse.segment_sum(tf.zeros([0,4]), [], [])",
    "tf.sparse.segment_mean(tf.zeros([0,4]), [], [], num_segments=3)",
]


PARTS = {"none": "None", "1": "1", "int16": "c(1, tf.int16)", "int32": "c(1)", "int64": "c(1, tf.int64)"}


@case(start=list(PARTS), stop=list(PARTS), step=list(PARTS))
def dtypes_of_an_index(tf, start, stop, step):
    return evaluate(tf, f"c(ramp(3,2))[{PARTS[start]}:{PARTS[stop]}:{PARTS[step]}]")


@case(
    first=list(PARTS)[1:],
    second=list(PARTS)[1:],
    key=["{0}, {1}", "{0}, {1}:", "{0}:, ..., :{1}", "::{0}, tf.newaxis, {1}"],
)
def dtypes_of_two_indices(tf, first, second, key):
    return evaluate(tf, f"c(ramp(3,2,3))[{key.format(PARTS[first], PARTS[second])}]")


@case(item=WORDS)
def words(tf, item):
    return evaluate(tf, f"message(lambda: {item[0]}, {item[1]!r})")


@case(expression=VECTORS, axis=["0", "[0]", "c([0])", "[[0]]"])
def axes_as_vectors(tf, expression, axis):
    return evaluate(tf, expression.format(axis))


@case(expression=COUNTS, count=["2", "[2]", "c([2])"])
def counts_as_vectors(tf, expression, count):
    return evaluate(tf, expression.format(count))


@case(expression=KERNELS)
def kernels(tf, expression):
    return evaluate(tf, expression)
