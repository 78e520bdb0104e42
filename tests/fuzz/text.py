"""Programs as Python text: to run them, and to show them.

The text only uses public names, so that another library with TensorFlow's names can run it too.
"""

from __future__ import annotations

import ast
import re

from fuzz.program import Block, Program, Step

_INDENT = "    "
_WIDER = {"float16": "float64", "bfloat16": "float64", "float32": "float64", "complex64": "complex128"}


def script(program: Program, library: str = "gradtape", noisy: bool = False) -> str:
    """The whole program: imports, inputs, variables and the function `f`.

    Args:
      program: what to write.
      library: the module that is imported as `tf`.
      noisy: whether each value is passed through a function `noise`, which must be there.
    """
    lines = ["import numpy as np", "", f"import {library} as tf", *program.imports, ""]
    lines += [f"{name} = {text}" for name, text in program.inputs.items()]
    moved = "noise({})" if noisy else "{}"
    lines += [f"{name} = tf.Variable({moved.format(text)})" for name, text in program.variables.items()]
    lines += ["", "", *function(program, noisy)]
    return "\n".join(lines) + "\n"


def function(program: Program, noisy: bool = False) -> list[str]:
    """The lines of the function."""
    lines = [f"def f({', '.join(program.inputs)}):"]
    if noisy:
        lines += [f"{_INDENT}{name} = noise({name})" for name in program.inputs]
    for step in program.steps:
        lines += [_INDENT + line for line in statement(step, noisy)]
    results = "".join(f"{name}, " for name in program.outputs)
    return [*lines, f"{_INDENT}return ({results})"]


def gradient_function(inputs: list[str], watched: list[str], targets: list[int], sources: list[str]) -> str:
    """The function `g`: the gradients of outputs of `f`, weighted by the arrays `weights`.

    Args:
      inputs: names of the inputs.
      watched: those that can have a gradient.
      targets: positions of outputs that can have one.
      sources: names of inputs and variables that gradients are wanted of.
    """
    lines = [
        f"def g({', '.join(inputs)}):",
        "    with tf.GradientTape() as tape:",
        f"        tape.watch([{', '.join(watched)}])",
        f"        y = f({', '.join(inputs)})",
        f"        y = [{', '.join(f'y[{k}]' for k in targets)}]",
        f"    return tape.gradient(y, [{', '.join(sources)}], output_gradients=weights, unconnected_gradients='zero')",
    ]
    return "\n".join(lines) + "\n"


def widened(text: str) -> str:
    """The text with float64 and complex128 in place of narrower types."""
    return re.sub(r"\btf\.(float16|bfloat16|float32|complex64)\b", lambda m: f"tf.{_WIDER[m[1]]}", text)


def statement(step: Step, noisy: bool = False) -> list[str]:
    """The lines of a step."""
    return _FORMS[step.form](step, noisy)


def _call(step: Step, noisy: bool) -> list[str]:
    names = [f"{_label(step)}_{i}" for i in range(len(step.blocks))]
    lines = [line for name, block in zip(names, step.blocks, strict=True) for line in _nested(name, block, noisy)]
    return [*lines, _assignment(step, step.text.format(*names) if step.blocks else step.text, noisy)]


def _assignment(step: Step, expression: str, noisy: bool) -> str:
    expression = _noisy(expression) if noisy else expression
    if not step.results:
        return expression
    targets = ", ".join(step.results)
    return f"{targets} = noise({expression})" if noisy else f"{targets} = {expression}"


def _noisy(expression: str) -> str:
    """The expression with noise on what its parts compute: each of them rounds, in its own dtype."""
    return ast.unparse(_Noisy().visit(ast.parse(expression, mode="eval")))


class _Noisy(ast.NodeTransformer):
    """Passes the results of functions and operators through `noise`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_function = _root(node.func) in ("tf", "REGISTRY")
        self.generic_visit(node)
        return _moved(node) if is_function else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _moved(node)


def _moved(node: ast.expr) -> ast.expr:
    return ast.Call(ast.Name("noise", ast.Load()), [node], [])


def _root(node: ast.expr) -> str:
    """The name that an expression of attributes, items and calls begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _label(step: Step) -> str:
    """A name for what belongs to a step."""
    return f"f_{step.results[0]}" if step.results else "f_effect"


def _nested(name: str, block: Block, noisy: bool) -> list[str]:
    """A block as a function."""
    return [
        f"def {name}({', '.join(block.params)}):",
        *_body(block, noisy),
        f"{_INDENT}return {', '.join(block.results)}",
    ]


def _body(block: Block, noisy: bool) -> list[str]:
    return [_INDENT + line for step in block.steps for line in statement(step, noisy)]


def _ends(block: Block, targets: tuple[str, ...]) -> str:
    """The line that hands the results of a block over."""
    return f"{_INDENT}{', '.join(targets)} = {', '.join(block.results)}"


def _if(step: Step, noisy: bool) -> list[str]:
    """`if` over a tensor: two blocks, the text is the condition."""
    yes, no = step.blocks
    lines = [f"if {step.text}:", *_body(yes, noisy), _ends(yes, step.results)]
    return [*lines, "else:", *_body(no, noisy), _ends(no, step.results)]


def _for(step: Step, noisy: bool) -> list[str]:
    """`for` over a tensor: the text is what the loop goes over and, after a bar, the first values of what it carries."""
    over, first = step.text.split(" | ")
    (body,) = step.blocks
    carried = ", ".join(body.params[1:])
    lines = [
        f"{carried} = {first}",
        f"for {body.params[0]} in {over}:",
        *_body(body, noisy),
        _ends(body, body.params[1:]),
    ]
    return [*lines, f"{', '.join(step.results)} = {carried}"]


def _while(step: Step, noisy: bool) -> list[str]:
    """`while` over a tensor: the text is the condition and, after a bar, the first values of what the loop carries."""
    condition, first = step.text.split(" | ")
    (body,) = step.blocks
    carried = ", ".join(body.params)
    lines = [f"{carried} = {first}", f"while {condition}:", *_body(body, noisy), _ends(body, body.params)]
    return [*lines, f"{', '.join(step.results)} = {carried}"]


def _tape(step: Step, noisy: bool) -> list[str]:
    """A gradient inside the program: the text is what is watched and, after a bar, the method of the tape."""
    watched, method = step.text.split(" | ")
    (body,) = step.blocks
    tape = f"tape_{step.results[0]}"
    lines = [f"with tf.GradientTape() as {tape}:", f"{_INDENT}{tape}.watch({watched})", *_body(body, noisy)]
    gradient = f"tf.convert_to_tensor({tape}.{method}({body.results[0]}, {watched}, unconnected_gradients='zero'))"
    return [*lines, _assignment(step, gradient, noisy)]


def _forward(step: Step, noisy: bool) -> list[str]:
    """A derivative along a direction: the text is what moves and, after a bar, the direction."""
    moving, along = step.text.split(" | ")
    (body,) = step.blocks
    name = f"accumulator_{step.results[0]}"
    lines = [f"with tf.autodiff.ForwardAccumulator({moving}, {along}) as {name}:", *_body(body, noisy)]
    return [*lines, _assignment(step, f"{name}.jvp({body.results[0]}, unconnected_gradients='zero')", noisy)]


_FORMS = {"call": _call, "if": _if, "for": _for, "while": _while, "tape": _tape, "forward": _forward}
