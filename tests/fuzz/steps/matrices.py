"""Linear algebra on matrices that are well conditioned."""

from __future__ import annotations

from fuzz.builder import Builder
from fuzz.steps import kind_of_step

_TEXTS = (
    "tf.linalg.cholesky({s})", "tf.linalg.inv({s})", "tf.linalg.logdet({s})", "tf.linalg.slogdet({s})[1]", "tf.linalg.det({s} * 0.3)",
    "tf.linalg.solve({s}, {x})", "tf.linalg.eigvalsh({s})", "tf.linalg.svd({s}, compute_uv=False)",
    "tf.linalg.triangular_solve({s}, {x})", "tf.linalg.expm(0.1 * {x})", "tf.linalg.pinv({s})", "tf.linalg.qr({s})[1]",
    "tf.linalg.cholesky_solve(tf.linalg.cholesky({s}), {x})", "tf.linalg.sqrtm({s})", "tf.linalg.cross({x}[..., :3, :1], {x}[..., :3, :1])",
)  # fmt: skip


@kind_of_step(1.5)
def decomposition(b: Builder) -> None:
    size = b.draw.choice((1, 2, 3, 5, 7))
    known = [
        n for n in b.values
        if n in b.visible and b.dtype(n) in ("float32", "float64") and b.rank(n) >= 2 and b.shape(n)[-1] == b.shape(n)[-2] <= 9
        and 0 not in b.shape(n)
    ]  # fmt: skip
    batch = b.draw.choice(((), (), (2,)))
    x = b.draw.choice(known) if known else b.new_input(b.draw.choice(("float32", "float64")), (*batch, size, size))
    size = b.shape(x)[-1]
    symmetric = (
        f"(0.2 * tf.matmul({x}, {x}, transpose_b=True) + tf.linalg.diag(tf.range(1.0, {size}.5, dtype={x}.dtype)))"
    )
    b.add(b.draw.choice(_TEXTS).format(s=symmetric, x=x))
