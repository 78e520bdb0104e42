"""Shapes: reshaping, transposing, slicing, joining, padding."""

from __future__ import annotations

import math

from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step

_ANY = "f" * 10 + "ciub"


@kind_of_step(3)
def reshape(b: Builder) -> None:
    x = b.pick(_ANY)
    left = math.prod(b.shape(x))
    shape: list[int] = []
    while left > 1 and len(shape) < 3:
        divisors = [d for d in (2, 3, 5, 7, 13, 4, 6, 17, 11, left) if left % d == 0 and d <= left]
        shape.append(b.draw.choice(divisors or [left]))
        left //= shape[-1]
    shape += [left] if left != 1 or b.draw.random() < 0.2 else []
    b.draw.shuffle(shape)
    if shape and 0 not in shape and b.draw.random() < 0.4:
        shape[b.draw.randrange(len(shape))] = -1
    b.add(f"tf.reshape({x}, {shape})")


@kind_of_step(3)
def transpose(b: Builder) -> None:
    x = b.pick(_ANY, least=2)
    perm = list(range(b.rank(x)))
    b.draw.shuffle(perm)
    b.add(b.draw.choice((f"tf.transpose({x}, {perm})", f"tf.transpose({x}, {perm})", f"tf.transpose({x})",
                         f"tf.linalg.matrix_transpose({x})")))  # fmt: skip


@kind_of_step(2)
def thin_axes(b: Builder) -> None:
    x = b.pick(_ANY, most=3)
    texts = [f"tf.expand_dims({x}, {b.draw.randrange(b.rank(x) + 1)})", f"{x}[tf.newaxis]", f"{x}[..., None]"]
    texts += [f"tf.squeeze({x})"] * (1 in b.shape(x))
    b.add(b.draw.choice(texts))


def _one_slice(b: Builder, size: int) -> str:
    begin = b.draw.randrange(size) if size else 0
    end = (
        b.draw.randrange(begin, size + 1)
        if b.draw.random() < 0.15
        else b.draw.randrange(min(begin + 1, size), size + 1)
    )
    choices = [":", f"{begin}:", f"{begin}:{end}", f":{end}", "::2", "::-1", "::3", f"-{max(size - begin, 1)}:"]
    choices += [f"{begin}", f"{begin}", "-1"] if size else []
    return b.draw.choice(choices)


@kind_of_step(4)
def slices(b: Builder) -> None:
    x = b.pick(_ANY, least=1)
    count = b.draw.randrange(1, b.rank(x) + 1)
    parts = [_one_slice(b, n) for n in b.shape(x)[:count]]
    if b.draw.random() < 0.2:
        parts.insert(b.draw.randrange(count + 1), "tf.newaxis")
    if b.draw.random() < 0.2:
        parts = ["...", *[_one_slice(b, n) for n in b.shape(x)[b.rank(x) - count :]]]
    b.add(f"{x}[{', '.join(parts)}]")


@kind_of_step(1)
def slice_by_sizes(b: Builder) -> None:
    x = b.pick(_ANY, least=1)
    begin = [b.draw.randrange(n + 1) for n in b.shape(x)]
    size = [
        -1 if b.draw.random() < 0.3 else b.draw.randrange(n - s + 1) for n, s in zip(b.shape(x), begin, strict=True)
    ]
    b.add(f"tf.slice({x}, {begin}, {size})")


@kind_of_step(3)
def concat(b: Builder) -> None:
    x = b.pick(_ANY, least=1)
    axis = b.axis(x) % b.rank(x)
    parts = [x]
    for _ in range(b.draw.randrange(1, 4)):
        shape = list(b.shape(x))
        shape[axis] = b.draw.choice((0, 1, 2, 3, 7, shape[axis]))
        parts.append(x if b.draw.random() < 0.2 else b.new_input(b.dtype(x), tuple(shape)))
    b.draw.shuffle(parts)
    b.add(f"tf.concat([{', '.join(parts)}], axis={axis - b.rank(x) * (b.draw.random() < 0.3)})")


@kind_of_step(2)
def stack(b: Builder) -> None:
    x = b.pick(_ANY, most=3)
    parts = [x, *[b.partner(x, exact=True) for _ in range(b.draw.randrange(3))]]
    b.add(f"tf.stack([{', '.join(parts)}], axis={b.draw.randrange(b.rank(x) + 1)})")


