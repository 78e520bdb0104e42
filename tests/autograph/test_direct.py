"""AutoGraph's direct road: functions of simple statements are rewritten without malt, and become what malt makes of them."""

import ast
import os
import subprocess
import sys
from types import FunctionType

import pytest

import gradtape as tf
from autograph.simple_functions import FUNCTIONS, METHODS, Scaled, decorated, halved, straight
from gradtape.autograph import _cache as rewriting
from gradtape.autograph import _compile as compilation
from gradtape.autograph import _malt_conversion as malt_conversion
from gradtape.autograph import _transformer as transformer
from gradtape.autograph._liveness import Variables
from gradtape.autograph._source import _files, tree_of


def rewritten_by(road, function):
    """The function as the direct road, or malt's, rewrites it."""
    code = function.__code__
    tree = road.transformed(tree_of(function), function)
    space = {}
    exec(compile(compilation._enclosed(tree, code.co_freevars), code.co_filename, "exec"), space)
    return rewriting._instance(function, space["outer__"]())


def plain(value):
    return tf.nest.map_structure(lambda v: v.numpy().tolist() if isinstance(v, tf.Tensor) else v, value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__qualname__ for f in FUNCTIONS])
def test_both_roads_give_the_same(function):
    assert transformer.suits(tree_of(function))
    texts, values = [], []
    for road in (transformer, malt_conversion):
        made = rewritten_by(road, function)
        call = METHODS.get(function, lambda f: f)(made)
        traced = tf.function(tf.autograph.experimental.do_not_convert(call), autograph=False)
        values.append([plain(traced(tf.constant(v), 2.0)) for v in (0.5, -3.0, 7.0)])
        texts.append(graph_of(traced))
    assert values[0] == values[1]
    assert texts[0] == texts[1]


def graph_of(traced):
    """What a function became, without the lines that its ops come from."""
    graph = traced.get_concrete_function(tf.constant(0.5), 2.0).graph
    return [line.partition("#")[0] for line in str(graph).splitlines()]


LEFT_TO_MALT = """
def returns_in_a_loop(x):
    for i in tf.range(3):
        if x > 0.0:
            return x
    return -x

def returns_in_a_context(x):
    with tf.name_scope("a"):
        if x > 0.0:
            return x
    return -x

def may_return(x):
    if x > 0.0:
        if x > 1.0:
            return x
        x = x + 1.0
    x = x * 2.0
    return x

def returns_twice(x):
    if x > 0.0:
        return x
    else:
        return -x
    return x

def sets_after_a_return(x, o):
    if x > 0.0:
        return x
    o.y = x
    return o.y

def own_names(x):
    retval_ = x
    if x > 0.0:
        retval_ = x
    return retval_

def breaks(x):
    for i in tf.range(3):
        if x > 1.0:
            break
        x = x + 1.0
    return x

def attributes(x, o):
    if x > 0.0:
        o.y = x
    return o.y

def items(x, o):
    for o[0] in range(3):
        pass
    return o

def with_items(x, o):
    while x > 0.0:
        with o as o.y:
            x = x - 1.0
    return x

def finishes(x):
    for i in range(3):
        x = x + 1.0
    else:
        x = x * 2.0
    return x

def defines(x):
    def inner(y):
        return y
    if x > 0.0:
        x = inner(x)
    return x

def walrus(x):
    return (y := x) + y

def options(x):
    for i in tf.range(3):
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        x = x + 1.0
    return x

def declares(x):
    y: float
    if x > 0.0:
        y = x
    return y

def tries(x):
    try:
        for i in tf.range(3):
            x = x + 1.0
    finally:
        pass
    return x
"""


@pytest.mark.parametrize("node", ast.parse(LEFT_TO_MALT).body, ids=lambda n: n.name)
def test_other_statements_are_left_to_malt(node):
    assert not transformer.suits(node)


def test_variables_of_blocks():
    text = """
def f(a, b):
    for k in a:
        c = k + b
        if c:
            d = c
        else:
            d = b
        e = d
    while b:
        b = b - e
        g = [b for b in a]
        h = lambda e: e + g
    return b, k
"""
    variables = Variables(ast.parse(text).body[0])
    found = [(type(s).__name__, b.names, b.outputs, b.unset) for s, b in sorted(variables.blocks.items(), key=line)]
    assert found == [
        ("For", ["e", "k"], 2, ["e", "k"]),
        ("If", ["d"], 1, ["d"]),
        ("While", ["b"], 1, []),
    ]
    assert variables.unset == {"d", "e", "k"}


