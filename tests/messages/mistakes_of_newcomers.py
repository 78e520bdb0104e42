"""Mistakes of newcomers: tutorials, PINNs, GANs and RL loops, Keras, tf.data, saving, and habits of other libraries; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import Mistake, _section

OPTIMIZERS = _section(
    "Tapes, optimizers and custom gradients",
    (
        "x = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    x = x + 1.0\n    y = x * 2.0\n    z = y * 1.0\ng = tape.gradient(z, x)\nx.assign_sub(0.1 * g)",
        "assign_sub",
        "tf.Variable",
    ),
    (
        "v = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    loss = v * v\ngrads = tape.gradient(loss, v)\nopt = tf.keras.optimizers.SGD(0.1)\nopt.apply_gradients(zip(grads, v))",
        "iterate|scalar",
        "list of tensors",
    ),
    (
        "v = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    loss = v * v\ngrads = tape.gradient(loss, v)\nopt = tf.keras.optimizers.SGD(0.1)\nopt.apply_gradients(grads, v)",
        "apply_gradients|expected one argument|pairs",
        "zip(gradients, variables)",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.SGD(0.1)\nopt.apply([tf.ones([2])], [v])",
        "apply_gradients|shapes differ|(2,)|()",
        "zip(gradients, variables)",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.SGD(0.1)\nopt.apply_gradients([(None, v)])",
        "No gradients provided",
        "tape.explain",
    ),
    ("opt = tf.keras.optimizers.Adam([tf.Variable(1.0)], 0.1)", "Adam|learning_rate must be", "apply_gradients"),
    (
        "net = tf.keras.Sequential([tf.keras.layers.Dense(8, activation='tanh'), tf.keras.layers.Dense(1)])\nx = tf.linspace(0.0, 1.0, 10)[:, None]\nwith tf.GradientTape() as tape:\n    u = net(x)\nu_x = tape.gradient(u, x)\nresidual = u_x + u",
        "None",
        "explain",
    ),
    (
        "net = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nwith tf.GradientTape() as tape:\n    loss = tf.constant(1.0)\ntape.gradient(loss, net.trainable_variables)",
        "sources is empty",
        "call the model once",
    ),
    (
        "@tf.custom_gradient\ndef f(x):\n    def grad():\n        return 1.0\n    return x * 2.0, grad\nx = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n    y = f(x)\ntape.gradient(y, x)",
        "grad_fn must take 1 argument",
        "def grad_fn(dy)",
    ),
    (
        "w = tf.Variable(3.0)\n@tf.custom_gradient\ndef f(x):\n    def grad(dy):\n        return dy\n    return x * w, grad\nx = tf.Variable([1.0, 2.0])\nwith tf.GradientTape() as tape:\n    y = f(x)\ntape.gradient(y, x)",
        "variables",
        "variables=None",
    ),
)

HABITS_ON_OBJECTS = _section(
    "Habits on tapes, models, datasets and variables",
    (
        "x = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    y = x ** 2\ntape.backward(y)",
        "GradientTape|backward",
        "tape.gradient(loss, variables)",
    ),
    ("v = tf.Variable(1.0)\nopt = tf.keras.optimizers.SGD(0.1)\nopt.step()", "step", "apply_gradients"),
    ("m = tf.keras.metrics.Mean()\nm.update(1.0)", "update", "update_state"),
    ("m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.parameters()", "parameters", "trainable_variables"),
    ("m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.train()", "train", "training=True"),
    ("m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.eval()", "eval", "training=False"),
    ("m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.forward(tf.ones([2, 3]))", "forward", "model(x)"),
    ("m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.state_dict()", "state_dict", "save_weights"),
    ("tf.data.Dataset.range(3).shape", "Dataset|shape", "element_spec"),
    ("tf.data.Dataset.range(3).numpy()", "Dataset|numpy", "as_numpy_iterator"),
    ("tf.data.DataLoader(np.ones([3]))", "DataLoader", "from_tensor_slices"),
    ("ta = tf.TensorArray(tf.float32, 3)\nta[0] = 1.0", "TensorArray|item assignment", "array.write(index, value)"),
    ("ta = tf.TensorArray(tf.float32, 3)\nta.append(1.0)", "append", "array.write(array.size(), value)"),
    ("tf.config.set_visible_devices('GPU')", "Unrecognized device|'GPU'", "list_physical_devices"),
    ("tf.keras.Sequential([tf.keras.layers.Dense(1)]).to('cuda')", "'to'", "leave it out"),
    ("tf.Tensor([1.0])", "Tensor() takes no arguments", "tf.constant"),
    ("tf.functional.relu(1.0)", "functional", "tf.nn"),
    ("tf.utils.data.DataLoader", "utils", "tf.data"),
    ("tf.sigmoid_cross_entropy([1.0], [1.0])", "sigmoid_cross_entropy", "sigmoid_cross_entropy_with_logits"),
    ("tf.linalg.multi_dot([tf.eye(2)])", "multi_dot", "a @ b @ c"),
    ("tf.linalg.inverse(tf.eye(2))", "inverse", "tf.linalg.inv"),
    ("tf.math.sum([1.0])", "sum", "tf.reduce_sum"),
    ("tf.math.mean([1.0])", "mean", "tf.reduce_mean"),
    ("tf.image.imread('a.png')", "imread", "tf.io.decode_image"),
    ("tf.data.Dataset.from_numpy(np.ones([2]))", "from_numpy", "from_tensor_slices"),
    ("tf.Variable(1.0).value.numpy()", "has no attribute 'numpy'", "call it"),
    ("tf.Variable(1.0).set(2.0)", "set", "v.assign(value)"),
    ("tf.Variable([1.0]).update([2.0])", "update", "v.assign(value)"),
    ("tf.Variable(1.0)(2.0)", "not callable", "v.assign"),
    ("tf.ones([2]).dtype()", "DType|not callable", "tf.cast"),
)

TRAINING = _section(
    "Keras layers, losses and training",
    (
        "tf.nn.conv2d_transpose(tf.ones([1, 4, 4, 3]), tf.ones([3, 3, 3, 8]), [1, 8, 8, 3], 2)",
        "conv2d_transpose|channels differ|3|8",
        "output channels, input channels",
    ),
    ("tf.keras.losses.BinaryCrossentropy(from_logit=True)", "from_logit", "from_logits=..."),
    ("tf.keras.losses.mean_squared_error(tf.ones([2]))", "missing|y_pred", "mean_squared_error(y_true, y_pred"),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.compile('sgd', 'mse')\nm.fit(np.ones([4, 2]), np.ones([4, 3]), epoch=2)",
        "epoch",
        "epochs=...",
    ),
    (
        "class M(tf.keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = tf.keras.layers.Dense(2)\n    def train_step(self, data):\n        x, y = data\n        with tf.GradientTape() as tape:\n            loss = tf.reduce_mean((self.d(x) - y) ** 2)\n        g = tape.gradient(loss, self.trainable_variables)\n        self.optimizer.apply_gradients(g, self.trainable_variables)\n        return {'loss': loss}\nm = M(); m.compile('sgd'); m.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0)",
        "apply_gradients|expected one argument",
        "zip(gradients, variables)",
    ),
    (
        "class M(tf.keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = tf.keras.layers.Dense(2)\n    def train_step(self, x, y):\n        return {'loss': 0.0}\nm = M(); m.compile('sgd'); m.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0)",
        "train_step|must take one argument",
        "def train_step(self, data)",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.compile('sgd', 'mse')\nm.fit(tf.data.Dataset.from_tensor_slices(np.ones([4, 2])).batch(2), verbose=0)",
        "loss needs targets|no y",
        "model.fit(x, y)",
    ),
)

PIPELINES = _section(
    "Datasets and files",
    (
        "ds = tf.data.Dataset.from_tensor_slices((np.ones([8, 2]), np.ones([8]))).map(lambda x: x * 2)\nlist(ds)",
        "map|2 parts",
        "lambda x, y",
    ),
    ("ds = tf.data.Dataset.range(4).map(lambda x: None)\nlist(ds)", "must return|None", "return"),
    (
        "ds = tf.data.Dataset.from_tensor_slices(['a', 'bb']).map(lambda s: s.split('.'))\nlist(ds)",
        "split",
        "tf.strings.split",
    ),
    (
        "ds = tf.data.Dataset.from_tensor_slices(['a', 'bb']).map(lambda s: s.decode())\nlist(ds)",
        "decode",
        "tf.strings",
    ),
    (
        "def gen():\n    yield 1\nds = tf.data.Dataset.from_generator(gen(), output_signature=tf.TensorSpec([], tf.int32))",
        "generator|callable",
        "function",
    ),
    (
        "def gen():\n    yield 1, 2\nlist(tf.data.Dataset.from_generator(gen, output_signature=tf.TensorSpec([], tf.int32)))",
        "generator yielded|i32[2]",
        "output_signature",
    ),
    (
        "list(tf.data.Dataset.from_tensor_slices([1, 2, 3]).filter(lambda x: x))",
        "filter|must return a|bool",
        "lambda x: x > 0",
    ),
    (
        "list(tf.data.Dataset.range(3).concatenate(tf.data.Dataset.from_tensor_slices([1.0])))",
        "concatenate|element specs",
        "map",
    ),
    (
        "list(tf.data.Dataset.from_tensor_slices([1., 2.]).map(lambda x: tf.ones([tf.cast(x, tf.int32)])).batch(2))",
        "batch|different shapes|f32[1]|f32[2]",
        "padded_batch",
    ),
    ("tf.data.Dataset.from_tensors(None)", "from_tensors|None", "from_tensors(x)"),
    (
        "class M(tf.Module):\n    def __call__(self, x):\n        return x\ntf.saved_model.save(M(), 'm')\ntf.saved_model.load('m')(1.0)",
        "not callable",
        "@tf.function(input_signature",
    ),
    (
        "class M(tf.Module):\n    @tf.function\n    def __call__(self, x):\n        return x\ntf.saved_model.save(M(), 'm2')\ntf.saved_model.load('m2')(tf.constant(1.0))",
        "0 traces",
        "before saving",
    ),
    (
        "v = tf.Variable([1.0])\np = tf.train.Checkpoint(v=v).save('c')\ntf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).restore(p)",
        "restore|(1,)|(2,)",
        "build the objects",
    ),
    ("tf.train.Feature(float_list=[1.0])", "FloatList|[1.0]", "tf.train.FloatList(value"),
    ("tf.train.Feature(int64_list=tf.train.Int64List(value=[1.5]))", "1.5|float|int", "int(value)"),
    ("tf.train.Feature(bytes_list=tf.train.BytesList(value=['text']))", "text|bytes", "encode()"),
    ("tf.strings.join('a', 'b')", "strings.join|list|'a'", "[a, b]"),
    ("tf.data.Dataset.range(3).apply(lambda x: x + 1)", "unsupported operand|Dataset", "dataset.map"),
)

LOOPS = _section(
    "Functions, loops and branches",
    (
        "@tf.function\ndef f(x):\n    n = x.shape[0]\n    return tf.zeros([n, 2])\nf.get_concrete_function(tf.TensorSpec([None, 3]))",
        "zeros|must be integers|None",
        "tf.shape(x)[0]",
    ),
    (
        "@tf.function(input_signature=tf.TensorSpec([2]))\ndef f(x):\n    return x\nf(tf.ones([2]))",
        "input_signature must be",
        "[tf.TensorSpec",
    ),
    (
        "@tf.function(input_signature=[tf.float32])\ndef f(x):\n    return x\nf(tf.ones([2]))",
        "input_signature must be",
        "tf.TensorSpec",
    ),
    (
        "@tf.function(input_signature=[tf.TensorSpec([2]), tf.TensorSpec([2])])\ndef f(x):\n    return x\nf(tf.ones([2]))",
        "input_signature|extra",
        "one tf.TensorSpec",
    ),
    (
        "@tf.function(input_signature=[tf.TensorSpec([2])])\ndef f(x, y):\n    return x\nf(tf.ones([2]), tf.ones([2]))",
        "input_signature|missing|y",
        "one tf.TensorSpec",
    ),
    ("@tf.function\ndef f(x):\n    return f'{x:.2f}'\nf(tf.constant(2.0))", "'.2f'|needs a value|traced", "tf.print"),
    (
        "@tf.function\ndef f(x):\n    x[0] = 1.0\n    return x\nf(tf.ones([3]))",
        "item assignment",
        "tensor_scatter_nd_update",
    ),
    (
        "tf.cond(True, lambda: tf.ones([2]), lambda: (tf.ones([2]), 1))\ntf.function(lambda p: tf.cond(p, lambda: tf.ones([2]), lambda: (tf.ones([2]), 1)))(tf.constant(True))",
        "tf.cond|must have the same",
        "same structure",
    ),
    (
        "tf.while_loop(lambda i: i < 3, lambda i: (i + 1, i), [tf.constant(0)])",
        "while_loop|body must return|1 vs 2",
        "one value for each",
    ),
    (
        "tf.while_loop(lambda i: i < 3, lambda i: None, [tf.constant(0)])",
        "while_loop|body must return|None",
        "one value for each",
    ),
    (
        "tf.map_fn(lambda x: (x, x), tf.ones([3]))",
        "map_fn|must return the structure",
        "fn_output_signature=(tf.float32, tf.float32)",
    ),
    ("tf.map_fn(lambda x: tf.cast(x, tf.int32), tf.ones([3]))", "map_fn|i32|float32", "fn_output_signature=tf.int32"),
    ("tf.scan(lambda a, x: (a, x), tf.ones([3]), 0.0)", "scan|must return the structure", "initializer"),
)

SWAPPED = _section(
    "Swapped arguments",
    ("tf.reshape([2, 3], tf.ones([6]))", "reshape|must be integers", "swapped"),
    ("tf.transpose([1, 0], tf.ones([2, 3]))", "transpose|must be integers", "swapped"),
    ("tf.clip_by_value(0.0, 1.0, tf.ones([2]))", "clip_by_value|must broadcast", "the tensor comes first"),
    ("tf.split(2, tf.ones([4]))", "split|must be integers", "swapped"),
    ("tf.tile([2, 1], tf.ones([2, 3]))", "tile|must be integers", "swapped"),
    (
        "tf.boolean_mask(tf.constant([True, False]), tf.ones([2]))",
        "boolean_mask|must be bool",
        "the tensor comes first",
    ),
    ("tf.nn.embedding_lookup([0, 1], tf.ones([3, 2]))", "embedding_lookup|must be a table", "the table comes first"),
    ("tf.Variable(1.0, 'w')", "trainable must be|'w'", "name=name"),
    (
        "tf.einsum('ij,jk->ik', [tf.ones([2, 3]), tf.ones([3, 4])])",
        "einsum|separate arguments",
        "tf.einsum('ij,jk->ik', a, b)",
    ),
    ("tf.ones(2, 3)", "ones|dtype must be|3", "tf.ones([2, 3])"),
)

PROGRAMS = _section(
    "Dtypes and shapes of programs",
    (
        "x = tf.constant(np.linspace(0, 1, 10)[:, None])\nw = tf.Variable(tf.random.normal([1, 4]))\nx @ w",
        "matmul|dtypes differ|f64|f32",
        "tf.cast",
    ),
    (
        "actions = tf.constant([0, 1])\nprobs = tf.constant([[0.5, 0.5], [0.2, 0.8]])\nprobs[range(2), actions]",
        "valid indices|range(0, 2)",
        "tf.gather_nd",
    ),
    ("tf.random.normal([None, 10])", "random.normal|must be integers|None", "tf.shape(x)[0]"),
    (
        "tf.where(tf.constant([True]), tf.constant([1]), tf.constant([1.0]))",
        "where|dtypes differ",
        "tf.cast(a, tf.float32)",
    ),
    ("tf.ones([2, 3]).shape[2]", "out of range", "-2 to 1"),
)

NEWCOMERS: list[Mistake] = [*OPTIMIZERS, *HABITS_ON_OBJECTS, *TRAINING, *PIPELINES, *LOOPS, *SWAPPED, *PROGRAMS]
