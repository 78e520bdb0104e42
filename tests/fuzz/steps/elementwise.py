"""Elementwise functions, comparisons, choices and casts."""

from __future__ import annotations

from fuzz import arrays
from fuzz.builder import Builder
from fuzz.steps import kind_of_step

# With {} for the operand. Where a function has a domain, the operand is brought into it.
SMOOTH = (
    "tf.exp(tf.tanh({}))", "tf.tanh({})", "tf.sin({})", "tf.cos({})", "tf.atan({})", "tf.asinh({})", "tf.square({})",
    "-{}", "tf.sigmoid({})", "tf.nn.softplus({})", "tf.nn.silu({})", "tf.nn.gelu({})", "tf.nn.gelu({}, approximate=True)",
    "tf.math.erf({})", "tf.math.erfc({})", "tf.math.expm1(tf.tanh({}))", "tf.sqrt(tf.square({}) + 0.5)",
    "tf.math.rsqrt(tf.square({}) + 0.5)", "tf.math.log(tf.square({}) + 0.5)", "tf.math.log1p(tf.square({}))",
    "tf.math.log_sigmoid({})", "tf.sinh(tf.tanh({}))", "tf.cosh(tf.tanh({}))", "tf.tan(tf.tanh({}))",
    "tf.asin(0.9 * tf.tanh({}))", "tf.acos(0.9 * tf.tanh({}))", "tf.atanh(0.9 * tf.tanh({}))",
    "tf.acosh(tf.square({}) + 1.5)", "1.0 / (tf.square({}) + 0.5)", "tf.math.reciprocal(tf.square({}) + 0.5)",
    "{} ** 2", "{} ** 3", "2.0 ** tf.tanh({})", "tf.math.lgamma(tf.square({}) + 0.5)", "tf.nn.swish({})",
    "tf.math.digamma(tf.square({}) + 0.5)", "tf.nn.softsign({})", "tf.nn.elu({} + 0.01)",
    "0.5 * {} + 1.0", "3.0 - {}", "tf.math.erfinv(0.9 * tf.tanh({}))", "tf.math.ndtri(0.1 + 0.8 * tf.sigmoid({}))",
    "tf.identity({})", "tf.math.bessel_i0e({})", "tf.math.special.dawsn({})", "tf.math.special.expint(tf.square({}) + 0.5)",
    "tf.ones_like({}) + {}", "tf.zeros_like({}) * {}", "tf.math.pow(tf.square({}) + 0.5, 1.5)",
    "tf.math.cumsum(tf.reshape({}, [-1]))", "tf.linalg.norm({})",
)  # fmt: skip
KINKED = (
    "tf.nn.relu({})", "tf.abs({})", "tf.nn.leaky_relu({})", "tf.nn.relu6(3.0 * {})", "tf.sign({})", "tf.floor({})",
    "tf.math.ceil({})", "tf.round({})", "tf.math.rint({})", "tf.clip_by_value({}, -0.7, 0.8)", "tf.maximum({}, 0.1)",
    "tf.minimum(0.2, {})", "{} % 0.75", "{} // 0.75", "tf.stop_gradient({})", "tf.math.is_finite({})",
    "tf.clip_by_norm({}, 1.5)", "tf.math.is_nan({})", "tf.nn.crelu(tf.reshape({}, [-1]))", "tf.nn.selu({})",
)  # fmt: skip
COMPLEX = (
    "tf.exp(tf.tanh({} * 0.1))", "tf.sin({} * 0.5)", "tf.square({})", "tf.math.conj({})", "tf.math.real({})", "tf.math.imag({})",
    "tf.abs({})", "tf.math.angle({})", "-{}", "tf.math.reciprocal({} + 5.0)", "tf.tanh({} * 0.3)", "tf.sqrt({} + 4.0)",
    "tf.math.log({} + 4.0)", "{} * (0.5 + 1.0j)",
)  # fmt: skip
WHOLE = (
    "tf.abs({})", "-{}", "tf.square({})", "tf.sign({})", "{} + 3", "{} * 2", "{} // 3", "{} % 5", "tf.maximum({}, 2)",
    "tf.bitwise.invert({})", "{} ** 2", "tf.identity({})", "tf.zeros_like({})", "tf.nn.relu({})",
)  # fmt: skip
UNSIGNED = ("{} + 3", "{} * 2", "{} // 3", "{} % 5", "tf.maximum({}, 2)", "tf.bitwise.invert({})", "tf.identity({})")
PAIRS = (
    "{} + {}", "{} - {}", "{} * {}", "tf.add({}, {})", "tf.multiply({}, {})", "{} / (tf.square({}) + 0.5)",
    "tf.math.squared_difference({}, {})", "tf.math.atan2({}, tf.square({}) + 0.5)", "(tf.square({}) + 0.5) ** tf.tanh({})",
    "tf.math.xlogy({}, tf.square({}) + 0.5)", "tf.math.xlog1py({}, tf.square({}))", "tf.math.divide_no_nan({}, {} + 3.0)",
    "tf.math.multiply_no_nan({}, {})", "tf.math.xdivy({}, tf.square({}) + 0.5)", "tf.subtract({}, {})",
    "tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid({}), {})", "tf.truediv({}, tf.square({}) + 0.7)",
)  # fmt: skip
KINKED_PAIRS = ("tf.maximum({}, {})", "tf.minimum({}, {})", "{} % (tf.square({}) + 0.5)", "{} // (tf.square({}) + 0.5)",
                "tf.math.floormod({}, tf.square({}) + 0.5)", "tf.truncatemod({}, tf.square({}) + 0.5)")  # fmt: skip
