"""Programs against another library that has TensorFlow's names, or is lent them, in a process of its own."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import text
from fuzz.agreement import mismatch
from fuzz.checks import Case
from fuzz.program import Program, without_dead
from fuzz.reductions import values_of, without_step
from gradtape.core import dtypes

# What only gradtape has; what TensorFlow does otherwise: it gives no gradient to what a recomputed function captures, two updates of
# one place are in no order there, and zeros have no place in its derivative of a running product.
_OTHERWISE = (
    "REGISTRY", "recompute_grad", "cumprod", "scatter_update", "scatter_nd_update", "scatter_nd_max", "scatter_nd_min",
    "tensor_scatter_nd_update", "tensor_scatter_nd_max", "tensor_scatter_nd_min", "scatter_max", "scatter_min",
)  # fmt: skip
_LACKS = re.compile(r"has no attribute '(\w+)'")
_MOST = 12  # names that a library may lack in a program


class Reference:
    """Another library, asked for the results of programs.

    Attributes:
      compared: how many programs it could run too.
      lacks: names that it does not know.
    """

    def __init__(self, library: str, python: str = "") -> None:
        self._library = library
        server = Path(__file__).with_name("reference_server.py")
        self._process = subprocess.Popen(
            [python or sys.executable, "-P", server, library],  # -P: the modules beside the script are none of its own
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH" or not python},
        )
        self.compared = 0
        self.lacks = set(_OTHERWISE)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()  # it ends when nothing comes in any more

    def __call__(self, case: Case) -> str:
        """What differs, as a check of a program without the steps that the library lacks; nothing if it cannot run the rest."""
        for _ in range(_MOST):
            program = self._known(case.program)
            if not program.outputs:
                return ""
            case = case if program == case.program else Case(program)
            with case.instance:
                answer = self._asked(self._question(case))
                if "error" not in answer:
                    self.compared += 1
                    return self._compared(case, answer)
            lacking = _LACKS.search(answer["error"])
            if not lacking:
                return ""
            self.lacks.add(lacking[1])
        return ""

    def _known(self, program: Program) -> Program:
        """The program with inputs in place of steps that the library lacks, or that draw random numbers."""
        values = None
        for k in reversed(range(len(program.steps))):
            if any(step.random or self._is_lacking(step.text) for step in program.steps[k].inside()):
                values = values_of(program) if values is None else values
                program = without_step(program, k, values)
        return without_dead(replace(program, imports=()))

    def _is_lacking(self, expression: str) -> bool:
        return not self.lacks.isdisjoint(re.findall(r"\w+", expression))

    def _compared(self, case: Case, answer: dict[str, Any]) -> str:
        outputs = [_decoded(x) for x in answer["outputs"]]
        count = len(outputs)
        wrong = mismatch(outputs, case.twice[:count], [m[:count] for m in case.twice_moved], case.slope)
        if self._library == "jax" and not all(step.smooth for step in case.program.every_step()):
            return wrong  # at a kink it has another derivative
        gradients = [_decoded(x) for x in answer["gradients"]]
        return wrong or mismatch(gradients, case.gradient, case.gradient_moved, 5.0 * case.slope)

    def _question(self, case: Case) -> dict[str, Any]:
        program = case.program
        count = len(program.outputs)
        return {
            "text": text.script(program, "library"),
            "gradient": case.instance.gradient_text(case.twice[:count]),
            "inputs": list(program.inputs),
            "variables": list(program.variables),
            "initial": list(program.variables.values()),
        }

    def _asked(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("answer "):
                return json.loads(line.removeprefix("answer "))  # type: ignore[no-any-return]
        raise RuntimeError(f"the process with {self._library} has ended.")


def _decoded(x: dict[str, Any]) -> Any:
    dtype = dtypes.as_dtype(x["dtype"]).numpy
    return np.frombuffer(base64.b64decode(x["data"]), dtype).reshape(x["shape"])
