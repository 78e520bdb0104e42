"""`tf.einsum`: sums of products in the notation of labels."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable
from typing import Any

from gradtape.core import convert, errors
from gradtape.core.shape import broadcast
from gradtape.core.size_cache import cache_by_sizes
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.ops.einsum import Einsum, unused
from gradtape.ops.family import dims
from gradtape.ops.matmul import MatMul
from gradtape.ops.movement import Reshape, Transpose
from gradtape.ops.reduction import ReduceSum

Shape = tuple[int, ...]

# Where TensorFlow lets its users choose how long to search for an order of products. Here the search takes no time that
# one would notice, and its result is kept.
_SEARCHES = (
    "auto", "auto-hq", "branch-1", "branch-2", "branch-all", "dp", "dynamic-programming", "eager", "greedy",
    "opportunistic", "optimal", "random-greedy", "random-greedy-128",
)  # fmt: skip


_TERM = r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*"
_FORM = re.compile(f"{_TERM}(?:,{_TERM})*(?:->{_TERM})?")


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products that an equation of labels describes.

    Each axis of an input has a letter as its label, and the letters of the result stand behind `->`. Products are formed
    of elements with equal labels; labels that the result lacks are summed over. A letter that one input has twice names
    its diagonal; `...` stands for any number of axes, which broadcast. Without `->` the result has the letters that occur
    once, in alphabetical order. Blanks are ignored.

    Args:
      equation: such as `"ij,jk->ik"`, the product of two matrices.
      *inputs: tensors of one dtype, one for each term of the equation.
      **kwargs: `optimize` and `name`, which are ignored: several inputs are always multiplied in the best order.

    Returns:
      A tensor.

    >>> tf.einsum("ij,jk->ik", [[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    >>> tf.einsum("...ii->...", tf.ones([2, 3, 3])).numpy()
    array([3., 3.], dtype=float32)
    """
    if kwargs:
        _check_options(kwargs)
    shapes = tuple([x._array.shape for x in inputs if type(x) is Tensor])
    if len(shapes) != len(inputs):
        _check_separate(equation, inputs)
        if type(equation) is not str:
            equation = _text(equation)
        inputs = tuple(_operands(inputs))
        shapes = tuple([x._array.shape if type(x) is Tensor else dims(x) for x in inputs])
    if type(equation) is not str:
        equation = _text(equation)
    result: Tensor = _method(equation, shapes)(*inputs)
    return result


def _check_options(options: dict[str, Any]) -> None:
    unknown = sorted(set(options) - {"name", "optimize", "greedy"})
    if unknown:
        raise TypeError(
            errors.compose(f"einsum: unknown keyword arguments: {', '.join(unknown)}.", "use optimize or name.")
        )
    search = options.get("optimize")
    if isinstance(search, str) and search not in _SEARCHES:
        raise ValueError(
            errors.compose(
                f"einsum: optimize must be one of {', '.join(_SEARCHES)}, got {search!r}.",
                f"use one of {', '.join(_SEARCHES)}.",
            )
        )


def _check_separate(equation: Any, inputs: tuple[Any, ...]) -> None:
    """Refuse a list of all inputs in the place of the first."""
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and isinstance(equation, str) and "," in equation:
        count = len(inputs[0])
        raise errors.build(
            errors.ArgumentError,
            f"einsum: inputs must be separate arguments, got one list of {count}.",
            f"tf.einsum({equation!r}, {', '.join('abcdefgh'[:count]) if count <= 8 else '*tensors'}).",
        )


def _text(equation: Any) -> str:
    if isinstance(equation, str):
        return str(equation)
    raise errors.build(
        errors.DTypeError,
        f"einsum: the equation must be a string, got {errors.brief(equation)}.",
        'the equation comes first: tf.einsum("ij,jk->ik", a, b).',
    )


def _operands(inputs: tuple[Any, ...]) -> list[Any]:
    """The inputs as tensors; other values take the dtype of the first tensor."""
    values = [x._read() if isinstance(x, Variable) else x for x in inputs]
    if all(isinstance(v, Tensor) for v in values):
        return values
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), None)
    if dtype is None:
        values[0] = convert.convert_to_tensor(values[0])
        dtype = values[0].dtype
    return [convert.like(v, dtype) for v in values]


@cache_by_sizes(maxsize=4096)
def _method(equation: str, shapes: tuple[Shape, ...]) -> Callable[..., Any]:
    """A function of the tensors. Found once for an equation and shapes."""
    terms, result = _parsed(equation, len(shapes))
    terms, result, without = _without_ellipsis(equation, terms, result, shapes)
    _check_lengths(equation, terms, [s if w is None else w for w, s in zip(without, shapes, strict=True)])
    if len(terms) == 1:
        return _alone(terms[0], result)
    if any(w is not None for w in without):
        return functools.partial(_reshaped, tuple(without), f"{','.join(terms)}->{result}")
    found = _as_matmul(terms, result) if len(terms) == 2 else None
    return found or functools.partial(Einsum, equation=f"{','.join(terms)}->{result}")


def _reshaped(shapes: tuple[Shape | None, ...], equation: str, *values: Any) -> Any:
    """The sum, without axes of length 1 that broadcast: the other operands determine their lengths."""
    values = tuple([v if s is None else Reshape(v, shape=s) for v, s in zip(values, shapes, strict=True)])
    return Einsum(*values, equation=equation)


