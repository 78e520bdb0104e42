"""Convolutions, pooling, normalisation, softmax and losses."""

from __future__ import annotations

from fuzz.builder import Builder, Reject
from fuzz.steps import kind_of_step
from fuzz.steps.drawing import seed

_DTYPES = ("float32", "float32", "float32", "float64", "float16", "bfloat16")


def image(b: Builder, spatial: int, channels: int | None = None) -> str:
    """Images: a value that happens to be some, or a new input."""
    found = [
        n for n in b.values if n in b.visible and b.kind(n) == "f" and b.rank(n) == spatial + 2 and 0 not in b.shape(n)
    ]
    if found and channels is None and b.draw.random() < 0.6:
        return found[-1]
    sizes = [b.draw.choice((1, 3, 5, 7, 8, 12, 17) if spatial < 3 else (2, 3, 5)) for _ in range(spatial)]
    return b.new_input(
        b.draw.choice(_DTYPES), (b.draw.choice((1, 2, 3)), *sizes, channels or b.draw.choice((1, 2, 3, 4, 8)))
    )


def _padding(b: Builder) -> str:
    return b.draw.choice(("SAME", "VALID", "SAME"))


@kind_of_step(4)
def convolution(b: Builder) -> None:
    spatial = b.draw.choice((1, 2, 2, 2, 2, 3))
    x = image(b, spatial)
    if b.shape(x)[-1] > 16 or b.shape(x)[0] > 16:
        raise Reject
    window = [b.draw.choice((1, 2, 3, 3, 5)) for _ in range(spatial)]
    w = b.new_input(b.dtype(x), (*window, b.shape(x)[-1], b.draw.choice((1, 2, 3, 5, 8, 16))), -0.5, 0.5)
    stride = b.draw.choice((1, 1, 1, 2))
    marks = (f", stride={stride}", f", strides={stride}", f", strides={[1, *[stride] * 3, 1]}")[spatial - 1]
    if stride == 1 and spatial == 2 and b.draw.random() < 0.2:
        marks += ", dilations=2"
    b.add(f'tf.nn.conv{spatial}d({x}, {w}{marks}, padding="{_padding(b)}")')


@kind_of_step(1)
def convolution_transpose(b: Builder) -> None:
    x = image(b, 2)
    batch, rows, columns, channels = b.shape(x)
    if channels > 16 or batch > 16 or rows * columns > 400:
        raise Reject
    out, stride = b.draw.choice((1, 3, 4)), b.draw.choice((1, 2))
    w = b.new_input(b.dtype(x), (3, 2, out, channels), -0.5, 0.5)
    size = [batch, rows * stride, columns * stride, out]
    b.add(f'tf.nn.conv2d_transpose({x}, {w}, {size}, strides={stride}, padding="SAME")')


@kind_of_step(1.5)
def depthwise(b: Builder) -> None:
    x = image(b, 2)
    if b.shape(x)[-1] > 16:
        raise Reject
    stride = b.draw.choice((1, 1, 2))
    w = b.new_input(b.dtype(x), (b.draw.choice((1, 3)), 3, b.shape(x)[-1], b.draw.choice((1, 1, 2))), -0.5, 0.5)
    b.add(f'tf.nn.depthwise_conv2d({x}, {w}, strides={[1, stride, stride, 1]}, padding="{_padding(b)}")')


@kind_of_step(3)
def pool(b: Builder) -> None:
    spatial = b.draw.choice((1, 2, 2, 2, 3))
    x = image(b, spatial)
    name = b.draw.choice(("max", "avg"))
    ksize, strides = b.draw.choice((1, 2, 3)), b.draw.choice((1, 2, 3))
    text = f'tf.nn.{name}_pool{spatial}d({x}, ksize={ksize}, strides={strides}, padding="{_padding(b)}")'
    b.add(text, smooth=name == "avg")


@kind_of_step(4)
def softmax(b: Builder) -> None:
    x = b.pick("f", least=1)
    b.add(f"tf.nn.{b.draw.choice(('softmax', 'log_softmax'))}({x}, axis={b.draw.choice((-1, b.axis(x)))})")


@kind_of_step(2)
def cross_entropy(b: Builder) -> None:
    x = b.pick("f", least=1, most=3, empty=False)
    if b.draw.random() < 0.5:
        labels = b.indices(b.shape(x)[:-1], b.shape(x)[-1])
        b.add(f"tf.nn.sparse_softmax_cross_entropy_with_logits(labels={labels}, logits={x})")
    else:
        labels = b.partner(x, exact=True)
        b.add(f"tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax({labels}), logits={x})")


@kind_of_step(3)
def normalization(b: Builder) -> None:
    x = b.pick("f", least=2, empty=False)
    last = (b.shape(x)[-1],)
    scale, offset = b.new_input(b.dtype(x), last), b.new_input(b.dtype(x), last)
    mean, variance = b.new_input(b.dtype(x), last), b.new_input(b.dtype(x), last, 0.5, 2.0)
    texts = (
        f"tf.nn.batch_normalization({x}, {mean}, {variance}, {offset}, {scale}, 0.01)",
        f"tf.nn.batch_normalization({x}, {mean}, {variance}, None, None, 0.01)",
        f"tf.nn.bias_add({x}, {offset})",
        f"({x} - tf.reduce_mean({x}, -1, keepdims=True)) * tf.math.rsqrt(tf.math.reduce_variance({x}, -1, keepdims=True) + 0.1)"
        f" * {scale} + {offset}",
    )
    b.add(b.draw.choice(texts))


@kind_of_step(1)
def attention(b: Builder) -> None:
    x = b.pick("f", least=2, most=4, empty=False, suits=lambda n: b.shape(n)[-2] <= 65)
    k, v = b.new_input(b.dtype(x), b.shape(x)), b.partner(x, exact=True)
    b.add(f"tf.matmul(tf.nn.softmax(0.3 * tf.matmul({x}, {k}, transpose_b=True)), {v})")


@kind_of_step(1)
def dropout(b: Builder) -> None:
    x = b.pick("f", suits=lambda n: b.dtype(n) != "bfloat16")
    b.add(f"tf.nn.experimental.stateless_dropout({x}, 0.4, {seed(b)})", random=True)
