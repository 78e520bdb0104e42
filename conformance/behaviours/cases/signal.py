"""`tf.signal`: transforms of all ranks and dtypes, windows, frames and spectrograms."""

from behaviour import case
from cases._expression import evaluate


@case(name=["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"], dtype=["complex64", "complex128", "float32"])
def complex_transform(tf, name, dtype):
    return evaluate(tf, f"tf.signal.{name}(c(normal(2, 3, 4, 5), tf.{dtype}))")


@case(name=["rfft", "rfft2d", "rfft3d"], dtype=["float32", "float64", "complex64", "float16"], length=[None, 3, 6])
def real_transform(tf, name, dtype, length):
    rank = {"rfft": 1, "rfft2d": 2, "rfft3d": 3}[name]
    given = None if length is None else [length] * rank
    return evaluate(tf, f"tf.signal.{name}(c(normal(2, 3, 4, 5), tf.{dtype}), {given})")


@case(name=["irfft", "irfft2d", "irfft3d"], dtype=["complex64", "complex128", "float32"])
def inverse_real_transform(tf, name, dtype):
    return evaluate(tf, f"tf.signal.{name}(c(normal(2, 3, 4, 5), tf.{dtype}))")


@case(dtype=["complex64", "complex128"], length=[1, 3, 6, 8, 9, 12])
def inverse_real_transform_of_a_length(tf, dtype, length):
    return evaluate(tf, f"tf.signal.irfft(c(normal(3, 5), tf.{dtype}), [{length}])")


@case(kind=[1, 2, 3, 4, 5], norm=[None, "ortho", "other"], length=[None, 3, 6])
def dct(tf, kind, norm, length):
    return evaluate(tf, f"tf.signal.dct(normal(2, 5), type={kind}, n={length}, norm={norm!r})")


@case(kind=[1, 2, 3, 4], norm=[None, "ortho"])
def idct(tf, kind, norm):
    return evaluate(tf, f"tf.signal.idct(normal(2, 5), type={kind}, norm={norm!r})")


@case(
    window=["hann", "hamming", "kaiser", "kaiser_bessel_derived", "vorbis"],
    length=[1, 4, 5, 0],
    dtype=["float32", "float64", "float16"],
)
def window(tf, window, length, dtype):
    return getattr(tf.signal, f"{window}_window")(length, dtype=tf.as_dtype(dtype))


