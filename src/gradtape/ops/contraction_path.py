"""Plans for sums of products of arrays with labelled axes: the order, and the matrix products.

An equation such as "bij,bjk->bik" gives each axis a label. Labels that the result lacks are summed over. Two labels of one
array that are equal name its diagonal. Beyond what users may write, so that the cotangents of an equation are equations
again, the result may also name a label twice: then it is zero off that diagonal; and it may have labels that no array
has: along these it repeats itself, with the lengths in `sizes`.

`plan` decides once for an equation and some shapes; `contract` computes. The arrays are multiplied in pairs, each pair by
BLAS if the two have labels to sum over, since `np.einsum` itself loops over elements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.core.size_cache import cache_by_sizes
from gradtape.ops import blas
from gradtape.ops.contraction_order import pairwise_order
from gradtape.ops.matmul import MatMul
from gradtape.ops.slicing import blank
from gradtape.ops.summation import total

Shape = tuple[int, ...]


class TermSum(NamedTuple):
    """How one array loses the labels that it has twice, and those that nothing else has."""

    diagonals: tuple[tuple[int, int], ...]  # pairs of axes; their diagonal becomes the last axis
    axis: tuple[int, ...]  # summed over afterwards


class Arrangement(NamedTuple):
    """Axes in another order, and then another shape. None leaves them as they are."""

    perm: tuple[int, ...] | None
    shape: Shape | None


class Product(NamedTuple):
    """The product of two of the arrays; it comes last in the list from which they are taken."""

    left: int
    right: int
    a: Arrangement
    b: Arrangement
    elementwise: bool  # else of matrices, or of stacks of them
    outer: str  # the equation of a product of elements in which both arrays repeat themselves
    shape: Shape


class Placement(NamedTuple):
    """How the last array becomes the result."""

    arrange: Arrangement
    repeat: Shape | None  # broadcast to this shape
    powers: tuple[tuple[int, int], ...]  # (length, times) of the labels that the result has several times
    perm: tuple[int, ...] | None  # in the end


class Plan(NamedTuple):
    """What to do with arrays of known shapes."""

    reductions: tuple[TermSum | None, ...]
    products: tuple[Product, ...]
    placement: Placement | None


def split(equation: str) -> tuple[list[str], str]:
    """The labels of the arrays, and those of the result."""
    arrays, _, result = equation.partition("->")
    return arrays.split(","), result


def lengths(terms: Sequence[str], result: str, sizes: Shape, shapes: Sequence[Shape]) -> dict[str, int]:
    """The length of every label; ValueError if the shapes do not fit the equation."""
    found: dict[str, int] = {}
    if len(terms) != len(shapes):
        raise ValueError(f"{len(shapes)} arrays for {len(terms)} terms")
    for term, shape in zip(terms, shapes, strict=True):
        for label, n in zip(term, shape, strict=True):
            if found.setdefault(label, n) != n:
                raise ValueError(f"label {label} has the lengths {found[label]} and {n}")
    new = [label for label in dict.fromkeys(result) if label not in found]
    found.update(zip(new, sizes, strict=True))
    return found


@cache_by_sizes(maxsize=4096)
def plan(equation: str, sizes: Shape, shapes: tuple[Shape, ...]) -> Plan:
    """What to do, step by step; ValueError if the shapes do not fit the equation."""
    terms, result = split(equation)
    length = lengths(terms, result, sizes, shapes)
    reductions = []
    for i, term in enumerate(terms):
        others = result.join(terms[:i] + terms[i + 1 :]) + result
        reduction, terms[i] = _reduction(term, others)
        reductions.append(reduction)
    products = []
    for left, right in pairwise_order(terms, result, length):
        b, a = terms.pop(right), terms.pop(left)
        product, labels = _product((left, right), a, b, terms, result, length)
        products.append(product)
        terms.append(labels)
    return Plan(tuple(reductions), tuple(products), _placement(terms[0], result, length))


def _reduction(term: str, others: str) -> tuple[TermSum | None, str]:
    """How an array loses labels, and which it then has."""
    diagonals = []
    while len(set(term)) < len(term):
        label = next(x for x in term if term.count(x) > 1)
        i = term.index(label)
        j = term.index(label, i + 1)
        diagonals.append((i, j))
        term = term[:i] + term[i + 1 : j] + term[j + 1 :] + label
    axis = tuple([i for i, label in enumerate(term) if label not in others])
    kept = "".join([label for label in term if label in others])
    return (TermSum(tuple(diagonals), axis) if diagonals or axis else None), kept


def _product(
    places: tuple[int, int], a: str, b: str, rest: list[str], result: str, length: dict[str, int]
) -> tuple[Product, str]:
    """The product of arrays with labels `a` and `b`, and the labels that it has."""
    later = result.join(rest) + result
    last = not rest
    shared = [x for x in a if x in b]
    summed = "".join([x for x in shared if x not in later])
    if not summed:
        labels = a + "".join([x for x in b if x not in a])
        if last:
            labels = _sorted(labels, result)
        pair = _aligned(a, labels, length), _aligned(b, labels, length)
        outer = f"{a},{b}->{labels}" if len(labels) > max(len(a), len(b)) and labels.isascii() else ""
        return Product(*places, *pair, True, outer, _shape(labels, length)), labels
    batch = "".join([x for x in shared if x in later])
    if last:
        batch = _sorted(batch, result)
    free = ["".join([x for x in own if x not in shared]) for own in (a, b)]
    if last and _first(free[1], result) < _first(free[0], result):
        # The other way around the result has its axes where they belong.
        places, a, b, free = places[::-1], b, a, free[::-1]
    labels = batch + free[0] + free[1]
    lead = _shape(batch, length)
    rows, inner, columns = (math.prod(_shape(x, length)) for x in (free[0], summed, free[1]))
    shape_a: Shape = (*lead, rows, inner) if batch or free[0] else (inner,)
    shape_b: Shape = (*lead, inner, columns) if batch or free[1] else (inner,)
    return Product(
        *places,
        _arrangement(a, batch + free[0] + summed, shape_a, length),
        _arrangement(b, batch + summed + free[1], shape_b, length),
        False,
        "",
        _shape(labels, length),
    ), labels


def _sorted(labels: str, result: str) -> str:
    """Labels in the order in which the result has them."""
    return "".join(sorted(labels, key=result.index))


def _first(labels: str, result: str) -> int:
    return min([result.index(x) for x in labels], default=len(result))


def _shape(labels: str, length: dict[str, int]) -> Shape:
    return tuple([length[x] for x in labels])


def _arrangement(own: str, wanted: str, shape: Shape, length: dict[str, int]) -> Arrangement:
    """An array's labels in the wanted order, and then a shape that merges some of them."""
    perm = None if own == wanted else tuple([own.index(x) for x in wanted])
    return Arrangement(perm, None if shape == _shape(wanted, length) else shape)


