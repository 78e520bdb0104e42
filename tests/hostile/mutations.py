"""Random damage, the same for the same seed: of bytes, and of the values in JSON."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

_ODD: list[Any] = [
    -1, 0, 1, 2, 255, 2**31, 2**40, 2**63, -(2**63), 1e308, float("nan"), True, None, "", "x", "../../x", "/etc/passwd", "float64",
    "string", [], {}, [[]], {"tuple": []}, {"function": "os:system"}, {"array": "variable-0"}, [2**33, 2**33],
]  # fmt: skip


_DEPTHS = (10, 400, 5000)


def of_bytes(data: bytes, seed: int) -> bytes:
    """The bytes with some changed, removed or added."""
    rng = random.Random(seed)
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        at = rng.randrange(len(changed) + 1) if rng.random() < 0.7 else rng.randrange(min(len(changed), 64) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            del changed[at:]
        elif kind == 1:
            changed[at:at] = rng.randbytes(rng.choice([1, 4, 100]))
        elif kind == 2:
            del changed[at : at + rng.choice([1, 4, 8, 100])]
        elif kind == 3:
            changed[at : at + 8] = rng.choice([b"\xff", b"\x7f", b"\0"]) * 8
        elif at < len(changed):
            changed[at] = rng.randrange(256) if kind == 4 else changed[at] ^ (1 << rng.randrange(8))
    return bytes(changed)


def of_json(text: str | bytes, seed: int) -> str:
    """JSON with one or a few of its values replaced, removed, exchanged or nested deeply."""
    rng = random.Random(seed)
    content = json.loads(text)
    for _ in range(rng.choice([1, 1, 2, 4])):
        places = list(_places(content))
        if not places:
            break
        holder, key = rng.choice(places)
        kind = rng.randrange(6)
        if kind == 0 and isinstance(holder, list):
            del holder[key]
        elif kind == 1:
            other, of = rng.choice(places)
            holder[key] = copy.deepcopy(other[of])
        elif kind == 2 and type(holder[key]) is int:
            holder[key] += rng.choice([-1, 1, 2, 1000])
        elif kind == 3:
            holder[key] = f"nested {rng.choice(_DEPTHS)}"
        else:
            holder[key] = copy.deepcopy(rng.choice(_ODD))
    changed = json.dumps(content)
    for depth in _DEPTHS:
        changed = changed.replace(f'"nested {depth}"', "[" * depth + "]" * depth)
    return changed


def _places(content: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    if depth > 60:
        return
    keys: Any = range(len(content)) if isinstance(content, list) else content if isinstance(content, dict) else ()
    for key in list(keys):
        yield content, key
        yield from _places(content[key], depth + 1)
