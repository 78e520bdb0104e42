"""Mistakes in a first model with Keras; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import Mistake, _section

A_FIRST_MODEL_WITH_KERAS = _section(
    "A first model with Keras",
    (
        "keras = tf.keras\nkeras.Sequential(keras.layers.Dense(2), keras.layers.Dense(3))",
        "Expected `trainable` to be a boolean",
        "keras.Sequential",
    ),
    (
        "keras = tf.keras\nkeras.Sequential([keras.layers.Dense])(np.ones([2, 3]))",
        "Only instances of `keras.Layer` can be added to a Sequential",
        "make an instance: keras.layers.Dense(...)",
    ),
    (
        "keras = tf.keras\nkeras.Sequential([keras.layers.Dense(2), 'relu'])",
        "Only instances of `keras.Layer` can be added to a Sequential",
        "keras.layers.Activation",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense()",
        "Dense.__init__() missing 1 required positional argument",
        "keras.layers.Dense(units, activation=None",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense('10')",
        "Received an invalid value for `units`, expected a positive",
        "units must be an int of 1 or more",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(10, activation='rellu')",
        "Could not interpret activation function identifier: rellu",
        "pass a name such as 'relu', 'tanh' or",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(10, 5)(np.ones([2, 3]))",
        "Could not interpret activation function identifier: 5",
        "pass a name such as 'relu', 'tanh' or",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(3, 4, 5, 6, 7)",
        "Could not interpret activation function identifier: 4",
        "pass a name such as 'relu', 'tanh' or",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(-1)",
        "Received an invalid value for `units`, expected a positive",
        "units must be an int of 1 or more",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(2.5)",
        "Received an invalid value for `units`, expected a positive",
        "units must be an int of 1 or more",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(2)(np.ones([3]))",
        "is incompatible with the layer|expected",
        "give inputs of rank 2, the first axis counts",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(2)('a')",
        "Only input tensors may be passed as positional arguments. The",
        "convert values first: layer(np.asarray(values",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(2)([1.0, 2.0])",
        "Only input tensors may be passed as positional arguments. The",
        "convert values first: layer(np.asarray(values",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(2)(None)",
        "Inputs to a layer should be tensors. Got 'None'",
        "end the function that makes the input with",
    ),
    (
        "keras = tf.keras\nkeras.layers.Dense(2)()",
        "missing a required argument: 'inputs'",
        "layer(x), with the input as the first argument",
    ),
    (
        "keras = tf.keras\nd = keras.layers.Dense(2)\nd(np.ones([1, 3]))\nd(np.ones([1, 4]))",
        "is incompatible with the layer|expected",
        "the layer was built for inputs with 3 features",
    ),
    (
        "keras = tf.keras\nkeras.layers.Conv2D(8, 3)(np.ones([1, 28, 28]))",
        "is incompatible with the layer|expected",
        "give inputs of rank 4, the first axis counts",
    ),
    (
        "keras = tf.keras\nkeras.layers.Conv2D(8)(np.ones([1, 28, 28, 1]))",
        "Conv2D.__init__() missing 1 required positional argument",
        "keras.layers.Conv2D(filters, kernel_size",
    ),
    (
        "keras = tf.keras\nkeras.layers.LSTM(8)(np.ones([4, 3]))",
        "is incompatible with the layer|expected",
        "give inputs of rank 3, the first axis counts",
    ),
    (
        "keras = tf.keras\nkeras.layers.Embedding(10, 4)(np.array([[10, 2]]))",
        "gather: indices",
        "indices count from 0 to 9|input_dim=11",
    ),
    (
        "keras = tf.keras\nkeras.layers.BatchNorm()",
        "module 'keras._tf_keras.keras.layers' has no attribute",
        "keras.layers.BatchNormalization()",
    ),
    (
        "keras = tf.keras\nkeras.layers.Linear(3)",
        "module 'keras._tf_keras.keras.layers' has no attribute 'Linear'",
        "keras.layers.Dense(units)",
    ),
    (
        "keras = tf.keras\nkeras.layers.Input((3,))(1)",
        "'KerasTensor' object is not callable",
        "call the layer or model",
    ),
    ("keras = tf.keras\nkeras.Input(3)", "Cannot convert '3' to a shape", "keras.Input((3,)): a shape is a tuple"),
    (
        "keras = tf.keras\nx = keras.Input((3,))\ntf.print(x.numpy())",
        "'KerasTensor' object has no attribute 'numpy'",
        "call the model on arrays: model(x).numpy(); a",
    ),
    (
        "keras = tf.keras\nx = keras.Input((3,))\ny = keras.layers.Dense(2)(x)\nkeras.Model(x, 5)",
        "All `outputs` values must be KerasTensors",
        "keras.Model(inputs, outputs): outputs is what",
    ),
    (
        "keras = tf.keras\nx = keras.Input((3,))\ny = keras.layers.Dense(2)(x)\nkeras.Model(inputs=x)",
        "Unrecognized keyword arguments passed to Model: {'inputs'",
        "keras.Model(inputs=inputs, outputs=outputs)",
    ),
    (
        "keras = tf.keras\nx = keras.Input((3,))\nif x > 0: pass",
        "A symbolic KerasTensor cannot be used as a boolean",
        "keras.ops.where(condition, a, b), or `if` in",
    ),
    (
        "keras = tf.keras\nx = keras.Input((3,))\ntf.reduce_sum(x)",
        "tf.reduce_sum: input_tensor cannot be a KerasTensor, which",
        "put the call in a layer",
    ),
    (
        "keras = tf.keras\nx = keras.Input((3,))\ny = keras.layers.Dense(2)(x)\nm = keras.Model(keras.Input((3,)), y)",
        "Output with path `` is not connected to `inputs`",
        "keras.Model(inputs, outputs): outputs must be",
    ),
    (
        "keras = tf.keras\nx = keras.Input((3,))\nnp.sum(keras.layers.Dense(2)(x))",
        "A KerasTensor is symbolic: it's a placeholder for a shape an a",
        "put the computation in a layer",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.fit(np.ones([4, 3]), np.ones([4, 2]))",
        "You must call `compile()` before using the model",
        "model.compile(optimizer='adam', loss='mse')",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile(optimiser='adam', loss='mse')",
        "Trainer.compile()",
        "model.compile(..., optimizer=...)",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adamm', 'mse')",
        "Could not interpret optimizer identifier: adamm",
        "pass a name such as 'adam' or 'sgd', or",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'msee')\nm.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)",
        "Could not interpret loss identifier: msee",
        "pass a name such as 'mse' or 'accuracy', or an",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse', metrics='acuracy')\nm.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)",
        "Expected `metrics` argument to be a list, tuple, or dict.",
        "metrics",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile(keras.optimizers.Adam, 'mse')\nm.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)",
        "Could not interpret optimizer identifier",
        "make an instance",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam')\nm.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)",
        "No loss to compute. Provide a `loss` argument in `compile()`",
        "model.compile(optimizer='adam', loss='mse')",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit(np.ones([4, 3]), np.ones([5, 2]), verbose=0)",
        "Data cardinality is ambiguous. Make sure all arrays contain the",
        "give as many rows of x as of y",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit(np.ones([4, 3]), np.ones([4, 3]), verbose=0)",
        "subtract: shapes do not broadcast: a is f32",
        "aligned from the right, each pair of dimensions",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit(np.ones([4, 3]), 'abc', verbose=0)",
        "Unrecognized data type: x",
        "x and y must be arrays of numbers",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0], verbose=0)",
        "Unrecognized data type: x",
        "convert lists to arrays",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit(np.ones([4, 3]), np.ones([4, 2]), validation_data=np.ones([4, 3]), verbose=0)",
        "fit: the loss needs targets, but the batches have no y",
        "model.fit(x, y), or a dataset of pairs",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit(np.array([['a', 'b']]), np.ones([1, 2]), verbose=0)",
        "Unable to automatically build the model. Please build it",
        "text becomes numbers with",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(2)])\nm.compile('adam', 'mse')\nm.fit(np.array([[1, None]], object), np.ones([1, 2]), verbose=0)",
        "Attempt to convert a value (None) with an unsupported type",
        "find where it became None",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(3)])\nm.compile('adam', 'sparse_categorical_crossentropy')\nm.fit(np.ones([4, 2]), np.array([3, 3, 3, 3]), verbose=0)",
        "sparse_softmax_cross_entropy_with_logits: Received a label value of",
        "classes are numbered from 0 to 2: subtract 1|logits of 4 classes",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(3)])\nm.compile('adam', 'categorical_crossentropy')\nm.fit(np.ones([4, 2]), np.array([0, 1, 2, 0]), verbose=0)",
        "Arguments `target` and `output` must have the same rank (ndim)",
        "class numbers need",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(3)])\nm.compile('adam', keras.losses.SparseCategoricalCrossentropy(from_logits=True))\nm.fit(np.ones([4, 2]), np.eye(4)[:, :3], verbose=0)",
        "Argument `output` must have rank (ndim) `target.ndim - 1`",
        "one-hot rows need",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.compile('adam', 'binary_crossentropy')\nm.fit(np.ones([4, 2]), np.array(['a', 'b', 'c', 'd']), verbose=0)",
        "cast: Cast string to float32 is not supported: x is str",
        "text becomes numbers with",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.predict()",
        "Trainer.predict() missing 1 required positional argument: 'x'",
        "model.predict(x, batch_size=None",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.predict(np.ones([3]), verbose=0)",
        "is incompatible with the layer|expected",
        "give inputs of rank 2, the first axis counts",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.summary(1, 2, 3, 4, 5, 6, 7, 8)",
        "Model.summary() takes from 1 to 7 positional arguments but 9",
        "model.summary(line_length=None, positions=None",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.build((None, 2))\nm.set_weights([np.ones([3, 1])])",
        "You called `set_weights(weights)`|weight list of length",
        "weights = model.get_weights() has one array for",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.build((None, 2))\nm.set_weights([np.ones([3, 1]), np.ones([1])])",
        "weight shape (2, 1) is not compatible with",
        "give an array of shape (2, 1)",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.build((None, 2))\nm.save('m')",
        "Invalid filepath extension for saving. Please add either a",
        "model.save('model.keras')",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.build((None, 2))\nm.save_weights('w')",
        "The filename must end in `.weights.h5`",
        "model.save_weights('model.weights.h5')",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.build((None, 2))\nm.load_weights('nofile.weights.h5')",
        "",
        "check the path: os.path.exists(path);",
    ),
    (
        "tf.keras.models.load_model('nofile.keras')",
        "File not found: filepath=nofile.keras. Please ensure the file",
        "check the path: os.path.exists(path);",
    ),
    (
        "tf.keras.models.load_model('nofolder')",
        "File format not supported: filepath=nofolder. Keras 3 only",
        "a file: keras.models.load_model('model.keras');",
    ),
    (
        "tf.keras.load_model('x')",
        "module 'keras._tf_keras.keras' has no attribute 'load_model'",
        "keras.models.load_model",
    ),
    ("tf.keras.Dense(3)", "module 'keras._tf_keras.keras' has no attribute 'Dense'", "keras.layers.Dense"),
    ("tf.keras.layers.Relu()", "module 'keras._tf_keras.keras.layers' has no attribute 'Relu'", "keras.layers.ReLU"),
    (
        "tf.keras.losses.MSELoss()",
        "module 'keras._tf_keras.keras.losses' has no attribute",
        "keras.losses.MeanSquaredError()",
    ),
    (
        "tf.keras.losses.CrossEntropyLoss()",
        "module 'keras._tf_keras.keras.losses' has no attribute",
        "keras.losses.SparseCategoricalCrossentropy(from_",
    ),
    (
        "tf.keras.losses.MeanSquaredError()(tf.ones([2]))",
        "Loss.__call__() missing 1 required positional argument",
        "loss(y_true, y_pred, sample_weight=None)",
    ),
    (
        "tf.keras.losses.MeanSquaredError()(tf.ones([2, 3]), tf.ones([4, 5]))",
        "subtract: shapes do not broadcast: a is f32",
        "aligned from the right, each pair of dimensions",
    ),
    (
        "tf.keras.losses.MeanSquaredError(tf.ones([2]), tf.ones([2]))",
        "The truth value of a tensor with 2 elements is ambiguous",
        "make the loss before it is called",
    ),
    (
        "tf.keras.losses.SparseCategoricalCrossentropy()([5], [[0.5, 0.5]])",
        "Structures don't have the same nested structure",
        "give both as arrays: np.asarray(y_true)",
    ),
    (
        "tf.keras.losses.CategoricalCrossentropy(logits=True)",
        "CategoricalCrossentropy.__init__()",
        "keras.losses.CategoricalCrossentropy(...",
    ),
    (
        "tf.keras.optimizers.Adam('0.1')",
        "Argument `learning_rate` should be float, or an instance of",
        "learning_rate=0.001",
    ),
    (
        "tf.keras.optimizers.SGD(params=[1.0])",
        "Argument(s) not recognized: {'params'",
        "optimizers take the variables later",
    ),
    (
        "tf.keras.optimizers.Adam(0.1).minimize(lambda: 1.0, [tf.Variable(1.0)])",
        "Keras optimizers have no attribute 'minimize'. Use with",
        "Use with tf.GradientTape() as tape: loss = ...;",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.zero_grad()",
        "Keras optimizers have no attribute 'zero_grad'. Leave it out",
        "Leave it out: every tape starts with no",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.apply_gradients([v])",
        "apply_gradients: expected pairs (gradient, variable)",
        "optimizer.apply_gradients(zip(gradients",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.apply_gradients(tf.constant(1.0))",
        "Cannot iterate over a scalar tensor: it has no axis",
        "use the tensor itself, a list of tensors, or",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.apply_gradients(zip([tf.constant('a')], [v]))",
        "cast: Cast string to float32 is not supported: x is str",
        "text becomes numbers with",
    ),
    (
        "v, w = tf.Variable(1.0), tf.Variable(2.0)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.apply_gradients([(tf.constant(1.0), v)])\nopt.apply_gradients([(tf.constant(1.0), w)])",
        "Unknown variable",
        "make one optimizer for each set of variables",
    ),
    (
        "v = tf.Variable(1)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.apply_gradients([(tf.constant(1.0), v)])",
        "multiply: dtypes differ: a is i32",
        "tensors are never promoted silently; use",
    ),
    (
        "v = tf.Variable(1.0)\nopt = tf.keras.optimizers.Adam(0.1)\nopt.learning_rate = 'a'",
        "cast: Cast string to float32 is not supported: x is str",
        "text becomes numbers with",
    ),
    (
        "tf.keras.metrics.Accuracy().result(1.0)",
        "Mean.result() takes 1 positional argument but 2 were given",
        "metric.result()",
    ),
    (
        "tf.keras.metrics.Accuracy()(tf.ones([2]))",
        "MeanMetricWrapper.update_state() missing 1 required positional",
        "metric.update_state(y_true, y_pred",
    ),
    (
        "tf.keras.metrics.Mean().update_state()",
        "Mean.update_state() missing 1 required positional argument",
        "metric.update_state(values, sample_weight=None)",
    ),
    (
        "tf.keras.metrics.MeanSquaredError().update_state(tf.ones([2]), tf.ones([3]))",
        "subtract: shapes do not broadcast: a is f32",
        "aligned from the right, each pair of dimensions",
    ),
    (
        "tf.keras.callbacks.EarlyStoping()",
        "module 'keras.callbacks' has no attribute 'EarlyStoping'. Did",
        "Did you mean: 'EarlyStopping'?",
    ),
    (
        "tf.keras.callbacks.EarlyStopping(patience='a', monitr='loss')",
        "EarlyStopping.__init__()",
        "keras.callbacks.EarlyStopping(..., monitor=...)",
    ),
    (
        "tf.keras.callbacks.ModelCheckpoint('best')",
        "The filepath provided must end in `.keras` (Keras model format)",
        "keras.callbacks.ModelCheckpoint('best.keras')",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.compile('sgd', 'mse')\nm.fit(np.ones([4, 2]), np.ones([4, 1]), callbacks=[keras.callbacks.EarlyStopping], verbose=0)",
        "Callback.set_model() missing 1 required positional argument",
        "make instances: callbacks",
    ),
    (
        "keras = tf.keras\nm = keras.Sequential([keras.layers.Dense(1)])\nm.compile('sgd', 'mse')\nm.fit(np.ones([4, 2]), np.ones([4, 1]), callbacks=[lambda e: e], verbose=0)",
        "'function' object has no attribute 'set_model'",
        "callbacks",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = keras.layers.Dense(1)\n    def forward(self, x):\n        return self.d(x)\nM()(np.ones([2, 2]))",
        "Exception encountered when calling M.call()",
        "rename the method that computes to call: def",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = keras.layers.Dense(1)\n    def call(x):\n        return self.d(x)\nM()(np.ones([2, 2]))",
        "too many positional arguments",
        "call(self, x) takes self and every input that",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def __init__(self):\n        super().__init__()\n    def call(self, x):\n        return self.dense(x)\nM()(np.ones([2, 2]))",
        "Exception encountered when calling M.call()",
        "self.dense = ... in __init__ or build(), before",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def call(self, x):\n        h = keras.layers.Dense(1)(x)\nm = M(); m.compile('sgd', 'mse'); m.fit(np.ones([4, 2]), np.ones([4, 1]), verbose=0)",
        "Attempt to convert a value (None) with an unsupported type",
        "find where it became None",
    ),
    (
        "keras = tf.keras\nclass L(keras.layers.Layer):\n    def __init__(self):\n        super().__init__()\n        self.w = self.add_weight([2, 2], 'zeros')\n    def call(self, x):\n        return tf.matmul(self.W, x)\nL()(np.ones([2, 2]))",
        "Exception encountered when calling L.call()",
        "self.w",
    ),
    (
        "keras = tf.keras\nclass L(keras.layers.Layer):\n    def build(self, shape):\n        self.w = self.add_weight('w', [2, 2])\n    def call(self, x):\n        return x @ self.w\nL()(np.ones([2, 2]))",
        "`name` must be passed as a keyword argument",
        "self.add_weight(shape=(2, 2), name='w')",
    ),
    (
        "keras = tf.keras\nclass L(keras.layers.Layer):\n    def call(self, x, training):\n        return x\nL()(np.ones([2, 2]))",
        "missing a required argument: 'training'",
        "give it a default: def call(self, x",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = keras.layers.Dense(2)\n    def train_step(self, data):\n        x, y = data\n        with tf.GradientTape() as tape:\n            loss = self.compiled_loss(y, self.d(x))\n        return {'loss': loss}\nm = M(); m.compile('sgd', 'mse'); m.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0)",
        "`compiled_loss` is deprecated: use `compute_loss(y=y",
        "use `compute_loss(y=y, y_pred=y_pred)`",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = keras.layers.Dense(2)\n    def train_step(self, data):\n        x, y = data\n        with tf.GradientTape() as tape:\n            loss = tf.reduce_mean((self.d(x) - y) ** 2)\n        g = tape.gradient(loss, self.trainable_variables)\n        self.optimizer.apply_gradients(zip(g, self.trainable_variables))\n        return loss\nm = M(); m.compile('sgd', 'mse'); m.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0)",
        "M.train_step must return a dict of logs, it returned",
        "return {'loss': loss}",
    ),
    (
        "keras = tf.keras\nclass M(keras.Model):\n    def __init__(self):\n        super().__init__()\n        self.d = keras.layers.Dense(2)\n    def train_step(self, data):\n        x, y = data\n        with tf.GradientTape() as tape:\n            loss = tf.reduce_mean((self.d(x) - y) ** 2)\n        g = tape.gradient(loss, self.trainable_variables)\n        self.optimizer.apply_gradients(zip(g, self.trainable_variables))\n        return {'loss': loss.numpy()}\nm = M(); m.compile('sgd', 'mse'); m.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0)",
        "'SymbolicTensor' object has no attribute 'numpy': a tensor has",
        "leave .numpy() for what the function returns;",
    ),
    (
        "m = tf.keras.applications.ResNet50(weight='imagenet')",
        "ResNet50()",
        "keras.applications.ResNet50(..., weights=...)",
    ),
    (
        "tf.keras.datasets.mnists",
        "module 'keras.datasets' has no attribute 'mnists'. Did you",
        "Did you mean: 'mnist'?",
    ),
    (
        "tf.keras.backend.get_session()",
        "module 'keras._tf_keras.keras.backend' has no attribute",
        "leave it out: there are no sessions, call functions",
    ),
    (
        "tf.keras.wrappers.scikit_learn",
        "module 'keras.wrappers' has no attribute 'scikit_learn'",
        "keras.wrappers.SKLearnClassifier(model), or",
    ),
    (
        "tf.keras.experimental",
        "module 'keras._tf_keras.keras' has no attribute 'experimental'",
        "keras.layers, keras.callbacks",
    ),
    (
        "tf.keras.layers.experimental.preprocessing.Rescaling(1.0)",
        "module 'keras._tf_keras.keras.layers' has no attribute",
        "keras.layers: Rescaling, RandomFlip and the",
    ),
    (
        "tf.keras.utils.plot_modell",
        "module 'keras.utils' has no attribute 'plot_modell'. Did you",
        "Did you mean: 'plot_model'?",
    ),
)

FIRST_MODELS: list[Mistake] = [*A_FIRST_MODEL_WITH_KERAS]
