"""Mistakes of a second visit: Keras's layers and `fit`, pipelines, names, attributes; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import _section

SECOND_VISIT = _section(
    "A second visit: layers and fit, pipelines, names, attributes",
    (
        "w = tf.Variable(tf.ones([3, 1]))\nwith tf.GradientTape() as tape:\n    loss = tf.reduce_sum(tf.ones([2, 3]) @ w)\ng = tape.gradient(loss, w)\nw = w - 0.1 * g\nw.assign_sub(g)",
        "'Tensor' object has no attribute 'assign_sub'. Use x - y, or a",
        "Use x - y, or a variable, v = tf.Variable(x);",
    ),
    (
        "opt = tf.keras.optimizers.Adam(0.1)\nopt.minimise(1.0)",
        "'Adam' object has no attribute 'minimise'",
        "optimizer.apply_gradients(zip(gradients",
    ),
    ("opt = tf.keras.optimizers.Adam(0.1)\nopt.lr", "'Adam' object has no attribute 'lr'", "optimizer.learning_rate"),
    (
        "opt = tf.keras.optimizers.Adam(0.1)\nopt.update(1, 2)",
        "'Adam' object has no attribute 'update'",
        "optimizer.apply_gradients(zip(gradients",
    ),
    (
        "sched = tf.keras.optimizers.schedules.ExponentialDecay(0.1)",
        "ExponentialDecay.__init__() missing 2 required positional",
        "keras.optimizers.schedules.ExponentialDecay(init",
    ),
    (
        "tf.keras.optimizers.schedules.StepLR(0.1)",
        "module 'keras.optimizers.schedules' has no attribute 'StepLR'",
        "keras.optimizers.schedules.ExponentialDecay(rate",
    ),
    (
        "tf.keras.optimizers.Adamm(0.1)",
        "module 'keras.optimizers' has no attribute 'Adamm'. Did you",
        "Did you mean: 'Adam'?",
    ),
    ("tf.keras.regularizers.l2('a')", "Invalid value for argument l2: expected a non-negative float", "l2=0.01"),
    (
        "tf.keras.layers.Dropout(2.0)",
        "Invalid value received for argument `rate`. Expected a float",
        "rate=0.5 drops half of the elements",
    ),
    (
        "tf.keras.layers.Dense(3, kernel_regularizer='l3')",
        "Could not interpret regularizer identifier: l3",
        "pass a name such as 'l2', or an object",
    ),
    (
        "tf.keras.layers.Dense(3, kernel_initializer='xavier')",
        "Could not interpret initializer identifier: xavier",
        "pass a name such as 'zeros' or",
    ),
    (
        "tf.keras.layers.Dense(units=3, activate='relu')",
        "Unrecognized keyword arguments passed to Dense: {'activate'",
        "keras.layers.Dense(..., activation=...)",
    ),
    (
        "tf.keras.layers.Concatenate()(tf.ones([2, 3]), tf.ones([2, 3]))",
        "too many positional arguments",
        "call(self, x) takes self and every input that",
    ),
    (
        "tf.keras.layers.Concatenate()([tf.ones([2, 3]), tf.ones([4, 3])])",
        "A `Concatenate` layer requires inputs with matching shapes",
        "keras.layers.Concatenate(axis=-1)",
    ),
    (
        "tf.keras.layers.Add()([tf.ones([2, 3]), tf.ones([2, 4])])",
        "Inputs have incompatible shapes. Received shapes (3,) and (4,)",
        "give inputs of one shape, or 1 where they",
    ),
    (
        "tf.keras.layers.MaxPooling2D()(tf.ones([2, 3, 3]))",
        "is incompatible with the layer|expected",
        "give inputs of rank 4, the first axis counts",
    ),
    ("tf.keras.layers.Lambda(tf.ones([2]))", "unsupported callable", "keras.layers.Lambda(lambda x: ...), with a"),
    ("tf.keras.layers.Normalization().adapt(None)", "Unsupported data type", "layer.adapt(np.asarray(values)), or a"),
    (
        "tf.keras.utils.get_file()",
        'Please specify the "origin" argument (URL of the file to',
        "keras.utils.get_file(fname, origin=url)",
    ),
    (
        "tf.keras.datasets.mnist.load()",
        "module 'keras.datasets.mnist' has no attribute 'load'",
        "keras.datasets.mnist.load_data()",
    ),
    (
        "tf.keras.Sequential().predict(tf.ones([2, 3]), verbose=0)",
        "cannot be built because it has no layers",
        "keras.Sequential",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.evaluate(tf.ones([2, 3]), tf.ones([2, 1]), verbose=0)",
        "You must call `compile()` before using the model",
        "model.compile(optimizer='adam', loss='mse')",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm[0]",
        "'Sequential' object is not subscriptable",
        "model.layers",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nfor layer in m: pass",
        "'Sequential' object is not iterable",
        "model.layers has the layers of a model",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.layers[0].kernel",
        "You must build the layer before accessing `kernel`.",
        "call the layer once, layer(x), or layer.build(x.shape)",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.add(3)",
        "Only instances of `keras.Layer` can be added to a Sequential",
        "model.add(keras.layers.Dense(3))",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse', metric=['mae'])",
        "Trainer.compile()",
        "model.compile(..., metrics=...)",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse', metrics=['maee'])\nm.fit(np.ones([4, 3]), np.ones([4, 1]), verbose=0)",
        "Could not interpret metric identifier: maee",
        "pass a name such as 'mse' or 'accuracy', or an",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(x=np.ones([4, 3]), target=np.ones([4, 1]))",
        "Trainer.fit()",
        "model.fit(x=None, y=None, batch_size=None",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(np.ones([4, 3]), np.ones([4, 1]), verbose=0, callbacks='a')",
        "'str' object has no attribute 'set_model'",
        "callbacks",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(tf.data.Dataset.from_tensor_slices((np.ones([4, 3]), np.ones([4, 1]))), verbose=0)",
        "is incompatible with the layer|expected",
        "give inputs of rank 2, the first axis counts",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(tf.data.Dataset.from_tensor_slices((np.ones([4, 3]), np.ones([4, 1]))).batch(2), np.ones([4, 1]), verbose=0)",
        "When providing `x` as a tf.data.Dataset, `y` should not be",
        "put the targets into the dataset",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', lambda y: y)\nm.fit(np.ones([4, 3]), np.ones([4, 1]), verbose=0)",
        "<lambda>() takes 1 positional ",
        "the function is called with 2 arguments: def",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', lambda a, b: None)\nm.fit(np.ones([4, 3]), np.ones([4, 1]), verbose=0)",
        "Attempt to convert a value (None) with an unsupported type",
        "find where it became None",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(np.ones([4, 3]), np.ones([4, 1]), sample_weight=np.ones([3]), verbose=0)",
        "Data cardinality is ambiguous. Make sure all arrays contain the",
        "give as many rows of x as of y",
    ),
    (
        "class L(tf.keras.layers.Layer):\n    def call(self, x):\n        return np.dot(x.numpy(), x)\ninp = tf.keras.Input((3,)); L()(inp)",
        "Could not automatically infer the output shape / dtype of 'l",
        "sum over axes of equal length",
    ),
    (
        "@tf.function\ndef f(x):\n    y = tf.Variable([0.0])\n    y[0].assign(x)\n    return y\nf(1.0); f(tf.constant(2.0))",
        "tf.function only supports singleton tf.Variables created on the",
        "create variables outside of the function, or",
    ),
    (
        "@tf.function\ndef f(x):\n    return sorted(x, key=lambda v: -v)\nf(tf.constant([1.0, 2.0]))",
        "sorted: a key function cannot be used on a tensor",
        "use tf.argsort and tf.gather",
    ),
    (
        "@tf.function\ndef f(x):\n    return max(x, 0) if x else 1\nf(tf.constant([1.0, 2.0]))",
        "a condition must be a scalar",
        "use tf.reduce_all or tf.reduce_any",
    ),
    (
        "@tf.function\ndef f(x):\n    return 'a' in x\nf(tf.constant(['a', 'b'])) + 1",
        "1 cannot be converted to bool, the dtype of the other operand",
        "cast the tensor first: tf.cast(x, tf.float32)",
    ),
    (
        "@tf.function\ndef f(x):\n    return x.decode()\nf(tf.constant('a'))",
        "'SymbolicTensor' object has no attribute 'decode': tensors have no values while the function is traced",
        "its result: f(x).numpy().decode() for one string",
    ),
    (
        "import math\n@tf.function\ndef f(x):\n    return math.sqrt(x)\nf(tf.constant(4.0))",
        'float() needs the value of Tensor("x:0", shape=()',
        "compute with functions of tf, or do this part",
    ),
    (
        "ds = tf.data.Dataset.range(4)\nds.shuffle(4).batch(2).map(lambda x: x).prefech(1)",
        "'Dataset' object has no attribute 'prefech'. Did you mean",
        "Did you mean: 'prefetch'?",
    ),
    (
        "ds = tf.data.Dataset.range(4)\nds.batch_size",
        "'Dataset' object has no attribute 'batch_size'",
        "dataset.element_spec shows the size of a batch;",
    ),
    (
        "ds = tf.data.Dataset.range(4)\nds.columns",
        "'Dataset' object has no attribute 'columns'",
        "dataset.element_spec has the names of the",
    ),
    (
        "tf.data.Dataset.from_csv('a')",
        "type object 'Dataset' has no attribute 'from_csv'",
        "tf.data.experimental.make_csv_dataset(path",
    ),
    (
        "tf.data.Dataset.from_tensor_slices([{'a': 1}, {'a': 2}])",
        "Attempt to convert a value ({'a': 1}) with an unsupported type",
        "pass one of its values, d",
    ),
    (
        "import csv\ntf.data.Dataset.from_tensor_slices(open)",
        "Attempt to convert a value",
        "pass its result: call it first, f(x)",
    ),
    (
        "tf.data.experimental.make_csv_dataset('no.csv', 2)",
        "make_csv_dataset: No files match `file_pattern` 'no.csv'",
        "check the pattern",
    ),
    (
        "tf.data.TFRecordDataset()",
        "TFRecordDataset.__init__() missing 1 required positional",
        "tf.data.TFRecordDataset(filenames",
    ),
    (
        "tf.data.Dataset.range(4).interleave()",
        "Dataset.interleave() missing 1 required positional argument",
        "dataset.interleave(map_func, cycle_length=None",
    ),
    (
        "tf.data.Dataset.range(4).zip([1])",
        "Invalid input to `zip`. Inputs are expected to be (nested)",
        "give a tuple, or zip(*datasets)",
    ),
    (
        "tf.image.decode('a')",
        "module 'gradtape.image' has no attribute 'decode'. Did you",
        "Did you mean: 'decode_png'?",
    ),
    (
        "tf.io.decode_jpg(b'a')",
        "module 'gradtape.io' has no attribute 'decode_jpg'. Did you",
        "Did you mean: 'decode_jpeg'?",
    ),
    ("tf.io.read('a')", "module 'gradtape.io' has no attribute 'read', which NumPy has", "tf.io.read_file(path)"),
    (
        "tf.image.resize(tf.ones([4, 4, 3]), (2, 2), 3, 4, 5, 6)",
        "resize: Resize method is not implemented: 3",
        "use one of 'bilinear', 'bicubic', 'lanczos3'",
    ),
    ("tf.image.resize('a', [2, 2])", "resize: 'images' (shape ()) must have either 3 or 4 dimensions", "an image is"),
    (
        "tf.image.adjust_hue(tf.ones([4, 4, 1]), 0.1)",
        "adjust_hue: image is f32",
        "use tf.image.grayscale_to_rgb for one channel",
    ),
    ("tf.image.rot90(tf.ones([4, 4, 3]), 'a')", "rot90: k must be integers", "use ints, or tf.cast(value, tf.int32)"),
    (
        "tf.image.ssim(tf.ones([4, 4, 3]), tf.ones([4, 4, 3]), 1.0)",
        "ssim: the image must not be smaller than the filter, whose size",
        "use a smaller filter_size, fewer power_factors",
    ),
    ("tf.signal.rfft(tf.constant([1, 2]))", "rfft: input_tensor is i32", "use tf.cast, or tf.signal.fft for complex"),
    (
        "tf.histogram([1.0])",
        "module 'gradtape' has no attribute 'histogram', which NumPy has",
        "tf.histogram_fixed_width(x, range)",
    ),
    ("tf.cumulative_sum", "module 'gradtape' has no attribute 'cumulative_sum'. Did you", "Did you mean: 'cumsum'?"),
    (
        "tf.linalg.transpose(tf.eye(2))",
        "module 'gradtape.linalg' has no attribute 'transpose'",
        "tf.linalg.matrix_transpose(x)",
    ),
    ("tf.linalg.determinant(tf.eye(2))", "module 'gradtape.linalg' has no attribute 'determinant'", "tf.linalg.det(x)"),
    (
        "tf.linalg.rank(tf.eye(2))",
        "module 'gradtape.linalg' has no attribute 'rank'",
        "tf.linalg.matrix_rank(x), or tf.rank(x) for the",
    ),
    ("tf.math.relu(1.0)", "module 'gradtape.math' has no attribute 'relu'", "tf.nn.relu"),
    (
        "tf.math.clip(1.0, 2.0, 3.0)",
        "module 'gradtape.math' has no attribute 'clip', which NumPy has",
        "tf.clip_by_value(x, low, high)",
    ),
    ("tf.math.reduce_avg([1.0])", "module 'gradtape.math' has no attribute 'reduce_avg'", "tf.reduce_mean(x, axis)"),
    ("tf.reduce_mean([1.0, 2.0], axes=0)", "reduce_mean()", "tf.reduce_mean(..., axis=...)"),
    ("tf.reduce_sum([1.0], keep_dims=True)", "reduce_sum()", "tf.reduce_sum(..., keepdims=...)"),
    ("tf.concat(values=[[1.0]], dim=0)", "concat()", "tf.concat(..., axis=...)"),
    ("tf.zeros(shape=[2], type=tf.int32)", "zeros() got an unexpected keyw", "tf.zeros(..., dtype=...)"),
    ("tf.random.uniform(low=0, high=1, shape=[2])", "tf.random.uniform", "tf.random.uniform(..., minval=...)"),
    ("tf.random.set_seed()", "tf.random.set_seed missing 1 required positional argument", "tf.random.set_seed(seed)"),
    (
        "tf.random.set_random_seed(1)",
        "module 'gradtape.random' has no attribute 'set_random_seed'",
        "tf.random.set_seed(seed)",
    ),
    (
        "tf.config.list_devices()",
        "module 'gradtape.config' has no attribute 'list_devices'",
        "tf.config.list_physical_devices()",
    ),
    (
        "tf.saved_model.save_model",
        "module 'gradtape.saved_model' has no attribute 'save_model'",
        "tf.saved_model.save(obj, folder)",
    ),
    (
        "tf.saved_model.load('.')",
        "saved_model.load: SavedModel file does not exist at",
        "check the path; it is the folder that",
    ),
    (
        "tf.distribute.get_strategy().run(lambda x: x)",
        "<lambda>() missing 1 required ",
        "the function is called with fewer arguments",
    ),
    (
        "tf.autodiff.jacobian",
        "module 'gradtape.autodiff' has no attribute 'jacobian'",
        "tape.jacobian(y, x), of a tf.GradientTape",
    ),
    (
        "tf.autodiff.ForwardAccumulator\ntf.autodiff.hvp(lambda x: x, 1.0)",
        "tf.autodiff.hvp missing 1 required positional argument",
        "tf.autodiff.hvp(f, primals, vectors)",
    ),
    (
        "tf.GradientTape(persistent=True).gradient\ntf.GradientTape.gradient(1.0, 2.0)",
        "GradientTape.gradient() missing 1 required positional argument",
        "tape.gradient(target, sources",
    ),
    (
        "x = tf.Variable(1.0)\nwith tf.GradientTape(x) as tape:\n    y = x * x",
        "GradientTape: persistent must be True or False",
        "write tf.GradientTape(persistent=True) to call",
    ),
    (
        "x = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ntape.jacobian([y], x)",
        "jacobian: target must be one tensor or variable, with a shape",
        "for several, make the tape persistent",
    ),
    (
        "x = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    y = x * x\ntape.watched_variables[0]",
        "'method' object is not subscriptable",
        "call the method first: x.numpy()",
    ),
    (
        "x = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n    y = x * x\nfor g in tape.gradient(y, x): pass",
        "Cannot iterate over a scalar tensor: it has no axis",
        "use the tensor itself, a list of tensors, or",
    ),
    (
        "x = tf.Variable(1.0)\nx.gradient",
        "'Variable' object has no attribute 'gradient'. Use",
        "Use tape.gradient(x, sources), of the",
    ),
    (
        "x = tf.Variable(1.0)\nx.trainable = False",
        "'Variable' object cannot change its attribute 'trainable'",
        "make the variable with tf.Variable(value",
    ),
    (
        "x = tf.Variable(1.0)\nx.name = 'a'",
        "property 'name' of 'Variable' object has no setter",
        "name is fixed: make a new tensor or variable",
    ),
    ("x = tf.Variable([1.0, 2.0])\nx[0] += 1", "'Variable' object does not support item assignment", "v"),
    (
        "x = tf.Variable([1.0, 2.0])\nx.assign_add(1)\nx.assign_mul(2)",
        "assign_add: shapes differ: variable 'Variable:0' is (2,), the",
        "give the delta the variable's shape, for",
    ),
    (
        "x = tf.Variable([1.0, 2.0])\nx.scatter_update([0], [1.0])",
        "Argument `sparse_delta` must be a `tf.IndexedSlices`. Received",
        "use tf.IndexedSlices(values, indices), or",
    ),
    (
        "x = tf.Variable([1.0, 2.0])\nx.item(0)",
        "'Variable' object has no attribute 'item'. Use x.numpy().item()",
        "Use x.numpy().item() or float(x)",
    ),
    ("x = tf.ones([2, 3])\nx.norm()", "'Tensor' object has no attribute 'norm'. Use tf.norm(x)", "Use tf.norm(x)"),
    ("x = tf.ones([2, 3])\nx.matmul(x)", "'Tensor' object has no attribute 'matmul'. Use x @ y", "Use x @ y"),
    (
        "x = tf.ones([2, 3])\nx.values",
        "'Tensor' object has no attribute 'values'. Use x itself: it is",
        "Use x itself: it is a dense tensor, not",
    ),
    ("x = tf.ones([2, 3])\nx.iloc[0]", "'Tensor' object has no attribute 'iloc'. Use x", "Use x"),
    (
        "x = tf.ones([2, 3])\nx.index(1.0)",
        "'Tensor' object has no attribute 'index'. Use tf.where(x ==",
        "Use tf.where(x == value)",
    ),
    (
        "x = tf.ones([2, 3])\nx.plot()",
        "'Tensor' object has no attribute 'plot'. Use",
        "Use plt.plot(x.numpy()), of Matplotlib",
    ),
    ("x = tf.ones([2, 3])\nx.pop()", "'Tensor' object has no attribute 'pop'. Use x", "Use x"),
    (
        "x = tf.ones([2, 3])\nx.length",
        "'Tensor' object has no attribute 'length'. Use len(x), or",
        "Use len(x), or tf.size(x) for all elements",
    ),
    (
        "x = tf.ones([2, 3])\nx.isnan()",
        "'Tensor' object has no attribute 'isnan'. Use tf.math.is_nan(x)",
        "Use tf.math.is_nan(x)",
    ),
    (
        "x = tf.ones([2, 3])\nx.name = 'a'",
        "'Tensor' object attribute 'name' is read-only",
        "tensors are immutable: make a new one, y =",
    ),
    (
        "x = tf.ones([2, 3])\nx.requires_grad = True",
        "'Tensor' object attribute 'requires_grad' is read-only",
        "tape.watch(x) inside the tape, or x =",
    ),
)
