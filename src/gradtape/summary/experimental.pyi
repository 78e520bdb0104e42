# Written by tools/stubs.py.
# ruff: noqa
from gradtape.summary._write import summary_scope
from gradtape.summary._write import write_raw_pb
from gradtape.summary._writer import get_step
from gradtape.summary._writer import set_step

__all__ = [
    "get_step",
    "set_step",
    "summary_scope",
    "write_raw_pb",
]