def line(pair):
    return pair[0].lineno


class TestLines:
    def test_traceback_names_the_users_lines(self):
        def f(x):
            y = halved(x)
            for k in range(2):
                y = y + fails(
                    k,
                )
            return y

        def fails(k):
            return {}[k] if k is not None else 0.0

        first = f.__code__.co_firstlineno
        with pytest.raises(KeyError) as caught:
            tf.function(f)(tf.constant(1.0))
        text = str(caught.value)
        assert all(f'{__file__}", line {first + k}, in f\n' in text for k in (2, 3))
        assert f'{__file__}", line {fails.__code__.co_firstlineno + 1}, in fails\n' in text
        assert "ag__" not in text

    def test_messages_name_the_users_lines(self):
        def f(x):
            if x > 0.0:
                x = tf.reshape(
                    halved(x),
                    [3, 5],
                )
            return x

        with pytest.raises(ValueError) as caught:
            tf.function(f)(tf.constant(1.0))
        assert f"{os.path.basename(__file__)}:{f.__code__.co_firstlineno + 2} in f" in str(caught.value)

    @pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__qualname__ for f in FUNCTIONS])
    def test_code_has_no_lines_of_its_own(self, function):
        def lines(code):
            found = {line for _, _, line in code.co_lines() if line}
            return found.union(*[lines(c) for c in code.co_consts if hasattr(c, "co_lines")])

        whole = tree_of(function)
        made = lines(rewritten_by(transformer, function).__code__)
        assert made <= set(range(whole.lineno, whole.end_lineno + 1))

    def test_positions_are_those_of_the_file(self):
        made = rewritten_by(transformer, straight).__code__
        wanted = {p for p in straight.__code__.co_positions() if p[0] == straight.__code__.co_firstlineno + 2}
        assert len(wanted & set(made.co_positions())) >= len(wanted) - 1


class TestSource:
    def test_own_lines_are_read_alone(self):
        _files.clear()
        for function in (halved, Scaled.method, Scaled.of_class.__func__, decorated, FUNCTIONS[-1]):
            node = tree_of(function)
            assert getattr(node, "name", "<lambda>") == function.__name__
        assert not _files

    def test_statements_that_end_at_the_margin(self, tmp_path):
        found = functions_of(
            tmp_path,
            "def f(x):\n    return len(\n'''a\nb''',\n)\n\nif True:\n\n    @g\n    @g\n    def h(x):\n"
            "        # c\n        return [\n            x\n    ]\n  # less\nk = [lambda x: x\n + 1, lambda x: x]\n",
        )
        assert [tree_of(f).end_lineno for f in found] == [5, 15, 18, 18]
        assert ast.unparse(tree_of(found[2])) == "lambda x: x + 1"
        assert ast.unparse(tree_of(found[3])) == "lambda x: x"

    def test_first_line(self, tmp_path):
        (found,) = functions_of(tmp_path, "f = lambda x: x\n")
        assert tree_of(found).lineno == 1
        (tmp_path / "other").mkdir()
        (found,) = functions_of(tmp_path / "other", "def f(x):\n    return x\n")
        assert (tree_of(found).lineno, tree_of(found).end_lineno) == (1, 2)


def functions_of(folder, text):
    """All functions of a file with some text, in order."""
    path = folder / "written.py"
    path.write_text(text)
    found = []

    def walk(code):
        for constant in code.co_consts:
            if hasattr(constant, "co_lines"):
                found.append(FunctionType(constant, {}))

    walk(compile(text, str(path), "exec"))
    return found


def test_malt_is_not_loaded(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport gradtape as tf\n\n"
        "def inner(x):\n    y = x\n    if x > 1.0:\n        y = x / 2.0\n    return y\n\n"
        "class Model:\n    def __call__(self, x):\n        return [inner(r) for r in tf.unstack(x)]\n\n"
        "w = tf.Variable(2.0)\nmodel = Model()\n\n"
        "@tf.function\ndef step(x):\n    with tf.GradientTape() as tape:\n        loss = tf.add_n(model(x * w))\n"
        "    for p, g in zip([w], tape.gradient(loss, [w])):\n        p.assign_sub(g)\n    return loss\n\n"
        "print(float(step(tf.constant([4.0, 0.25]))), float(w), 'malt' in sys.modules)\n"
    )
    for cache in (str(tmp_path / "cache"), str(tmp_path / "cache"), "off"):
        environment = os.environ | {"GRADTAPE_CACHE": cache}
        done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
        assert done.stdout == "4.5 -0.25 False\n", done.stderr
