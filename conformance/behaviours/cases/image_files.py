"""Images as bytes: encoding, decoding, channels, dtypes, and bytes that are no images."""

from behaviour import case
from cases._expression import evaluate


@case(channels=[1, 2, 3, 4], wanted=[0, 1, 3, 4])
def png_channels(tf, channels, wanted):
    return evaluate(tf, f"tf.io.decode_png(tf.io.encode_png(image(3, 4, {channels})), channels={wanted})")


@case(
    expression=[
        "tf.io.decode_png(tf.io.encode_png(image(3, 4, 3)), dtype=tf.uint16)",
        "tf.io.decode_png(tf.io.encode_png(c(ramp(2, 2, 1), tf.uint16) * 1000), dtype=tf.uint16)",
        "tf.io.decode_png(tf.io.encode_png(c(ramp(2, 2, 1), tf.uint16) * 1000))",
        "tf.io.decode_png(tf.io.encode_png(image(3, 4, 3)), dtype=tf.float32)",
        "tf.io.decode_png(tf.io.encode_png(image(3, 4, 3)), channels=5)",
        "tf.io.decode_png('abc')",
        "tf.io.decode_png('')",
        "tf.io.decode_png(['a'])",
        "tf.io.encode_png(image(3, 4))",
        "tf.io.encode_png(image(3, 4, 5))",
        "tf.io.encode_png(image(0, 4, 3))",
        "tf.io.encode_png(image(3, 4, 3, dtype='float32'))",
        "tf.io.encode_png(image(3, 4, 3), compression=10)",
        "tf.io.encode_png(image(2, 3, 4, 3)).shape",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(np.full((8, 8, 3), 128, np.uint8)))",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(np.full((8, 8, 1), 128, np.uint8)))",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(np.full((8, 8, 1), 128, np.uint8)), channels=3).shape",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(np.full((8, 8, 3), 128, np.uint8)), channels=1).shape",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), ratio=2).shape",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), ratio=3)",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), channels=4)",
        "tf.io.decode_jpeg('abc')",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), dct_method='OTHER')",
        "tf.io.encode_jpeg(image(4, 4))",
        "tf.io.encode_jpeg(image(4, 4, 2))",
        "tf.io.encode_jpeg(image(4, 4, 3, dtype='float32'))",
        "tf.io.encode_jpeg(image(4, 4, 3), quality=101)",
        "tf.io.encode_jpeg(image(4, 4, 3), format='grayscale')",
        "tf.io.encode_jpeg(image(4, 4, 3), format='other')",
        "tf.io.extract_jpeg_shape(tf.io.encode_jpeg(image(5, 7, 3)))",
        "tf.io.extract_jpeg_shape(tf.io.encode_jpeg(image(5, 7, 3)), output_type=tf.int64)",
        "tf.io.extract_jpeg_shape('abc')",
        "tf.io.is_jpeg(tf.io.encode_jpeg(image(5, 7, 3)))",
        "tf.io.is_jpeg('abc')",
        "tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), [1, 2, 4, 5]).shape",
        "tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), [10, 2, 10, 5])",
        "tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(image(16, 16, 3)), [1, 2, 4])",
        "tf.io.decode_image(tf.io.encode_png(image(3, 4, 3)))",
        "tf.io.decode_image(tf.io.encode_png(image(3, 4, 3)), dtype=tf.float32)",
        "tf.io.decode_image(tf.io.encode_png(image(3, 4, 3)), channels=1)",
        "tf.io.decode_image(tf.io.encode_png(image(3, 4, 3)), dtype=tf.uint16)",
        "tf.io.decode_image(tf.io.encode_png(image(3, 4, 3)), dtype=tf.int32)",
        "tf.io.decode_image(tf.io.encode_png(image(3, 4, 3)), channels=2)",
        "tf.io.decode_image(tf.io.encode_jpeg(image(3, 4, 3))).shape",
        "tf.io.decode_image('abc')",
        "tf.io.decode_image('')",
        "tf.io.decode_image(['a', 'b'])",
        "tf.io.decode_gif('abc')",
        "tf.io.decode_bmp('abc')",
        "tf.io.decode_webp('abc')",
        "tf.io.decode_bmp(b'BM' + bytes(60))",
        "tf.io.decode_gif(b'GIF89a' + bytes(20))",
        "tf.io.decode_bmp(b'BM' + np.array([70, 0, 54, 40, 2, 2, 1 + (24 << 16), 0, 16, 0, 0, 0, 0], np.int32).tobytes() + bytes(range(16)))",
        "tf.io.decode_bmp(b'BM' + np.array([70, 0, 54, 40, 2, -2, 1 + (24 << 16), 0, 16, 0, 0, 0, 0], np.int32).tobytes() + bytes(range(16)), channels=3)",
        "tf.io.decode_bmp(b'BM' + np.array([70, 0, 54, 40, 2, 2, 1 + (32 << 16), 0, 16, 0, 0, 0, 0], np.int32).tobytes() + bytes(range(16)))",
        "tf.io.decode_bmp(b'BM' + np.array([70, 0, 54, 40, 2, 2, 1 + (24 << 16), 0, 16, 0, 0, 0, 0], np.int32).tobytes() + bytes(range(16)), channels=4)",
        "tf.io.decode_bmp(b'BM' + np.array([70, 0, 54, 40, 9, 9, 1 + (24 << 16), 0, 16, 0, 0, 0, 0], np.int32).tobytes() + bytes(range(16)))",
        "tf.io.decode_png(tf.io.encode_png(image(3, 4, 3)).numpy()[:40])",
        "tf.io.decode_jpeg(tf.io.encode_jpeg(image(8, 8, 3)).numpy()[:40])",
        "traced(lambda b:tf.io.decode_png(b, channels=3), tf.io.encode_png(image(3, 4, 3)))",
        "static(lambda b:tf.io.decode_png(b, channels=3), tf.TensorSpec([], tf.string))",
        "static(lambda b:tf.io.decode_image(b), tf.TensorSpec([], tf.string))",
        "static(lambda b:tf.io.decode_image(b, expand_animations=False), tf.TensorSpec([], tf.string))",
        "tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-0.5]], 8000))",
        "tf.audio.decode_wav(tf.audio.encode_wav([[0.5, 0.25], [-0.5, 1.0]], 44100), desired_channels=1)",
        "tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-0.5]], 8000), desired_samples=4)",
        "tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-0.5]], 8000), desired_channels=2)",
        "tf.audio.encode_wav([[2.0], [-2.0]], 8000)",
        "tf.audio.encode_wav([0.5], 8000)",
        "tf.audio.encode_wav([[0.5]], -1)",
        "tf.audio.decode_wav('abc')",
        "tf.audio.decode_wav(tf.audio.encode_wav([[0.5], [-0.5]], 8000).numpy()[:30])",
    ]
)
def codecs(tf, expression):
    return evaluate(tf, expression)
