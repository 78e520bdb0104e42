# Written by tools/stubs.py.
# ruff: noqa
from gradtape.arrays.blocks import depth_to_space
from gradtape.arrays.blocks import space_to_batch
from gradtape.arrays.blocks import space_to_depth
from gradtape.arrays.indexing import in_top_k
from gradtape.arrays.sorting import ApproxTopK
from gradtape.arrays.sorting import isotonic_regression
from gradtape.arrays.sorting import top_k
from gradtape.core.annotations import TensorLike
from gradtape.core.tensor import Tensor
from gradtape.linalg._products import l2_normalize
from gradtape.math import sigmoid
from gradtape.math import softplus
from gradtape.math import softsign
from gradtape.math import tanh
from gradtape.math._activations import crelu
from gradtape.math._activations import gelu
from gradtape.math._activations import leaky_relu
from gradtape.math._activations import silu
from gradtape.math._activations import silu as swish
from gradtape.math._reductions import zero_fraction
from gradtape.nn import experimental
from gradtape.nn._atrous import atrous_conv2d
from gradtape.nn._atrous import atrous_conv2d_transpose
from gradtape.nn._atrous import with_space_to_batch
from gradtape.nn._attention import dot_product_attention
from gradtape.nn._convolution import conv1d
from gradtape.nn._convolution import conv_transpose
from gradtape.nn._convolution import convolution
from gradtape.nn._ctc import collapse_repeated
from gradtape.nn._ctc import ctc_beam_search_decoder
from gradtape.nn._ctc import ctc_greedy_decoder
from gradtape.nn._ctc import ctc_loss
from gradtape.nn._ctc import ctc_unique_labels
from gradtape.nn._depthwise import depthwise_conv2d
from gradtape.nn._depthwise import depthwise_conv2d_backprop_filter
from gradtape.nn._depthwise import depthwise_conv2d_backprop_input
from gradtape.nn._depthwise import separable_conv2d
from gradtape.nn._dropout import dropout
from gradtape.nn._embedding import embedding_lookup_sparse
from gradtape.nn._embedding import safe_embedding_lookup_sparse
from gradtape.nn._fractional_pooling import fractional_avg_pool
from gradtape.nn._fractional_pooling import fractional_max_pool
from gradtape.nn._losses import compute_average_loss
from gradtape.nn._losses import log_poisson_loss
from gradtape.nn._losses import scale_regularization_loss
from gradtape.nn._moments import normalize_moments
from gradtape.nn._moments import sufficient_statistics
from gradtape.nn._moments import weighted_moments
from gradtape.nn._morphology import dilation2d
from gradtape.nn._morphology import erosion2d
from gradtape.nn._normalization import batch_norm_with_global_normalization
from gradtape.nn._normalization import group_normalization
from gradtape.nn._normalization import layer_normalization
from gradtape.nn._normalization import local_response_normalization
from gradtape.nn._normalization import local_response_normalization as lrn
from gradtape.nn._pooling import max_pool_with_argmax
from gradtape.nn._pooling import pool
from gradtape.nn._rnn_wrappers import RNNCellDeviceWrapper
from gradtape.nn._rnn_wrappers import RNNCellDropoutWrapper
from gradtape.nn._rnn_wrappers import RNNCellResidualWrapper
from gradtape.nn._sampled_losses import nce_loss
from gradtape.nn._sampled_losses import sampled_softmax_loss
from gradtape.nn._softmax import batch_normalization
from gradtape.nn._softmax import bias_add
from gradtape.nn._softmax import embedding_lookup
from gradtape.nn._softmax import l2_loss
from gradtape.nn._softmax import moments
from gradtape.nn._softmax import sigmoid_cross_entropy_with_logits
from gradtape.nn._softmax import softmax_cross_entropy_with_logits
from gradtape.nn._softmax import sparse_softmax_cross_entropy_with_logits
from gradtape.nn._softmax import weighted_cross_entropy_with_logits
from gradtape.random._candidate_samplers import all_candidate_sampler
from gradtape.random._candidate_samplers import compute_accidental_hits
from gradtape.random._candidate_samplers import fixed_unigram_candidate_sampler
from gradtape.random._candidate_samplers import learned_unigram_candidate_sampler
from typing import Any

__all__ = [
    "RNNCellDeviceWrapper",
    "RNNCellDropoutWrapper",
    "RNNCellResidualWrapper",
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dot_product_attention",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_max_pool",
    "gelu",
    "group_normalization",
    "in_top_k",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "layer_normalization",
    "leaky_relu",
    "learned_unigram_candidate_sampler",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "zero_fraction",
]

