"""The mel scale of hearing: `tf.signal.linear_to_mel_weight_matrix`, `mfccs_from_log_mel_spectrograms`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.core import convert, dtypes, errors
from gradtape.core.shape import spec_of
from gradtape.core.tensor import Tensor
from gradtape.ops.family import dims
from gradtape.signal._dct import dct


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The matrix that sums a spectrum into bands of equal width on the mel scale, `2595 log10(1 + f / 700)`.

    Args:
      num_mel_bins: the number of bands, which are triangles with the peak 1.
      num_spectrogram_bins: the number of frequencies of the spectrum, from 0 to half of the sample rate.
      sample_rate: samples per second.
      lower_edge_hertz: where the lowest band begins.
      upper_edge_hertz: where the highest band ends.
      dtype: the floating dtype of the result.

    Returns:
      A tensor `[num_spectrogram_bins, num_mel_bins]`, by which spectra are multiplied from the right.

    >>> tf.signal.linear_to_mel_weight_matrix().shape
    TensorShape([129, 20])
    """
    bands = integer(num_mel_bins, "linear_to_mel_weight_matrix", "num_mel_bins")
    bins = integer(num_spectrogram_bins, "linear_to_mel_weight_matrix", "num_spectrogram_bins")
    rate, low, high = float(sample_rate), float(lower_edge_hertz), float(upper_edge_hertz)
    wanted = dtypes.as_dtype(dtype)
    for wrong, what, fix in (
        (bands <= 0, f"{bands} bands: num_mel_bins must be positive", "give a positive number."),
        (bins <= 0, f"{bins} frequencies: num_spectrogram_bins must be positive", "give a positive number."),
        (not 0.0 <= low < high, f"bands from {low} to {high} hertz", "the lower edge must be 0 or more, the upper above."),
        (rate <= 0.0 or high > rate / 2, f"bands up to {high} hertz at {rate} samples per second",
         "the upper edge must not be above half of the sample rate."),
        (not wanted.is_floating, f"the dtype {wanted!r}", "choose a floating point dtype."),
    ):  # fmt: skip
        if wrong:
            raise errors.build(errors.ConversionError, f"linear_to_mel_weight_matrix: there cannot be {what}.", fix)
    frequencies = _mel(np.linspace(0.0, rate / 2.0, bins))[:, np.newaxis]
    edges = np.linspace(_mel(low), _mel(high), bands + 2)
    left, peak, right = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (frequencies - left) / (peak - left), (right - frequencies) / (right - peak)
    weights = np.maximum(0.0, np.minimum(rising, falling))
    # Frequency 0, the mean of the signal, is in no band.
    weights[0] = 0.0
    return convert.convert_to_tensor(weights.astype(wanted.numpy))


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log(1.0 + hertz / 700.0)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The cepstral coefficients of logarithmic mel spectra: their cosine transform, scaled as speech toolkits do.

    Args:
      log_mel_spectrograms: real `[..., bands]`.

    Returns:
      A tensor of the same shape; of its last axis often the first 13 are used.

    >>> tf.signal.mfccs_from_log_mel_spectrograms(tf.ones([1, 2])).numpy().round(4)
    array([[2., 0.]], dtype=float32)
    """
    x = tensor(log_mel_spectrograms)
    if not x.ndim or not dims(x)[-1]:
        raise errors.build(
            errors.ShapeError,
            f"mfccs_from_log_mel_spectrograms: log_mel_spectrograms must have at least one band, got {spec_of(x)}.",
            "give one band at least.",
        )
    return dct(x, type=2) * (1.0 / math.sqrt(2.0 * dims(x)[-1]))
