"""What is printed: a difference as a program that runs, and how often each op was used."""

from __future__ import annotations

from collections import Counter

from fuzz.checks import Difference
from fuzz.program import Program
from fuzz.text import script

_COMPILED = "print(tf.function(f)({inputs}))"
_ENDINGS = {
    "compiled": _COMPILED,
    "threads": "for threads in (1, 2):\n    tf.config.threading.set_intra_op_parallelism_threads(threads)\n    "
    + _COMPILED,
    "traced": _COMPILED,
    "gradient_inside": "{gradient}print(g({inputs}))\nprint(tf.function(g)({inputs}))",
    "gradient_around": "h, f = f, tf.function(f)\n{gradient}print(g({inputs}))\nf = h\nprint(g({inputs}))",
}
_GRADIENT = """def g({inputs}):
    with tf.GradientTape() as tape:
        tape.watch([x for x in ({tuple}) if x.dtype.is_trainable])
        y = [y for y in f({inputs}) if y.dtype.is_trainable]
    return tape.gradient(y, [{inputs}], unconnected_gradients="zero")


"""


def printed(program: Program, difference: Difference) -> str:
    """A difference as Python text that shows it."""
    inputs = ", ".join(program.inputs)
    gradient = _GRADIENT.format(inputs=inputs, tuple="".join(f"{name}, " for name in program.inputs))
    ending = _ENDINGS.get(difference.check, "").format(inputs=inputs, gradient=gradient)
    told = "\n".join(f"# {line}" for line in f"{difference.check}: {difference.text}".splitlines())
    return f"# seed {program.seed}\n{told}\n{script(program)}\n\nprint(f({inputs}))\n{ending}\n"


def table(counts: Counter[str], every: list[str]) -> str:
    """How often each op was part of a program that ran, and which never was."""
    width = max(map(len, every), default=0) + 2
    rows = [f"{name:{width}}{counts[name]:7}" for name in sorted(every, key=lambda n: (-counts[n], n))]
    columns = 4
    height = -(-len(rows) // columns)
    lines = ["   ".join(rows[k::height]) for k in range(height)]
    unused = sum(1 for name in every if not counts[name])
    return "\n".join([*lines, f"{len(every) - unused} of {len(every)} ops were used."])
