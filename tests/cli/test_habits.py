"""`tensorflow.keras` under `gradtape run`: what Keras 2 had and programs still use. In processes of their own: Keras's
classes change for the whole process."""

from __future__ import annotations

from pathlib import Path

from cli.test_run import gradtape, written


def test_names_and_arguments(tmp_path: Path) -> None:
    text = """\
import tensorflow as tf
from tensorflow.keras import backend as K, losses
import numpy as np
mean = tf.keras.metrics.Mean()
mean.update_state([1.0, 2.0])
mean.reset_states()
assert float(mean.count) == 0
for made in (tf.keras.optimizers.Adam(lr=0.5), tf.optimizers.SGD(0.5), tf.keras.optimizers.legacy.RMSprop(lr=0.5)):
    assert float(made.lr) == 0.5 and len(made.weights) == len(made.variables)
made.lr = 0.25
assert float(made.learning_rate) == 0.25
assert float(losses.MSE(tf.ones([2]), tf.zeros([2]))) == 1.0 == float(tf.losses.mse(tf.ones([2]), tf.zeros([2])))
loss = losses.MeanSquaredError(reduction=losses.Reduction.AUTO)
assert float(loss([1.0], [3.0])) == 4.0
assert losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)([[1.0]], [[3.0]]).shape == (1,)
assert float(K.mean(K.square(tf.constant([1.0, 3.0])))) == 5.0
assert K.int_shape(tf.ones([2, 3])) == (2, 3)
print("done")
"""
    assert gradtape("run", written(tmp_path, text)).stdout == "done\n"


def test_loaded_models_are_compiled(tmp_path: Path) -> None:
    text = f"""\
import tensorflow as tf
path = {str(tmp_path / "m.keras")!r}
model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", experimental_run_tf_function=False)
model.save(path)
print(tf.keras.models.load_model(path).evaluate(tf.zeros([3, 2]), tf.ones([3, 1]), verbose=0))
"""
    done = gradtape("run", written(tmp_path, text))
    assert (done.stdout, done.stderr) == ("1.0\n", "")


def test_scaled_losses(tmp_path: Path) -> None:
    text = """\
import tensorflow as tf

def step(optimizer, v, x, scaled):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((v - x) ** 2)
        if scaled:
            loss = optimizer.get_scaled_loss(loss)
    gradients = tape.gradient(loss, [v])
    if scaled:
        gradients = optimizer.get_unscaled_gradients(gradients)
    gradients, _ = tf.clip_by_global_norm(gradients, 1.0)
    optimizer.apply_gradients(zip(gradients, [v]))

x = tf.constant([3.0, 4.0])
plain, scaled, compiled = [tf.keras.Variable([0.0, 0.0]) for _ in range(3)]
SGD, Scale = tf.keras.optimizers.SGD, tf.keras.mixed_precision.LossScaleOptimizer
optimizers = SGD(0.5), Scale(SGD(0.5)), Scale(SGD(0.5))
optimizers[2].build([compiled])
in_function = tf.function(lambda: step(optimizers[2], compiled, x, True))
for _ in range(3):
    step(optimizers[0], plain, x, False)
    step(optimizers[1], scaled, x, True)
    in_function()
print(*[[round(float(value), 4) for value in v.numpy()] for v in (plain, scaled, compiled)])
"""
    done = gradtape("run", written(tmp_path, text))
    assert done.stdout == "[0.9, 1.2] [0.9, 1.2] [0.9, 1.2]\n"
