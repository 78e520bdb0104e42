"""The loops behind `fit`, `evaluate` and `predict`. Steps are the user's methods, run by `tf.function`."""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings
from typing import Any

import numpy as np
from keras.src import backend, tree
from keras.src import callbacks as callbacks_module
from keras.src import optimizers as optimizers_module
from keras.src.backend import config
from keras.src.metrics import Mean
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.utils import python_utils, traceback_utils
from keras.src.utils.python_utils import pythonify_logs

import gradtape as tf
from gradtape.core import errors
from gradtape.keras_backend.epoch_batches import Batches, tensors
from gradtape.keras_backend.train_step import Step, check_logs
from gradtape.keras_backend.workers import Parts, in_scope, only_chief_writes, runner, scale, unscale

# Where Keras shortens the traceback of an error, it leaves gradtape's frames out with its own.
traceback_utils._EXCLUDED_PATHS += (os.path.dirname(tf.__file__) + os.sep,)


class Trainer(base_trainer.Trainer):
    """The trainer of `keras.Model`."""

    def __init__(self) -> None:
        super().__init__()
        self._distribute_strategy = tf.distribute.get_strategy() if tf.distribute.has_strategy() else None
        self.train_function: Any = None
        self.test_function: Any = None
        self.predict_function: Any = None
        self._eval_epoch_iterator: Any = None

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the model was made."""
        return self._distribute_strategy or tf.distribute.get_strategy()

    def _aggregate_additional_loss(self, loss: Any) -> Any:
        return scale(super()._aggregate_additional_loss(loss))

    def _compute_loss(self, x: Any = None, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        try:
            return super()._compute_loss(x, y, *args, **kwargs)
        except errors.ConversionError as problem:
            if y is not None:
                raise
            what = "fit: the loss needs targets, but the batches have no y."
            fix = (
                "model.fit(x, y), or a dataset of pairs: tf.data.Dataset.from_tensor_slices((x, y)).batch(32); "
                "the same for validation_data=(x_val, y_val)."
            )
            raise type(problem)(errors.compose(what, fix)) from None

    def train_step(self, data: Any) -> Any:
        """One update of the weights; users override it as in TensorFlow."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True) if self._call_has_training_arg else self(x)
            loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
            scaled = loss if self.optimizer is None else self.optimizer.scale_loss(loss)
        self._loss_tracker.update_state(unscale(loss), sample_weight=_batch_size(x))
        if self.trainable_weights:
            weights = self.trainable_weights
            gradients = tape.gradient(scaled, weights)
            self.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> Any:
        """Loss and metrics of a batch."""
        x, y, sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False) if self._call_has_training_arg else self(x)
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
        self._loss_tracker.update_state(unscale(loss), sample_weight=_batch_size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        """The outputs of the model for a batch."""
        x, _, _ = data_adapter_utils.unpack_x_y_sample_weight(data)
        return self(x, training=False) if self._call_has_training_arg else self(x)

    @property
    def compiled_metrics(self) -> _CompiledMetrics:
        """The metrics as Keras 2 updated them in a `train_step`."""
        return _CompiledMetrics(self)

    def compiled_loss(self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None) -> Any:
        """The loss as Keras 2 computed it in a `train_step`; the regularization is part of it anyway."""
        warnings.warn("`compiled_loss` is deprecated: use `compute_loss(y=y, y_pred=y_pred)`.", stacklevel=2)
        return self.compute_loss(x=None, y=y, y_pred=y_pred, sample_weight=sample_weight)

    def _symbolic_build(self, iterator: Any = None, data_batch: Any = None) -> None:
        """Build unbuilt layers. A model without `call`, such as one with only a `train_step`, is built when it runs."""
        from keras.src.models.model import Model

        is_empty = iterator is not None and data_batch is None and iterator.num_batches == 0
        if type(self).call is not Model.call and not is_empty:
            super()._symbolic_build(iterator=iterator, data_batch=data_batch)

    def _function_of(self, step: Any) -> Any:
        """A function of a list of batches that runs a step on each and returns the last result."""
        one, run = Step(step, self.run_eagerly), runner(self)

        def function(batches: Any) -> Any:
            outputs = None
            parts = getattr(batches, "parts", None) or itertools.repeat(None)
            for data, part in zip(batches, parts, strict=False):
                outputs = run(one, tensors(data), part)
            return outputs

        function.explain = one.explain  # type: ignore[attr-defined]
        return function

    def make_train_function(self, force: Any = False) -> Any:
        """Prepare `train_function`."""
        if self.train_function is None or force:
            self.train_function = self._function_of(self.train_step)
        return self.train_function

    def make_test_function(self, force: Any = False) -> Any:
        """Prepare `test_function`."""
        if self.test_function is None or force:
            self.test_function = self._function_of(self.test_step)
        return self.test_function

    def make_predict_function(self, force: Any = False) -> Any:
        """Prepare `predict_function`, which returns the concatenated outputs of its batches."""
        if self.predict_function is None or force:
            one = Step(self.predict_step, self.run_eagerly)

            def function(batches: Any) -> Any:
                outputs = [one(tensors(data)) for data in batches]
                if len(outputs) == 1:
                    return outputs[0]
                return tree.map_structure(lambda *parts: tf.concat([*parts], 0), *outputs)

            function.explain = one.explain  # type: ignore[attr-defined]
            self.predict_function = function
        return self.predict_function

    @traceback_utils.filter_traceback
    @in_scope
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: Any = None,
        epochs: Any = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: Any = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: Any = 0,
        steps_per_epoch: Any = None,
        validation_steps: Any = None,
        validation_batch_size: Any = None,
        validation_freq: Any = 1,
    ) -> Any:
        """Train for some epochs; see `keras.Model.fit`."""
        self._assert_compile_called("fit")
        most = config.max_epochs()
        if most and most < epochs:
            warnings.warn(f"Limiting epochs to {most}", stacklevel=2)
            epochs = most
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        batches = Batches(
            x=x,
            y=y,
            sample_weight=sample_weight,
            batch_size=batch_size,
            steps_per_epoch=steps_per_epoch,
            shuffle=shuffle,
            class_weight=class_weight,
            steps_per_execution=self.steps_per_execution,
            parts=Parts(self, x),
        )
        self._symbolic_build(iterator=batches)
        batches.reset()
        callbacks = self._callbacks(callbacks, verbose, batches, epochs, add_history=True)
        validate = None
        if validation_data is not None:
            validate = _Validation(validation_data, validation_batch_size or batch_size, validation_steps, callbacks)
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        logs = None
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            logs = self._run_epoch(epoch, batches, callbacks)
            if validate is not None and self._should_eval(epoch, validation_freq):
                logs.update({f"val_{name}": value for name, value in validate.run(self).items()})
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers_module.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=logs)
        return self.history

    def _run_epoch(self, epoch: Any, batches: Any, callbacks: Any) -> Any:
        """Train on all batches once; the logs."""
        self.reset_metrics()
        batches.parts.share_shuffling()
        callbacks.on_epoch_begin(epoch)
        logs = {}
        heard = _is_heard(callbacks, "on_batch_begin on_batch_end on_train_batch_begin on_train_batch_end")
        for begin, end, data in batches:
            if heard:
                callbacks.on_train_batch_begin(begin)
            logs = self.train_function(data)
            if heard:
                callbacks.on_train_batch_end(end, logs)
            if self.stop_training:
                break
        check_logs(self, logs)
        return dict(self._get_metrics_result_or_logs(logs)) if logs else {}

    def _callbacks(self, callbacks: Any, verbose: Any, batches: Any, epochs: Any, add_history: Any = False) -> Any:
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        made = callbacks_module.CallbackList(
            callbacks,
            add_history=add_history,
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=batches.num_batches,
            model=self,
        )
        only_chief_writes(self, made)
        return made

    @traceback_utils.filter_traceback
    @in_scope
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: Any = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: Any = None,
        callbacks: Any = None,
        return_dict: Any = False,
        **kwargs: Any,
    ) -> Any:
        """Loss and metrics on data; see `keras.Model.evaluate`."""
        self._assert_compile_called("evaluate")
        cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        if cached:
            batches = self._eval_epoch_iterator
        else:
            batches = Batches(
                x=x,
                y=y,
                sample_weight=sample_weight,
                batch_size=batch_size,
                steps_per_epoch=steps,
                shuffle=False,
                steps_per_execution=self.steps_per_execution,
                parts=Parts(self, x),
            )
        self._symbolic_build(iterator=batches)
        batches.reset()
        callbacks = self._callbacks(callbacks, verbose, batches, epochs=1)
        self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        logs = {}
        self.reset_metrics()
        heard = _is_heard(callbacks, "on_test_batch_begin on_test_batch_end")
        for begin, end, data in batches:
            if heard:
                callbacks.on_test_batch_begin(begin)
            logs = self.test_function(data)
            if heard:
                callbacks.on_test_batch_end(end, logs)
            if self.stop_evaluating:
                break
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs)) if logs else {}
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    def predict(
        self, x: Any, batch_size: Any = None, verbose: Any = "auto", steps: Any = None, callbacks: Any = None
    ) -> Any:
        """Outputs for data as NumPy arrays; see `keras.Model.predict`."""
        batches = Batches(
            x=x,
            batch_size=batch_size,
            steps_per_epoch=steps,
            shuffle=False,
            steps_per_execution=self.steps_per_execution,
        )
        callbacks = self._callbacks(callbacks, verbose, batches, epochs=1)
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        found = []
        for begin, end, data in batches:
            callbacks.on_predict_batch_begin(begin)
            outputs = self.predict_function(data)
            found.append(tree.map_structure(backend.convert_to_numpy, outputs))
            callbacks.on_predict_batch_end(end, {"outputs": outputs})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        if not found:
            raise ValueError("predict: the data has no batches, so that nothing is known of the outputs.")
        return tree.map_structure(lambda *parts: np.concatenate(parts), *found)

    @in_scope
    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: Any = False
    ) -> Any:
        """One update on one batch."""
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time. Received: "
                    f"sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        data = tensors((x, y, sample_weight))
        self._symbolic_build(data_batch=data)
        self.make_train_function()
        return self._logged(self.train_function, data, return_dict)

    @in_scope
    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: Any = False) -> Any:
        """Loss and metrics of one batch."""
        self._assert_compile_called("test_on_batch")
        data = tensors((x, y, sample_weight))
        self._symbolic_build(data_batch=data)
        self.make_test_function()
        return self._logged(self.test_function, data, return_dict)

    def _logged(self, function: Any, data: Any, return_dict: Any) -> Any:
        self.reset_metrics()
        logs = pythonify_logs(function([data]))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    def predict_on_batch(self, x: Any) -> Any:
        """Outputs for one batch as NumPy arrays."""
        self.make_predict_function()
        return tree.map_structure(backend.convert_to_numpy, self.predict_function([(x,)]))


