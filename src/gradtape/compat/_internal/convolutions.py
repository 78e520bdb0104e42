"""A convolution as an object."""

from __future__ import annotations

from typing import Any

import gradtape as tf


class Convolution:
    """A convolution whose shapes are known before it is called."""

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: str,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:
        self._options = {
            "strides": strides, "padding": padding, "data_format": data_format, "dilations": dilation_rate,
        }  # fmt: skip

    def __call__(self, inp: Any, filter: Any) -> Any:
        return tf.nn.convolution(inp, filter, **self._options)