def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: Any = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` largest elements along an axis and where they are. They are the exact ones.

    Args:
      operand: floating point numbers.
      k: how many.
      reduction_dimension: the axis.
      recall_target: ignored.
      reduction_input_size_override: ignored.
      aggregate_to_topk: ignored.
      name: ignored.

    Returns:
      The pair `values`, `indices`.

    >>> tf.math.approx_max_k([4.0, 1.0, 3.0], k=2).values.numpy()
    array([4., 3.], dtype=float32)
    """

def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: Any = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The `k` smallest elements along an axis and where they are. They are the exact ones.

    Args:
      operand: floating point numbers.
      k: how many.
      reduction_dimension: the axis.
      recall_target: ignored.
      reduction_input_size_override: ignored.
      aggregate_to_topk: ignored.
      name: ignored.

    Returns:
      The pair `values`, `indices`.

    >>> tf.math.approx_min_k([4.0, 1.0, 3.0], k=2).values.numpy()
    array([1., 3.], dtype=float32)
    """

def avg_pool(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """The mean of each window, over one, two or three axes. Padding does not count.

    Args:
      input: `[n, *size, channels]`, or with the channels first; rank 3, 4 or 5.
      ksize: the window: an int, or one for each axis that it moves over, or for each axis of the input.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool([[[1.0], [3.0], [2.0]]], 2, 2, "SAME")[0, :, 0].numpy()
    array([2., 2.], dtype=float32)
    """

def avg_pool1d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each window over one axis; see `tf.nn.avg_pool`.

    Args:
      input: `[n, width, channels]`, or with the channels first.
      ksize: the window.
      strides: its step.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NWC" or "NCW".
      name: ignored.

    Returns:
      `[n, places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")[0, :, 0].numpy()
    array([2. , 2.5], dtype=float32)
    """

def avg_pool2d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """The mean of each window over two axes; see `tf.nn.avg_pool`.

    Args:
      input: `[n, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 2 or 4 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" or "NCHW".
      name: ignored.

    Returns:
      `[n, places, places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID")[0, :, :, 0].numpy()
    array([[ 2.5,  4.5],
           [10.5, 12.5]], dtype=float32)
    """

def avg_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window over three axes; see `tf.nn.avg_pool`.

    Args:
      input: `[n, depth, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 3 or 5 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NDHWC" or "NCDHW".
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.avg_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().item()
    3.5
    """

def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over one axis; see `tf.nn.conv_transpose`.

    Args:
      input: `[n, places, input channels]`, or with the channels first.
      filters: `[window, output channels, input channels]`.
      output_shape: the shape of the result, or its width.
      strides: the step of the window.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NWC" or "NCW".
      dilations: the distances of the taps.
      name: ignored.

    Returns:
      `[n, width, output channels]`, in the layout of the input.

    >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([3, 1, 1]), [1, 5, 1], 2, "VALID")[0, :, 0].numpy()
    array([1., 1., 2., 1., 1.], dtype=float32)
    """

def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution over two axes; see `tf.nn.convolution`.

    Args:
      input: `[..., height, width, channels]`, or with the channels first.
      filters: `[window height, window width, input channels, output channels]`.
      strides: the steps of the window: an int, or 2 or 4 of them.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: the distances of the taps: an int, or 2 or 4 of them.
      name: ignored.

    Returns:
      `[..., places, places, output channels]`, in the layout of the input.

    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([3, 3, 1, 1]), 1, "SAME")[0, :, :, 0].numpy()
    array([[4., 6., 4.],
           [6., 9., 6.],
           [4., 6., 4.]], dtype=float32)
    """

def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over two axes, also called deconvolution; see `tf.nn.conv_transpose`.

    Args:
      input: `[n, places, places, input channels]`, or with the channels first.
      filters: `[window height, window width, output channels, input channels]`.
      output_shape: the shape of the result, or its height and width.
      strides: the steps of the window: an int, or 2 or 4 of them.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" or "NCHW".
      dilations: the distances of the taps.
      name: ignored.

    Returns:
      `[n, height, width, output channels]`, in the layout of the input.

    >>> tf.nn.conv2d_transpose(tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], 2)[0, :, :, 0].numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

