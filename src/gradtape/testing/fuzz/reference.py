"""Programs against another library that has TensorFlow's names, in a process of its own."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from gradtape.core import dtypes
from gradtape.testing.fuzz import text
from gradtape.testing.fuzz.agreement import mismatch
from gradtape.testing.fuzz.checks import Case

# TensorFlow gives no gradient to what a recomputed function captures, and two updates of one place are in no order there.
_OTHERWISE = re.compile("recompute_grad|scatter_nd_update|scatter_update|scatter_nd_(max|min)")


class Reference:
    """Another library, asked for the results of programs.

    Attributes:
      compared: how many programs it could run too.
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

    def close(self) -> None:
        """End the process."""
        self._process.communicate()  # it ends when nothing comes in any more

    def __call__(self, case: Case) -> str:
        """What differs, as a check of a program; nothing if the library cannot run it."""
        steps = list(case.program.every_step())
        if case.program.imports or any(step.random or _OTHERWISE.search(step.text) for step in steps):
            return ""  # ops that only gradtape has; other random numbers
        answer = self._asked(self._question(case))
        if "error" in answer:
            return ""
        self.compared += 1
        outputs = [_decoded(x) for x in answer["outputs"]]
        count = len(outputs)
        wrong = mismatch(outputs, case.twice[:count], [m[:count] for m in case.twice_moved], case.slope)
        gradients = [_decoded(x) for x in answer["gradients"]]
        return wrong or mismatch(gradients, case.gradient, case.gradient_moved, 5.0 * case.slope)

    def _question(self, case: Case) -> dict[str, Any]:
        program = case.program
        count = len(program.outputs)
        return {
            "text": text.script(program, self._library),
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
