"""AutoGraph: random programs of nested branches, loops and jumps compute what Python computes."""

import linecache
import random

import pytest

import gradtape as tf

NAMES = ("a", "b", "c")


class Writer:
    """Writes a function of three integers. Loops end, and all variables have values from the start."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["def program(a, b, c):"]
        self.count = 0
        self.jumps = True
        self.returns = True  # where a branch over a tensor returns, the other one must return too

    def text(self):
        self.block(1, depth=0, in_loop=False)
        self.lines.append("    return a, b, c")
        return "\n".join(self.lines) + "\n"

    def put(self, level, line):
        self.lines.append("    " * level + line)

    def block(self, level, depth, in_loop):
        for _ in range(self.random.randint(1, 3)):
            self.statement(level, depth, in_loop)

    def statement(self, level, depth, in_loop):
        kinds = ["assign", "assign"]
        if depth < 4:
            kinds += ["branch", "branch", "loop", "while", "guard"]
        if in_loop and self.jumps:
            kinds += ["jump", "jump"]
        getattr(self, self.random.choice(kinds))(level, depth, in_loop)

    def assign(self, level, depth, in_loop):
        name = self.random.choice(NAMES)
        op = self.random.choice(("=", "+=", "-="))
        self.put(level, f"{name} {op} {self.expression()}")

    def expression(self):
        x, y = self.random.choice(NAMES), self.random.choice(NAMES)
        return self.random.choice(
            (f"{x} + {self.random.randint(1, 4)}", f"{x} - {y}", f"{x} % 7", f"({x} if {self.condition()} else {y})", x)
        )

    def condition(self):
        x, y, n = self.random.choice(NAMES), self.random.choice(NAMES), self.random.randint(-2, 5)
        return self.random.choice(
            (f"{x} > {n}", f"{x} % 3 == 1", f"{x} < {y}", f"{n} <= {x} < {y}", f"not ({x} > {n} or {y} == {n})")
        )

    def branch(self, level, depth, in_loop):
        outside, self.returns = self.returns, False
        self.put(level, f"if {self.condition()}:")
        self.block(level + 1, depth + 1, in_loop)
        for _ in range(self.random.randint(0, 1)):
            self.put(level, f"elif {self.condition()}:")
            self.block(level + 1, depth + 1, in_loop)
        if self.random.random() < 0.5:
            self.put(level, "else:")
            self.block(level + 1, depth + 1, in_loop)
        self.returns = outside

    def loop(self, level, depth, in_loop):
        self.count += 1
        over = self.random.choice(("tf.range(3)", "range(2)", "tf.range(b % 4)"))
        self.put(level, f"for i{self.count} in {over}:")
        self.block(level + 1, depth + 1, True)
        self.ending(level, depth, in_loop)

    def while_(self, level, depth, in_loop):
        self.count += 1
        n = f"n{self.count}"
        self.put(level, f"{n} = a * 0")
        self.put(level, f"while {n} < 3 and {self.condition()}:")
        self.put(level + 1, f"{n} += 1")
        self.block(level + 1, depth + 1, True)
        self.ending(level, depth, in_loop)

    def ending(self, level, depth, in_loop):
        if self.random.random() < 0.3:
            outside, self.returns = self.returns, False
            self.put(level, "else:")
            self.block(level + 1, depth + 1, in_loop)
            self.returns = outside

    def jump(self, level, depth, in_loop):
        jump = self.random.choice(("break", "continue", "return a, b, c" if self.returns else "break"))
        self.put(level, f"if {self.condition()}:")
        self.put(level + 1, self.random.choice(("a += 1", "b = c", "pass")))
        self.put(level + 1, jump)

    def guard(self, level, depth, in_loop):
        kind = self.random.choice(("finally", "except", "with"))
        self.put(level, 'with tf.name_scope("s"):' if kind == "with" else "try:")
        outside = self.jumps
        self.jumps = outside and kind != "except"  # an exception after a jump would depend on a tensor
        self.block(level + 1, depth + 1, in_loop)
        self.jumps = outside
        if kind == "finally":
            self.put(level, "finally:")
            self.put(level + 1, "c += 1")
        elif kind == "except":
            self.put(level + 1, "raise KeyError")
            self.put(level, "except KeyError:")
            self.block(level + 1, depth + 1, in_loop)


setattr(Writer, "while", Writer.while_)


def written(seed):
    """A random function, with its source where Python looks for it."""
    text, name = Writer(seed).text(), f"<random program {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {"tf": tf}
    exec(compile(text, name, "exec"), space)
    return space["program"], text


@pytest.mark.parametrize("seed", range(40))
def test_as_in_python(seed):
    program, text = written(seed)
    traced = tf.function(program)
    for numbers in ((1, 2, 3), (5, -1, 4), (-3, 6, 0)):
        wanted = [int(v) for v in program(*[tf.constant(n) for n in numbers])]
        assert [int(v) for v in traced(*[tf.constant(n) for n in numbers])] == wanted, text
        assert [int(v) for v in tf.autograph.to_graph(program)(*numbers)] == wanted, text
