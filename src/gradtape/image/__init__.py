"""`tf.image`: resizing, crops, colours, filters and measures of images."""

from gradtape.core import lazy

_LATER = {
    "gradtape.image._adjust": (
        "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation "
        "convert_image_dtype per_image_standardization"
    ),
    "gradtape.image._bounding_boxes": (
        "combined_non_max_suppression draw_bounding_boxes generate_bounding_box_proposals "
        "non_max_suppression non_max_suppression_overlaps non_max_suppression_padded "
        "non_max_suppression_with_scores sample_distorted_bounding_box "
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
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    *_later,
]
