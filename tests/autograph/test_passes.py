"""AutoGraph's passes: the variables that they find, the lines that they keep, and how the source is found."""

import ast
import os
import re
from types import FunctionType

import pytest

import gradtape as tf
from autograph.programs import PROGRAMS
from autograph.simple_functions import FUNCTIONS, METHODS, Scaled, decorated, halved, straight
from gradtape.autograph import _cache as rewriting
from gradtape.autograph._calls import called
from gradtape.autograph._compile import rewritten_code
from gradtape.autograph._liveness import Variables
from gradtape.autograph._source import _files, tree_of

PLAIN = [f for f in PROGRAMS if isinstance(f, FunctionType)]


def rewritten(function):
    """The function as it is rewritten."""
    space = {}
    exec(rewritten_code(function), space)
    return rewriting._instance(function, space["outer__"](), called)


def plain(value):
    return tf.nest.map_structure(lambda v: v.numpy().tolist() if isinstance(v, tf.Tensor) else v, value)


@pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__qualname__ for f in FUNCTIONS])
def test_functions_compute_what_python_computes(function):
    call = METHODS.get(function, lambda f: f)
    traced = tf.function(tf.autograph.experimental.do_not_convert(call(rewritten(function))), autograph=False)
    for value in (0.5, -3.0, 7.0):
        assert plain(traced(tf.constant(value), 2.0)) == plain(call(function)(tf.constant(value), 2.0))


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


def test_nested_loops_are_not_analysed_again_and_again(monkeypatch):
    depth, asked = 12, []
    lines = ["def f(x):"]
    for d in range(depth):
        lines += [" " * (d + 1) + f"for i{d} in x:", " " * (d + 2) + f"y = i{d}"]
    lines += [" " * (depth + 1) + "x = x + y", " return x"]
    live = Variables._live

    def counted(self, body, after):
        asked.append(body)
        return live(self, body, after)

    monkeypatch.setattr(Variables, "_live", counted)
    variables = Variables(ast.parse("\n".join(lines)).body[0])
    assert [b.names for b in variables.blocks.values()] == [["x"]] * depth
    assert len(asked) < 10 * depth


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

    def test_traceback_through_jumps_names_the_users_lines(self):
        def f(x):
            for k in range(4):
                if k == 1:
                    continue
                try:
                    if k == 3:
                        break
                    x = x + {0: 1.0}[k]
                finally:
                    x = x * 1.0
            return x

        with pytest.raises(KeyError) as caught:
            tf.function(f)(tf.constant(1.0))
        first = f.__code__.co_firstlineno
        found = [int(line) for line in re.findall(r"line (\d+), in f\n", str(caught.value))]
        assert found[0] == first + 1
        assert found[-1] == first + 7
        assert set(found) <= {first + k for k in (1, 2, 4, 5, 7)}

    def test_refusals_in_jumps_name_the_users_lines(self):
        def f(x):
            for row in x:
                if row > 1.0:
                    break
                x = tf.concat([x, x], 0)
            return x

        with pytest.raises(ValueError, match="'x' has shape") as caught:
            tf.function(f)(tf.constant([1.0, 2.0]))
        assert f"{os.path.basename(__file__)}:{f.__code__.co_firstlineno + 1} in f" in str(caught.value)

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

    @pytest.mark.parametrize("function", [*FUNCTIONS, *PLAIN], ids=lambda f: f.__qualname__)
    def test_code_has_no_lines_of_its_own(self, function):
        def lines(code):
            found = {line for _, _, line in code.co_lines() if line}
            return found.union(*[lines(c) for c in code.co_consts if hasattr(c, "co_lines")])

        whole = tree_of(function)
        made = lines(rewritten(function).__code__)
        assert made <= set(range(whole.lineno, whole.end_lineno + 1))

    def test_positions_are_those_of_the_file(self):
        made = rewritten(straight).__code__
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
