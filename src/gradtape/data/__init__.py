"""`tf.data`: pipelines of input.

_batch.py               Several elements as one: batch, padded_batch, window; and back: unbatch
_boxed.py               Datasets and iterators as arguments of functions: each travels in a box
_boxes.py               Boxes: tensors of rank 0 whose only element is an object of Python
_cache_and_prefetch.py  Elements that are kept, or made ahead: cache in memory or in files, prefetch
_composites.py          Elements that hold sparse and ragged tensors: their rows, batches and specs
_csv.py                 Datasets of CSV files
_csv_fields.py          The fields of CSV files
_dataset.py             `tf.data.Dataset`
_dataset_order.py       Methods of `Dataset` that choose, order, join and keep elements
_dataset_sources.py     Datasets from tensors, numbers, generators, files and other datasets
_dataset_transforms.py  Methods of `Dataset` that take functions of elements
_deferred.py            Datasets that are made in a `tf.function` of tensors which have a value only when it runs
_element_files.py       Files of elements: what caches, snapshots and saved datasets are kept in
_example_datasets.py    Datasets of records of features
_experimental.py        Older forms of what are methods of `Dataset` now, and a few others
_failure.py             Errors of elements
_file_shards.py         Pipelines that read a part of their files
_file_stages.py         Elements from files: TFRecord, lines of text, records of one length, lists of files
_fingerprint.py         Fingerprints of pipelines
_flat_map.py            Functions that give datasets: flat_map and interleave
_grouping.py            Elements by key: group_by_window, bucket_by_sequence_length, unique, rejection_resample
_iterator.py            Iterators over datasets
_lookup_tables.py       Tables for `tf.lookup` made of datasets, and datasets filled up to a length
_map.py                 Functions of elements: map, filter, flat_map, interleave, scan, take_while
_named_csv.py           Batches of CSV records with named columns
_nested.py              Several datasets as one leaf of an element: a batch of datasets, or a list of them
_optional.py            `tf.experimental.Optional`: a value that may be missing
_options.py             Options of datasets
_padded_batch.py        Elements of several sizes, padded and stacked: padded_batch
_purity.py              Whether a function of the user only computes with functions of tf
_readers.py             Datasets of files: `TFRecordDataset`, `TextLineDataset`, `FixedLengthRecordDataset`
_returned.py            Datasets that a traced function returns: each run of the function makes one
_saved.py               Datasets that are saved in a folder, and loaded
_seeds.py               Seeds of stages that draw: reproducible, another stream for each iteration
_shards.py              Elements in several files, the shards of a saved dataset or a snapshot
_shuffle_and_repeat.py  Which elements come, and in which order: shuffle, repeat, take, skip, shard, concatenate
_snapshot.py            Snapshots: the elements of a pipeline, kept in a folder
_sources.py             Where elements come from: tensors, ranges, generators, random numbers
_specs.py               The specs of datasets, iterators and optionals
_stage.py               A stage of a pipeline: what a dataset is made of
_structure.py           Elements: nested tuples and dicts of tensors
_threads.py             Threads of an iteration
_traced.py              Datasets in functions that are traced: elements are fetched when the function runs
_user_functions.py      Functions of the user: called on elements, eagerly, outside of tapes and traces
_vectorized_map.py      Maps that a batch follows: functions that only compute run on whole batches at a time
_zip_and_sample.py      Several inputs: zip, enumerate, choosing and sampling among datasets
experimental.py         Older forms of what are methods of `Dataset` now, and a few others: the names
"""

from gradtape.core import lazy
from gradtape.data._dataset import Dataset
from gradtape.data._iterator import Iterator, NumpyIterator
from gradtape.data._options import Options, ThreadingOptions
from gradtape.data._readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from gradtape.data._specs import DatasetSpec, IteratorSpec
from gradtape.data._stage import INFINITE as INFINITE_CARDINALITY
from gradtape.data._stage import UNKNOWN as UNKNOWN_CARDINALITY
from gradtape.data._threads import AUTOTUNE

_LATER = {"gradtape.data.experimental": "*"}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

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
