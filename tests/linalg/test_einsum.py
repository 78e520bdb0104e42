"""tf.einsum: NumPy's einsum is the reference of values, central differences that of derivatives."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradtape as tf
from gradtape.ops.contraction_order import pairwise_order
from gradtape.ops.contraction_path import plan
from gradtape.testing import check_grads

random = np.random.default_rng(3)
LENGTHS = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 1, "f": 2, "g": 3, "h": 2}
IAE = tf.errors.InvalidArgumentError


def normal(term, extra=()):
    return random.normal(size=(*extra, *[LENGTHS[x] for x in term]))


def operands(equation):
    return [normal(term) for term in equation.replace(" ", "").split("->")[0].split(",")]


@st.composite
def equations(draw):
    """Equations of one to four terms: repeated labels, labels that are only summed, implicit results."""
    labels = draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5, unique=True))
    terms = draw(st.lists(st.lists(st.sampled_from(labels), max_size=4).map("".join), min_size=1, max_size=4))
    left = ",".join(terms)
    if draw(st.booleans()):
        return left
    used = sorted(set(left) - {","})
    kept = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
    return f"{left}->{''.join(kept)}"


@settings(max_examples=150, deadline=None)
@given(equations())
def test_values_are_those_of_numpy(equation):
    values = operands(equation)
    wanted = np.einsum(equation, *values, optimize=False)
    found = tf.einsum(equation, *[tf.constant(v) for v in values])
    assert found.dtype is tf.float64
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-10, atol=1e-10)


@st.composite
def ellipses(draw):
    """Terms with an ellipsis, and shapes whose axes under it broadcast."""
    whole = draw(st.lists(st.integers(1, 3), max_size=3))
    terms, shapes = [], []
    for _ in range(draw(st.integers(1, 3))):
        letters = draw(st.lists(st.sampled_from("ab"), max_size=2).map("".join))
        at = draw(st.integers(0, len(letters)))
        part = [n if draw(st.booleans()) else 1 for n in whole[draw(st.integers(0, len(whole))) :]]
        terms.append(f"{letters[:at]}...{letters[at:]}")
        shapes.append((*[LENGTHS[x] for x in letters[:at]], *part, *[LENGTHS[x] for x in letters[at:]]))
    kept = draw(st.permutations(sorted({x for t in terms for x in t} - {"."})))
    return f"{','.join(terms)}->{''.join(kept[:1])}...{''.join(kept[1:])}", shapes


@settings(max_examples=100, deadline=None)
@given(ellipses())
def test_an_ellipsis_broadcasts_as_in_numpy(case):
    equation, shapes = case
    values = [random.normal(size=s) for s in shapes]
    wanted = np.einsum(equation, *values, optimize=False)
    np.testing.assert_allclose(tf.einsum(equation, *values).numpy(), wanted, rtol=1e-10, atol=1e-10)


DIFFERENTIATED = [
    "ab,bc->ac", "ab,bc->ca", "ba,bc->ac", "ab,cb->ac", "ab,ab->", "ab,ab->ab", "ab,ab->a", "a,b->ab", "a,b->ba",
    "dab,dbc->dac", "dab,dcb->dac", "dab,bc->dac", "bc,dab->dac", "dab,dbc->adc", "dhab,dhcb->dhac", "abc,cde->abde",
    "abcd,cde->abe", "bahd,bchd->bhac", "bhac,bchd->bahd", "ab,b->a", "b,ab->a", "dab,db->da", "aa->a", "aa->", "aab->b",
    "aba->ab", "aaa->a", "aa,ab->b", "aabb->ab", "ab->", "ab->b", "ab->ba", "ab,cd->ad", "ab,c->", "ab,bc,cd->ad",
    "a,a,a->a", "ab,bc,ca->", "ab,ac,ad->bcd", "abc,acb->ac", "a,,a->", "ae,eb->ab", "ab,bb,bc->ac", ",->",
]  # fmt: skip


@pytest.mark.parametrize("equation", DIFFERENTIATED)
def test_derivatives(equation):
    check_grads(lambda *values: tf.einsum(equation, *values), operands(equation), order=2)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("...ab,...bc->...ac", [(2, 1, 2, 3), (3, 3, 2)]),
        ("...a,...a->...", [(2, 1, 2), (3, 2)]),
        ("a...,a...->...", [(2, 3, 1), (2, 2)]),
        ("...aa->...a", [(3, 2, 2)]),
        ("...,...,...->...", [(1, 2), (3, 1), ()]),
    ],
)
def test_derivatives_of_broadcasting(equation, shapes):
    check_grads(lambda *v: tf.einsum(equation, *v), [random.normal(size=s) for s in shapes], order=2)


@pytest.mark.parametrize("equation", ["ab,bc->ac", "aa,ab->b", "a,a->", "ab,bc,cd->ad"])
def test_derivatives_of_complex_numbers(equation):
    values = [v + 1j * random.normal(size=v.shape) for v in operands(equation)]
    check_grads(lambda *v: tf.einsum(equation, *v), values, order=2)


@pytest.mark.parametrize("equation", ["ab,bc->ac", "aab->b", "ab,cd->ad", "a,b->ab", "ab->ba"])
def test_a_map_over_einsum(equation):
    values = [np.stack([v, 2.0 * v, -v]) for v in operands(equation)]
    mapped = tf.vectorized_map(lambda vs: tf.einsum(equation, *vs), [tf.constant(v) for v in values])
    wanted = np.stack([np.einsum(equation, *row) for row in zip(*values, strict=True)])
    np.testing.assert_allclose(mapped.numpy(), wanted, rtol=1e-12)


def test_jacobian():
    x, y = (tf.Variable(v) for v in operands("ab,bc->ac"))
    with tf.GradientTape() as tape:
        z = tf.einsum("ab,bc->ca", x, y)
    wanted = np.einsum("ak,bc->cakb", np.eye(2), y.numpy())
    np.testing.assert_allclose(tape.jacobian(z, x).numpy(), wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64", "int32", "int64", "uint8"])
def test_dtypes_are_kept(dtype):
    a, b = (tf.cast(tf.constant(np.arange(6.0).reshape(s)), dtype) for s in ((2, 3), (3, 2)))
    for equation, wanted in (("ij,jk->ik", [[10, 13], [28, 40]]), ("ij,jk->kij", None), ("ij,ji->", 50)):
        found = tf.einsum(equation, a, b)
        assert found.dtype.name == dtype
        if wanted is not None:
            np.testing.assert_array_equal(tf.cast(found, tf.complex64).numpy(), wanted)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_narrow_numbers_are_summed_in_float32(dtype):
    a = tf.cast(tf.constant(random.normal(size=4096)), dtype)
    wanted = np.sum(tf.cast(a, tf.float64).numpy() ** 2)
    for equation in ("i,i->", "i,i,j->j"):
        more = [tf.ones([1], dtype)] * (equation.count(",") - 1)
        found = tf.cast(tf.einsum(equation, a, a, *more), tf.float64).numpy()
        np.testing.assert_allclose(found, wanted if not more else [wanted], rtol=4e-3)


def test_inputs_need_not_be_tensors():
    matrix = np.arange(4.0).reshape(2, 2)
    np.testing.assert_array_equal(tf.einsum("ij,j", [[1.0, 2.0]], [3.0, 4.0]).numpy(), [11.0])
    assert tf.einsum("ij,jk->ik", tf.ones([2, 2]), matrix).dtype is tf.float32
    assert tf.einsum("ij,jk->ik", matrix, tf.ones([2, 2])).dtype is tf.float32
    assert tf.einsum("ij,jk->ik", tf.Variable(matrix), matrix).dtype is tf.float64


def test_blanks_and_options_are_ignored():
    x, y = tf.ones([2, 3]), tf.ones([3, 2])
    np.testing.assert_array_equal(tf.einsum(" i j , j k -> k i ", x, y, optimize="optimal", name="n").numpy(), 3.0)
    assert tf.einsum("ij,jk,kl->il", x, y, x, optimize=True).shape == [2, 3]
    with pytest.raises(TypeError, match="unknown keyword arguments: speed"):
        tf.einsum("ij,jk->ik", x, y, speed="fast")
    with pytest.raises(
        ValueError,
        match=r"optimize must be one of .* got 'best'",
    ):
        tf.einsum("ij,jk->ik", x, y, optimize="best")


@pytest.mark.parametrize(
    ("equation", "shapes", "text"),
    [
        ("i1->i", [(2, 2)], "incorrect format"),
        ("i.j->ij", [(2, 2)], "incorrect format"),
        ("i->i->i", [(2,)], "incorrect format"),
        ("......i->i", [(2,)], "incorrect format"),
        ("ij->ik", [(2, 2)], "the label 'k', which no input has"),
        ("i->ii", [(2,)], "a label of the result twice"),
        ("ij,jk->ik", [(2, 2)], "for 2 inputs, and 1 are given"),
        ("ij->i", [(2,)], r"inputs\[0\] has shape \[2\]"),
        ("...ijk->...", [(2, 2)], "does not have its rank"),
        ("ij,jk->ik", [(2, 1), (3, 4)], r"length 1 in inputs\[0\] and 3 in inputs\[1\]"),
        ("ii->i", [(2, 3)], "length 2 .* and 3"),
        ("...i->i", [(2, 3)], "a result without ..., which stands for 1 axes"),
        ("...i,...i->...", [(2, 3), (4, 3)], r"do not broadcast: \[2\], \[4\]"),
    ],
)
def test_wrong_equations_and_shapes(equation, shapes, text):
    values = [tf.ones(s) for s in shapes]
    for kind in (ValueError, IAE):
        with pytest.raises(kind, match=text) as caught:
            tf.einsum(equation, *values)
    assert "fix:" in str(caught.value)


def test_wrong_dtypes():
    with pytest.raises(IAE, match="dtypes differ"):
        tf.einsum("i,i->", tf.ones([2]), tf.ones([2], tf.int32))
    with pytest.raises(TypeError, match=r"values\[0\] is bool"):
        tf.einsum("i,i->", [True], [False])
    with pytest.raises(TypeError, match="the equation must be a string, got 3"):
        tf.einsum(3, tf.ones([2]))


def recorded(equation, *shapes):
    """The names of the ops that a tape records."""
    values = [tf.ones(s) for s in shapes]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        tf.einsum(equation, *values)
    return [record[0].name for record in tape._recording.records]


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)]),
        ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
        ("...ij,jk->...ik", [(7, 2, 3), (3, 4)]),
    ],
)
def test_a_product_of_matrices_is_one_matmul(equation, shapes):
    assert recorded(equation, *shapes) == ["matmul"]


def test_sums_and_transpositions_keep_no_values():
    assert recorded("ijk->kj", (2, 3, 4)) == ["reduce_sum", "transpose"]
    assert recorded("ij->ji", (2, 3)) == ["transpose"]
    assert recorded("ij->", (2, 3)) == ["reduce_sum"]
    assert recorded("bi,bj->bij", (2, 3), (2, 4)) == ["einsum"]


def test_many_factors_are_multiplied_in_the_best_order():
    """A chain from a long vector to a short one is cheap from one end, and dear from the other."""
    equation, lengths = "ab,bc,cd,de->ae", {"a": 100, "b": 90, "c": 80, "d": 70, "e": 1}
    assert pairwise_order(["ab", "bc", "cd", "de"], "ae", lengths) == [(2, 3), (1, 2), (0, 1)]
    shapes = tuple(tuple(lengths[x] for x in t) for t in equation.split("->")[0].split(","))
    assert [math.prod(p.shape) for p in plan(equation, (), shapes).products] == [80, 90, 100]


def test_very_many_factors():
    terms = [f"{chr(97 + i)}{chr(98 + i)}" for i in range(12)]
    values = [random.normal(size=(2, 2)) for _ in terms]
    wanted = np.linalg.multi_dot(values)
    np.testing.assert_allclose(tf.einsum(f"{','.join(terms)}->am", *values).numpy(), wanted, rtol=1e-10)


def test_more_axes_than_letters_in_the_equation():
    x = tf.ones([1] * 20 + [2, 3])
    assert tf.einsum("...ij,...ij->...i", x, x).shape == [1] * 20 + [2]
