"""Fourier and cosine transforms."""

from __future__ import annotations

from fuzz.builder import Builder
from fuzz.steps import kind_of_step


@kind_of_step(1)
def transform(b: Builder) -> None:
    x = b.pick("c", least=1, most=3, empty=False, new=0.3)
    names = ["fft", "ifft"] + ["fft2d", "ifft2d"] * (b.rank(x) >= 2)
    b.add(f"0.3 * tf.signal.{b.draw.choice(names)}({x})")


@kind_of_step(1)
def real_transform(b: Builder) -> None:
    x = b.pick(
        "f", least=1, most=3, empty=False, suits=lambda n: b.dtype(n) in ("float32", "float64") and b.shape(n)[-1] < 200
    )
    texts = [f"0.3 * tf.signal.rfft({x})", f"0.3 * tf.signal.dct({x})"]
    if b.shape(x)[-1] > 1:
        texts.append(f"tf.signal.irfft(tf.complex({x}, 0.5 * {x}))")
    b.add(b.draw.choice(texts))


@kind_of_step(0.5)
def frames(b: Builder) -> None:
    x = b.pick("f", least=1, most=2, suits=lambda n: b.shape(n)[-1] >= 5)
    b.add(f"tf.signal.frame({x}, {b.draw.choice((2, 4))}, {b.draw.choice((1, 3))})")
