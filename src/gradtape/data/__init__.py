"""`tf.data`: pipelines of input.

>>> ds = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * x).batch(2)
>>> [x.numpy().tolist() for x in ds]
[[1, 4], [9]]
"""

from gradtape.core import lazy
from gradtape.data._dataset import Dataset
from gradtape.data._iterator import DatasetSpec, Iterator, IteratorSpec, NumpyIterator
from gradtape.data._options import Options, ThreadingOptions
from gradtape.data._readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from gradtape.data._stage import INFINITE as INFINITE_CARDINALITY
from gradtape.data._stage import UNKNOWN as UNKNOWN_CARDINALITY
from gradtape.data._threads import AUTOTUNE

__getattr__, __dir__, _later = lazy.attach(__name__, {"gradtape.data.experimental": "*"})

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    *_later,
]
