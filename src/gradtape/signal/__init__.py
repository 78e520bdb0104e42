"""`tf.signal`: Fourier and cosine transforms, frames, windows, spectrograms."""

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
