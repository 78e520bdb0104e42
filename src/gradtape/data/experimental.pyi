# Written by tools/stubs.py.
# ruff: noqa
from gradtape.data._csv import CsvDataset
from gradtape.data._example_datasets import make_batched_features_dataset
from gradtape.data._example_datasets import parse_example_dataset
from gradtape.data._experimental import Counter
from gradtape.data._experimental import RandomDataset
from gradtape.data._experimental import Reducer
from gradtape.data._experimental import TFRecordWriter
from gradtape.data._experimental import Transformation
from gradtape.data._experimental import at
from gradtape.data._experimental import cardinality
from gradtape.data._experimental import choose_from_datasets
from gradtape.data._experimental import copy_to_device
from gradtape.data._experimental import enable_debug_mode
from gradtape.data._experimental import from_list
from gradtape.data._experimental import get_next_as_optional
from gradtape.data._experimental import get_single_element
from gradtape.data._experimental import get_structure
from gradtape.data._experimental import group_by_reducer
from gradtape.data._experimental import load
from gradtape.data._experimental import map_and_batch
from gradtape.data._experimental import parallel_interleave
from gradtape.data._experimental import prefetch_to_device
from gradtape.data._experimental import sample_from_datasets
from gradtape.data._experimental import save
from gradtape.data._experimental import shuffle_and_repeat
from gradtape.data._lookup_tables import DatasetInitializer
from gradtape.data._lookup_tables import index_table_from_dataset
from gradtape.data._lookup_tables import pad_to_cardinality
from gradtape.data._lookup_tables import table_from_dataset
from gradtape.data._named_csv import make_csv_dataset
from gradtape.data._optional import Optional
from gradtape.data._options import AutoShardPolicy
from gradtape.data._options import AutotuneAlgorithm
from gradtape.data._options import AutotuneOptions
from gradtape.data._options import DistributeOptions
from gradtape.data._options import ExternalStatePolicy
from gradtape.data._options import OptimizationOptions
from gradtape.data._options import ServiceOptions
from gradtape.data._options import ThreadingOptions
from gradtape.data._stage import INFINITE as INFINITE_CARDINALITY
from gradtape.data._stage import UNKNOWN as UNKNOWN_CARDINALITY
from gradtape.data._threads import AUTOTUNE
from typing import Any

__all__ = [
    "AUTOTUNE",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DistributeOptions",
    "ExternalStatePolicy",
    "INFINITE_CARDINALITY",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "ServiceOptions",
    "TFRecordWriter",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enable_debug_mode",
    "enumerate_dataset",
    "from_list",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "unbatch",
    "unique",
]

def assert_cardinality(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.assert_cardinality`."""

def bucket_by_sequence_length(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.bucket_by_sequence_length`."""

def dense_to_ragged_batch(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.ragged_batch`."""

def dense_to_sparse_batch(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.sparse_batch`."""

def enumerate_dataset(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.enumerate`."""

def group_by_window(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.group_by_window`."""

def ignore_errors(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.ignore_errors`."""

def rejection_resample(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.rejection_resample`."""

def scan(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.scan`."""

def snapshot(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.snapshot`."""

def take_while(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.take_while`."""

def unbatch(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.unbatch`."""

def unique(*args: Any, **options: Any) -> Transformation:
    """A function for `Dataset.apply`, as the method `Dataset.unique`."""
