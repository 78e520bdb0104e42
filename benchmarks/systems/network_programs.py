"""The works of networks.py: one text for all backends of Keras."""

from __future__ import annotations

import functools
from functools import partial
from typing import Any

import works
from network_works import WORKS, Network
from systems import networks
from systems.runs import Run, repeated


class NetworkPrograms:
    """The works, for Keras on one backend; each is an attribute under its name.

    Args:
      keras: the module.
      jit_compile: what `compile` is told.
    """

    def __init__(self, keras: Any, jit_compile: Any) -> None:
        self.keras, self.jit_compile = keras, jit_compile
        for work in WORKS:
            setattr(self, work.name, partial(self._training if work.trains else self._prediction, work))

    def _network(self, work: Network, optimizer: Any) -> Any:
        model = getattr(networks, work.model)(self.keras)
        networks.initialize(model)
        loss = self.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer, loss, jit_compile=self.jit_compile)
        return model

    def _training(self, work: Network, inputs: works.Inputs) -> Run:
        """Steps of Adam or AdamW. What is compared is the loss after short steps of gradient descent, or a prediction."""
        x, y, optimizers = inputs["x"], inputs["y"], self.keras.optimizers
        model = self._network(work, optimizers.AdamW(1e-4) if work.model == "bert" else optimizers.Adam(1e-4))
        twin = functools.cache(lambda: self._network(work, optimizers.SGD(1e-7)))

        def compared() -> list[Any]:
            return [twin().predict_on_batch(x) if work.drops else twin().train_on_batch(x, y)]

        def step() -> float:
            return float(model.train_on_batch(x, y))

        return Run(compared, repeated(step), step)

    def _prediction(self, work: Network, inputs: works.Inputs) -> Run:
        """The results of a trained model for a batch."""
        model, x = self._network(work, "sgd"), inputs["x"]
        return Run(lambda: [model.predict_on_batch(x)], repeated(lambda: model.predict_on_batch(x)))
