"""`tf.nn`: activations, losses and other parts of networks.

_atrous.py                 Convolutions with holes, and any function of windows made to have holes
_attention.py              Queries look up values by their keys
_convolution.py            Convolutions of one, two and three dimensions, transposed, depthwise and separable
_convolution_arguments.py  What the functions for convolutions share: layouts, groups of channels, padding
_ctc.py                    Connectionist temporal classification, the loss and its decoders
_ctc_decoders.py           What frames of class probabilities spell: the best class of each frame
_depthwise.py              Convolutions in which every channel has filters of its own
_dropout.py                Some elements become zero, the others are scaled up
_embedding.py              Sums and means of embeddings, for sparse matrices of ids
_fractional_pooling.py     Pooling over windows of different sizes
_losses.py                 Averages of losses over a batch, and the loss of counts
_moments.py                Means and variances from weights, and from sums
_morphology.py             Grey-scale dilation and erosion
_normalization.py          Normalisations over rows, groups of channels and neighbouring channels
_pooling.py                Maxima and means of windows
_rnn_wrappers.py           Wrappers around recurrent cells
_sampled_losses.py         Losses over many classes, of which a sample is looked at
_softmax.py                Softmax, losses on logits, and small parts of layers
experimental.py            Dropout with a sampler or a seed of one's own
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.nn.experimental": "*",
    "gradtape.nn._attention": "dot_product_attention",
    "gradtape.nn._convolution": (
        "conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose conv_transpose convolution"
    ),
    "gradtape.nn._ctc": ("collapse_repeated ctc_beam_search_decoder ctc_greedy_decoder ctc_loss ctc_unique_labels"),
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
        "avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d max_pool_with_argmax pool"
    ),
    "gradtape.nn._rnn_wrappers": "RNNCellDeviceWrapper RNNCellDropoutWrapper RNNCellResidualWrapper",
    "gradtape.nn._sampled_losses": "nce_loss sampled_softmax_loss",
    "gradtape.nn._softmax": (
        "batch_normalization bias_add embedding_lookup l2_loss log_softmax moments "
        "sigmoid_cross_entropy_with_logits softmax softmax_cross_entropy_with_logits "
        "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits"
    ),
    "gradtape.arrays.indexing": "in_top_k",
    "gradtape.arrays.sorting": "approx_max_k approx_min_k isotonic_regression top_k",
    "gradtape.linalg._products": "l2_normalize",
    "gradtape.math._elementwise": "tanh",
    "gradtape.math._reductions": "zero_fraction",
    "gradtape.random._candidate_samplers": (
        "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
        "learned_unigram_candidate_sampler"
    ),
    "gradtape.arrays.blocks": "depth_to_space space_to_batch space_to_depth",
    "gradtape.math._activations": (
        "crelu elu gelu leaky_relu relu relu6 selu sigmoid silu softplus softsign swish=silu"
    ),
    "gradtape.nn._atrous": "atrous_conv2d atrous_conv2d_transpose with_space_to_batch",
    "gradtape.nn._depthwise": (
        "depthwise_conv2d depthwise_conv2d_backprop_filter depthwise_conv2d_backprop_input separable_conv2d"
    ),
    "gradtape.nn._fractional_pooling": "fractional_avg_pool fractional_max_pool",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
