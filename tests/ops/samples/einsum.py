"""Samples of einsum. The reference is NumPy's, or a loop where the equation is one that only cotangents have."""

import math

import numpy as np

from gradtape.errors import DTypeError, ShapeError
from gradtape.ops.einsum import Einsum
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(11)
WIDE = "float32 float64 complex64 complex128"
ALL = "float16 bfloat16 float32 float64 complex64 complex128 int32"


def normal(*shape):
    return random.normal(size=shape)


def summed(*values, equation, sizes=()):
    return np.einsum(equation, *values)


def loop(*values, equation, sizes=()):
    """Every product of elements is added where its labels say; of a label that no value has, everywhere."""
    terms, result = equation.split("->")[0].split(","), equation.split("->")[1]
    length = {x: n for t, v in zip(terms, values, strict=True) for x, n in zip(t, v.shape, strict=True)}
    length |= dict(zip([x for x in dict.fromkeys(result) if x not in length], sizes, strict=True))
    labels = list(length)
    y = np.zeros([length[x] for x in result], values[0].dtype)
    for place in np.ndindex(*length.values()):
        at = dict(zip(labels, place, strict=True))
        y[tuple(at[x] for x in result)] += math.prod(
            v[tuple(at[x] for x in t)] for t, v in zip(terms, values, strict=True)
        )
    return y


sample(Einsum, normal(2, 3), normal(3, 2), reference=summed, dtypes=ALL, equation="ij,jk->ik")
sample(Einsum, normal(2, 3, 2), normal(2, 2, 2), reference=summed, dtypes=WIDE, equation="bij,bkj->bki")
sample(Einsum, normal(2, 2), normal(2, 3), reference=summed, equation="bi,bj->jbi")
sample(Einsum, normal(3), normal(3), reference=summed, dtypes=ALL, equation="i,i->")
sample(Einsum, normal(2, 3), normal(3), np.float64(0.5), reference=summed, equation="ij,j,->i")
sample(Einsum, normal(2, 2, 3), reference=summed, dtypes=ALL, equation="iij->j")
sample(Einsum, normal(2, 2, 2), normal(2, 2), reference=summed, equation="iii,jj->ij")
sample(Einsum, normal(2, 3), normal(3, 2), normal(2, 2), reference=summed, dtypes=WIDE, equation="ij,jk,ki->k")
sample(Einsum, normal(2, 3), normal(4), reference=summed, equation="ij,k->i")
sample(Einsum, normal(2, 0), normal(0, 3), reference=summed, equation="ij,jk->ik")
sample(Einsum, normal(3), reference=loop, dtypes=WIDE, equation="i->ii")
sample(Einsum, normal(2, 3), reference=loop, equation="ij->jiji")
sample(Einsum, normal(2), normal(2), reference=loop, equation="i,i->kik", sizes=(3,))
sample(Einsum, np.float64(2.0), reference=loop, equation="->ab", sizes=(2, 3))

bad(
    Einsum,
    normal(2, 3),
    normal(2, 3),
    error=ShapeError,
    match="label 'j' of 'ij,jk->ik' has length 3",
    equation="ij,jk->ik",
)
bad(Einsum, normal(2, 3), error=ShapeError, match="'i->i' has 1 labels", equation="i->i")
bad(Einsum, normal(2, 3), error=ShapeError, match="is for 2 values, but 1 are given", equation="ij,jk->ik")
bad(
    Einsum,
    normal(2),
    error=ShapeError,
    match="the result of 'i->k' must not have labels that no value has, got ['k']",
    equation="i->k",
)
bad(Einsum, normal(2), np.ones(2, int), error=DTypeError, match="dtypes differ", equation="i,i->")
