"""`backend.nn`: functions of neural networks, by subject."""

from gradtape.core import lazy

_LATER = {
    "gradtape.keras_backend.ops.nn.activations": (
        "celu elu gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu log_sigmoid log_softmax relu "
        "relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus sparse_sigmoid sparsemax "
        "squareplus tanh tanh_shrink threshold"
    ),
    "gradtape.keras_backend.ops.nn.convolution": (
        "conv conv_transpose depth_to_space depthwise_conv fold separable_conv space_to_depth unfold"
    ),
    "gradtape.keras_backend.ops.nn.losses": (
        "binary_crossentropy categorical_crossentropy ctc_decode ctc_loss multi_hot one_hot psnr "
        "sparse_categorical_crossentropy"
    ),
    "gradtape.keras_backend.ops.nn.normalization": "batch_normalization dot_product_attention moments",
    "gradtape.keras_backend.ops.nn.pooling": "adaptive_average_pool adaptive_max_pool average_pool max_pool",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
