"""Which results of a recorded function have a tangent if some of its inputs have one, be it zero.

In TensorFlow a loop is one op: all it returns has a tangent as soon as an input has one. A branch has those that some of its blocks
have, and a function those of its ops. Other ops tell by their derivative.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradtape.core import dtypes


def touched(records: Iterable[tuple[Any, ...]], start: Iterable[int]) -> set[int]:
    """The identities that tangents reach from others, along the records of a recording."""
    known = {i for i in start if i}
    for op, ids, out, params, _, _, specs in records:
        given = [i in known for i in ids]
        if not any(given):
            continue
        if type(out) is not tuple:
            known.add(out)
            continue
        flags = op.touches(given, params) or [True] * len(out)
        known.update(
            [
                i
                for i, flag, (_, dtype) in zip(out, flags, specs, strict=True)
                if flag and dtypes.as_dtype(dtype).is_trainable
            ]
        )
    return known
