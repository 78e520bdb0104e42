"""`tf.summary`: numbers, images, texts and sounds in files that TensorBoard shows."""

from gradtape.core import lazy

_LATER = {
    "gradtape.summary.experimental": "*",
    "gradtape.summary._graph": "graph trace_export trace_off trace_on",
    "gradtape.summary._writer": (
        "SummaryWriter create_file_writer create_noop_writer flush record_if should_record_summaries"
    ),
    "gradtape.summary._write": "audio histogram image scalar text write",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