class _CompiledMetrics:
    """The metrics of a model, updated together."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def update_state(self, y: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Update each metric with a batch; means of a single number take the outputs."""
        warnings.warn("`compiled_metrics` is deprecated: call `update_state` of each metric.", stacklevel=2)
        for metric in self._model.metrics:
            if isinstance(metric, Mean):
                metric.update_state(y_pred, sample_weight=sample_weight)
            else:
                metric.update_state(y, y_pred, sample_weight=sample_weight)


class _Validation:
    """The validation of `fit`: its data, and the batches that are made once."""

    def __init__(self, data: Any, batch_size: Any, steps: Any, callbacks: Any) -> None:
        self.x, self.y, self.sample_weight = data_adapter_utils.unpack_x_y_sample_weight(data)
        self.batch_size, self.steps, self.callbacks = batch_size, steps, callbacks

    def run(self, model: Any) -> Any:
        """The logs of one evaluation."""
        if getattr(model, "_eval_epoch_iterator", None) is None:
            model._eval_epoch_iterator = Batches(
                x=self.x,
                y=self.y,
                sample_weight=self.sample_weight,
                batch_size=self.batch_size,
                steps_per_execution=model.steps_per_execution,
                steps_per_epoch=self.steps,
                shuffle=False,
                parts=Parts(model, self.x),
            )
        return model.evaluate(
            x=self.x,
            y=self.y,
            sample_weight=self.sample_weight,
            batch_size=self.batch_size,
            steps=self.steps,
            callbacks=self.callbacks,
            return_dict=True,
            _use_cached_eval_dataset=True,
        )


def _is_heard(callbacks: Any, methods: Any) -> Any:
    """True if a callback overrides one of these methods: the logs of a batch are computed only if they are used."""
    return type(callbacks) is not callbacks_module.CallbackList or any(
        not python_utils.is_default(getattr(callback, method))
        for callback in callbacks.callbacks
        for method in methods.split()
    )


def _batch_size(x: Any) -> Any:
    with contextlib.suppress(IndexError, StopIteration):
        return next(leaf for leaf in tree.flatten(x) if leaf is not None).shape[0]
    return None
