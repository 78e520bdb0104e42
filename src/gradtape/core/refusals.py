"""Errors of Python and NumPy inside a public function become errors about its arguments, in three lines.

A function checks what it can say best itself. What it does not check ends here: an exception without the three lines that no code of
the user raised. The message names the argument that is most likely wrong, and takes the fix from the function's own documentation.
"""

from __future__ import annotations

import inspect
import linecache
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

import numpy as np

from gradtape.core import deferral, dtypes, errors, provenance
from gradtape.core.tensor import Tensor

_TRANSLATED = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    RecursionError,
    errors.OpError,
    MemoryError,
)
_ARITY = re.compile(r"(\S+)\(\) (takes (?:from )?.*positional arguments?.* given|missing \d+ required positional .*)")


def translated(problem: Exception, function: Callable[..., Any], args: Any, kwargs: Any) -> Exception:
    """The error that a user should see for one that a public function ends with; the same one if that is good."""
    text = str(problem)
    if "\n  fix: " in text or not isinstance(problem, _TRANSLATED) or _is_users(problem.__traceback__):
        return problem
    name = public_name(function)
    if isinstance(problem, errors.OpError) and function.__module__.startswith("gradtape.debugging."):
        return problem  # a check of the user's own, with the user's message
    allocation = errors.no_room(problem, name)
    if allocation is not problem:
        return allocation
    given = _bound(function, args, kwargs)
    if isinstance(problem, TypeError) and problem.__traceback__ is not None and problem.__traceback__.tb_next is None:
        return of_signature(problem, name, function)
    if _is_stated(problem):
        return _with_fix(problem, name, function, given)
    arity = _ARITY.match(text)
    if isinstance(problem, TypeError) and arity is not None:
        return _wrong_arity(name, arity, given)
    return _about(name, function, given, errors.RangeError if isinstance(problem, IndexError) else errors.ArgumentError)


def public_name(function: Callable[..., Any]) -> str:
    """The name by which users call a function, `tf.strings.ngrams`."""
    origin = inspect.unwrap(function)
    shown = [
        f"tf{module.removeprefix('gradtape')}.{name}"
        for module in deferral.shown_modules()
        for name, value in vars(sys.modules[module]).items()
        if inspect.isfunction(value) and inspect.unwrap(value) is origin
    ]
    own = sys.modules["gradtape"]
    # Names are loaded when they are first used: that of `tf` itself may not have been.
    if function.__name__ in own.__all__ and inspect.unwrap(getattr(own, function.__name__)) is origin:
        return f"tf.{function.__name__}"
    return min(shown, key=len, default=function.__name__)


def _is_users(tb: TracebackType | None) -> bool:
    """Whether code of the user raised an error, or let one through, below the public function."""
    codes = [step.tb_frame.f_code for step in _steps(tb)]
    return any(
        not provenance.is_library(code.co_filename) and not is_called_by_us(code.co_filename) for code in codes[1:]
    )


_STANDARD = (inspect.__file__.rpartition("inspect.py")[0], "<")
# Packages that gradtape's functions call. Code of others is called only if it was passed in, like the user's own.
_CALLED = frozenset(
    [
        "cupy",
        "h5py",
        "keras",
        "llvmlite",
        "malt",
        "ml_dtypes",
        "mpi4py",
        "numpy",
        "opt_einsum",
        "optree",
        "pandas",
        "PIL",
        "re2",
        "scipy",
        "tree",
        "wrapt",
    ]
)


def is_called_by_us(filename: str) -> bool:
    """True for the standard library, for generated code, and for packages that gradtape calls."""
    _, installed, below = filename.rpartition(f"site-packages{os.sep}")
    if installed:
        return below.partition(os.sep)[0].removesuffix(".py") in _CALLED
    return filename.startswith(_STANDARD)