def conv3d(
    input: TensorLike,
    filters: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The convolution over three axes; see `tf.nn.convolution`.

    Args:
      input: `[..., depth, height, width, channels]`, or with the channels first.
      filters: `[*window, input channels, output channels]`.
      strides: the steps of the window: an int, or 3 or 5 of them.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NDHWC" or "NCDHW".
      dilations: the distances of the taps: an int, or 3 or 5 of them.
      name: ignored.

    Returns:
      `[..., *places, output channels]`, in the layout of the input.

    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), 1, "VALID").numpy().item()
    8.0
    """

def conv3d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over three axes; see `tf.nn.conv_transpose`.

    Args:
      input: `[n, *places, input channels]`, or with the channels first.
      filters: `[*window, output channels, input channels]`.
      output_shape: the shape of the result, or its depth, height and width.
      strides: the steps of the window: an int, or 3 or 5 of them.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NDHWC" or "NCDHW".
      dilations: the distances of the taps.
      name: ignored.

    Returns:
      `[n, depth, height, width, output channels]`, in the layout of the input.

    >>> tf.nn.conv3d_transpose(tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 2).shape
    TensorShape([1, 2, 2, 2, 1])
    """

def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """x where it is positive, exp(x) - 1 elsewhere, elementwise.

    Args:
      features: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.nn.elu([-100.0, 2.0]).numpy()
    array([-1.,  2.], dtype=float32)
    """

def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithm of softmax along an axis, without its overflow.

    Args:
      logits: floating numbers.
      axis: an int; the last axis by default.
      name: ignored.

    Returns:
      Logarithms of probabilities, in the shape of the logits.

    >>> tf.nn.log_softmax([0.0, 0.0]).numpy()
    array([-0.6931472, -0.6931472], dtype=float32)
    """

def max_pool(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """The maximum of each window, over one, two or three axes.

    Padding is never the maximum. The gradient goes to the first position of a window that attains its maximum.

    Args:
      input: `[n, *size, channels]`, or with the channels first; rank 3, 4 or 5.
      ksize: the window: an int, or one for each axis that it moves over, or for each axis of the input.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID", or pairs [before, after] for each axis of the input.
      data_format: None or "NWC", "NHWC", "NDHWC"; "NCW", "NCHW", "NCDHW" for channels first.
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool([[[1.0], [3.0], [2.0], [0.0]]], 2, 2, "VALID")[0, :, 0].numpy()
    array([3., 2.], dtype=float32)
    """

def max_pool1d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NWC", name: str | None = None
) -> Tensor:
    """The maximum of each window over one axis; see `tf.nn.max_pool`.

    Args:
      input: `[n, width, channels]`, or with the channels first.
      ksize: the window.
      strides: its step.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NWC" or "NCW".
      name: ignored.

    Returns:
      `[n, places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")[0, :, 0].numpy()
    array([3., 3.], dtype=float32)
    """

def max_pool2d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str | None = "NHWC", name: str | None = None
) -> Tensor:
    """The maximum of each window over two axes; see `tf.nn.max_pool`.

    Args:
      input: `[n, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 2 or 4 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NHWC" or "NCHW".
      name: ignored.

    Returns:
      `[n, places, places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2, "VALID")[0, :, :, 0].numpy()
    array([[ 5.,  7.],
           [13., 15.]], dtype=float32)
    """

def max_pool3d(
    input: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The maximum of each window over three axes; see `tf.nn.max_pool`.

    Args:
      input: `[n, depth, height, width, channels]`, or with the channels first.
      ksize: the window: an int, or 3 or 5 of them.
      strides: its steps, likewise.
      padding: "SAME", "VALID", or pairs for each axis.
      data_format: "NDHWC" or "NCDHW".
      name: ignored.

    Returns:
      `[n, *places, channels]`, in the layout of the input.

    >>> tf.nn.max_pool3d(tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1]), 2, 2, "VALID").numpy().item()
    7.0
    """

def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """The positive part of x, elementwise. Its derivative at 0 is 0.

    Args:
      features: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      name: ignored.

    >>> tf.nn.relu([-1.0, 2.0]).numpy()
    array([0., 2.], dtype=float32)
    """

def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """x limited to the range from 0 to 6, elementwise. Its derivative at 0 and 6 is 0.

    Args:
      features: a tensor, or a value that becomes one: floating point, signed integers or unsigned integers.
      name: ignored.

    >>> tf.nn.relu6([-1.0, 8.0]).numpy()
    array([0., 6.], dtype=float32)
    """

def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """A scaled elu that keeps the mean and variance of its inputs through many layers, elementwise.

    Args:
      features: a tensor, or a value that becomes one: floating point.
      name: ignored.

    >>> tf.nn.selu([0.0]).numpy()
    array([0.], dtype=float32)
    """

def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """exp(logits) over its sum along an axis.

    Args:
      logits: floating numbers.
      axis: an int; the last axis by default.
      name: ignored.

    Returns:
      Probabilities, in the shape of the logits.

    >>> tf.nn.softmax([0.0, 0.0]).numpy()
    array([0.5, 0.5], dtype=float32)
    """
