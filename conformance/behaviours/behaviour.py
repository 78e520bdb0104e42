"""Behaviours: small programs whose results TensorFlow has recorded.

A case is a function of `tf` that returns what it computes, or raises:

    @case
    def mean_of_bytes(tf):
        return tf.reduce_mean(tf.constant([200, 200], tf.uint8))

    @case(dtype=["int8", "uint8"], axis=[0, None])      # one case for each combination
    def sum_at_the_extremes(tf, dtype, axis): ...

A file whose cases change the whole process says so: `SETUP = "tf.experimental.numpy.experimental_enable_numpy_behavior()"`
runs first, in a process for that file alone.

`run.py --record` runs the cases on TensorFlow and writes results to recorded/; `run.py` runs them on gradtape and compares.
Cases that differ and are not repaired stay, listed in different.tsv with the reason.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import json
import math
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
TOLERANCES = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
    "float32": 2e-5,
    "complex64": 2e-5,
    "float64": 1e-9,
    "complex128": 1e-9,
}


class Case(NamedTuple):
    """A program, its arguments besides `tf`, and how exactly its numbers must agree (None: by dtype)."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    tolerance: float | None

    def run(self, tf: Any) -> Any:
        """The encoded outcome of the program: a value or the class of an error."""
        module = self.function.__module__
        if hasattr(sys.modules[module], "SETUP") and not ALONE:
            return _outcomes_alone(tf.__name__, module.rpartition(".")[2])[self.name]
        return self.run_here(tf)

    def run_here(self, tf: Any) -> Any:
        """The encoded outcome, computed in this process."""
        try:
            result = self.function(tf, **self.arguments)
            return {"value": encode(tf, result)}
        except Exception as error:
            return {"raises": error_classes(tf, error)}


_registered: dict[str, list[Case]] = {}


@functools.cache
def _outcomes_alone(library: str, area: str) -> dict[str, Any]:
    """The outcomes of an area that changes the whole process, by case, computed in another one."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as written:
        program = f"import {library} as tf; import behaviour; behaviour.write_alone(tf, {area!r}, {written.name!r})"
        subprocess.run([sys.executable, "-c", program], cwd=HERE, check=True, capture_output=True)
        return json.load(written)  # type: ignore[no-any-return]


def write_alone(tf: Any, area: str, path: str) -> None:
    """Write the outcomes of an area to a file, in a process that is there for this."""
    ALONE.append(area)
    warnings.simplefilter("ignore")
    own = cases(area)
    exec(sys.modules[f"cases.{area}"].SETUP, {"tf": tf})
    Path(path).write_text(json.dumps({c.name: c.run_here(tf) for c in own}))


ALONE: list[str] = []


def case(function: Callable[..., Any] | None = None, *, tolerance: float | None = None, **choices: list[Any]) -> Any:
    """Register a program as a case, or as one for each combination of arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        cases = _registered.setdefault(function.__module__, [])
        for values in itertools.product(*choices.values()):
            label = ", ".join(str(v) for v in values)
            name = f"{function.__name__}[{label}]" if choices else function.__name__
            if any(c.name == name for c in cases):
                raise ValueError(f"{function.__module__}: two cases must not share the name {name}")
            cases.append(Case(name, function, dict(zip(choices, values, strict=True)), tolerance))
        return function

    return register if function is None else register(function)


def areas() -> list[str]:
    """The names of the files in cases/."""
    return sorted(p.stem for p in (HERE / "cases").glob("*.py") if not p.stem.startswith("_"))


def cases(area: str) -> list[Case]:
    """The cases of a file in cases/."""
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    module = importlib.import_module(f"cases.{area}")
    return _registered.get(module.__name__, [])


def known_differences() -> dict[str, str]:
    """The cases in which gradtape differs from TensorFlow, as `area.case`, with the reason."""
    lines = (HERE / "different.tsv").read_text().splitlines()
    return dict(line.split("\t") for line in lines if line)


def error_classes(tf: Any, error: BaseException) -> list[str]:
    """The public classes of an error, from the most derived: those of `tf.errors` and Python's own."""
    found = []
    for kind in type(error).__mro__:
        if getattr(tf.errors, kind.__name__, None) is kind:
            found.append(f"tf.errors.{kind.__name__}")
        elif kind.__module__ == "builtins":
            found.append(kind.__name__)
    return found


