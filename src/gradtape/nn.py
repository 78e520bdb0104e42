"""`tf.nn`: activations, losses and what else a network is made of."""

from gradtape.names.elementwise import (
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
from gradtape.names.elementwise import (
    silu as swish,
)
from gradtape.names.indexing import (
    in_top_k,
)
from gradtape.names.linear import (
    l2_normalize,
)
from gradtape.names.neural import (
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
from gradtape.names.reducing import (
    zero_fraction,
)

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
]
