"""The public functions, called as conformance/behaviours calls them, with arguments of unknown sizes and ranks.

Each expression becomes a function of the arrays that it makes: `tf.linalg.det(normal(3, 3))` is `lambda a: tf.linalg.det(a)`. What it gives
for arrays of known sizes it gives for tensors of which sizes, or ranks too, are unknown while it is traced.
"""

import ast
import json
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import gradtape as tf

FOLDER = Path(__file__).parents[3] / "conformance" / "behaviours"
sys.path.insert(0, str(FOLDER))
import behaviour  # noqa: E402
from cases import _expression  # noqa: E402

AREAS = (
    "arrays_indexing", "arrays_shapes", "image_transforms", "linalg_functions", "math_functions", "nn_functions", "nn_layers",
    "numpy_arrays", "numpy_math", "signal",
)  # fmt: skip
MAKERS = ("c", "ramp", "normal", "image")
# These need a size, a rank or a value while they are traced, in TensorFlow too, or make variables of their arguments.
REFUSED = (
    "tf.boolean_mask",
    "tf.unstack",
    "tf.Variable",
    "tf.math.add_n(c(",
    "tnp.polyval",
    "eigh_tridiagonal",
    "tnp.nonzero",
)
# A linear operator is an object of its own, which is not made again when sizes are known.
_OBJECTS = ("conjugate_gradient",)
LEFT = {
    "sizes": _OBJECTS,
    "some": _OBJECTS,
    "ranks": _OBJECTS,
}


class Arrays(ast.NodeTransformer):
    """Takes the arrays that an expression makes out of it, as parameters."""

    def __init__(self):
        self.found, self._bound = [], set()

    def visit_Lambda(self, node):
        before, self._bound = self._bound, self._bound | {a.arg for a in node.args.args}
        node.body = self.visit(node.body)
        self._bound = before
        return node

    def visit_Call(self, node):
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if isinstance(node.func, ast.Name) and node.func.id in MAKERS and not names & self._bound:
            return self._parameter(node)
        node.args = [self._parameter(a) if _is_of_floats(a) else self.visit(a) for a in node.args]
        node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return node

    def _parameter(self, node):
        self.found.append(ast.unparse(node))
        return ast.Name(f"array_{len(self.found) - 1}", ast.Load())


def _is_of_floats(node):
    """True for a list of numbers that is an array, and no shape or list of axes."""
    if not isinstance(node, ast.List) or any(isinstance(n, (ast.Name, ast.Call)) for n in ast.walk(node)):
        return False
    try:
        found = np.array(ast.literal_eval(node))
    except ValueError:
        return False  # lists of different lengths
    return found.size > 0 and found.dtype.kind in "fc"


def programs():
    """Triples of an expression, the same without its arrays, and the expressions of those: of all that TensorFlow recorded tensors for."""
    for area in AREAS:
        recorded = json.loads((FOLDER / "recorded" / f"{area}.json").read_text())
        for case in behaviour.cases(area):
            text = case.arguments.get("expression", "static(")
            is_tensors = "'array': [" in str(recorded[case.name].get("value")) and f"{area}.{case.name}" not in KNOWN
            if not is_tensors or any(word in text for word in (*REFUSED, "static(", "message(", "traced(")):
                continue
            arrays = Arrays()
            tree = arrays.visit(ast.parse(text, mode="eval"))
            if arrays.found:
                yield text, ast.unparse(ast.fix_missing_locations(tree)), arrays.found


KNOWN = behaviour.known_differences()
PROGRAMS = {text: parts for text, *parts in programs()}
CASES = [
    (text, how) for text in PROGRAMS for how in ("sizes", "ranks", "some") if not any(w in text for w in LEFT[how])
]


def function_of(text, count):
    """The expression as a function of its arrays."""
    return eval(f"lambda {', '.join(f'array_{i}' for i in range(count))}: {text}", _expression.names(tf))


def shapes_of(arrays, how, text):
    if how == "ranks":
        return [None for _ in arrays]
    random = np.random.default_rng(zlib.crc32(text.encode()))
    return [[None if how == "sizes" or random.random() < 0.5 else d for d in x.shape] for x in arrays]


def tensors(result):
    return [t for t in tf.nest.flatten(result, expand_composites=True) if isinstance(t, tf.Tensor)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("text", "how"), CASES, ids=[f"{text}-{how}" for text, how in CASES])
def test_every_op_expression(text, how):
    without, made = PROGRAMS[text]
    f = function_of(without, len(made))
    arrays = [tf.convert_to_tensor(function_of(m, 0)()) for m in made]
    wanted = tensors(f(*arrays))
    specs = [tf.TensorSpec(s, x.dtype) for s, x in zip(shapes_of(arrays, how, text), arrays, strict=True)]
    concrete = tf.function(f, autograph=False).get_concrete_function(*specs)
    for got, want in zip(tensors(concrete(*arrays)), wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        if want.dtype.is_floating or want.dtype.is_complex:
            near = 2e-4 if want.dtype.size > 2 else 2e-2
            np.testing.assert_allclose(tf.cast(got, tf.complex128), tf.cast(want, tf.complex128), rtol=near, atol=1e-4)
        else:
            np.testing.assert_array_equal(got, want)
    for static, want in zip(tensors(concrete.structured_outputs), wanted, strict=True):
        assert static.shape.is_compatible_with(want.shape), f"{static.shape} was said of {want.shape}"
