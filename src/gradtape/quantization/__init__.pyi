# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.tensor import Tensor
from gradtape.quantization._fake_quant import fake_quant_with_min_max_args
from gradtape.quantization._fake_quant import fake_quant_with_min_max_args_gradient
from gradtape.quantization._fake_quant import fake_quant_with_min_max_vars
from gradtape.quantization._fake_quant import fake_quant_with_min_max_vars_gradient
from gradtape.quantization._fake_quant import fake_quant_with_min_max_vars_per_channel
from gradtape.quantization._fake_quant import fake_quant_with_min_max_vars_per_channel_gradient
from gradtape.quantization._fake_quant import quantize_and_dequantize_v2
from typing import Any

__all__ = [
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "quantize_and_dequantize",
    "quantize_and_dequantize_v2",
]

def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Floats, rounded to the values that integers of `num_bits` bits stand for. 0 stays 0.

    The gradient is 1 inside of the range, and 0 outside of one that is given.

    Args:
      input: floats.
      input_min, input_max: the range, if `range_given`; one for each slice if there is an `axis`.
      signed_input: whether the integers are signed.
      num_bits: their size.
      range_given: whether the range is given; it is that of the input otherwise.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: ignored.
      narrow_range: leave out the lowest integer.
      axis: None, or an axis along which each slice has a range of its own.

    >>> tf.quantization.quantize_and_dequantize_v2([0.1, 0.6, 1.0], 0.0, 1.0, num_bits=3, range_given=True).numpy().round(3)
    array([0.   , 0.667, 1.   ], dtype=float32)
    """
