"""Einstein summation: one op, whose cotangents are einsums again."""

from __future__ import annotations

import functools
from typing import Any

from gradtape.core import errors
from gradtape.core.op import Op, Unsupported, declare
from gradtape.core.shape import Spec
from gradtape.ops import contraction_path
from gradtape.ops.family import conj, dims
from gradtape.ops.reduction import in_wide, wide


@declare("einsum")
class Einsum(Op):
    """The sum of products that an equation of labels describes, such as "bij,bjk->bik".

    Every axis has one character as its label; axes with one label have one length. Labels that the result lacks are
    summed over, a label that one value has twice names its diagonal. A label that the result has twice makes a diagonal,
    with zeros elsewhere, and the result repeats itself along labels that no value has, whose lengths are in `sizes`: with
    these two the equations of cotangents are of the same kind.
    """

    inputs = ("values",)
    variadic = True
    kinds = "fVciu"
    lower = Unsupported("functions compute it by other ops; where diagonals are taken or made, the kernel runs")

    def infer(self, *values: Spec, equation: str, sizes: tuple[int, ...] = ()) -> Spec:
        dtype = self.check_dtypes(*values)
        terms, result = contraction_path.split(equation)
        if len(terms) != len(values):
            raise self.error(
                errors.ShapeError,
                f"{equation!r} is for {len(terms)} values, but {len(values)} are given.",
                "separate the labels of each value by a comma.",
            )
        seen: dict[str, int] = {}
        for i, (term, value) in enumerate(zip(terms, values, strict=True)):
            if len(term) != value.rank:
                raise self.error(
                    errors.ShapeError,
                    f"values[{i}] is {value} of rank {value.rank}, but {term!r} in {equation!r} has {len(term)} labels.",
                    "give each axis a label; ... stands for any number of axes.",
                )
            for label, n in zip(term, value.shape, strict=True):
                if seen.setdefault(label, n) != n:
                    raise self.error(
                        errors.ShapeError,
                        f"label {label!r} of {equation!r} has length {seen[label]}, but values[{i}] is {value}.",
                        "axes with one label must have one length.",
                    )
        new = [label for label in dict.fromkeys(result) if label not in seen]
        if len(new) != len(sizes):
            raise self.error(
                errors.ShapeError,
                f"the result of {equation!r} must not have labels that no value has, got {new}.",
                "use labels of the values.",
            )
        seen.update(zip(new, sizes, strict=True))
        return Spec(tuple([seen[label] for label in result]), dtype)

    def kernel(self, *values: Any, equation: str, sizes: tuple[int, ...] = ()) -> Any:
        what = contraction_path.plan(equation, sizes, tuple([v.shape for v in values]))
        dtype = values[0].dtype
        if dtype.kind != "V" and dtype.char != "e":
            return contraction_path.contract(what, values)
        y = contraction_path.contract(what, [wide(v) for v in values])
        return y.astype(dtype) if all(v.dtype == dtype for v in values) else y

    def vjp(self, dy: Any, values: Any, *, equation: str, sizes: tuple[int, ...] = (), needs: Any) -> Any:
        if dy.dtype.kind == "c":
            factors = [conj(v) for v in values]
        else:
            factors = list(values)
        result: list[Any] = []
        for i, needed in enumerate(needs):
            if not needed:
                result.append(None)
                continue
            back, alone = transposed(equation, i)
            new = tuple([dims(values[i])[axis] for axis in alone]) if alone else ()
            result.append(Einsum(dy, *factors[:i], *factors[i + 1 :], equation=back, sizes=new))
        return tuple(result)

    def batch(self, batched: tuple[bool, ...], *values: Any, equation: str, sizes: tuple[int, ...] = ()) -> Any:
        return self(*values, equation=with_batch(equation, batched), sizes=sizes)

    def expand(self, build: Any, *values: Any, equation: str, sizes: tuple[int, ...] = ()) -> Any:
        """The equation as transposes and products of matrices, for functions; None where the kernel does better."""
        if any(v.spec.dtype.kind not in "fV" or v.spec.dtype.size == 1 or 0 in v.spec.shape for v in values):
            return None
        dtype = values[0].spec.dtype
        if any(v.spec.dtype is not dtype for v in values):
            return None
        what = contraction_path.plan(equation, sizes, tuple([v.spec.shape for v in values]))
        found = contraction_path.composed(what, build, (in_wide(build, v) for v in values))
        return None if found is None else build.cast(found, dtype)


@functools.lru_cache(maxsize=4096)
def transposed(equation: str, i: int) -> tuple[str, tuple[int, ...]]:
    """The equation of value i's cotangent, from that of the result and the other values; and the axes of value i whose
    labels none of these has."""
    terms, result = contraction_path.split(equation)
    own = terms.pop(i)
    sources = [result, *terms]
    alone = [x for x in dict.fromkeys(own) if not any(x in s for s in sources)]
    return f"{','.join(sources)}->{own}", tuple([own.index(x) for x in alone])


@functools.lru_cache(maxsize=4096)
def with_batch(equation: str, batched: tuple[bool, ...]) -> str:
    """The equation with one more label in front of those values that are batched, and of the result."""
    label = unused(equation, 1)
    terms, result = contraction_path.split(equation)
    terms = [label + term if flag else term for term, flag in zip(terms, batched, strict=True)]
    return f"{','.join(terms)}->{label}{result}"


def unused(equation: str, count: int) -> str:
    """Characters that an equation does not use as labels: letters, and when these run out any other character."""
    found: list[str] = []
    code = ord("A")
    while len(found) < count:
        label = chr(code)
        if label.isalpha() and label not in equation:
            found.append(label)
        code += 1
    return "".join(found)
