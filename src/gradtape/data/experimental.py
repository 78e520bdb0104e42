"""`tf.data.experimental`: older forms of methods of `Dataset`, and a few other functions."""

from gradtape.core import lazy

_LATER = {
    "gradtape.data._csv": "CsvDataset",
    "gradtape.data._named_csv": "make_csv_dataset",
    "gradtape.data._example_datasets": "make_batched_features_dataset parse_example_dataset",
    "gradtape.data._experimental": (
        "Counter RandomDataset Reducer TFRecordWriter assert_cardinality at bucket_by_sequence_length cardinality "
        "choose_from_datasets copy_to_device dense_to_ragged_batch dense_to_sparse_batch enable_debug_mode enumerate_dataset "
        "from_list get_next_as_optional get_single_element get_structure group_by_reducer group_by_window ignore_errors load "
        "map_and_batch parallel_interleave prefetch_to_device rejection_resample sample_from_datasets save scan "
        "shuffle_and_repeat snapshot take_while unbatch unique"
    ),
    "gradtape.data._optional": "Optional",
    "gradtape.data._lookup_tables": "DatasetInitializer index_table_from_dataset pad_to_cardinality table_from_dataset",
    "gradtape.data._options": (
        "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions ExternalStatePolicy OptimizationOptions "
        "ServiceOptions ThreadingOptions"
    ),
    "gradtape.data._stage": "INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
    "gradtape.data._threads": "AUTOTUNE",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
