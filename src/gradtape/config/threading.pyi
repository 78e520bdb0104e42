# Written by tools/stubs.py.
# ruff: noqa
from gradtape.config._threads import get_inter_op_parallelism_threads
from gradtape.config._threads import get_intra_op_parallelism_threads
from gradtape.config._threads import set_inter_op_parallelism_threads
from gradtape.config._threads import set_intra_op_parallelism_threads

__all__ = [
    "get_inter_op_parallelism_threads",
    "get_intra_op_parallelism_threads",
    "set_inter_op_parallelism_threads",
    "set_intra_op_parallelism_threads",
]
