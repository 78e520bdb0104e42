"""`tf.summary.experimental`: the step of summaries that are given none, and parts for summaries of one's own."""

from gradtape.core import lazy

_LATER = {
    "gradtape.names.summaries.writers": "get_step set_step",
    "gradtape.names.summaries.writing": "summary_scope write_raw_pb",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
