# Written by tools/stubs.py.
# ruff: noqa
from gradtape.data import experimental
from gradtape.data._dataset import Dataset
from gradtape.data._iterator import Iterator
from gradtape.data._iterator import NumpyIterator
from gradtape.data._options import Options
from gradtape.data._options import ThreadingOptions
from gradtape.data._readers import FixedLengthRecordDataset
from gradtape.data._readers import TFRecordDataset
from gradtape.data._readers import TextLineDataset
from gradtape.data._specs import DatasetSpec
from gradtape.data._specs import IteratorSpec
from gradtape.data._stage import INFINITE as INFINITE_CARDINALITY
from gradtape.data._stage import UNKNOWN as UNKNOWN_CARDINALITY
from gradtape.data._threads import AUTOTUNE

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "INFINITE_CARDINALITY",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "experimental",
]