@kind_of_step(2)
def split(b: Builder) -> None:
    x = b.pick(_ANY, least=1, suits=lambda n: max(b.shape(n)) >= 2)
    axis = b.shape(x).index(max(b.shape(x)))
    size = b.shape(x)[axis]
    equal = [k for k in (2, 3, 4, 5) if size % k == 0]
    if size <= 5 and b.draw.random() < 0.3:
        b.add(f"tf.unstack({x}, axis={axis})", count=size)
    elif equal and b.draw.random() < 0.6:
        count = b.draw.choice(equal)
        b.add(f"tf.split({x}, {count}, axis={axis})", count=count)
    else:
        first = b.draw.randrange(size + 1)
        b.add(f"tf.split({x}, [{first}, {size - first}], axis={axis})", count=2)


@kind_of_step(2)
def pad(b: Builder) -> None:
    x = b.pick(_ANY, least=1, suits=lambda n: max(b.shape(n)) < 1000)
    mode = b.draw.choice(("CONSTANT", "CONSTANT", "REFLECT", "SYMMETRIC"))
    limits = [3 if mode == "CONSTANT" else max(min(n - (mode == "REFLECT"), 3), 0) for n in b.shape(x)]
    paddings = [[b.draw.randrange(m + 1), b.draw.randrange(m + 1)] for m in limits]
    if b.kind(x) == "b" or (0 in b.shape(x) and mode != "CONSTANT"):
        raise Reject
    value = f", constant_values={b.draw.choice((0, 1, 2))}" if mode == "CONSTANT" and b.draw.random() < 0.3 else ""
    b.add(f'tf.pad({x}, {paddings}, mode="{mode}"{value})')


@kind_of_step(2)
def repeated(b: Builder) -> None:
    x = b.pick(_ANY, least=1, most=3, suits=lambda n: math.prod(b.shape(n)) < 3000)
    multiples = [b.draw.choice((1, 1, 2, 3)) for _ in b.shape(x)]
    shape = [b.draw.choice((2, 3)), *[b.draw.choice((2, 5)) if n == 1 else n for n in b.shape(x)]]
    texts = (f"tf.tile({x}, {multiples})", f"tf.broadcast_to({x}, {shape})",
             f"tf.repeat({x}, {b.draw.choice((1, 2, 3))}, axis={b.axis(x)})")  # fmt: skip
    b.add(b.draw.choice(texts))


@kind_of_step(2)
def turned(b: Builder) -> None:
    x = b.pick(_ANY, least=1)
    texts = (f"tf.roll({x}, {b.draw.randrange(-9, 10)}, {b.axis(x) % b.rank(x)})", f"tf.reverse({x}, [{b.axis(x)}])",
             f"tf.reverse({x}, {list(range(b.rank(x)))})")  # fmt: skip
    b.add(b.draw.choice(texts))


@kind_of_step(1)
def diagonals(b: Builder) -> None:
    x = b.pick("ffffci", least=1, most=3, suits=lambda n: b.shape(n)[-1] <= 65)
    texts = [f"tf.linalg.diag({x})"]
    if b.rank(x) >= 2:
        texts += [f"tf.linalg.diag_part({x})", f"tf.linalg.band_part({x}, {b.draw.choice((-1, 0, 1))}, 1)",
                  f"tf.linalg.trace({x})"]  # fmt: skip
        rows, columns = b.shape(x)[-2:]
        if b.draw.random() < 0.3 and rows and columns:
            diagonal = b.new_input(b.dtype(x), (*b.shape(x)[:-2], min(rows, columns)))
            texts = [f"tf.linalg.set_diag({x}, {diagonal})"]
    b.add(b.draw.choice(texts))


@kind_of_step(0.7)
def blocks_of_space(b: Builder) -> None:
    x = b.new_input(b.draw.choice(("float32", "float64")), (2, 4, 6, 4))
    texts = (f"tf.nn.space_to_depth({x}, 2)", f"tf.nn.depth_to_space({x}, 2)",
             f"tf.space_to_batch({x}, [2, 2], [[0, 0], [1, 1]])")  # fmt: skip
    b.add(b.draw.choice(texts))
