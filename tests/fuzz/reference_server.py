"""Runs programs in another library that has TensorFlow's names, or is lent them; started as a script by an interpreter that has
the library.

A line of JSON comes in for each program, with its text and the text of its gradient, and one goes out with what they return. This
file imports nothing of gradtape.
"""

from __future__ import annotations

import base64
import importlib
import json
import linecache
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np

DTYPES = (
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64", "bool",
)  # fmt: skip


def encoded(x: Any) -> dict[str, Any]:
    """An array as something that JSON has."""
    array = np.asarray(x.numpy() if hasattr(x, "numpy") else x, order="C")
    return {"dtype": array.dtype.name, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}


def answered(question: dict[str, Any], library: Any, gradients: Any, number: int) -> dict[str, Any]:
    """The outputs and gradients of a program."""
    names: dict[str, Any] = {"__name__": "program"}
    for part in ("text", "gradient"):
        file = f"<program {number} {part}>"
        text = question[part]
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)
    outputs = names["f"](*[names[name] for name in question["inputs"]])
    variables = [names[name] for name in question["variables"]]
    found = {"outputs": [encoded(y) for y in (*outputs, *variables)]}
    weights = [library.constant(weight(y, k)) for k, y in enumerate([y for y in outputs if is_trainable(y)])]
    found["gradients"] = [encoded(library.convert_to_tensor(d)) for d in gradients(question, names, weights)]
    return found


def by_tape(question: dict[str, Any], names: dict[str, Any], weights: list[Any]) -> Any:
    """The gradients of a program, by the text that takes them, from the initial values of variables."""
    for name, initial in zip(question["variables"], question["initial"], strict=True):
        names[name].assign(eval(initial, names))
    names["weights"] = weights
    return names["g"](*[names[name] for name in question["inputs"]])


def numpy_dtype(x: Any) -> Any:
    """The NumPy dtype of a tensor or an array."""
    return np.dtype(getattr(x.dtype, "as_numpy_dtype", x.dtype))


def is_trainable(x: Any) -> bool:
    """True if it can have a gradient; bfloat16 is of kind V."""
    return numpy_dtype(x).kind in "fcV"


def weight(y: Any, k: int) -> Any:
    """The cotangent of the k-th output; the same numbers as in `instance.py`."""
    random = np.random.default_rng(k)
    shape = tuple(y.shape)
    numbers = random.uniform(0.5, 1.0, shape) * random.choice([-1.0, 1.0], shape)
    return np.asarray(numbers).astype(numpy_dtype(y))


def jax_with_names() -> tuple[Any, Any]:
    """JAX with TensorFlow's names, and its way to gradients, in the place of `by_tape`."""
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    special = importlib.import_module("jax.scipy.special")
    dtypes = {name: getattr(jax.numpy, name) for name in DTYPES}
    names = runpy.run_path(str(Path(__file__).with_name("borrowed_names.py")))["borrowed"](jax.numpy, special, dtypes)

    def gradients(question: dict[str, Any], program: dict[str, Any], weights: list[Any]) -> list[Any]:
        sources = [n for n in (*question["inputs"], *question["variables"]) if is_trainable(program[n])]
        before = {name: program[name] for name in sources}

        def targets(*given: Any) -> list[Any]:
            program.update(zip(sources, given, strict=True))
            return [y for y in program["f"](*[program[name] for name in question["inputs"]]) if is_trainable(y)]

        try:
            _, pull = jax.vjp(targets, *before.values())
        finally:
            program.update(before)
        # The gradient of a complex number is TensorFlow's conjugate.
        return [jax.numpy.conj(d) for d in pull([jax.numpy.conj(w) for w in weights])]

    names.convert_to_tensor = names.Variable = names.identity
    return names, gradients


def main() -> None:
    """Answer until nothing comes in any more."""
    library, gradients = jax_with_names() if sys.argv[1] == "jax" else (importlib.import_module(sys.argv[1]), by_tape)
    sys.modules["library"] = library
    for number, line in enumerate(sys.stdin):
        try:
            answer = answered(json.loads(line), library, gradients, number)
        except Exception as problem:
            answer = {"error": f"{type(problem).__name__}: {problem}"[:500]}
        print(f"answer {json.dumps(answer)}", flush=True)


if __name__ == "__main__":
    main()
