# Written by tools/stubs.py.
# ruff: noqa
from gradtape.summary import experimental
from gradtape.summary._graph import graph
from gradtape.summary._graph import trace_export
from gradtape.summary._graph import trace_off
from gradtape.summary._graph import trace_on
from gradtape.summary._write import audio
from gradtape.summary._write import histogram
from gradtape.summary._write import image
from gradtape.summary._write import scalar
from gradtape.summary._write import text
from gradtape.summary._write import write
from gradtape.summary._writer import SummaryWriter
from gradtape.summary._writer import create_file_writer
from gradtape.summary._writer import create_noop_writer
from gradtape.summary._writer import flush
from gradtape.summary._writer import record_if
from gradtape.summary._writer import should_record_summaries

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "graph",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "should_record_summaries",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]
