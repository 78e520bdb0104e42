"""`tf.image`: resizing, crops, colours, filters and measures of images.

Images are `[height, width, channels]`, or a batch of these.

    _adjust.py               Brightness, contrast, gamma, hue and saturation of images, and their dtype
    _arguments.py            Arguments of image functions: tensors of the right rank, numbers in range
    _bounding_boxes.py       Boxes on images: choosing, drawing, proposing and cropping
    _codecs.py               Image files as arrays, through Pillow
    _color_spaces.py         Colours of images in other coordinates: grey, HSV, YIQ and YUV
    _crop_and_pad.py         Parts of images, and images in a larger frame
    _crop_and_resize.py      Crops of images sampled at places that depend on the boxes
    _decode.py               Image files as tensors: `tf.io.decode_png`, `decode_image` and the others
    _decode_jpeg.py          JPEG files as tensors: `tf.io.decode_jpeg` and its relatives
    _encode.py               Images as files: `tf.io.encode_jpeg`, `encode_png`; and images as JPEG would leave them
    _flip.py                 Images mirrored, turned and transposed
    _formats.py              Which format an image file has, and what is said where a function cannot read it
    _gradients.py            Differences between neighbouring pixels
    _non_max_suppression.py  Which boxes to keep: the best ones that do not overlap a better one too much
    _patches.py              Patches and glimpses of images
    _png.py                  PNG files: writing all of them, and reading those of 16 bits, which Pillow cuts to 8
    _psnr_ssim.py            How much two images differ: peak signal-to-noise ratio and structural similarity
    _random.py               Images changed at random
    _resize.py               Images of another size
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.image._adjust": (
        "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation "
        "convert_image_dtype per_image_standardization"
    ),
    "gradtape.image._bounding_boxes": (
        "draw_bounding_boxes generate_bounding_box_proposals sample_distorted_bounding_box "
        "stateless_sample_distorted_bounding_box"
    ),
    "gradtape.image._color_spaces": (
        "grayscale_to_rgb hsv_to_rgb rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb"
    ),
    "gradtape.image._crop_and_pad": (
        "central_crop crop_and_resize crop_to_bounding_box pad_to_bounding_box resize_with_crop_or_pad"
    ),
    "gradtape.image._decode": "decode_bmp decode_gif decode_image decode_png decode_webp",
    "gradtape.image._decode_jpeg": "decode_and_crop_jpeg decode_jpeg extract_jpeg_shape is_jpeg",
    "gradtape.image._encode": (
        "adjust_jpeg_quality encode_jpeg encode_png random_jpeg_quality stateless_random_jpeg_quality"
    ),
    "gradtape.image._gradients": "image_gradients sobel_edges total_variation",
    "gradtape.image._flip": "flip_left_right flip_up_down rot90 transpose",
    "gradtape.image._patches": "extract_glimpse extract_patches",
    "gradtape.image._psnr_ssim": "psnr ssim ssim_multiscale",
    "gradtape.image._random": (
        "random_brightness random_contrast random_crop random_flip_left_right random_flip_up_down "
        "random_hue random_saturation stateless_random_brightness stateless_random_contrast "
        "stateless_random_crop stateless_random_flip_left_right stateless_random_flip_up_down "
        "stateless_random_hue stateless_random_saturation"
    ),
    "gradtape.image._resize": "ResizeMethod resize resize_with_pad",
    "gradtape.image._non_max_suppression": (
        "combined_non_max_suppression non_max_suppression non_max_suppression_overlaps non_max_suppression_padded "
        "non_max_suppression_with_scores"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
