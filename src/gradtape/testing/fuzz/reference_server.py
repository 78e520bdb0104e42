"""Runs programs in another library that has TensorFlow's names; started as a script by an interpreter that has the library.

A line of JSON comes in for each program, with its text and the text of its gradient, and one goes out with what they return. This
file imports nothing of gradtape.
"""

from __future__ import annotations

import base64
import importlib
import json
import linecache
import sys
from typing import Any

import numpy as np


def encoded(x: Any) -> dict[str, Any]:
    """An array as something that JSON has."""
    array = np.asarray(x.numpy() if hasattr(x, "numpy") else x, order="C")
    return {"dtype": array.dtype.name, "shape": array.shape, "data": base64.b64encode(array.tobytes()).decode()}


def answered(question: dict[str, Any], library: Any, number: int) -> dict[str, Any]:
    """The outputs and gradients of a program."""
    names: dict[str, Any] = {"__name__": "program"}
    for part in ("text", "gradient"):
        file = f"<program {number} {part}>"
        text = question[part]
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), names)
    inputs = [names[name] for name in question["inputs"]]
    outputs = names["f"](*inputs)
    variables = [names[name] for name in question["variables"]]
    found = {"outputs": [encoded(y) for y in (*outputs, *variables)]}
    for variable, initial in zip(variables, question["initial"], strict=True):
        variable.assign(eval(initial, names))
    trainable = [y for y in outputs if y.dtype.is_floating or y.dtype.is_complex]
    names["weights"] = [library.constant(weight(y, k)) for k, y in enumerate(trainable)]
    found["gradients"] = [encoded(library.convert_to_tensor(d)) for d in names["g"](*inputs)]
    return found


def weight(y: Any, k: int) -> Any:
    """The cotangent of the k-th output; the same numbers as in `instance.py`."""
    random = np.random.default_rng(k)
    shape = tuple(y.shape)
    numbers = random.uniform(0.5, 1.0, shape) * random.choice([-1.0, 1.0], shape)
    return np.asarray(numbers).astype(y.dtype.as_numpy_dtype)


def main() -> None:
    """Answer until nothing comes in any more."""
    library = importlib.import_module(sys.argv[1])
    for number, line in enumerate(sys.stdin):
        try:
            answer = answered(json.loads(line), library, number)
        except Exception as problem:
            answer = {"error": f"{type(problem).__name__}: {problem}"[:500]}
        print(f"answer {json.dumps(answer)}", flush=True)


if __name__ == "__main__":
    main()
