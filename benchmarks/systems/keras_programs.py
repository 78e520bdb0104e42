"""The works of keras.py: one text for all backends of Keras."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import works
from keras_works import CALLS
from systems import keras_models
from systems.network_programs import NetworkPrograms
from systems.runs import LEAST, Run, repeated

DROPOUT = 0.2


class KerasPrograms(NetworkPrograms):
    """The works, and those of networks.py, for Keras on one backend.

    Args:
      keras: the module.
      jit_compile: what `compile` is told.
      function: `tf.function`, where there is one, for the loop that users write.
      tape: `tf.GradientTape`.
    """

    def __init__(self, keras: Any, jit_compile: Any, function: Any = None, tape: Any = None) -> None:
        super().__init__(keras, jit_compile)
        self.function, self.tape = function, tape

    def to_numpy(self, x: Any) -> Any:
        """A result as an array."""
        return np.asarray(x)

    def mlp(self, inputs: works.Inputs) -> Run:
        """Dense layers."""
        return self._fit(keras_models.mlp, inputs)

    def convnet(self, inputs: works.Inputs) -> Run:
        """Convolutions."""
        return self._fit(keras_models.convnet, inputs)

    def lstm(self, inputs: works.Inputs) -> Run:
        """A recurrent layer."""
        return self._fit(keras_models.lstm, inputs)

    def transformer(self, inputs: works.Inputs) -> Run:
        """Attention."""
        return self._fit(keras_models.transformer, inputs)

    def _fit(self, make: Any, inputs: works.Inputs) -> Run:
        """Epochs of `fit`, but the first; the loss of a batch is compared."""
        x, y, batch = inputs["x"], inputs["y"], inputs["batch"]
        keras = self.keras
        model, twin = (self._model(make, dropout) for dropout in (DROPOUT, 0.0))
        # Adam would make large differences of rounding errors, where a gradient is almost zero.
        twin.compile(keras.optimizers.SGD(0.01), model.loss, metrics=["accuracy"], jit_compile=self.jit_compile)

        class Clock(keras.callbacks.Callback):  # type: ignore[misc, name-defined]
            def __init__(self, seconds: float) -> None:
                super().__init__()
                self.seconds, self.times = seconds, []  # type: ignore[var-annotated]

            def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
                self.times.append(time.perf_counter())
                if len(self.times) > LEAST and self.times[-1] - self.times[0] > self.seconds:
                    self.model.stop_training = True

        def turn(seconds: float) -> list[float]:
            clock = Clock(seconds)
            model.fit(x, y, batch_size=batch, epochs=1000, verbose=0, callbacks=[clock])
            return list(np.diff(clock.times))

        return Run(lambda: [twin.train_on_batch(x[:batch], y[:batch])[0]], turn)

    def _model(self, make: Any, dropout: float) -> Any:
        model = keras_models.with_weights(make(self.keras, dropout))
        return keras_models.compiled(self.keras, model, self.jit_compile)

    def custom_loop(self, inputs: works.Inputs) -> Run:
        """The loop that users of TensorFlow write."""
        if self.function is None:
            raise NotImplementedError("there is no tf.GradientTape")
        x, y, batch = inputs["x"], inputs["y"], inputs["batch"]
        step, twin = (self._step(dropout) for dropout in (DROPOUT, 0.0))
        convert = self.keras.ops.convert_to_tensor
        batches = [(convert(x[i : i + batch]), convert(y[i : i + batch])) for i in range(0, len(x), batch)]

        def epoch() -> None:
            for xs, ys in batches:
                loss = step(xs, ys)
            float(loss)

        return Run(lambda: [twin(*batches[0])], repeated(epoch))

    def _step(self, dropout: float) -> Any:
        keras, tape_of = self.keras, self.tape
        model = keras_models.with_weights(keras_models.mlp(keras, dropout))
        loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = keras.optimizers.Adam(1e-3)
        optimizer.build(model.trainable_variables)

        @self.function  # type: ignore[untyped-decorator]
        def step(x: Any, y: Any) -> Any:
            with tape_of() as tape:
                loss = loss_fn(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))  # noqa: B905 - AutoGraph has no `strict`
            return loss

        return step

    def predict(self, inputs: works.Inputs) -> Run:
        """Many predictions of one sample."""
        model, x = self._model(keras_models.mlp, DROPOUT), inputs["x"][:1]

        def calls() -> None:
            for _ in range(CALLS):
                model.predict(x, verbose=0)

        return Run(lambda: [model.predict(x, verbose=0)], repeated(calls))
