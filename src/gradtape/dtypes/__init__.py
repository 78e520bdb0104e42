"""`tf.dtypes`: the types of tensors' elements."""

from gradtape.core.dtypes import (
    ALL,
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float16,
    float32,
    float64,
    half,
    int4,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)
from gradtape.core.dtypes import bool_ as bool
from gradtape.dtypes import experimental
from gradtape.math._conversion import cast, complex, saturate_cast

__all__ = [
    "ALL", "DType", "as_dtype", "bfloat16", "bool", "cast", "complex", "complex64", "complex128", "double", "experimental", "float8_e4m3b11fnuz",
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float16", "float32", "float64", "half", "int4",
    "int8", "int16", "int32", "int64", "resource", "saturate_cast", "string", "uint4", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip
