"""`tf.summary.experimental`: the default step of summaries, and parts for custom summaries."""

from gradtape.core import lazy

_LATER = {
    "gradtape.summary._writer": "get_step set_step",
    "gradtape.summary._write": "summary_scope write_raw_pb",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