def _steps(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _is_stated(problem: Exception) -> bool:
    """Whether a `raise` of gradtape states what is wrong, so that only the other two lines are missing."""
    if "\n  at:  " in str(problem):
        return True
    *_, last = _steps(problem.__traceback__)
    filename, line = last.tb_frame.f_code.co_filename, last.tb_lineno
    if not provenance.is_own(filename) or not isinstance(problem, (TypeError, ValueError, errors.OpError)):
        return False
    return linecache.getline(filename, line).lstrip().startswith("raise ")


def _with_fix(problem: Exception, name: str, function: Callable[..., Any], given: dict[str, Any]) -> Exception:
    message = str(problem) or f"{name}: the arguments were refused."
    first, *others = [line for line in message.split("\n") if not line.startswith("  at:  ")]
    text = errors.compose(first, _fix(name, function, _suspect(function, given)), depth=4)
    return type(problem)("\n".join([text, *others]))


def of_signature(problem: TypeError, name: str, function: Callable[..., Any]) -> TypeError:
    """The error for a call that does not fit the parameters of a function, with what to write instead."""
    text = re.sub(r"^[\w.<>]+\(\)", name, str(problem))
    return TypeError(errors.compose(f"{text}.".replace("?.", "?"), call_that_fits(text, name, function), depth=4))


def call_that_fits(text: str, name: str, function: Callable[..., Any]) -> str:
    """The call to write, for an error of Python about the arguments of a function.

    Args:
      text: of the error.
      name: of the function, as the user writes it.
      function: itself.
    """
    unknown = re.search(r"unexpected keyword argument '(\w+)'", text)
    signature = inspect.signature(function)
    return f"{name}{plain(signature)}" if unknown is None else _keyword(unknown[1], name, signature)


# Arguments of PyTorch, NumPy, Keras 2 and TensorFlow 1, and what takes their place.
_KEYWORDS = {
    "dim": "axis",
    "dims": "axis",
    "axes": "axis",
    "keepdim": "keepdims",
    "keep_dims": "keepdims",
    "reduction_indices": "axis",
    "lr": "learning_rate",
    "size": "shape",
    "input": "x",
    "other": "y",
    "n": "num",
    "low": "minval",
    "high": "maxval",
    "std": "stddev",
    "scale": "stddev",
    "loc": "mean",
    "k_size": "ksize",
    "kernel_size": "ksize",
    "stride": "strides",
    "groups": "num_groups",
}
_ADVICE = {
    "requires_grad": "leave it out: x = tf.Variable(value) is watched by every tape, tape.watch(x) watches a tensor",
    "device": "leave it out, or use `with tf.device(name): ...`",
    "out": "leave it out: functions return new tensors",
    "keep_prob": "rate=1 - keep_prob",
    "inplace": "leave it out: tensors never change",
    "descending": "direction='DESCENDING'",
    "ascending": "direction='ASCENDING'",
    "from_logits": "leave it out: functions whose names end in `_with_logits` take logits",
    "num_workers": "num_parallel_calls=tf.data.AUTOTUNE",
    "drop_last": "drop_remainder=True",
    "p": "rate=p",
    "y_true": "labels=y_true",
    "y_pred": "logits=y_pred",
    "jit": "jit_compile=True",
    "static_argnums": "leave it out: Python values are static, tensors are not",
    "persistent": "with tf.GradientTape(persistent=True) as tape: ...",
    "random_state": "seed=random_state",
    "weight_decay": "keras.optimizers.AdamW(learning_rate, weight_decay=0.01), or kernel_regularizer=keras.regularizers.L2(0.01)",
}


# Arguments of layers, in other libraries and in Keras 1.
_LAYER_KEYWORDS = {
    "init": "kernel_initializer",
    "initializer": "kernel_initializer",
    "weights_initializer": "kernel_initializer",
    "regularizer": "kernel_regularizer",
    "W_regularizer": "kernel_regularizer",
    "bias": "use_bias",
    "in_features": "units",
    "out_features": "units",
    "output_dim": "units",
    "out_channels": "filters",
    "nb_filter": "filters",
    "hidden_size": "units",
    "num_units": "units",
    "p": "rate",
    "keep_prob": "rate",
    "subsample": "strides",
    "stride": "strides",
    "border_mode": "padding",
    "dilation": "dilation_rate",
    "num_embeddings": "input_dim",
    "embedding_dim": "output_dim",
    "eps": "epsilon",
    "dim": "axis",
}


def meant_by(wrong: str) -> str | None:
    """The argument of a Keras layer that another library calls differently; None if none is known."""
    return _LAYER_KEYWORDS.get(wrong)


def instead_of_argument(wrong: str, name: str, function: Callable[..., Any]) -> str:
    """What to write in place of an argument that a function does not have.

    Args:
      wrong: the argument.
      name: of the function, as the user writes it.
      function: itself.
    """
    return _keyword(wrong, name, inspect.signature(function)).removesuffix(".")


def _keyword(wrong: str, name: str, signature: inspect.Signature) -> str:
    """What to write in place of an argument that a function does not have."""
    import difflib  # needed for this message only

    if wrong in _ADVICE and wrong not in signature.parameters:
        return _ADVICE[wrong] if _ADVICE[wrong].endswith("...") else f"{_ADVICE[wrong]}."
    known = [p for p in signature.parameters if p != "name"]
    meant = _KEYWORDS.get(wrong)
    close = [meant] if meant in known else difflib.get_close_matches(wrong, known, 1)
    return f"{name}(..., {close[0]}=...)." if close else f"{name}{plain(signature)}."


def plain(signature: inspect.Signature) -> str:
    """A signature as it is called: without annotations, and without `self`."""
    own = [
        p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name not in ("self", "_cls", "cls")
    ]
    return str(signature.replace(parameters=own, return_annotation=signature.empty))


def _wrong_arity(name: str, said: re.Match[str], given: dict[str, Any]) -> Exception:
    parameter = _called(said, given)
    what = f"{name}: {parameter} cannot be called with the arguments it is given: {said[1]}() {said[2]}."
    count = re.search(r"but (\d+) (?:was|were) given", said[2])
    missing = re.match(r"missing (\d+) ", said[2])
    elems = given.get("elems")
    if missing is not None and isinstance(elems, (tuple, list)):
        names = ", ".join([chr(ord("a") + i) for i in range(min(len(elems), 26))])
        fix = f"the function gets one argument, with the structure of elems: def f(row): {names} = row; ..."
        return errors.ArgumentError(errors.compose(what, fix, depth=4))
    names = ", ".join([f"x{i}" for i in range(int(count[1]))]) if count else "x"
    if missing is not None:
        return errors.ArgumentError(
            errors.compose(
                what,
                "leave out the parameters that nothing is passed for, or give them defaults: def f(x): ...",
                depth=4,
            )
        )
    return errors.ArgumentError(errors.compose(what, f"define it with these parameters: def f({names}): ...", depth=4))


def _called(said: re.Match[str], given: dict[str, Any]) -> str:
    """The parameter whose function Python speaks of, by its name and the names or number of its parameters."""
    same = {k: v for k, v in given.items() if getattr(v, "__name__", None) == said[1].rpartition(".")[2]}
    missing = re.findall(r"'(\w+)'", said[2])
    count = re.match(r"takes (\d+) ", said[2])
    for parameter, value in same.items():
        code = getattr(value, "__code__", None)
        if code is None:
            continue
        names = code.co_varnames[: code.co_argcount]
        if (missing and set(missing) <= set(names)) or (count and len(names) == int(count[1])):
            return parameter
    return next(iter(same), "fn")


def _about(name: str, function: Callable[..., Any], given: dict[str, Any], kind: type[Exception]) -> Exception:
    suspect = _suspect(function, given)
    symbolic = next((k for k, v in given.items() if _stands_for_values(v)), None)
    if symbolic is not None:
        what = f"{name}: {symbolic} cannot be a KerasTensor, which stands for the values of every call."
        fix = f"put the call in a layer, keras.layers.Lambda(lambda x: {name}(...))(x), or use keras.ops instead of {name}."
        return kind(errors.compose(what, fix, depth=4))
    if suspect is None:
        shown = ", ".join([f"{k}={described(v)}" for k, v in given.items()])
        what = f"{name} cannot be computed for {shown}."
    else:
        what = f"{name}: {suspect} cannot be {described(given[suspect])}."
    return kind(errors.compose(what, _fix(name, function, suspect), depth=4))


def _stands_for_values(value: Any) -> bool:
    """Whether a value is a symbolic tensor of Keras, or a list that holds one."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    return any(hasattr(type(part), "__stands_for_values__") for part in parts)


def described(value: Any) -> str:
    """A value in a message: tensors and arrays by shape and dtype, objects by their class, others as they are written."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is not None and shape is not None and not isinstance(value, type):
        kind = "Tensor" if isinstance(value, Tensor) else type(value).__name__  # not the class of a tensor in a trace
        return f"a {kind} of dtype {getattr(dtype, 'name', dtype)} and shape {shape}"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, list, tuple, dict, set, range)):
        return errors.brief(value)
    if isinstance(value, dtypes.DType):
        return repr(value)
    if isinstance(value, type) or (callable(value) and hasattr(value, "__name__")):
        return f"the {'class' if isinstance(value, type) else 'function'} {value.__name__}"
    return f"an object of class {type(value).__name__}"