@case(
    expression=[
        "tf.signal.hann_window(5, periodic=False)",
        "tf.signal.hamming_window(4, periodic=False)",
        "tf.signal.hann_window(4, dtype=tf.int32)",
        "tf.signal.hann_window(-1)",
        "tf.signal.kaiser_window(5, beta=3.0)",
        "tf.signal.kaiser_bessel_derived_window(6, beta=2.0)",
        "tf.signal.frame(ramp(10), 4, 3)",
        "tf.signal.frame(ramp(10), 4, 3, pad_end=True)",
        "tf.signal.frame(ramp(10), 4, 3, pad_end=True, pad_value=-1)",
        "tf.signal.frame(ramp(2, 10), 4, 2, axis=1).shape",
        "tf.signal.frame(ramp(10, 2), 4, 2, axis=0).shape",
        "tf.signal.frame(ramp(3), 4, 2)",
        "tf.signal.frame(ramp(3), 4, 2, pad_end=True)",
        "tf.signal.frame(ramp(3), 0, 2)",
        "tf.signal.frame(3.0, 1, 1)",
        "tf.signal.frame(ramp(4, dtype='int32'), 2, 1)",
        "tf.signal.overlap_and_add(ramp(3, 4), 2)",
        "tf.signal.overlap_and_add(ramp(2, 3, 4), 4)",
        "tf.signal.overlap_and_add(ramp(3, 4), 1)",
        "tf.signal.overlap_and_add(ramp(4), 2)",
        "tf.signal.overlap_and_add(ramp(3, 4), 2.5)",
        "tf.signal.stft(normal(20), 8, 4)",
        "tf.signal.stft(normal(2, 20), 8, 4, fft_length=16).shape",
        "tf.signal.stft(normal(20), 8, 4, window_fn=None)",
        "tf.signal.stft(normal(20), 8, 4, pad_end=True).shape",
        "tf.signal.stft(normal(20), 6, 4)",
        "tf.signal.stft(normal(20), [8], 4)",
        "tf.signal.stft(normal(4), 8, 4).shape",
        "tf.signal.stft(normal(20, dtype='float64'), 8, 4).dtype",
        "tf.signal.inverse_stft(tf.signal.stft(normal(24), 8, 4), 8, 4)",
        "tf.signal.inverse_stft(tf.signal.stft(normal(24), 8, 4), 8, 4, window_fn=tf.signal.inverse_stft_window_fn(4))",
        "tf.signal.inverse_stft(tf.signal.stft(normal(24), 6, 3), 6, 3, fft_length=8)",
        "tf.signal.inverse_stft_window_fn(4)(8, dtype=tf.float32)",
        "tf.signal.linear_to_mel_weight_matrix(4, 9, 8000)",
        "tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 20.0, 3000.0, tf.float64)",
        "tf.signal.linear_to_mel_weight_matrix(0, 9, 8000)",
        "tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, -1.0)",
        "tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 3000.0, 2000.0)",
        "tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 20.0, 5000.0)",
        "tf.signal.linear_to_mel_weight_matrix(4, 9, -8000)",
        "tf.signal.mfccs_from_log_mel_spectrograms(normal(2, 6))",
        "tf.signal.mfccs_from_log_mel_spectrograms(normal(2, 0))",
        "tf.signal.mdct(normal(16), 8)",
        "tf.signal.mdct(normal(16), 8, norm='ortho')",
        "tf.signal.mdct(normal(16), 6)",
        "tf.signal.mdct(normal(16), 8, pad_end=True).shape",
        "tf.signal.inverse_mdct(tf.signal.mdct(normal(16), 8))",
        "tf.signal.inverse_mdct(tf.signal.mdct(normal(16), 8, norm='ortho'), norm='ortho')",
        "tf.signal.fft(3.0 + 1j)",
        "tf.signal.fft2d([1.0 + 1j])",
        "tf.signal.fft(np.zeros((2, 0), np.complex64)).shape",
        "tf.signal.rfft(np.zeros((2, 0), np.float32)).shape",
        "tf.signal.rfft(normal(4), [-1])",
        "tf.signal.rfft(normal(4), [2, 2])",
        "tf.signal.rfft([1, 2, 3])",
        "tf.signal.fft([1, 2, 3])",
        "tf.signal.fftshift(ramp(5))",
        "tf.signal.fftshift(ramp(2, 4), axes=1)",
        "tf.signal.fftshift(ramp(2, 4), axes=[0, 1])",
        "tf.signal.ifftshift(ramp(5))",
        "tf.signal.ifftshift(ramp(2, 3))",
        "tf.signal.fftnd(c(normal(2, 3, 4), tf.complex64), [3, 4], [1, 2])",
        "tf.signal.rfftnd(normal(2, 3, 4), [3, 4], [1, 2])",
        "tf.signal.irfftnd(c(normal(2, 3, 4), tf.complex64), [3, 4], [1, 2])",
        "tf.signal.ifftnd(c(normal(2, 3, 4), tf.complex64))",
        "grad(lambda x:tf.abs(tf.signal.rfft(x)) ** 2, normal(6))",
        "grad(lambda x:tf.abs(tf.signal.rfft(x, [4])) ** 2, normal(6))",
        "grad(lambda x:tf.signal.irfft(tf.signal.rfft(x)) ** 2, normal(6))",
        "grad(lambda x:tf.abs(tf.signal.stft(x, 4, 2)), normal(8))",
        "grad(lambda x:tf.signal.dct(x) ** 2, normal(4))",
        "grad(lambda x:tf.signal.overlap_and_add(x, 2) ** 2, ramp(3, 4))",
        "grad(lambda x:tf.signal.frame(x, 3, 2) ** 2, ramp(6))",
        "static(lambda x:tf.signal.stft(x, 8, 4), tf.TensorSpec([None, None]))",
        "static(lambda x:tf.signal.rfft(x), tf.TensorSpec([None, 8]))",
        "static(lambda x:tf.signal.frame(x, 8, 4), tf.TensorSpec([2, 20]))",
    ]
)
def functions(tf, expression):
    return evaluate(tf, expression)