def encode(tf: Any, value: Any) -> Any:
    """A result as JSON: tensors with dtype and shape, structures by their elements."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.decode("latin-1")}
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.bool_):
        return {"int": str(int(value))}
    if isinstance(value, (float, np.floating)):
        return {"float": repr(float(value))}
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [encode(tf, value.flat_values), *(encode(tf, s) for s in value.nested_row_splits)]}
    if isinstance(value, tf.SparseTensor):
        return {"sparse": [encode(tf, value.indices), encode(tf, value.values), encode(tf, value.dense_shape)]}
    if isinstance(value, tf.IndexedSlices):
        return {"slices": [encode(tf, value.indices), encode(tf, value.values)]}
    if isinstance(value, tf.DType):
        return {"dtype": value.name}
    if isinstance(value, tf.TensorShape):
        return {"shape": None if value.rank is None else value.as_list()}
    if isinstance(value, dict):
        return {"dict": [[str(k), encode(tf, value[k])] for k in sorted(value, key=str)]}
    if isinstance(value, (list, tuple)):
        return {"list": [encode(tf, v) for v in value]}
    if isinstance(value, tf.Variable) or tf.is_tensor(value) or hasattr(value, "numpy"):
        value = value.numpy()
    return encode_array(np.asarray(value))


def encode_array(array: np.ndarray[Any, Any]) -> Any:
    """An array: dtype, shape and elements in a form that JSON keeps exactly."""
    flat = (
        array.reshape(-1).tolist() if array.dtype.name != "bfloat16" else array.astype(np.float32).reshape(-1).tolist()
    )
    if array.dtype.kind == "O" or array.dtype.kind in "SU":
        flat = [v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in flat]
        name = "string"
    else:
        name = array.dtype.name
        if array.dtype.kind == "c":
            flat = [[repr(v.real), repr(v.imag)] for v in flat]
        elif name.startswith(("float", "bfloat")):
            flat = [repr(v) for v in flat]
    return {"array": [name, list(array.shape), flat]}


def differences(recorded: Any, found: Any, tolerance: float | None, path: str = "") -> Iterator[str]:
    """What differs between two outcomes; nothing if gradtape does what TensorFlow did."""
    where = path or "result"
    if isinstance(recorded, dict) and "raises" in recorded and not path:
        if "raises" not in found:
            yield f"TensorFlow raises {recorded['raises'][0]}, gradtape returns {str(found)[:200]}"
        elif recorded["raises"][0] not in found["raises"]:
            yield f"TensorFlow raises {recorded['raises'][0]}, gradtape {found['raises'][0]}"
        return
    if isinstance(found, dict) and "raises" in found and not path:
        yield f"gradtape raises {found['raises'][0]}, TensorFlow returns {str(recorded)[:200]}"
        return
    if type(recorded) is not type(found):
        yield f"{where}: {str(recorded)[:200]} in TensorFlow, {str(found)[:200]} here"
    elif isinstance(recorded, dict):
        if recorded.keys() != found.keys():
            yield f"{where}: {str(recorded)[:200]} in TensorFlow, {str(found)[:200]} here"
        elif "array" in recorded:
            yield from _array_differences(recorded["array"], found["array"], tolerance, where)
        elif "float" in recorded:
            if not _close(float(recorded["float"]), float(found["float"]), tolerance or 2e-5):
                yield f"{where}: {recorded['float']} in TensorFlow, {found['float']} here"
        else:
            for key in recorded:
                yield from differences(recorded[key], found[key], tolerance, f"{path}.{key}")
    elif isinstance(recorded, list):
        if len(recorded) != len(found):
            yield f"{where}: {len(recorded)} elements in TensorFlow, {len(found)} here"
        else:
            for i, (a, b) in enumerate(zip(recorded, found, strict=True)):
                yield from differences(a, b, tolerance, f"{path}[{i}]")
    elif recorded != found:
        yield f"{where}: {recorded!r} in TensorFlow, {found!r} here"


def _array_differences(recorded: Any, found: Any, tolerance: float | None, where: str) -> Iterator[str]:
    (dtype, shape, elements), (own_dtype, own_shape, own) = recorded, found
    if (dtype, shape) != (own_dtype, own_shape):
        yield f"{where}: {dtype}{shape} in TensorFlow, {own_dtype}{own_shape} here"
    elif dtype in TOLERANCES:
        limit = TOLERANCES[dtype] if tolerance is None else tolerance
        numbers = [_numbers(e) for e in elements], [_numbers(e) for e in own]
        scale = max((abs(v) for pair in numbers[0] for v in pair if math.isfinite(v)), default=0.0)
        if not all(
            _close(x, y, limit, scale) for p, q in zip(*numbers, strict=True) for x, y in zip(p, q, strict=True)
        ):
            yield f"{where}: {str(elements)[:200]} in TensorFlow, {str(own)[:200]} here"
    elif elements != own:
        yield f"{where}: {str(elements)[:200]} in TensorFlow, {str(own)[:200]} here"


def _numbers(element: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in element) if isinstance(element, list) else (float(element),)


def _close(x: float, y: float, tolerance: float, scale: float = 0.0) -> bool:
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    if math.isinf(x) or math.isinf(y):
        return x == y
    # Where everything cancels to nearly nothing, only rounding is left to compare.
    return abs(x - y) <= tolerance * max(abs(x), scale, 0.05)


def describe(function: Callable[..., Any]) -> str:
    """The source of a case, for reports."""
    return inspect.getsource(function)
