"""Assignments to variables."""

from __future__ import annotations

from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step


@kind_of_step(2.5)
def assign(b: Builder) -> None:
    known = [n for n in b.variables if n in b.visible]
    if not known:
        x = b.pick("f", suits=lambda n: n[0] in "x")
        known = [b.new_variable(b.inputs[x])]
    w = b.draw.choice(known)
    value = b.partner(w, exact=True)
    texts = (
        f"{w}.assign(0.5 * {value})", f"{w}.assign_add(0.1 * {value})", f"{w}.assign_sub(0.1 * {value})", f"{w}.assign({value})",
        f"{w}.assign(tf.tanh({w}))", f"{w}.assign_add({w})",
    )  # fmt: skip
    b.add(b.draw.choice(texts), count=0, smooth=False)


@kind_of_step(1)
def scatter(b: Builder) -> None:
    known = [n for n in b.variables if n in b.visible and b.rank(n) >= 1 and b.shape(n)[0]]
    if not known:
        raise Reject
    w = b.draw.choice(known)
    rows = b.draw.choice((1, 2, 5))
    indices = b.indices((rows,), b.shape(w)[0])
    updates = b.new_input(b.dtype(w), (rows, *b.shape(w)[1:]))
    slices = f"tf.IndexedSlices({updates}, {indices})"
    texts = (f"{w}.scatter_add({slices})", f"{w}.scatter_sub({slices})", f"{w}.scatter_update({slices})",
             f"{w}.scatter_max({slices})", f"{w}.scatter_nd_update({indices}[:, None], {updates})",
             f"{w}.scatter_nd_add({indices}[:, None], {updates})")  # fmt: skip
    b.add(b.draw.choice(texts), count=0, smooth=False)