COMPLEX_PAIRS = ("{} + {}", "{} * {}", "{} - {}", "{} / ({} + 5.0)")
WHOLE_PAIRS = ("{} + {}", "{} - {}", "{} * {}", "tf.maximum({}, {})", "tf.minimum({}, {})", "tf.bitwise.bitwise_and({}, {})",
               "tf.bitwise.bitwise_or({}, {})", "tf.bitwise.bitwise_xor({}, {})", "{} // ({} * 0 + 3)",
               "{} % ({} * 0 + 4)", "tf.bitwise.left_shift({}, {} % 3)", "tf.bitwise.right_shift({}, {} % 3)")  # fmt: skip
COMPARISONS = ("{} < {}", "{} <= {}", "{} > {}", "{} >= {}", "tf.equal({}, {})", "tf.not_equal({}, {})")
LOGICAL = (
    "tf.logical_and({}, {})",
    "tf.logical_or({}, {})",
    "tf.math.logical_xor({}, {})",
    "{} & {}",
    "{} | {}",
    "{} ^ {}",
)


@kind_of_step(9)
def smooth(b: Builder) -> None:
    x = b.pick("f")
    b.add(b.draw.choice(SMOOTH).replace("{}", x))


@kind_of_step(3)
def kinked(b: Builder) -> None:
    x = b.pick("f")
    b.add(b.draw.choice(KINKED).replace("{}", x), smooth=False)


@kind_of_step(2)
def other_dtypes(b: Builder) -> None:
    x = b.pick("ciu", new=0.5)
    texts = {"c": COMPLEX, "i": WHOLE, "u": UNSIGNED}[b.kind(x)]
    b.add(b.draw.choice(texts).replace("{}", x))


@kind_of_step(8)
def pairs(b: Builder) -> None:
    x = b.pick("f" * 8 + "ciu")
    texts = {"f": PAIRS, "c": COMPLEX_PAIRS, "i": WHOLE_PAIRS, "u": WHOLE_PAIRS}[b.kind(x)]
    b.add(b.draw.choice(texts).format(*_ordered(b, x)))


@kind_of_step(2)
def kinked_pairs(b: Builder) -> None:
    x = b.pick("f")
    b.add(b.draw.choice(KINKED_PAIRS).format(*_ordered(b, x)), smooth=False)


def _ordered(b: Builder, x: str) -> tuple[str, str]:
    other = b.partner(x)
    return (x, other) if b.draw.random() < 0.6 else (other, x)


@kind_of_step(2)
def comparison(b: Builder) -> None:
    x = b.pick("fiu")
    b.add(b.draw.choice(COMPARISONS).format(x, b.partner(x)), smooth=False)


@kind_of_step(1)
def logical(b: Builder) -> None:
    x = b.pick("b", new=0.1)
    if b.draw.random() < 0.2:
        b.add(f"tf.logical_not({x})")
    else:
        b.add(b.draw.choice(LOGICAL).format(x, b.partner(x)))


@kind_of_step(3)
def where(b: Builder) -> None:
    x = b.pick("fci")
    y = b.partner(x)
    condition = b.draw.choice((f"{x} > {y}", f"{x} > 0.25", "")) if b.kind(x) == "f" else ""
    if not condition:
        condition = b.new_input("bool", arrays.broadcasting(b.draw, b.shape(x)))
    b.add(f"tf.where({condition}, {x}, {y})", smooth=False)


@kind_of_step(3)
def cast(b: Builder) -> None:
    x = b.pick("fffffciub")
    kinds = {"f": "fffi", "c": "cf", "i": "iuffb", "u": "iuf", "b": "fi"}[b.kind(x)]
    kind = b.draw.choice(kinds)
    source = f"tf.clip_by_value({x}, -90.0, 90.0)" if b.kind(x) == "f" and kind in "iu" else x
    to = arrays.choose_dtype(b.draw, kind)
    b.add(f"tf.cast({source}, tf.{to})", smooth=kind in "fc")


@kind_of_step(1)
def complex_number(b: Builder) -> None:
    x = b.pick("f", suits=lambda n: b.dtype(n) in ("float32", "float64"))
    b.add(f"tf.complex({x}, {b.partner(x, exact=True)})")


@kind_of_step(1)
def add_n(b: Builder) -> None:
    x = b.pick("fci")
    others = [b.partner(x, exact=True) for _ in range(b.draw.randrange(1, 4))]
    b.add(f"tf.add_n([{', '.join([x, *others])}])")
