"""`tf.dtypes.experimental`: floating-point numbers of eight bits, integers of four."""

from gradtape.core.dtypes import (
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int4,
    uint4,
)

__all__ = [
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "int4", "uint4",
]  # fmt: skip
