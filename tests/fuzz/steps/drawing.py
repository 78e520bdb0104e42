"""Random numbers from fixed seeds."""

from __future__ import annotations

from fuzz import arrays
from fuzz.builder import Builder
from fuzz.steps import kind_of_step


def seed(b: Builder) -> str:
    """A seed: an input, so that a program draws when it runs, or a constant, which is drawn from when it is traced."""
    numbers = f"[{b.draw.randrange(1000)}, {b.draw.randrange(1000)}]"
    return f"seed={b.given(f'tf.constant({numbers})') if b.draw.random() < 0.7 else numbers}"


@kind_of_step(1.5)
def stateless(b: Builder) -> None:
    shape = list(arrays.choose_shape(b.draw, 0, 3))
    own = seed(b)
    dtype = b.draw.choice(("float32", "float32", "float64", "float16"))
    texts = (
        f"tf.random.stateless_uniform({shape}, {own}, dtype=tf.{dtype})",
        f"tf.random.stateless_normal({shape}, {own}, dtype=tf.{dtype})",
        f"tf.random.stateless_truncated_normal({shape}, {own}, dtype=tf.{dtype})",
        f"tf.random.stateless_uniform({shape}, {own}, minval=-5, maxval=9, dtype=tf.int32)",
    )
    b.add(b.draw.choice(texts), random=True)


@kind_of_step(0.7)
def of_values(b: Builder) -> None:
    own = seed(b)
    x = b.pick("f", least=1, most=2, empty=False, suits=lambda n: b.dtype(n) in ("float32", "float64"))
    texts = [
        f"tf.random.experimental.stateless_shuffle({x}, {own})",
        f"tf.random.stateless_gamma({[2, *b.shape(x)]}, {own}, alpha=tf.square({x}) + 0.5, dtype={x}.dtype)",
        f"tf.random.stateless_poisson({list(b.shape(x))}, {own}, lam=tf.square({x}), dtype=tf.int32)",
        f"tf.random.stateless_binomial({list(b.shape(x))}, {own}, counts=5.0, probs=tf.sigmoid({x}))",
    ]
    if b.rank(x) == 2:
        texts.append(f"tf.random.stateless_categorical({x}, 3, {own})")
    b.add(b.draw.choice(texts), random=True, smooth=False)


@kind_of_step(0.7)
def made(b: Builder) -> None:
    texts = ("tf.range({n})", "tf.range({n}, dtype=tf.float32)", "tf.cast(tf.linspace(-1.0, 1.0, {n}), tf.float32)",
             "tf.eye({n}, dtype=tf.float32)", "tf.ones([2, {n}], tf.float32)", "tf.fill([{n}, 2], tf.constant(0.5, tf.float32))", "tf.zeros([{n}, 3], tf.float64)", "tf.eye({n}, 3, dtype=tf.float64)")  # fmt: skip
    b.add(b.draw.choice(texts).format(n=b.draw.choice((1, 2, 3, 7, 17))))
