"""`tf.nn`: activations, losses and what else a network is made of."""

from gradtape.core import lazy
from gradtape.math._elementwise import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softplus,
    softsign,
    tanh,
)
from gradtape.math._elementwise import (
    silu as swish,
)
from gradtape.arrays.indexing import (
    in_top_k,
)
from gradtape.linalg._products import (
    l2_normalize,
)
from gradtape.nn._softmax import (
    batch_normalization,
    bias_add,
    embedding_lookup,
    l2_loss,
    log_softmax,
    moments,
    sigmoid_cross_entropy_with_logits,
    softmax,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from gradtape.math._reductions import (
    zero_fraction,
)

_LATER = {
    "gradtape.nn.experimental": "*",
    "gradtape.nn._attention": "dot_product_attention",
    "gradtape.random._candidate_samplers": (
        "all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler "
        "compute_accidental_hits"
    ),
    "gradtape.nn._convolution": (
        "atrous_conv2d atrous_conv2d_transpose conv1d conv1d_transpose conv2d conv2d_transpose "
        "conv3d conv3d_transpose conv_transpose convolution depthwise_conv2d "
        "depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d "
        "with_space_to_batch"
    ),
    "gradtape.nn._ctc": "collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss ctc_unique_labels",
    "gradtape.nn._dropout": "dropout",
    "gradtape.nn._embedding": "embedding_lookup_sparse safe_embedding_lookup_sparse",
    "gradtape.nn._losses": "compute_average_loss log_poisson_loss scale_regularization_loss",
    "gradtape.nn._moments": "normalize_moments sufficient_statistics weighted_moments",
    "gradtape.nn._morphology": "dilation2d erosion2d",
    "gradtape.nn._normalization": (
        "batch_norm_with_global_normalization group_normalization layer_normalization "
        "local_response_normalization lrn=local_response_normalization"
    ),
    "gradtape.nn._pooling": (
        "avg_pool avg_pool1d avg_pool2d avg_pool3d fractional_avg_pool fractional_max_pool max_pool "
        "max_pool1d max_pool2d max_pool3d max_pool_with_argmax pool"
    ),
    "gradtape.arrays.space_batch": "depth_to_space space_to_batch space_to_depth",
    "gradtape.nn._rnn_wrappers": "RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper",
    "gradtape.nn._sampled_losses": "nce_loss sampled_softmax_loss",
    "gradtape.arrays.sorting": "approx_max_k approx_min_k isotonic_regression top_k",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    "batch_normalization",
    "bias_add",
    "crelu",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_softmax",
    "moments",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "weighted_cross_entropy_with_logits",
    "zero_fraction",
    *_later,
]
