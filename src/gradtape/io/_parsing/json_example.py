"""`tf.io.decode_json_example`: records that are written as JSON."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import numpy as np

from gradtape.api.array_op import objects
from gradtape.api.host_op import check_strings, hosted, string_like
from gradtape.core import errors
from gradtape.core.tensor import Tensor
from gradtape.protos.example import Example

__all__ = ["decode_json_example"]

# The lists of a feature, as JSON and as the message call them.
_LISTS = {
    "bytesList": "bytes_list", "floatList": "float_list", "int64List": "int64_list", "bytes_list": "bytes_list",
    "float_list": "float_list", "int64_list": "int64_list",
}  # fmt: skip


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Records in JSON as serialized `tf.train.Example` messages, which `tf.io.parse_example` reads.

    Args:
      json_examples: a string tensor; each element is the JSON form of an Example, with bytes in base64.

    Returns:
      A string tensor of the same shape.

    >>> data = tf.io.decode_json_example('{"features": {"feature": {"x": {"floatList": {"value": [1.5]}}}}}')
    >>> tf.io.parse_single_example(data, {"x": tf.io.FixedLenFeature([], tf.float32)})["x"].numpy()
    np.float32(1.5)
    """
    x = check_strings("decode_json_example", "json_examples", json_examples)
    return _decode_json_example(x)[0]


@hosted(string_like)
def _decode_json_example(array: Any) -> tuple[Any, ...]:
    return (objects([_example(data).SerializeToString() for data in np.ravel(array)], array.shape),)


def _example(data: bytes) -> Example:
    example = Example()
    try:
        whole = json.loads(data)
        if whole.keys() - {"features"}:
            raise ValueError(f"no such field: {sorted(whole.keys() - {'features'})[0]}")
        for key, feature in whole.get("features", {}).get("feature", {}).items():
            own = example.features.feature[key]
            for kind, content in feature.items():
                values = [_value(_LISTS[kind], v) for v in content.get("value", [])]
                getattr(own, _LISTS[kind]).SetInParent()
                getattr(own, _LISTS[kind]).value.extend(values)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError, binascii.Error) as problem:
        raise errors.build(
            errors.InvalidArgumentError,
            f"decode_json_example: Error while parsing JSON: {type(problem).__name__}: {problem}",
            'the form is {"features": {"feature": {"name": {"floatList": {"value": [1.0]}}}}}.',
        ) from None
    return example


def _value(kind: str, value: Any) -> Any:
    if kind == "bytes_list":
        return base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    if kind == "float_list":
        return float(value)
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(f"{value} is no integer")
    return int(value)
