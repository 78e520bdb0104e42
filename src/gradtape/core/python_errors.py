"""Fixes for errors that Python itself raises about our objects, and about Keras's: no code of gradtape runs there.

`obj.name` of a class without that attribute, `f(x, wrong=1)`, `x.shape()`. Printers of tracebacks ask here and add a line; programs that
catch the errors, and `hasattr`, see them unchanged.
"""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from gradtape.core import deferral, hints, refusals

__all__ = ["fix"]


def fix(problem: BaseException) -> str:
    """The line `  fix: ...` for an error of Python about one of our objects; empty for others.

    Args:
      problem: the error, as it was raised.
    """
    text = str(problem)
    if "\n  fix: " in text:
        return ""
    advice = ""
    if type(problem) is TypeError:
        advice = _of_text(text) or _of_call(problem) or _of_none(text)
    elif type(problem) is AttributeError and " Use " not in text:
        advice = _of_attribute(getattr(problem, "obj", None), getattr(problem, "name", None))
    elif type(problem) is ValueError:
        advice = _of_keras_argument(text)
    elif type(problem) is ModuleNotFoundError and problem.name == "tensorflow":
        advice = _IMPORT_OF_KERAS if "keras" in _files(problem) else _IMPORT
    elif type(problem) is IndexError and text == "tuple index out of range":
        advice = _of_shape(problem)
    return f"  fix: {advice}" if advice else ""


_IMPORT = "import gradtape as tf, or run the program with `gradtape run program.py`."
_IMPORT_OF_KERAS = "keras = tf.keras, or set KERAS_BACKEND=gradtape in the environment before `import keras`."


def _files(problem: BaseException) -> str:
    tb, found = problem.__traceback__, []
    while tb is not None:
        found.append(tb.tb_frame.f_globals.get("__name__", ""))
        tb = tb.tb_next
    return " ".join(found)


def _of_text(text: str) -> str:
    return next((advice for said, advice in _TEXTS.items() if said in text), "")


# Errors about calls, iteration and operators.
_TEXTS = {
    "'Dataset' object is not an iterator": "make one: it = iter(dataset); next(it).",
    "'type' object does not support the context manager protocol": "call the class: with tf.GradientTape() as tape: ...",
    "'method' object does not support the context manager protocol": "call the method: with tape.stop_recording(): ...",
    "'Tensor' object is not callable": "leave out the parentheses, or check which name holds a function: x.shape, x.numpy().",
    "'Variable' object is not callable": "leave out the parentheses; v.assign(value) changes the variable.",
    "'TensorShape' object is not callable": "leave out the parentheses: x.shape.",
    "'DType' object is not callable": "use x.dtype without parentheses, and tf.cast(x, tf.float32) to convert.",
    "'TensorArray' object does not support item assignment": "array = array.write(index, value).",
    "'TensorArray' object is not subscriptable": "array.read(index), or array.stack() for all elements.",
    "'Restored' object is not callable": "decorate __call__ with @tf.function(input_signature=[...]) before saving.",
    "Tensor() takes no arguments": "tf.constant(values), or tf.convert_to_tensor(values).",
    "unsupported operand type(s) for +: 'Dataset'": "dataset.map(lambda x: x + 1) computes with the elements.",
}  # fmt: skip


def _of_none(text: str) -> str:
    """Advice for an operator on None, where a tape has said that it found no gradient."""
    if "'NoneType'" not in text or not hints.has_said("gradient of this call is None"):
        return ""
    return "a gradient is None, see the log above: print(tape.explain(target, source)) says why."


def _of_attribute(owner: Any, name: str | None) -> str:
    """What to write for an attribute that an object, or one of its classes, does not have."""
    if owner is None or name is None:
        return ""
    if inspect.isroutine(owner):
        said = getattr(owner, "__name__", "it")
        is_ours = str(getattr(owner, "__module__", "")).startswith(("gradtape", "keras"))
        return f"call it first: {said}().{name}." if is_ours else ""
    kind = owner if isinstance(owner, type) else type(owner)
    for base in kind.__mro__:
        if base.__module__.startswith(("gradtape", "keras")):
            found = _ATTRIBUTES.get(base.__name__, {}).get(name)
            if found:
                return found
    return ""


