"""`tf.signal`: Fourier and cosine transforms, frames, windows, spectrograms.

_dct.py      Cosine transforms: `tf.signal.dct`, `idct`, `mdct`, `inverse_mdct`
_fft.py      Fourier transforms over the last axes: `tf.signal.fft`, `rfft` and their inverses, in one
_fftnd.py    Fourier transforms over chosen axes, `tf.signal.fftnd` and its like, and shifts of their frequencies
_frames.py   Signals as overlapping frames: `tf.signal.frame`, `overlap_and_add`
_mel.py      The mel scale of hearing: `tf.signal.linear_to_mel_weight_matrix`, `mfccs_from_log_mel_spectrograms`
_stft.py     Short-time Fourier transforms: `tf.signal.stft`, `inverse_stft`
_windows.py  Windows for spectra: `tf.signal.hann_window`, `hamming_window`, `kaiser_window` and others
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.signal._dct": "dct idct inverse_mdct mdct",
    "gradtape.signal._fft": "fft fft2d fft3d ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d",
    "gradtape.signal._fftnd": "fftnd fftshift ifftnd ifftshift irfftnd rfftnd",
    "gradtape.signal._frames": "frame overlap_and_add",
    "gradtape.signal._mel": "linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms",
    "gradtape.signal._stft": "inverse_stft inverse_stft_window_fn stft",
    "gradtape.signal._windows": "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