def _alone(term: str, result: str) -> Callable[..., Any]:
    """The sum for one tensor: if it names no diagonal, a sum over axes and a transposition, which keep no values."""
    if len(set(term)) < len(term):
        return functools.partial(Einsum, equation=f"{term}->{result}")
    axis = tuple([i for i, x in enumerate(term) if x not in result])
    rest = [x for x in term if x in result]
    perm = tuple([rest.index(x) for x in result])
    if not axis:
        return functools.partial(Transpose, perm=perm)
    if perm == tuple(range(len(perm))):
        return functools.partial(ReduceSum, axis=axis)
    return lambda x: Transpose(ReduceSum(x, axis=axis), perm=perm)


def _as_matmul(terms: list[str], result: str) -> Callable[..., Any] | None:
    """The product of two stacks of matrices, if it is one: the op that knows them best."""
    a, b = terms
    if min(len(a), len(b), len(result)) < 2:
        return None
    stacks, row, column = result[:-2], result[-2], result[-1]
    if row not in a[-2:]:
        return None  # transposed, the result is not in BLAS's layout
    inner = a[-2] if a[-1] == row else a[-1]
    if inner in result or sorted(b[-2:]) != sorted(inner + column) or len(set(a)) < len(a) or len(set(b)) < len(b):
        return None
    if (a[:-2], b[:-2]) not in ((stacks, stacks), (stacks, ""), ("", stacks)):
        return None
    flags = a[-1] == row, b[-1] == inner
    if not any(flags):
        return operator.matmul
    return functools.partial(MatMul, transpose_a=flags[0], transpose_b=flags[1])


def _parsed(equation: str, count: int) -> tuple[list[str], str]:
    """The terms and the result, with "." for an ellipsis."""
    text = equation.replace(" ", "")
    if not _FORM.fullmatch(text):
        raise _refused(equation, "has an incorrect format", 'use letters, commas, ... and one ->, as in "ij,jk->ik"')
    left, arrow, result = text.replace("...", ".").partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise _refused(equation, f"is for {len(terms)} inputs, and {count} are given", "separate terms by commas")
    labels = "".join(terms).replace(".", "")
    if not arrow:
        once = sorted([x for x in set(labels) if labels.count(x) == 1])
        return terms, "".join(["." if "." in left else "", *once])
    letters = result.replace(".", "")
    if len(set(letters)) < len(letters):
        raise _refused(equation, "names a label of the result twice", "use tf.linalg.diag to make a diagonal")
    if missing := [x for x in letters if x not in labels]:
        raise _refused(equation, f"has a result with the label {missing[0]!r}, which no input has", "sum, or rename it")
    return terms, result


def _refused(equation: str, what: str, fix: str) -> Exception:
    return errors.build(errors.ShapeError, f"einsum: the equation {equation!r} {what}.", f"{fix}.")


def _without_ellipsis(
    equation: str, terms: list[str], result: str, shapes: tuple[Shape, ...]
) -> tuple[list[str], str, list[Shape | None]]:
    """Terms and result with labels in place of each ellipsis; and the shapes of those tensors that lose axes of length 1
    because others are longer there."""
    if "." not in equation:
        return terms, result, [None] * len(terms)
    ranks = [len(s) - len(t) + 1 if "." in t else 0 for t, s in zip(terms, shapes, strict=True)]
    for i, (rank, term) in enumerate(zip(ranks, terms, strict=True)):
        if rank < 0:
            raise _wrong_rank(equation, i, term.replace(".", "..."), shapes[i])
    most = max(ranks)
    if most and "." not in result:
        raise _refused(equation, f"has a result without ..., which stands for {most} axes", "put ... behind -> too")
    parts = [s[t.find(".") :][:r] for t, s, r in zip(terms, shapes, ranks, strict=True)]
    whole: Shape | None = ()
    for part in parts:
        whole = None if whole is None else broadcast(whole, part)
    if whole is None:
        text = ", ".join(str(list(p)) for p in parts)
        raise _refused(equation, f"has axes under ... that do not broadcast: {text}", "make them equal, or 1")
    labels = unused(equation, most)
    named: list[str] = []
    without: list[Shape | None] = []
    for term, shape, part in zip(terms, shapes, parts, strict=True):
        at, own = term.find("."), len(part)
        long = [n == m for n, m in zip(part, whole[most - own :], strict=True)]
        kept = "".join([x for x, flag in zip(labels[most - own :], long, strict=True) if flag])
        named.append(term.replace(".", kept))
        short = tuple([n for n, flag in zip(part, long, strict=True) if flag])
        without.append(None if all(long) else (*shape[:at], *short, *shape[at + own :]))
    return named, result.replace(".", labels), without


def _wrong_rank(equation: str, i: int, term: str, shape: Shape) -> Exception:
    return errors.build(
        errors.ShapeError,
        f"einsum: inputs[{i}] has shape {list(shape)}, but its term {term!r} in {equation!r} does not have its rank.",
        "give each axis a letter; ... stands for any number of axes.",
    )


def _check_lengths(equation: str, terms: list[str], shapes: list[Shape]) -> None:
    """ShapeError unless axes with one label have one length."""
    seen: dict[str, tuple[int, int]] = {}
    for i, (term, shape) in enumerate(zip(terms, shapes, strict=True)):
        if len(term) != len(shape):
            raise _wrong_rank(equation, i, term, shape)
        for label, n in zip(term, shape, strict=True):
            length, first = seen.setdefault(label, (n, i))
            if length != n:
                raise errors.build(
                    errors.ShapeError,
                    f"einsum: label {label!r} of {equation!r} has length {length} in inputs[{first}] and {n} in "
                    f"inputs[{i}], which has shape {list(shape)}: these do not match.",
                    "axes with one label must have one length.",
                )
