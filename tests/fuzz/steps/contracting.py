"""Matrix products and contractions."""

from __future__ import annotations

import math

from fuzz import arrays
from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step

_SIZES = (1, 2, 3, 5, 7, 8, 17, 33, 65)


def tamed(b: Builder, text: str) -> str:
    """A product that does not grow from step to step."""
    return f"0.3 * {text}" if b.draw.random() < 0.5 else text


@kind_of_step(6)
def matmul(b: Builder) -> None:
    x = b.pick("f" * 10 + "ci", least=2, most=4)
    *batch, rows, columns = b.shape(x)
    flip_a, flip_b = b.draw.random() < 0.25, b.draw.random() < 0.25
    inner = rows if flip_a else columns
    own = [] if b.draw.random() < 0.6 else [1 if b.draw.random() < 0.3 else n for n in batch]
    size = b.draw.choice(_SIZES)
    shape = (*own, size, inner) if flip_b else (*own, inner, size)
    known = [n for n in b.values if n in b.visible and b.shape(n) == shape and b.dtype(n) == b.dtype(x)]
    y = b.draw.choice(known) if known else b.new_input(b.dtype(x), shape)
    marks = (", transpose_a=True" if flip_a else "") + (", transpose_b=True" if flip_b else "")
    text = f"tf.matmul({x}, {y}{marks})" if marks or b.draw.random() < 0.5 else f"{x} @ {y}"
    b.add(tamed(b, text) if b.kind(x) == "f" else text)


@kind_of_step(2)
def dense(b: Builder) -> None:
    x = b.pick("f", least=2, most=2)
    units = b.draw.choice(_SIZES)
    w = b.new_input(b.dtype(x), (b.shape(x)[1], units), -0.5, 0.5)
    bias = b.new_input(b.dtype(x), (units,))
    activation = b.draw.choice(("tf.tanh({})", "tf.nn.relu({})", "tf.sigmoid({})", "tf.nn.gelu({})", "{}"))
    b.add(activation.format(f"tf.matmul({x}, {w}) + {bias}"), smooth="relu" not in activation)


@kind_of_step(3)
def einsum(b: Builder) -> None:
    x = b.pick("f" * 5 + "c", least=1, most=4, suits=lambda n: max(b.shape(n), default=0) <= 130)
    letters = "abcd"[: b.rank(x)]
    sizes = dict(zip(letters, b.shape(x), strict=True))
    sizes["e"] = b.draw.choice(_SIZES[:6])
    other = "".join(b.draw.sample(list(sizes), b.draw.randrange(1, min(4, len(sizes)) + 1)))
    shape = tuple(sizes[s] for s in other)
    if math.prod(sizes.values()) > 60_000:
        raise Reject
    union = sorted({*letters, *other})
    result = "".join(b.draw.sample(union, b.draw.randrange(0, min(len(union), 4) + 1)))
    y = b.new_input(b.dtype(x), shape)
    b.add(f'0.2 * tf.einsum("{letters},{other}->{result}", {x}, {y})')


@kind_of_step(1)
def einsum_of_one(b: Builder) -> None:
    x = b.pick("f", least=1, most=4)
    letters = "abcd"[: b.rank(x)]
    result = "".join(b.draw.sample(letters, b.draw.randrange(0, len(letters) + 1)))
    b.add(f'tf.einsum("{letters}->{result}", {x})')


@kind_of_step(2)
def other_products(b: Builder) -> None:
    x = b.pick("f", least=1, most=3)
    last = b.shape(x)[-1]
    choice = b.draw.randrange(4)
    if choice == 0:
        b.add(f"0.3 * tf.tensordot({x}, {b.new_input(b.dtype(x), (last, b.draw.choice(_SIZES[:6])))}, axes=1)")
    elif choice == 1 and b.rank(x) >= 2:
        b.add(f"0.3 * tf.linalg.matvec({x}, {b.new_input(b.dtype(x), (last,))})")
    elif choice == 2:
        b.add(f"tf.tensordot({x}, {b.partner(x, exact=True)}, axes={b.rank(x)}) * 0.1")
    elif b.rank(x) >= 2 and b.shape(x)[-1] <= 65:
        b.add(f"tf.matmul({x}, {x}, transpose_b=True) * 0.1")
    else:
        raise Reject


@kind_of_step(0.5)
def kronecker(b: Builder) -> None:
    x = b.pick("f", least=1, most=1, suits=lambda n: b.shape(n)[0] < 200)
    y = b.new_input(b.dtype(x), arrays.choose_shape(b.draw, 1, 1, large=False))
    b.add(f"tf.tensordot({x}, {y}, axes=0)")
