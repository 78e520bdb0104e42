"""The algebra of sizes that are not known, against Python's ints."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradtape.core.dims import Dim, Undecided, alone, bounds, new_size
from gradtape.core.paths import explore
from gradtape.testing.contract.unknown_sizes import evaluate

OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "divmod": lambda a, b: sum(divmod(a, b)),
    "max": lambda a, b: max(a, b),
    "min": lambda a, b: min(a, b),
    "abs": lambda a, b: abs(a - b),
    "prod": lambda a, b: math.prod((a, b, a)),
}
COMPARISONS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "bool": lambda a, b: bool(a),
}
EXPRESSIONS = st.recursive(
    st.one_of(st.sampled_from("mn"), st.integers(-4, 9)),
    lambda parts: st.tuples(st.sampled_from(sorted(OPERATORS)), parts, parts),
    max_leaves=5,
)


def compute(expression, sizes):
    """The value of an expression in which letters are sizes."""
    if isinstance(expression, tuple):
        name, a, b = expression
        return OPERATORS[name](compute(a, sizes), compute(b, sizes))
    return sizes[expression] if isinstance(expression, str) else expression


def holds(path, numbers):
    """True if what symbols are on a path is true of the numbers."""
    pairs = [(numbers.get(atom), evaluate(value, numbers)) for atom, value in path.equal.items()]
    return all(None in pair or pair[0] == pair[1] for pair in pairs)


def outcome(run):
    try:
        return run()
    except ZeroDivisionError:
        return "divides by 0"


@given(EXPRESSIONS, st.integers(0, 9), st.integers(0, 9))
def test_one_path_has_the_value_that_ints_have(expression, m, n):
    """Of all paths those which fit the numbers give the number; there is at least one."""
    symbols = {"m": new_size(), "n": new_size()}
    numbers = {alone(symbols["m"]): m, alone(symbols["n"]): n}

    def run(path):
        return outcome(lambda: compute(expression, symbols))

    found, problems, is_complete = explore(run, (Undecided,), 400)
    if problems or not is_complete:
        return
    want = outcome(lambda: compute(expression, {"m": m, "n": n}))
    values = [r if isinstance(r, str) else evaluate(r, numbers) for r, path in found if holds(path, numbers)]
    assert want in values


@given(st.sampled_from(sorted(COMPARISONS)), EXPRESSIONS, st.integers(0, 9), st.integers(0, 9))
def test_a_comparison_without_choice_is_right(name, expression, m, n):
    symbols = {"m": new_size(), "n": new_size()}
    ask = COMPARISONS[name]

    def run(path):
        return outcome(lambda: ask(compute(expression, symbols), symbols["m"]))

    found, problems, is_complete = explore(run, (Undecided,), 400)
    if is_complete and not problems and len({r for r, _ in found}) == 1:
        want = outcome(lambda: ask(compute(expression, {"m": m, "n": n}), m))
        assert found[0][0] == want


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_bounds_contain_the_number(terms, m, n):
    a, b = new_size(), new_size(1, 9)
    n = max(n, 1)
    dim = sum(c * math.prod([a] * i + [b] * j) for c, i, j in terms)
    low, high = bounds(dim)
    assert low <= sum(c * m**i * n**j for c, i, j in terms) <= high


def test_symbols_cancel():
    n, m = new_size(1), new_size(1)

    def run(path):
        same = [(n - n, 0), (6 * n // n, 6), ((6 * n + 3) % 2, 1), ((4 * n + 8) // 4 - n, 2)]
        assert [(type(found), found) for found, _ in same] == [(int, want) for _, want in same]
        assert alone(n * (m + 1) // (m + 1)) is alone(n)
        assert alone(n // 2) is alone(n // 2)

    assert explore(run, ()).is_complete


def test_a_symbol_is_an_int_of_which_nobody_has_the_number():
    n = new_size()
    assert isinstance(n, int)
    assert f"{n} {n!r} {(n,)}" == "? ? (?,)"
    asked = [lambda: hash(n), lambda: int(n), lambda: range(n), lambda: [0] * n, lambda: np.zeros(n), lambda: n == 3,
             lambda: n * 0.5, lambda: n / 2, lambda: {n: 1}, lambda: math.sqrt(n), lambda: np.array([n], np.int32)]  # fmt: skip
    for ask in asked:
        with pytest.raises(Undecided):
            ask()


def test_floats_at_the_ends_are_compared():
    n = new_size()
    assert n < math.inf
    assert n > -math.inf
    assert n is not None
    assert type(n + np.int64(2)) is Dim


NUMBERS = {
    "float": lambda n: n * 0.5 + 1.5 - n,
    "floor of a float": lambda n: n // 0.5 + n % 0.75,
    "bits": lambda n: (n & 6) | (n ^ 1) | (3 & n),
    "shifts": lambda n: (1 << n) + (64 >> n) + int(n >> 1) + int(n << 2),
    "inverted": lambda n: int(~n),
    "power": lambda n: 2**n,
    "bit_length": lambda n: max(0, n - 1).bit_length(),
    "ratio": lambda n: n.as_integer_ratio(),
    "real": lambda n: n.real + n.imag,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_what_else_an_int_can_do(name):
    """Of a symbol in a narrow range each number is tried; of another it is not decided, and never an AttributeError."""
    found, problems, is_complete = explore(lambda path: NUMBERS[name](new_size(2, 5)), (Undecided,))
    assert (problems, is_complete) == ([], True)
    numbers = [number for number, _ in found]
    assert sorted(set(numbers)) == sorted({NUMBERS[name](n) for n in range(2, 6)})
    free = explore(lambda path: int(sum(np.atleast_1d(NUMBERS[name](new_size())))), (Undecided,))
    assert free.problems
    assert not hasattr(new_size(), "dtype")
