"""Images as files: `tf.io.encode_jpeg`, `encode_png`; and images as JPEG would leave them."""

from __future__ import annotations

from typing import Any

from gradtape.api.arguments import tensor
from gradtape.api.array_op import objects
from gradtape.api.host_op import hosted, known
from gradtape.core import dtypes, errors
from gradtape.core.shape import ANY, Spec
from gradtape.core.tensor import Tensor
from gradtape.image import _codecs as codecs
from gradtape.image import _png as png
from gradtape.image._adjust import convert_image_dtype
from gradtape.image._arguments import require
from gradtape.math._conversion import cast
from gradtape.ops.family import boxed
from gradtape.random import _functions as functions


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: Any = "",
    name: str | None = None,
) -> Tensor:
    """The JPEG file of an image, as a scalar string tensor.

    Args:
      image: uint8 `[height, width, channels]` with 1 or 3 channels.
      format: "grayscale" or "rgb"; "" for what the channels say.
      quality: 0 to 100.
      progressive: whether the file shows a coarse image before it is read to its end.
      optimize_size: whether to spend time on a smaller file.
      chroma_downsampling: whether colours are kept at half the resolution.
      density_unit: "in" or "cm", what the densities count pixels by.
      x_density, y_density: pixels per unit, for printing.
      xmp_metadata: text to put into the file.

    >>> tf.io.encode_jpeg(tf.zeros([4, 6, 3], tf.uint8)).numpy()[:2]
    b'\\xff\\xd8'
    """
    if format not in ("", "default", "grayscale", "rgb"):
        raise codecs.invalid("encode_jpeg", f"format must be '', grayscale or rgb, got {format!r}")
    if density_unit not in ("in", "cm"):
        raise codecs.invalid("encode_jpeg", f"density_unit must be 'in' or 'cm', got {density_unit!r}")
    _check_quality("encode_jpeg", quality)
    factor = 1.0 if density_unit == "in" else 2.54
    metadata = xmp_metadata.encode() if isinstance(xmp_metadata, str) else bytes(xmp_metadata)
    options: dict[str, Any] = {
        "progressive": bool(progressive),
        "optimize": bool(optimize_size),
        "subsampling": "4:2:0" if chroma_downsampling else "4:4:4",
        "dpi": (round(x_density * factor), round(y_density * factor)),
        **({"xmp": metadata} if metadata else {}),
    }
    x = _bytes(image, "encode_jpeg")
    return _encode_jpeg(x, format=format, quality=int(quality), options=tuple(options.items()))[0]


def _bytes(image: Any, who: str) -> Any:
    x = tensor(image)
    if x.dtype is not dtypes.uint8:
        raise errors.build(
            errors.DTypeError,
            f"{who}: image must be uint8, it is {x.dtype.name}.",
            "use tf.image.convert_image_dtype(image, tf.uint8, saturate=True).",
        )
    return x


def _check_quality(who: str, quality: Any) -> None:
    if not 0 <= int(quality) <= 100:
        raise codecs.invalid(who, f"quality must be in [0,100], got {int(quality)}")


