# Written by tools/stubs.py.
# ruff: noqa
from gradtape.signal._dct import dct
from gradtape.signal._dct import idct
from gradtape.signal._dct import inverse_mdct
from gradtape.signal._dct import mdct
from gradtape.signal._fft import fft
from gradtape.signal._fft import fft2d
from gradtape.signal._fft import fft3d
from gradtape.signal._fft import ifft
from gradtape.signal._fft import ifft2d
from gradtape.signal._fft import ifft3d
from gradtape.signal._fft import irfft
from gradtape.signal._fft import irfft2d
from gradtape.signal._fft import irfft3d
from gradtape.signal._fft import rfft
from gradtape.signal._fft import rfft2d
from gradtape.signal._fft import rfft3d
from gradtape.signal._fftnd import fftnd
from gradtape.signal._fftnd import fftshift
from gradtape.signal._fftnd import ifftnd
from gradtape.signal._fftnd import ifftshift
from gradtape.signal._fftnd import irfftnd
from gradtape.signal._fftnd import rfftnd
from gradtape.signal._frames import frame
from gradtape.signal._frames import overlap_and_add
from gradtape.signal._mel import linear_to_mel_weight_matrix
from gradtape.signal._mel import mfccs_from_log_mel_spectrograms
from gradtape.signal._stft import inverse_stft
from gradtape.signal._stft import inverse_stft_window_fn
from gradtape.signal._stft import stft
from gradtape.signal._windows import hamming_window
from gradtape.signal._windows import hann_window
from gradtape.signal._windows import kaiser_bessel_derived_window
from gradtape.signal._windows import kaiser_window
from gradtape.signal._windows import vorbis_window

__all__ = [
    "dct",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fftshift",
    "frame",
    "hamming_window",
    "hann_window",
    "idct",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "ifftshift",
    "inverse_mdct",
    "inverse_stft",
    "inverse_stft_window_fn",
    "irfft",
    "irfft2d",
    "irfft3d",
    "irfftnd",
    "kaiser_bessel_derived_window",
    "kaiser_window",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
    "overlap_and_add",
    "rfft",
    "rfft2d",
    "rfft3d",
    "rfftnd",
    "stft",
    "vorbis_window",
]
