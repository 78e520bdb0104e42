"""The works of eager_networks.py: one text for the tapes of gradtape and TensorFlow, and one for PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import works
from systems import keras_models
from systems.adbench_tape import TapePrograms
from systems.compiled_tape import CompiledPrograms

Run = Callable[[], list[Any]]


class KerasLoops:
    """Loops over models of Keras, each an attribute `keras_<model>`.

    Args:
      keras: the module, on its backend.
      gradients: computes a loss by a function without arguments, and its gradients with respect to variables of Keras.
    """

    def __init__(self, keras: Any, gradients: Callable[[Any, list[Any]], tuple[Any, list[Any]]]) -> None:
        self.keras, self._gradients = keras, gradients

    def __getattr__(self, name: str) -> Any:
        make = getattr(keras_models, name.removeprefix("keras_"), None)
        if make is None or not name.startswith("keras_"):
            raise AttributeError(name)
        return lambda inputs: self._loop(make, inputs)

    def _loop(self, make: Any, inputs: works.Inputs) -> Run:
        keras = self.keras
        model = keras_models.with_weights(make(keras, 0.0))
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = keras.optimizers.Adam(1e-6)  # so small that rounding errors do not grow
        x, y = (keras.ops.convert_to_tensor(inputs[name]) for name in ("x", "y"))
        variables = model.trainable_variables

        def run() -> list[Any]:
            loss, gradients = self._gradients(lambda: loss_of(y, model(x, training=True)), variables)
            optimizer.apply_gradients(list(zip(gradients, variables, strict=True)))
            return [loss]

        return run


class EagerPrograms(KerasLoops):
    """All works, for a module with TensorFlow's names."""

    def __init__(self, tf: Any) -> None:
        def gradients(loss_of: Any, variables: list[Any]) -> tuple[Any, list[Any]]:
            with tf.GradientTape() as tape:
                loss = loss_of()
            return loss, tape.gradient(loss, variables)

        super().__init__(tf.keras, gradients)
        compiled, adbench = (programs(tf, lambda function: function) for programs in (CompiledPrograms, TapePrograms))
        self.mlp, self.mlp_adam, self.lstm = compiled.mlp, compiled.mlp_adam, compiled.lstm
        self.transformer, self.gmm_10 = compiled.transformer, adbench.gmm

    def to_numpy(self, value: Any) -> Any:
        """The array of a tensor."""
        return value.numpy()
