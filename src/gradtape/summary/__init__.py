"""`tf.summary`: numbers, images, texts and sounds in files that TensorBoard shows.

_event_file.py   Event files: records that TensorBoard reads
_graph.py        Graphs of functions for TensorBoard: `tf.summary.graph`, `trace_on`, `trace_export`
_plugin_data.py  What summaries consist of: from the array that a user gives
_write.py        Summaries: `tf.summary.scalar` and the others
_writer.py       Writers of summaries, and which one is in use: `tf.summary.create_file_writer` and the like
experimental.py  The step of summaries that are given none, and parts for summaries of one's own
"""

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