_MODEL = {
    "parameters": "model.trainable_variables.",
    "named_parameters": "{v.path: v for v in model.trainable_variables}.",
    "forward": "model(x), which runs call().",
    "train": "nothing to switch: model(x, training=True) for one call; fit trains.",
    "eval": "nothing to switch: model(x, training=False) for one call; model.evaluate(x, y) for losses and metrics.",
    "state_dict": "model.get_weights(), or model.save_weights('model.weights.h5').",
    "load_state_dict": "model.set_weights(weights), or model.load_weights('model.weights.h5').",
    "zero_grad": "nothing: every tape starts with no gradients.",
    "to": "nothing: everything runs on the CPU; dtypes are set with keras.config.set_floatx.",
    "cuda": "nothing: everything runs on the CPU.",
    "cpu": "nothing: everything runs on the CPU.",
    "requires_grad_": "model.trainable = True, or False to freeze it.",
    "apply": "model(x).",
    "fit_generator": "model.fit(generator).",
    "evaluate_generator": "model.evaluate(generator).",
    "predict_generator": "model.predict(generator).",
    "predict_classes": "np.argmax(model.predict(x), axis=-1).",
    "predict_proba": "model.predict(x).",
}
# What people look for on objects that are not tensors, by class.
_ATTRIBUTES: dict[str, dict[str, str]] = {
    "GradientTape": {
        "backward": "gradients = tape.gradient(loss, variables).",
        "grad": "tape.gradient(y, x).",
        "gradients": "tape.gradient(y, x).",
        "hessian": "tape.jacobian(inner.gradient(y, x), x) with two tapes, or tf.autodiff.hessian(f, x).",
        "zero_grad": "nothing: every tape starts with no gradients.",
        "watch_variables": "tape.watch(x); variables are watched without being asked.",
        "close": "nothing: the end of the `with` block ends the recording; `del tape` frees a persistent one.",
    },
    "Layer": _MODEL,
    "Model": _MODEL,
    "Metric": {
        "update": "metric.update_state(y_true, y_pred).",
        "compute": "metric.result().",
        "reset": "metric.reset_state().",
        "reset_states": "metric.reset_state().",
    },
    "Dataset": {
        "shape": "dataset.element_spec describes an element, dataset.cardinality() counts them.",
        "dtype": "dataset.element_spec describes an element.",
        "numpy": "list(dataset.as_numpy_iterator()).",
        "from_numpy": "tf.data.Dataset.from_tensor_slices(array).",
        "from_list": "tf.data.Dataset.from_tensor_slices(values).",
        "from_tensor_slice": "tf.data.Dataset.from_tensor_slices(values).",
        "size": "len(dataset), or dataset.cardinality().",
        "length": "len(dataset), or dataset.cardinality().",
        "head": "dataset.take(5).",
        "next": "next(iter(dataset)).",
        "make_one_shot_iterator": "iter(dataset).",
        "make_initializable_iterator": "iter(dataset).",
        "output_shapes": "dataset.element_spec.",
        "output_types": "dataset.element_spec.",
    },
    "TensorArray": {
        "append": "array = array.write(array.size(), value), of a TensorArray with dynamic_size=True.",
        "numpy": "array.stack().numpy().",
        "get": "array.read(index).",
        "set": "array = array.write(index, value).",
    },
    "TensorShape": {
        "numpy": "tuple(x.shape), or tf.shape(x).numpy().",
        "eval": "tuple(x.shape).",
        "size": "x.shape.num_elements().",
    },
    "Module": {
        "parameters": "module.trainable_variables.",
        "weights": "module.variables.",
        "trainable_weights": "module.trainable_variables.",
        "forward": "define __call__, and call the module: module(x).",
        "save": "tf.saved_model.save(module, folder), or tf.train.Checkpoint(module=module).save(prefix).",
        "state_dict": "{v.name: v.numpy() for v in module.variables}, or tf.train.Checkpoint(module=module).",
        "zero_grad": "nothing: every tape starts with no gradients.",
    },
}  # fmt: skip


# What a variable of a class is usually called.
_SPOKEN = {"GradientTape": "tape", "Variable": "v", "Tensor": "x", "Trainer": "model", "TensorFlowTrainer": "model"}
_KERAS = ("losses", "layers", "metrics", "optimizers", "optimizers.schedules", "callbacks", "models", "utils", "ops")


def _of_call(problem: BaseException) -> str:
    """The call to write, for arguments that do not fit a public function, class or method."""
    said = re.match(r"([\w.]+)\(\) (got an unexpected keyword|missing \d+ required|takes )", str(problem))
    if said is None:
        return ""
    owner, _, method = said[1].partition(".")
    for spoken, public in _owners(owner):
        called = getattr(public, method, None) if method and isinstance(public, type) else public
        if callable(called):
            is_method = method and method != "__init__"
            name = f"{_SPOKEN.get(owner, owner.lower())}.{method}" if is_method else f"{spoken}.{owner}"
            return refusals.call_that_fits(str(problem), name, called)
    return ""


def _owners(name: str) -> Iterator[tuple[str, Any]]:
    """The public functions and classes of a name, under the modules that show them."""
    # The shortest name is the one that people use: tf.reduce_sum is also tf.math.reduce_sum.
    for module in sorted(deferral.shown_modules(), key=len):
        found = vars(sys.modules[module]).get(name)
        if found is not None:
            yield f"tf{module.removeprefix('gradtape')}", found
    keras = sys.modules.get("keras")
    if keras is not None and name in ("Trainer", "TensorFlowTrainer"):
        yield "model", keras.Model
    for part in _KERAS if keras is not None else ():
        found = vars(sys.modules.get(f"keras.{part}", object)).get(name)
        if found is not None:
            yield f"keras.{part}", found


def _of_keras_argument(text: str) -> str:
    """What to write for an argument that a Keras layer does not take."""
    said = re.match(r"Unrecognized keyword arguments passed to (\w+): \{'(\w+)'", text)
    if said is None:
        return ""
    for spoken, public in _owners(said[1]):
        known = [p for p in inspect.signature(public).parameters if p != "kwargs"]
        close = difflib.get_close_matches(said[2], known, 1)
        if close:
            return f"{spoken}.{said[1]}(..., {close[0]}=...)."
    return ""


def _of_shape(problem: BaseException) -> str:
    """Advice for an axis that a shape does not have."""
    tb = problem.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    owner: Any = tb.tb_frame.f_locals.get("self") if tb is not None else None
    if type(owner).__name__ != "TensorShape":
        return ""
    return f"the shape is {tuple(owner)}: use an axis from {-len(owner)} to {len(owner) - 1}, or x.shape[-1] for the last one."
