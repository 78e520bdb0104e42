"""Mistakes of practice: beginners, physics-informed networks, Keras models and loops of reinforcement learning; see mistakes.py."""

from __future__ import annotations

from messages.mistakes import _section

PRACTICE = _section(
    "Practice: first programs, physics-informed networks, Keras models, reinforcement learning",
    ("x = tf.constant([1, 2, 3])\ntf.reduce_mean(x) / len(x) + 0.5 * x", "int32|0.5", "tf.cast"),
    ("x = tf.constant('3.5') * 2.0", "string", "tf.strings.to_number"),
    ("a = tf.Variable([1.0, 2.0])\na.assign([1.0, 2.0, 3.0])", "(2,)|(3,)", "shape (2,)"),
    ("x = tf.constant([[1., 2.], [3., 4.]])\nx[0, 0] = 5.0", "item assignment", "tf.tensor_scatter_nd_update"),
    ("x = tf.range(5)\nfor i in range(6):\n    x[i]", "index 5|out of bounds", "use an index from -5 to 4"),
    ("for i in tf.constant(3):\n    pass", "scalar", "tf.range"),
    (
        "w = tf.Variable(1.0)\nwith tf.GradientTape() as t:\n    y = w * w\nprint('gradient: ' + t.gradient(y, w))",
        "'gradient: '|float32",
        'f"{float(x)',
    ),
    (
        "x = tf.random.uniform([3, 4], 0, 10, tf.int32)\ntf.reduce_sum(x, axis=2)",
        "axis is 2|rank 2",
        "axis from -2 to 1",
    ),
    ("tf.one_hot([0, 1, 2])", "depth", "tf.one_hot"),
    ("import math\nmath.exp(tf.constant([0.0, 1.0]))", "one element", "tf.math.exp(x)"),
    ("int(tf.constant([1, 2]))", "[scalar/elements/one]", "x[0]"),
    ("if tf.constant([1, 2]) == tf.constant([1, 3]):\n    pass", "ambiguous|2", "tf.reduce_all"),
    ("y = tf.constant([1., 2., 3.])\nsorted(y, key=lambda v: v.item())", "item", "x.numpy().item() or float(x)"),
    ("tf.zeros(3, 4)", "dtype", "tf.zeros([3, 4])"),
    ("d = {tf.constant(1): 'a'}", "unhashable", ".ref()"),
    ("tf.cast('5', tf.int32)", "string", "tf.strings.to_number"),
    (
        "x = tf.linspace(0.0, 1.0, 10)\nwith tf.GradientTape() as t:\n    t.watch(x)\n    y = np.sin(x.numpy()) * x\ng = t.gradient(tf.constant(1.0), x)\n2 * g",
        "None",
        "tape.explain",
    ),
    (
        "x = tf.reshape(tf.linspace(0.0, 1.0, 4), [-1, 1])\nwith tf.GradientTape() as t2:\n    t2.watch(x)\n    with tf.GradientTape() as t1:\n        t1.watch(x)\n        u = x ** 3\nu_x = t1.gradient(u, x)\nu_xx = t2.gradient(u_x, x)",
        "None",
        "tape.explain",
    ),
    ("x = tf.ones([4, 1]); t = tf.ones([4])\ntf.concat([x, t], 1)", "ranks differ|f32[4,1]|f32[4]", "tf.expand_dims"),
    (
        "m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])\nm(tf.ones([4, 1]), tf.ones([4, 1]))",
        "training|multiple values",
        "tf.concat",
    ),
    (
        "x = tf.constant(np.linspace(0, 1, 5))\nc = tf.Variable(1.0)\nc * x",
        "dtypes differ: a is f32[], b is f64[5]",
        "tf.cast",
    ),
    (
        "with tf.GradientTape(persistent=True) as t:\n    x = tf.constant(3.0)\n    y = x * x\nt.gradient(y, x) + 1.0",
        "None",
        "tape.explain",
    ),
    (
        "x = tf.ones([4, 1])\nwith tf.GradientTape() as t:\n    t.watch(x)\n    u = tf.sin(x)\nu_x = t.gradient(u, x)\nt.gradient(u_x, x)",
        "one set of gradients",
        "persistent=True",
    ),
    (
        "x = tf.ones([4, 1])\nwith tf.GradientTape() as t:\n    t.watch(x)\n    u = tf.sin(x)\nt.jacobian(u)",
        "sources",
        "tape.jacobian(",
    ),
    ("tf.gradients(tf.constant(1.0), tf.constant(2.0))", "tf.gradients", "tape.gradient"),
    (
        "v = tf.Variable(tf.zeros([3]))\ndef f(w):\n    v.assign(w)\n    return tf.reduce_sum(v * v), tf.ones([3])\nf(np.ones(3))\nv.assign(np.ones(4))",
        "(3,)|(4,)",
        "shape (3,)",
    ),
    (
        "nu = tf.Variable(0.01, trainable=False)\nwith tf.GradientTape() as t:\n    loss = nu * 2.0\nt.gradient(loss, nu) * 1.0",
        "None",
        "tape.explain",
    ),
    ("x = tf.complex(tf.ones([2]), tf.ones([2]))\ntf.cast(x, tf.float32) * x", "f32[2]|c64[2]", "tf.cast"),
    ("tf.linalg.solve(tf.ones([3, 3]), tf.ones([3]))", "linalg.solve|f32[3]|matrices of 3 rows", "[..., tf.newaxis]"),
    ("tf.linalg.inv(tf.ones([3, 3]))", "[singular/not invertible]", "[tf.linalg.pinv/tf.linalg.lstsq]"),
    (
        "layers = [2, 20, 1]\nw = [tf.Variable(tf.random.normal(layers[i], layers[i + 1])) for i in range(2)]",
        "shape must be a list",
        "tf.random.normal([2, 3])",
    ),
    (
        "x = tf.ones([4, 1]); y = tf.ones([4, 1])\nu = tf.stack([x, y], 1)\ntf.matmul(u, tf.ones([2, 8]))",
        "matmul: inner dimensions differ|f32[4,2,1]",
        "which axis holds the features",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.fit(np.ones([8, 2]), np.ones([8, 1]))",
        "compile",
        "model.compile(",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit(np.ones([8, 2]), np.ones([6, 1]), verbose=0)",
        "same number of samples|8",
        "as many rows of x as of y",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(3, activation='softmax')])\nm.compile('adam', 'sparse_categorical_crossentropy')\nm.fit(np.ones([8, 2]), np.full([8], 3), verbose=0)",
        "label value of 3",
        "classes are numbered from 0 to 2|4 classes",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nm.compile('adam', 'categorical_crossentropy')\nm.fit(np.ones([8, 2]), np.zeros([8], int), verbose=0)",
        "shape",
        "sparse_categorical_crossentropy",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Conv2D(4, 3)])\nm(np.ones([8, 28, 28], 'f'))",
        "ndim=4",
        "x[..., np.newaxis]",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.Input((784,)), tf.keras.layers.Dense(4)])\nm.predict(np.ones([784], 'f'), verbose=0)",
        "calling Sequential.call()",
        "[784]: x[np.newaxis]",
    ),
    ("tf.keras.layers.Dense(4)(tf.constant(3.0))", "min_ndim|ndim", "[batch/axis/reshape]"),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.summary\nm.compile(loss='mse', optimiser='adam')",
        "optimiser",
        "optimizer",
    ),
    ("tf.keras.Sequential(tf.keras.layers.Dense(1), tf.keras.layers.Dense(2))", "trainable", "keras.Sequential(["),
    ("inp = tf.keras.Input((4,))\nx = tf.keras.layers.Dense(2)\nout = tf.keras.layers.Dense(1)(x)", "Dense", "call"),
    (
        "class M(tf.keras.Model):\n    def __init__(self):\n        self.d = tf.keras.layers.Dense(1)\n    def call(self, x):\n        return self.d(x)\nM()(tf.ones([2, 3]))",
        "super().__init__()",
        "super().__init__()",
    ),
    (
        "m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.compile('adam', 'mse')\nm.fit([[1.0], [2.0]], [[1.0], [2.0]], verbose=0)",
        "",
        "",
    ),
    ("tf.keras.utils.to_categorical([0, 1, 5], 3)", "5|3", "num_classes"),
    ("m = tf.keras.Sequential([tf.keras.layers.LSTM(4)])\nm(tf.ones([2, 5]))", "ndim=3", "x[np.newaxis]"),
    ("m = tf.keras.Sequential([tf.keras.layers.Dense(1)])\nm.save_weights('w')", ".weights.h5", ".weights.h5"),
    (
        "m = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])\nm.load_weights('nowhere.weights.h5')",
        "nowhere.weights.h5",
        "[file/path/save_weights]",
    ),
    ("m = tf.keras.Sequential([tf.keras.layers.Embedding(10, 4)])\nm(tf.constant([[1, 2, 12]]))", "12|10", "input_dim"),
    (
        "q = tf.keras.Sequential([tf.keras.layers.Dense(2)])\nstate = np.zeros(4, 'f')\nq(state)",
        "ndim",
        "x[np.newaxis]",
    ),
    (
        "q = tf.constant([[1.0, 2.0]])\naction = tf.argmax(q, 1)\nrewards = {0: 1.0, 1: 2.0}\nrewards[action]",
        "unhashable",
        "int(",
    ),
    (
        "logits = tf.constant([0.1, 0.9])\ntf.random.categorical(logits, 1)",
        "must have rank 2",
        "tf.random.categorical([logits]",
    ),
    ("q = tf.ones([4, 2]); a = tf.constant([0, 1, 1, 0])\nq[a]", "valid indices", "tf.gather"),
    ("q = tf.ones([4, 2]); a = tf.constant([0, 1, 1, 0])\nq[range(4), a]", "valid indices", "tf.gather_nd"),
    ("r = tf.constant([1.0, 2.0])\ndone = tf.constant([True, False])\nr + 0.99 * (1 - done) * r", "bool", "tf.cast|~"),
    (
        "buffer = tf.queue.FIFOQueue(2, [tf.float32], shapes=[[3]])\nbuffer.enqueue(tf.ones([4]))",
        "must have shape (3,)",
        "reshape",
    ),
    ("rewards = [1.0, None, 2.0]\ntf.constant(rewards)", "None", "[None/number]"),
    (
        "@tf.function\ndef step(env_step, a):\n    obs, r = env_step(a)\n    return tf.constant(obs)\nstep(lambda a: (np.float32(a), 1.0), tf.constant(1.0))",
        "only known when step runs",
        "tf.py_function",
    ),
    (
        "b = [(np.zeros(4), 1), (np.zeros(3), 0)]\ntf.constant([s for s, _ in b])",
        "non-rectangular",
        "tf.ragged.constant",
    ),
    (
        "opt = tf.keras.optimizers.Adam()\nv = tf.Variable([1.0])\nwith tf.GradientTape() as t:\n    loss = tf.reduce_sum(v)\nopt.apply_gradients(t.gradient(loss, [v]), [v])",
        "apply_gradients|[arguments/pairs/grads_and_vars]",
        "zip(grad",
    ),
    (
        "opt = tf.keras.optimizers.Adam()\nv = tf.Variable([1.0]); w = tf.Variable([1.0])\nopt.apply_gradients(zip([tf.ones([1])], [v]))\nopt.apply_gradients(zip([tf.ones([1])], [w]))",
        "Unknown variable",
        "optimizer.build(",
    ),
    (
        "@tf.function\ndef rollout(n):\n    rewards = []\n    for i in tf.range(n):\n        rewards.append(tf.cast(i, tf.float32))\n    return tf.stack(rewards)\nrollout(tf.constant(3))",
        "out of scope|loop body",
        "tf.TensorArray",
    ),
    (
        "@tf.function\ndef rollout(s):\n    total = 0\n    while s > 0:\n        total += 0.5 * s\n        s -= 1.0\n    return total\nrollout(tf.constant(3.0))",
        "dtypes differ|i32[]|f32[]",
        "total = 0.0 before the loop",
    ),
    (
        "@tf.function\ndef act(eps):\n    if tf.random.uniform([]) < eps:\n        a = tf.constant(1)\n    return a\nact(0.5)",
        "'a'|else branch",
        "set a before the if",
    ),
    ("import random\nreplay = tf.ones([8, 4])\nrandom.sample(replay, 2)", "Population", "tf.random.shuffle|tf.gather"),
)
