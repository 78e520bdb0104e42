"""`backend.image`: functions of images, by subject."""

from gradtape.keras_backend.ops.image.color_spaces import hsv_to_rgb, rgb_to_grayscale, rgb_to_hsv, sobel_edges
from gradtape.keras_backend.ops.image.resizing import resize, scale_and_translate
from gradtape.keras_backend.ops.image.sampling import map_coordinates
from gradtape.keras_backend.ops.image.transforms import (
    affine_transform,
    compute_homography_matrix,
    elastic_transform,
    gaussian_blur,
    perspective_transform,
)

__all__ = [
    "affine_transform", "compute_homography_matrix", "elastic_transform", "gaussian_blur", "hsv_to_rgb",
    "map_coordinates", "perspective_transform", "resize", "rgb_to_grayscale", "rgb_to_hsv", "scale_and_translate",
    "sobel_edges",
]  # fmt: skip