def _bound(function: Callable[..., Any], args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments that were given, by name."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return dict(kwargs)


def _suspect(function: Callable[..., Any], given: dict[str, Any]) -> str | None:
    """The argument that is most likely wrong; None if several may be."""
    documented = _documented(function)
    doubts = {k: _doubt(v, documented.get(k, "")) for k, v in given.items() if k != "name"}
    if len(doubts) == 1:
        return next(iter(doubts))
    worst = max(doubts.values(), default=0)
    names = [k for k, doubt in doubts.items() if doubt == worst]
    return names[0] if worst and len(names) == 1 else None


def _doubt(value: Any, documented: str) -> int:
    """How unlikely a value is as an argument, from what is documented about it."""
    if value is None:
        return 0 if "None" in documented else 4
    if isinstance(value, (str, bytes)):
        is_text = re.search(r"['\"`]|string|name|path|file|folder|text|str\b|bytes|one of", documented)
        return 0 if is_text else 3 if documented else 1
    if isinstance(value, dict):
        return 0 if re.search(r"dict|structure|mapping|feed", documented) else 4
    if isinstance(value, (list, tuple)):
        return _doubt_of_items(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return 2 if not math.isfinite(value) or abs(value) >= 1 << 63 else int(value < 0)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and not isinstance(value, type):
        return 1 if getattr(dtype, "name", dtype) in ("string", "complex128", "object") else 0
    if isinstance(value, (np.ndarray, np.generic, bool, complex, range)):
        return 0
    if isinstance(value, dtypes.DType):
        return 0 if "type" in documented else 1
    if inspect.isroutine(value) or isinstance(value, type):
        return 0 if re.search(r"function|callable|class|type|called", documented) else 4
    return 5 if not type(value).__module__.startswith("gradtape") else 3


def _doubt_of_items(values: Any) -> int:
    """How unlikely a list is: its items are of different kinds, or lists of different lengths."""
    kinds = {"number" if isinstance(v, (int, float, complex, np.generic)) else type(v) for v in values}
    if len(kinds) > 1:
        return 4
    lengths = {len(v) for v in values if isinstance(v, (list, tuple))}
    return 3 if len(lengths) > 1 else int(not values)


def _documented(function: Callable[..., Any]) -> dict[str, str]:
    """What a docstring says about each argument, under `Args:`."""
    block = re.search(r"^Args:\n((?:  .*\n?|\n)*)", inspect.getdoc(function) or "", re.MULTILINE)
    found: dict[str, str] = {}
    name = ""
    for line in block[1].splitlines() if block else ():
        start = re.match(r"  (\*{0,2}\w+(?:, \w+)*): (.*)", line)
        if start is not None:
            name = start[1]
            found.update(dict.fromkeys(name.split(", "), start[2]))
        elif name and line.strip():
            found.update({k: f"{found[k]} {line.strip()}" for k in name.split(", ")})
    return found


def _fix(name: str, function: Callable[..., Any], suspect: str | None) -> str:
    """What to do: the first sentence about the argument, and a call that works."""
    said = _documented(function).get(suspect or "", "")
    first = re.split(r"(?<=[a-z\])`'\"0-9])[.;](?: |$)", said)[0].strip()
    call = _example(function, name.rpartition(".")[2])
    parts = [f"for example {call}." if call else "", f"{suspect}: {first}." if first else ""]
    return " ".join([p for p in parts if p]) or f"help({name}) says what it takes."


def _example(function: Callable[..., Any], last: str) -> str:
    """The call of a function in its own example, if it stands on one line."""
    for line in (inspect.getdoc(function) or "").splitlines():
        text = line.removeprefix(">>> ")
        start = text.find(f".{last}(")
        if text is line or start < 0:
            continue
        start = text.rfind("tf", 0, start)
        end = _closing(text, text.find("(", start))
        if start >= 0 and end:
            return text[start:end]
    return ""


def _closing(text: str, start: int) -> int:
    """Behind the parenthesis that closes the one at a position; 0 if none does."""
    depth = 0
    for i, letter in enumerate(text[start:], start):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return i + 1
    return 0
