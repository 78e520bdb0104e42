"""Image files: shapes, dtypes and errors are TensorFlow's, pixels those that went in."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import gradtape as tf

RGB = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
PICTURE = Image.fromarray(RGB)


def file(picture: Any, kind: str, **options: Any) -> bytes:
    """The bytes of an image file."""
    memory = io.BytesIO()
    picture.save(memory, kind, **options)
    return memory.getvalue()


PNG, JPEG, BMP = file(PICTURE, "PNG"), file(PICTURE, "JPEG", quality=95), file(PICTURE, "BMP")
GIF, WEBP = file(PICTURE, "GIF"), file(PICTURE, "WEBP", lossless=True)
FRAMES = [Image.new("RGB", (4, 3), colour) for colour in ("red", "lime", "blue")]
MOVIE = file(FRAMES[0], "GIF", save_all=True, append_images=FRAMES[1:])
MOST = int(RGB.max())
MODES = {"RGB": 3, "P": 3, "L": 1, "RGBA": 4, "LA": 2, "1": 1}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("channels", [0, 1, 3, 4])
def test_png_channels(mode: str, channels: int) -> None:
    picture = PICTURE.convert(mode)
    result = tf.io.decode_png(file(picture, "PNG"), channels=channels)
    own = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[channels or MODES[mode]]
    expected = np.asarray(picture.convert(own)).reshape(result.shape)
    assert result.shape == (5, 7, channels or MODES[mode])
    # libpng, which TensorFlow asks, truncates where Pillow rounds; the numbers themselves are recorded in conformance/behaviours.
    is_made_grey = own == "L" and MODES[mode] > 2
    np.testing.assert_allclose(result, expected, rtol=0, atol=1 if is_made_grey else 0)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_png_there_and_back(channels: int, dtype: Any) -> None:
    image = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, (6, 5, channels)).astype(dtype)
    data = tf.io.encode_png(image)
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=dtype), image)
    np.testing.assert_array_equal(tf.io.decode_png(data), image >> 8 if dtype is np.uint16 else image)
    wide = tf.io.decode_png(data, dtype=tf.uint16).numpy()
    np.testing.assert_array_equal(wide, image if dtype is np.uint16 else image.astype(np.uint16) * 257)


def test_png_files_of_others_with_16_bits() -> None:
    # Pillow chooses among all filters.
    ramp = np.add.outer(np.arange(40) ** 2 * 20, np.arange(30) * 999).astype(np.uint16)
    data = file(Image.fromarray(ramp), "PNG", optimize=True)
    np.testing.assert_array_equal(tf.io.decode_png(data, dtype=tf.uint16)[..., 0], ramp)
    three = tf.io.decode_png(data, channels=4, dtype=tf.uint16).numpy()
    assert three.shape == (40, 30, 4)
    assert (three[..., 3] == 65535).all()
    np.testing.assert_array_equal(tf.io.decode_png(data), (ramp >> 8)[..., None])


def test_png_colours_become_grey() -> None:
    wide = np.uint16([[[65535, 0, 0], [0, 65535, 0], [0, 0, 65535]]])
    grey = tf.io.decode_png(tf.io.encode_png(wide), channels=1, dtype=tf.uint16).numpy().ravel()
    np.testing.assert_allclose(grey, [0.299 * 65535, 0.587 * 65535, 0.114 * 65535], atol=1)
    narrow = tf.io.decode_png(tf.io.encode_png((wide >> 8).astype(np.uint8)), channels=1).numpy().ravel()
    np.testing.assert_allclose(narrow, [76, 150, 29], atol=1)


def test_png_of_many_images() -> None:
    images = np.random.default_rng(2).integers(0, 256, (2, 3, 4, 5, 1)).astype(np.uint8)
    data = tf.io.encode_png(images, compression=9)
    assert data.shape == (2, 3)
    np.testing.assert_array_equal(tf.io.decode_png(data[1, 2]), images[1, 2])


def test_jpeg_pixels() -> None:
    np.testing.assert_array_equal(tf.io.decode_jpeg(JPEG), np.asarray(Image.open(io.BytesIO(JPEG))))
    grey = np.asarray(Image.open(io.BytesIO(JPEG)).convert("L")).astype(int)
    found = tf.io.decode_jpeg(JPEG, channels=1)
    assert found.shape == (5, 7, 1)
    assert np.abs(found.numpy()[..., 0] - grey).max() <= 2
    assert tf.io.decode_jpeg(file(PICTURE.convert("L"), "JPEG")).shape == (5, 7, 1)
    assert tf.io.decode_jpeg(file(PICTURE.convert("CMYK"), "JPEG")).shape == (5, 7, 3)


@pytest.mark.parametrize(("ratio", "shape"), [(1, (5, 7, 3)), (2, (3, 4, 3)), (4, (2, 2, 3)), (8, (1, 1, 3))])
def test_jpeg_ratios(ratio: int, shape: tuple[int, ...]) -> None:
    assert tf.io.decode_jpeg(JPEG, ratio=ratio).shape == shape


def test_jpeg_crop() -> None:
    np.testing.assert_array_equal(tf.io.decode_and_crop_jpeg(JPEG, [1, 2, 3, 4]), tf.io.decode_jpeg(JPEG)[1:4, 2:6])
    for window in ([1, 2, 30, 4], [-1, 0, 2, 2], [0, 0, 0, 1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data or crop window"):
            tf.io.decode_and_crop_jpeg(JPEG, window)


def test_jpeg_facts() -> None:
    np.testing.assert_array_equal(tf.io.extract_jpeg_shape(JPEG), [5, 7, 3])
    assert tf.io.extract_jpeg_shape(JPEG, tf.int64).dtype == tf.int64
    assert [bool(tf.io.is_jpeg(data)) for data in (JPEG, PNG, b"")] == [True, False, False]


def test_jpeg_options() -> None:
    smooth = np.broadcast_to(np.arange(64, dtype=np.uint8)[:, None, None] * 3, (64, 64, 3))
    sizes = [len(tf.io.encode_jpeg(smooth, quality=q).numpy()) for q in (10, 95)]
    assert sizes[0] < sizes[1]
    data = tf.io.encode_jpeg(
        smooth, progressive=True, optimize_size=True, chroma_downsampling=False, density_unit="cm", x_density=100,
        y_density=100, xmp_metadata="<note/>",
    ).numpy()  # fmt: skip
    picture = Image.open(io.BytesIO(data))
    assert picture.info["progressive"]
    assert picture.info["dpi"] == (254, 254)
    assert b"<note/>" in data
    assert np.abs(tf.io.decode_jpeg(data).numpy().astype(int) - smooth).max() < 4
    assert tf.io.decode_jpeg(tf.io.encode_jpeg(smooth[..., :1], format="grayscale")).shape == (64, 64, 1)


def test_truncated_files() -> None:
    for data, decode in ((JPEG, tf.io.decode_jpeg), (PNG, tf.io.decode_png), (BMP, tf.io.decode_bmp)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Invalid \w+ data, size"):
            decode(data[:-60])
    assert tf.io.decode_jpeg(JPEG[:-60], try_recover_truncated=True).shape == (5, 7, 3)


def test_other_formats() -> None:
    np.testing.assert_array_equal(tf.io.decode_bmp(BMP), RGB)
    assert tf.io.decode_bmp(BMP, channels=4).shape == (5, 7, 4)
    assert tf.io.decode_bmp(file(PICTURE.convert("L"), "BMP")).shape == (5, 7, 1)
    four = np.random.default_rng(3).integers(0, 256, (5, 7, 4)).astype(np.uint8)
    np.testing.assert_array_equal(tf.io.decode_bmp(file(Image.fromarray(four), "BMP")), four)
    np.testing.assert_array_equal(tf.io.decode_bmp(file(Image.fromarray(four), "BMP"), channels=3), four[..., :3])
    np.testing.assert_array_equal(tf.io.decode_webp(WEBP), RGB[None])
    np.testing.assert_array_equal(tf.io.decode_gif(MOVIE)[:, 0, 0], [[255, 0, 0], [0, 255, 0], [0, 0, 255]])
    assert tf.io.decode_gif(PNG).shape == (1, 5, 7, 3)
    for data in (PNG, GIF):
        assert tf.io.decode_jpeg(data).shape == (5, 7, 3)
    for data in (JPEG, GIF):
        assert tf.io.decode_png(data).shape == (5, 7, 3)


@pytest.mark.parametrize(
    ("data", "options", "shape", "dtype", "largest"),
    [
        (PNG, {}, (5, 7, 3), tf.uint8, MOST),
        (PNG, {"dtype": tf.float32}, (5, 7, 3), tf.float32, MOST / 255),
        (PNG, {"dtype": tf.uint16}, (5, 7, 3), tf.uint16, MOST * 257),
        (BMP, {"dtype": tf.uint16}, (5, 7, 3), tf.uint16, MOST * 256),
        (BMP, {"dtype": tf.int32}, (5, 7, 3), tf.int32, MOST * 256 * 32768),
        (PNG, {"channels": 4}, (5, 7, 4), tf.uint8, 255),
        (GIF, {}, (1, 5, 7, 3), tf.uint8, None),
        (MOVIE, {}, (3, 3, 4, 3), tf.uint8, 255),
        (MOVIE, {"expand_animations": False}, (3, 4, 3), tf.uint8, 255),
        (WEBP, {}, (1, 5, 7, 3), tf.uint8, MOST),
        (WEBP, {"expand_animations": False}, (5, 7, 3), tf.uint8, MOST),
        (JPEG, {"channels": 1}, (5, 7, 1), tf.uint8, None),
    ],
)
def test_decode_image(data: bytes, options: Any, shape: Any, dtype: Any, largest: Any) -> None:
    result = tf.io.decode_image(data, **options)
    assert result.shape == shape
    assert result.dtype == dtype
    if largest is not None:
        np.testing.assert_allclose(result.numpy().max(), np.int64(largest) if dtype.is_integer else largest, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.io.decode_image(b"hello world"), r"Unknown image file format. One of JPEG, PNG"),
        (lambda: tf.io.decode_image(b""), r"Input is empty"),
        (lambda: tf.io.decode_image([PNG]), r"`contents` must be scalar but got shape\[1\]"),
        (lambda: tf.io.decode_image(GIF, channels=1), r"channels must be 0 or 3 for GIF"),
        (lambda: tf.io.decode_image(WEBP, channels=1), r"WebP only supports 3 or 4 channels"),
        (lambda: tf.io.decode_image(BMP, channels=1), r"must be 0, 3 or 4 for BMP"),
        (lambda: tf.io.decode_jpeg(JPEG, channels=4), r"JPEG does not support 4 channels"),
        (lambda: tf.io.decode_jpeg(JPEG, channels=5), r"`channels` must be 0, 1, 3 or 4 but got 5"),
        (lambda: tf.io.decode_jpeg(JPEG, ratio=3), r"ratio must be 1, 2, 4, or 8"),
        (lambda: tf.io.decode_jpeg(MOVIE), r"Got 3 frames, but animated gifs"),
        (lambda: tf.io.decode_png(PNG, channels=2), r"but got 2"),
        (lambda: tf.io.decode_png(PNG, dtype=tf.float32), r"dtype is float32"),
        (lambda: tf.io.decode_bmp(PNG), r"Use `decode_png` or `decode_image`"),
        (lambda: tf.io.decode_webp(PNG), r"Use `decode_png` or `decode_image`"),
        (lambda: tf.io.encode_jpeg(RGB, quality=101), r"quality must be in \[0,100\], got 101"),
        (lambda: tf.io.encode_jpeg(RGB, format="grayscale"), r"format grayscale expects 1 channels"),
        (lambda: tf.io.encode_jpeg(RGB[..., :2]), r"must have 1 or 3 channels, got \[5, 7, 2\]"),
        (lambda: tf.io.encode_jpeg(RGB[..., 0]), r"must be 3-dimensional"),
        (lambda: tf.io.encode_jpeg(RGB / 255.0), r"image must be uint8, it is float64"),
        (lambda: tf.io.encode_png(RGB, compression=10), r"compression should be in \[-1,9\]"),
        (lambda: tf.io.encode_png(RGB[..., 0]), r"at least rank 3"),
        (lambda: tf.io.encode_png(RGB / 255.0), r"must be uint8 or uint16"),
        (lambda: tf.image.adjust_jpeg_quality(RGB, 101), r"quality must be in \[0,100\]"),
        (lambda: tf.io.extract_jpeg_shape(PNG), r"Invalid JPEG data"),
    ],
)  # fmt: skip
def test_refuses(call: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()


def test_jpeg_xl_is_left_out() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="convert them to PNG"):
        tf.io.decode_image(b"\xff\x0a\x00\x00")


def test_both_modules_have_them() -> None:
    for name in ("decode_jpeg", "decode_png", "decode_image", "encode_jpeg", "is_jpeg", "extract_jpeg_shape"):
        assert getattr(tf.image, name) is getattr(tf.io, name)


def test_static_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def shapes(data: tf.Tensor) -> tf.Tensor:
        assert tf.io.decode_jpeg(data).shape.as_list() == [None, None, None]
        assert tf.io.decode_png(data, channels=3).shape.as_list() == [None, None, 3]
        assert tf.io.decode_gif(data).shape.as_list() == [None, None, None, 3]
        assert tf.io.decode_image(data).shape.rank is None
        assert tf.io.decode_image(data, channels=1, expand_animations=False).shape.as_list() == [None, None, 1]
        assert tf.io.extract_jpeg_shape(data).shape.as_list() == [3]
        return data

    shapes.get_concrete_function()


def test_in_functions_and_datasets(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.png").write_bytes(tf.io.encode_png(RGB[: 3 + number]).numpy())

    def load(path: tf.Tensor) -> tf.Tensor:
        image = tf.io.decode_png(tf.io.read_file(path), channels=3)
        return tf.image.resize(tf.image.convert_image_dtype(image, tf.float32), [4, 4])

    expected = [load(f"{tmp_path}/{i}.png") for i in range(3)]
    for call in (load, tf.function(load)):
        ds = tf.data.Dataset.list_files(f"{tmp_path}/*.png", shuffle=False).map(call, num_parallel_calls=2).batch(3)
        assert ds.element_spec.shape.as_list() == [None, 4, 4, 3]
        np.testing.assert_allclose(next(iter(ds)), expected, atol=1e-6)


def test_mapped_over_strings() -> None:
    data = tf.constant([PNG, PNG])
    for call in (tf.map_fn, tf.function(tf.map_fn, autograph=False)):
        result = call(lambda x: tf.io.decode_png(x, channels=3), data, fn_output_signature=tf.uint8)
        np.testing.assert_array_equal(result, [RGB, RGB])


def test_jpeg_quality() -> None:
    smooth = np.broadcast_to(np.linspace(0, 1, 32, dtype=np.float32)[:, None, None], (32, 32, 3))
    for quality in (90, tf.constant(90)):
        result = tf.image.adjust_jpeg_quality(smooth, quality)
        assert result.dtype == tf.float32
        assert 0 < np.abs(result.numpy() - smooth).max() < 0.05
    assert tf.image.adjust_jpeg_quality(RGB[..., :1], 50).shape == (5, 7, 1)
    compiled = tf.function(lambda x: tf.image.adjust_jpeg_quality(x, 90))
    np.testing.assert_array_equal(compiled(tf.constant(smooth)), result)


def test_random_jpeg_quality() -> None:
    a, b = [tf.image.stateless_random_jpeg_quality(RGB, 5, 95, seed=(1, 2)) for _ in range(2)]
    np.testing.assert_array_equal(a, b)
    different = [tf.image.random_jpeg_quality(RGB, 1, 100, seed=3).numpy().tobytes() for _ in range(4)]
    assert len(set(different)) > 1
    with pytest.raises(ValueError, match="must be less than"):
        tf.image.random_jpeg_quality(RGB, 90, 80)
    with pytest.raises(ValueError, match="between 0 and 100"):
        tf.image.stateless_random_jpeg_quality(RGB, -1, 80, seed=(1, 2))


def test_without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(ImportError, match=r"decode_jpeg needs Pillow(.|\n)*gradtape\[images\]"):
        tf.io.decode_jpeg(JPEG)


def test_tapes_see_that_there_is_no_gradient() -> None:
    x = tf.Variable(RGB / np.float32(255))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.image.adjust_jpeg_quality(x, 90))
    assert tape.gradient(y, x) is None


def test_grey_bmp_without_a_palette() -> None:
    header = b"BM" + (62).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
    sizes = (3).to_bytes(4, "little") + (2).to_bytes(4, "little") + b"\x01\0\x08\0" + bytes(24)
    data = header + sizes + bytes([4, 5, 6, 0, 1, 2, 3, 0])
    assert tf.io.decode_bmp(data)[..., 0].numpy().tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_bmp(data[:-2])