def _aligned(own: str, labels: str, length: dict[str, int]) -> Arrangement:
    """An array made to broadcast against others with these labels."""
    wanted = "".join([x for x in labels if x in own])
    shape = [length[x] if x in own else 1 for x in labels]
    while shape and labels[-len(shape)] not in own:
        del shape[0]  # NumPy adds leading axes by itself
    return _arrangement(own, wanted, tuple(shape), length)


def _placement(own: str, result: str, length: dict[str, int]) -> Placement | None:
    if own == result:
        return None
    repeated = [x for x in dict.fromkeys(result) if result.count(x) > 1]
    labels = "".join([x for x in result if x not in repeated] + repeated)
    new = any(x not in own for x in labels)
    powers = tuple([(length[x], result.count(x)) for x in repeated])
    order = "".join([x * result.count(x) for x in labels])
    return Placement(
        _aligned(own, labels, length),
        _shape(labels, length) if new else None,
        powers,
        None if order == result else _spread_perm(order, result),
    )


def _spread_perm(order: str, result: str) -> tuple[int, ...]:
    """Where each axis of the result stands in `order`, which has equal labels side by side."""
    seen: dict[str, int] = {}
    perm = []
    for x in result:
        perm.append(order.index(x) + seen.get(x, 0))
        seen[x] = seen.get(x, 0) + 1
    return tuple(perm)


def contract(what: Plan, arrays: Iterable[Any]) -> Any:
    """The result for arrays of the shapes that the plan was made for, and of a dtype that can be summed as it is."""
    work = [_reduced(x, r) if r else x for x, r in zip(arrays, what.reductions, strict=True)]
    for product in what.products:
        a, b = work[product.left], work[product.right]
        for place in sorted((product.left, product.right), reverse=True):
            del work[place]
        work.append(_multiplied(product, a, b))
    return _placed(work[0], what.placement) if what.placement else work[0]


def _reduced(x: Any, how: TermSum) -> Any:
    for i, j in how.diagonals:
        x = np.diagonal(x, 0, i, j)
    return total(x, how.axis) if how.axis else x


def _arranged(x: Any, how: Arrangement) -> Any:
    if type(x) is np.ndarray:
        # The methods are three times quicker than NumPy's functions.
        x = x if how.perm is None else x.transpose(how.perm)
        return x if how.shape is None else x.reshape(how.shape)
    x = x if how.perm is None else np.transpose(x, how.perm)
    return x if how.shape is None else np.reshape(x, how.shape)