@hosted(known(((), dtypes.string)))
def _encode_jpeg(image: Any, *, format: str, quality: int, options: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    _check_image("encode_jpeg", image)
    channels = {"grayscale": 1, "rgb": 3}.get(format, image.shape[2])
    if channels != image.shape[2]:
        raise codecs.invalid("encode_jpeg", f"format {format} expects {channels} channels, got {list(image.shape)}")
    return (boxed(codecs.encode_jpeg("encode_jpeg", image, quality, **dict(options))),)


def _check_image(who: str, image: Any) -> None:
    if image.ndim != 3 or 0 in image.shape:
        raise errors.build(
            errors.ShapeError,
            f"{who}: image must be 3-dimensional and not empty, got {list(image.shape)}",
            "an image is [height, width, channels].",
        )
    if image.shape[2] not in (1, 3):
        raise codecs.invalid(who, f"image must have 1 or 3 channels, got {list(image.shape)}")


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """The PNG files of images, as strings.

    Args:
      image: uint8 or uint16 `[..., height, width, channels]` with 1 to 4 channels: grey, grey and alpha, colours, colours and
        alpha.
      compression: 0 (quick) to 9 (small); -1 for what is usual.

    Returns:
      A string tensor with the leading axes of `image`: a scalar for one image.

    >>> tf.io.encode_png(tf.zeros([5, 4, 6, 3], tf.uint8)).shape
    TensorShape([5])
    """
    x = tensor(image)
    if x.dtype not in (dtypes.uint8, dtypes.uint16):
        raise errors.build(
            errors.DTypeError,
            f"encode_png: image must be uint8 or uint16, it is {x.dtype.name}.",
            "use tf.image.convert_image_dtype(image, tf.uint8, saturate=True).",
        )
    if not -1 <= compression <= 9:
        raise codecs.invalid("encode_png", f"compression should be in [-1,9], got {compression}")
    return _encode_png(x, level=int(compression))[0]


def _png_specs(x: Spec, *, level: int) -> tuple[Spec, ...]:
    return (Spec(ANY if x.shape is ANY else x.shape[:-3], dtypes.string),)


@hosted(_png_specs)
def _encode_png(image: Any, *, level: int) -> tuple[Any, ...]:
    if image.ndim < 3:
        raise errors.build(
            errors.ShapeError,
            f"encode_png: images must be at least rank 3, got {list(image.shape)}",
            "an image is [height, width, channels].",
        )
    if image.shape[-1] not in (1, 2, 3, 4):
        raise codecs.invalid("encode_png", f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    images = image.reshape(-1, *image.shape[-3:])
    return (objects([png.encode(one, level) for one in images], image.shape[:-3]),)


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """The image after JPEG compression with some quality.

    Args:
      image: `[height, width, channels]` with 1 or 3 channels, of floats or integers.
      jpeg_quality: 0 to 100, a number or an int32 tensor.
      dct_method: ignored.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.adjust_jpeg_quality(tf.zeros([8, 8, 3]), 75).dtype
    tf.float32
    """
    original = tensor(image)
    x = convert_image_dtype(original, dtypes.uint8, saturate=True)
    quality = cast(tensor(jpeg_quality), dtypes.int32)
    (found,) = _adjust_jpeg_quality(x, quality)
    return convert_image_dtype(found, original.dtype, saturate=True)


def _same(x: Spec, quality: Spec) -> tuple[Spec, ...]:
    return (x,)


@hosted(_same)
def _adjust_jpeg_quality(image: Any, quality: Any) -> tuple[Any, ...]:
    _check_image("adjust_jpeg_quality", image)
    _check_quality("adjust_jpeg_quality", quality)
    data = codecs.encode_jpeg("adjust_jpeg_quality", image, int(quality))
    return (codecs.jpeg("adjust_jpeg_quality", data, image.shape[2]),)


def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None) -> Tensor:
    """The image after JPEG compression with random quality; see `adjust_jpeg_quality`.

    Args:
      image: `[height, width, channels]` with 1 or 3 channels, of floats or integers.
      min_jpeg_quality: the least quality, from 0 on.
      max_jpeg_quality: a quality above all that are drawn, up to 100.
      seed: an integer that gives the call a stream of its own.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.random_jpeg_quality(tf.zeros([8, 8, 3], tf.uint8), 75, 95).shape
    TensorShape([8, 8, 3])
    """
    _check_range("random_jpeg_quality", min_jpeg_quality, max_jpeg_quality)
    drawn = functions.uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed)
    return adjust_jpeg_quality(image, drawn)


def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Tensor:
    """As `random_jpeg_quality`, determined by the seed alone.

    Args:
      image: `[height, width, channels]` with 1 or 3 channels, of floats or integers.
      min_jpeg_quality: the least quality, from 0 on.
      max_jpeg_quality: a quality above all that are drawn, up to 100.
      seed: two integers.

    Returns:
      A tensor of the same shape and dtype.

    >>> tf.image.stateless_random_jpeg_quality(tf.zeros([8, 8, 3], tf.uint8), 75, 95, seed=(1, 2)).shape
    TensorShape([8, 8, 3])
    """
    _check_range("stateless_random_jpeg_quality", min_jpeg_quality, max_jpeg_quality)
    drawn = functions.stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjust_jpeg_quality(image, drawn)


def _check_range(who: str, low: int, high: int) -> None:
    fix = f"the range is {low} to {high}."
    require(0 <= low <= 100 and 0 <= high <= 100, who, "jpeg encoding range must be between 0 and 100.", fix)
    require(low < high, who, "`min_jpeg_quality` must be less than `max_jpeg_quality`.", fix)
