"""`tf.quantization`: rounding to a few levels, through which gradients pass."""

from gradtape.core import lazy

_LATER = {
    "gradtape.quantization._fake_quant": (
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars "
        "fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient quantize_and_dequantize quantize_and_dequantize_v2"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
