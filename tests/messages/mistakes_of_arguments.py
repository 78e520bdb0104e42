"""Mistakes in the arguments of functions, in training with Keras, and around tapes and functions; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import _section

_TAPE = "x = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\n"

ARGUMENTS = _section(
    "Arguments that a function does not take",
    ("tf.reduce_mean()", "missing|input_tensor", "tf.reduce_mean(input_tensor, axis=None"),
    ("tf.reduce_mean(1.0, 2.0, 3.0, 4.0, 5.0)", "takes|5", "tf.reduce_mean(input_tensor, axis=None"),
    ("tf.one_hot([0, 1])", "missing|depth", "tf.one_hot(indices, depth"),
    ("tf.clip_by_value([1.0], 2.0)", "missing|clip_value_max", "tf.clip_by_value(t, clip_value_min, clip_value_max"),
    ("tf.nn.dropout(tf.ones([2]), 0.5, training=True)", "training", "tf.nn.dropout(x, rate"),
    ("tf.random.categorical([[0.5, 0.5]])", "missing|num_samples", "tf.random.categorical(logits, num_samples"),
    ("tf.fill([3], [1.0, 2.0])", "fill|must be a scalar|f32[2]", "tf.broadcast_to"),
    ("tf.pad(tf.ones([2]), 1)", "pad|must be a list of pairs|1", "tf.pad(x, [[1, 1]])"),
    ("tf.pad(tf.ones([2]), [[1, 1]], 'WRAP')", "mode must be|'WRAP'", "REFLECT"),
    ("tf.range('a')", "range|must be numbers|'a'", "numbers"),
    ("tf.linspace(0.0, 1.0, 2.5)", "num must be integers|2.5", "tf.cast"),
    ("tf.one_hot([0, 1], depth=2.0)", "depth must be integers|2.0", "tf.cast"),
    ("tf.repeat([1, 2], [1, 2, 3])", "repeat|lengths differ|3|2", "one"),
    ("tf.split(tf.ones([4]), [1, 2])", "split|[1, 2]|f32[4]", "4"),
    ("tf.concat([], 0)", "concat|empty", "at least one"),
    ("tf.einsum('ij,jk', tf.ones([2, 3]))", "einsum|2 inputs|1", "commas"),
    ("tf.einsum('ij->k', tf.ones([2, 3]))", "einsum|'k'|no input", ""),
    ("tf.norm(tf.constant([3, 4]))", "norm|int32", "tf.cast(x, tf.float32)"),
    ("tf.math.log(tf.constant(2))", "log|must be floating point or complex", "tf.cast(x, tf.float32)"),
    ("tf.nn.relu('a')", "relu|must be floating point", "tf.strings.to_number"),
    ("tf.constant(3) / tf.constant(2.0)", "divide|dtypes differ|i32|f32", "tf.cast(a, tf.float32)"),
    ("tf.pow(2, -1)", "pow|negative", "cast"),
    ("tf.constant(5) // tf.constant(0)", "division by zero", "mask"),
    ("tf.math.segment_sum([1.0, 2.0], [1, 0])", "not increasing|1", "unsorted_segment_sum"),
    ("tf.math.confusion_matrix([0, 1], [0, 1, 2])", "shapes differ|labels|predictions", "one prediction"),
    ("tf.math.in_top_k([0], [1.0, 2.0], 1)", "targets must be|f32[2]", "[n, classes]"),
    ("tf.histogram_fixed_width([1.0], [2.0])", "value_range must be a pair", "smaller limit first"),
    ("tf.sort([2, 1], direction='DOWN')", "direction must be|'DOWN'", "DESCENDING"),
    ("tf.image.central_crop(tf.ones([4, 4, 3]), 2.0)", "central_fraction must be|2.0", "at most 1"),
    ("tf.image.resize(tf.ones([4, 4, 3]), [2, 2], 'cubic')", "cubic", "'bicubic'"),
    ("tf.image.crop_to_bounding_box(tf.ones([4, 4, 3]), 2, 2, 5, 5)", "width must be|4", "target_width"),
    ("tf.image.adjust_hue(tf.ones([2, 2, 3]), 3.0)", "delta must be", "-1 to 1"),
    ("tf.nn.conv2d(tf.ones([1, 4, 4, 3]), tf.ones([3, 3, 3, 8]), 1, 'VALIDD')", "padding must be|'VALIDD'", "SAME"),
    ("tf.signal.frame(tf.ones([4]), 0, 1)", "frame|must be positive|0", "1"),
    ("tf.signal.fft(tf.ones([4]))", "fft|must be complex", "tf.complex64"),
    ("tf.random.Generator(1)", "copy_from must be a generator|1", "from_seed(1)"),
    ("tf.TensorSpec([2], 'flaot')", "'flaot'", "tf.float"),
    ("tf.as_dtype(list)", "list", "tf.float32"),
    ("tf.clip_by_global_norm(tf.ones([2]), 1.0)", "t_list|sequence", "list"),
    ("tf.SparseTensor([[0, 0]], [1.0], [2])", "indices|dense_shape|do not match", "row for each value"),
    ("tf.lookup.StaticHashTable({'a': 1}, 0)", "initializer must be", "KeyValueTensorInitializer"),
    ("tf.linalg.lstsq(tf.ones([3, 2]), tf.ones([3]))", "rhs|must be matrices", "tf.newaxis"),
    ("tf.linalg.diag(tf.constant(1.0))", "diagonal|rank 1", "vector"),
    ("tf.strings.join(['a', 5])", "int32|strings", "as_string"),
    ("tf.strings.regex_replace('a', '(', 'b')", "Invalid pattern", "regular expression"),
    ("tf.strings.format('{} {}', [1])", "2|1", "placeholder"),
    ("tf.nest.map_structure(lambda a, b: a, [1, 2], [1])", "same nested structure|2 vs 1", "tf.nest.flatten"),
    ("with tf.device('cuda:0'):\n    tf.ones([2])", "'cuda:0'|not a device", "/CPU:0"),
    ("tf.ones([2]).shape()", "not callable", "x.shape"),
    ("v = tf.Variable(1.0)\nv.trainable = False", "trainable|cannot", "trainable=False"),
)  # fmt: skip

AROUND_TAPES = _section(
    "Calls of tapes and custom gradients",
    (f"{_TAPE}tape.gradient(y)", "missing|sources", "tape.gradient(target, sources"),
    (f"{_TAPE}tape.gradients(y, x)", "gradients", "gradient"),
    (f"{_TAPE}tape.gradient([y, None], x)", "Targets must be tensors|None", "functions of tf"),
    (f"{_TAPE}tape.gradient(y, x, output_gradients=tf.ones([3]))", "shapes differ|(3,)|()", "target's shape"),
    (f"{_TAPE}tape.gradient(y, [x, 3])", "Sources must be|3", "tf.Variable"),
    (f"{_TAPE}tape.batch_jacobian(y, x)", "batch_jacobian|target must have rank|()", "tape.jacobian"),
    (f"{_TAPE}with tape.stop_recording:\n    pass", "context manager", "tape.stop_recording()"),
    ("tf.GradientTape(on_none='error')", "on_none must be|'error'", "'raise'"),
    ("x = tf.Variable(1.0)\nwith tf.GradientTape() as t:\n    y = tf.constant(2.0)\nt.gradient(y, x)", "None", "explain"),
    (
        "@tf.custom_gradient\ndef f(x):\n    return x * x, 3.0\nf(tf.constant(1.0))",
        "custom_gradient|3.0",
        "return result, grad_fn",
    ),
    ("@tf.function\ndef f(x):\n    for i in x: pass\n    return i\nf(tf.constant(3))", "Cannot iterate|scalar", "tf.range"),
    (
        "@tf.function\ndef f(x):\n    assert x > 0, 'must be positive'\n    return x\nf(tf.constant(-3))",
        "assertion failed|must be positive",
        "",
    ),
    (
        "@tf.function\ndef f(x):\n    if x > 0:\n        return x\n    return tf.cast(x, tf.int32)\nf(tf.constant(1.0))",
        "returned value|float32|int32",
        "cast",
    ),
    (
        "@tf.function\ndef f(x, i):\n    return tf.gather(x, i)\nf(tf.ones([3]), tf.constant([0, 7]))",
        "gather|indices[1] = 7|[0, 3)",
        "0",
    ),
)  # fmt: skip

KERAS = _section(
    "Keras optimizers, layers and fit",
    ("tf.keras.optimizers.Adam(lr=0.1)", "'lr'|learning_rate", "Adam(learning_rate=0.1)"),
    ("tf.keras.optimizers.Adam(0.1).apply_gradients([tf.ones([1])])", "expected pairs", "zip(gradients, variables)"),
    ("tf.keras.optimizers.Adam(0.1).minimize(lambda: 1.0, [])", "minimize", "tf.GradientTape()"),
    ("tf.keras.optimizers.SGD(0.1).zero_grad()", "zero_grad", "leave it out"),
    ("tf.reduce_sum(tf.keras.Input([3]))", "tf.reduce_sum|KerasTensor", "keras.layers.Lambda"),
    ("x = tf.keras.Input([3])\ntf.concat([x, x], 1)", "tf.concat|KerasTensor", "keras.ops"),
    (
        "class Model(tf.keras.Model):\n    def __init__(self):\n        super().__init__()\n"
        "        self.dense = tf.keras.layers.Dense(3)\n    def train_step(self, data):\n"
        "        return {'loss': tf.matmul(*data)}\nm = Model()\nm.compile('sgd')\n"
        "m.fit(np.ones([8, 3]), np.ones([8, 1]), verbose=0)",
        "matmul|inner dimensions differ|3 vs 8",
        "transpose",
    ),
)

MORE_HABITS = _section(
    "Further names of other libraries",
    ("tf.gradient(1.0, 2.0)", "gradient", "tf.GradientTape()"),
    ("tf.save(1, 'x')", "save", "tf.train.Checkpoint"),
    ("tf.load('x')", "load", "tf.train.Checkpoint"),
    ("tf.train.Adam(0.1)", "Adam", "keras.optimizers.Adam"),
    ("tf.nn.mse_loss(1.0, 2.0)", "mse_loss", "tf.reduce_mean(tf.square"),
    ("tf.nn.Dense(3)", "Dense", "keras.layers.Dense"),
    ("tf.nn.Flatten()", "Flatten", "tf.reshape"),
    ("tf.Gradienttape()", "Gradienttape", "GradientTape"),
    ("tf.maths.log(1.0)", "maths", "math"),
    ("tf.keras.layer.Dense(1)", "layer", "layers"),
)
