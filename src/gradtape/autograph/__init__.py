"""`tf.autograph`: how Python's control flow on tensors is rewritten in functions."""

from gradtape.autograph import experimental
from gradtape.autograph._public import set_verbosity, to_code, to_graph, trace

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
