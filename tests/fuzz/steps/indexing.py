"""Gathering, scattering and segments."""

from __future__ import annotations

from fuzz import arrays
from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step

_ANY = "f" * 8 + "ci"


@kind_of_step(4)
def gather(b: Builder) -> None:
    x = b.pick(_ANY, least=1, most=3)
    axis = b.axis(x)
    places = arrays.choose_shape(b.draw, 0, 2, large=False)
    indices = b.indices(places, b.shape(x)[axis])
    b.add(f"tf.gather({x}, {indices}, axis={axis})")


@kind_of_step(1)
def gather_in_batches(b: Builder) -> None:
    x = b.pick(_ANY, least=2, most=3)
    size = b.draw.choice((1, 2, 5))
    indices = b.indices((b.shape(x)[0], size), b.shape(x)[1])
    b.add(f"tf.gather({x}, {indices}, batch_dims=1, axis=1)")


@kind_of_step(2)
def gather_nd(b: Builder) -> None:
    x = b.pick(_ANY, least=1, most=3)
    indices, _ = _places(b, x)
    b.add(f"tf.gather_nd({x}, {indices})")


def _places(b: Builder, x: str) -> tuple[str, int]:
    """Indices into the first one or two axes of a value, and how many axes they name."""
    depth = b.draw.randrange(1, min(b.rank(x), 2) + 1)
    count = b.draw.choice((1, 2, 3, 7))
    return b.indices((count, depth), min(b.shape(x)[:depth])), depth


@kind_of_step(3)
def scatter_into(b: Builder) -> None:
    x = b.pick("f" * 6 + "i", least=1, most=3)
    indices, depth = _places(b, x)
    updates = b.new_input(b.dtype(x), (b.shape(indices)[0], *b.shape(x)[depth:]))
    how = b.draw.choice(("add", "sub", "max", "min", "update", "add"))
    b.add(f"tf.tensor_scatter_nd_{how}({x}, {indices}, {updates})", smooth=how in ("add", "sub", "update"))


@kind_of_step(2)
def scatter_nd(b: Builder) -> None:
    x = b.pick(_ANY, least=1, most=3)
    rows = b.draw.choice((1, 3, 8, 33))
    indices = b.indices((b.shape(x)[0], 1), rows)
    b.add(f"tf.scatter_nd({indices}, {x}, {[rows, *b.shape(x)[1:]]})")


@kind_of_step(3)
def segments(b: Builder) -> None:
    x = b.pick("f" * 6 + "i", least=1, most=3)
    count = b.draw.choice((1, 2, 5, 9))
    how = b.draw.choice(("sum", "mean", "max", "min", "prod", "sum"))
    if b.kind(x) == "i" and how == "mean":
        raise Reject
    rows = b.shape(x)[0]
    ids = b.indices((rows,), count)
    smooth = how in ("sum", "mean", "prod")
    if b.draw.random() < 0.4:
        b.add(f"tf.math.segment_{how}({x}, tf.sort({ids}))", smooth=smooth)
        return
    if how in ("max", "min"):  # an empty segment would be the largest number
        how = "sum"
    b.add(f"tf.math.unsorted_segment_{how}({x}, {ids}, {count})", smooth=smooth)


@kind_of_step(1)
def one_hot(b: Builder) -> None:
    depth = b.draw.choice((1, 3, 7))
    indices = b.indices(arrays.choose_shape(b.draw, 0, 2, large=False), depth + 1)
    b.add(f"tf.one_hot({indices}, {depth}, dtype=tf.{b.draw.choice(('float32', 'float64', 'int32'))})")


@kind_of_step(2)
def embedding(b: Builder) -> None:
    table = b.pick("f", least=2, most=2, empty=False)
    rows = b.shape(table)[0]
    ids = b.indices(arrays.choose_shape(b.draw, 1, 2, large=False), rows)
    b.add(f"tf.nn.embedding_lookup({table}, {ids})")


@kind_of_step(1)
def by_lengths(b: Builder) -> None:
    x = b.pick("f", least=2, most=3, suits=lambda n: b.shape(n)[0] <= 33)
    lengths = b.indices((b.shape(x)[0],), b.shape(x)[1] + 1)
    b.add(f"tf.reverse_sequence({x}, {lengths}, seq_axis=1, batch_axis=0)")


@kind_of_step(1)
def sequence_mask(b: Builder) -> None:
    lengths = b.indices((b.draw.choice((1, 3, 7)),), 6)
    b.add(f"tf.sequence_mask({lengths}, 5, dtype=tf.float32)")