def _multiplied(how: Product, a: Any, b: Any) -> Any:
    if how.outer:
        # Where nothing is summed, and the inner loops are short, this is a third quicker than broadcasting.
        return np.einsum(how.outer, a, b, order="C")
    a, b = _arranged(a, how.a), _arranged(b, how.b)
    if how.elementwise:
        y = a * b
    elif a.ndim == 1 or b.ndim == 1:
        y = np.dot(a, b) if a.size < blas.THREADED else blas.run(np.dot, a, b)
    else:
        y = MatMul(_packed(a), _packed(b))
    return y if y.shape == how.shape else np.reshape(y, how.shape)


def _packed(x: Any) -> Any:
    """A copy of a stack of matrices whose last two axes are not dense in memory: BLAS reads no such matrix."""
    if x.ndim > 2 and type(x) is np.ndarray and x.dtype.itemsize not in x.strides[-2:]:
        return np.ascontiguousarray(x)
    return x


def _placed(x: Any, how: Placement) -> Any:
    x = _arranged(x, how.arrange)
    if how.repeat is not None:
        x = np.broadcast_to(x, how.repeat)
    if how.powers:
        x = _on_diagonals(x, how.powers)
    return x if how.perm is None else np.transpose(x, how.perm)


def _on_diagonals(x: Any, powers: tuple[tuple[int, int], ...]) -> Any:
    """Zeros, with the last axes of x on diagonals: an axis of length n becomes `times` axes of that length."""
    lead = x.shape[: x.ndim - len(powers)]
    flat = blank(x, (*lead, *[n**times for n, times in powers]))
    # In the flattened block, one step along the diagonal is one step along each of its axes.
    steps = [slice(None, None, sum([n**k for k in range(times)])) for n, times in powers]
    flat[(..., *steps)] = x
    return np.reshape(flat, (*lead, *[n for n, times in powers for _ in range(times)]))


def composed(what: Plan, build: Any, values: Iterable[Any]) -> Any:
    """The result as other ops, which a builder of graphs adds; None if diagonals are taken or made.

    Args:
      what: the plan.
      build: `build(name, *values, **params)` gives the value of an op.
      values: those of the graph.
    """
    placement = what.placement
    if any(r and r.diagonals for r in what.reductions) or (placement and placement.powers):
        return None
    work = list(values)
    for i, reduction in enumerate(what.reductions):
        if reduction:
            work[i] = build("reduce_sum", work[i], axis=reduction.axis, keepdims=False)
    for product in what.products:
        a, b = work[product.left], work[product.right]
        for place in sorted((product.left, product.right), reverse=True):
            del work[place]
        if product.elementwise:
            y = build("multiply", _composed_part(build, a, product.a), _composed_part(build, b, product.b))
        else:
            a, transpose_a = _composed_matrix(build, a, product.a, (1, -1))
            b, transpose_b = _composed_matrix(build, b, product.b, (-1, 1))
            y = build("matmul", a, b, transpose_a=transpose_a, transpose_b=transpose_b)
        work.append(_composed_part(build, y, Arrangement(None, product.shape)))
    (y,) = work
    if placement:
        y = _composed_part(build, y, placement.arrange)
        y = y if placement.repeat is None else build("broadcast_to", y, shape=placement.repeat)
        y = _composed_part(build, y, Arrangement(placement.perm, None))
    return y


def _composed_part(build: Any, x: Any, how: Arrangement) -> Any:
    if how.perm is not None:
        x = build("transpose", x, perm=how.perm)
    return x if how.shape in (None, x.spec.shape) else build("reshape", x, shape=how.shape)


def _composed_matrix(build: Any, x: Any, how: Arrangement, alone: Shape) -> tuple[Any, bool]:
    """An operand of a matrix product, and whether its last two axes are to be exchanged: that costs nothing."""
    perm = how.perm
    shape = how.shape or tuple([x.spec.shape[p] for p in perm or range(len(x.spec.shape))])
    if len(shape) == 1:
        shape = tuple([shape[0] if d < 0 else d for d in alone])
    lead = len(shape) - 2
    if perm is not None and perm[:lead] == tuple(range(lead)) and len(perm) > lead:
        first = perm[lead]
        exchanged = perm[lead:] == (*range(first, len(perm)), *range(lead, first))
        if exchanged and math.prod(x.spec.shape[first:]) == shape[-2]:
            return _composed_part(build, x, Arrangement(None, (*shape[:-2], shape[-1], shape[-2]))), True
    return _composed_part(build, x, Arrangement(perm, shape)), False
