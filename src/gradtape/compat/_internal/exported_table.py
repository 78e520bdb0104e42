"""`tensorflow.python.*`: the modules in which TensorFlow defines its public names, for those that `python_table` does not list there.

The form is that of `python_table`. The names were read from TensorFlow 2.21: those under which a module has the very object that is public.
"""

MODULES: dict[str, dict[str, str]] = {
    "python.autograph.impl.api": {
        "tf.autograph": "to_code to_graph",
    },
    "python.autograph.lang.directives": {
        "tf.autograph.experimental": "set_loop_options",
    },
    "python.autograph.utils.ag_logging": {
        "tf.autograph": "set_verbosity trace",
    },
    "python.checkpoint.checkpoint": {
        "tf.train": "Checkpoint",
    },
    "python.checkpoint.checkpoint_management": {
        "tf.train": "CheckpointManager get_checkpoint_state latest_checkpoint",
    },
    "python.checkpoint.checkpoint_options": {
        "tf.train": "CheckpointOptions",
    },
    "python.checkpoint.checkpoint_view": {
        "tf.train": "CheckpointView",
    },
    "python.checkpoint.trackable_view": {
        "tf.train": "TrackableView",
    },
    "python.data.experimental.ops.batching": {
        "tf.data.experimental": "dense_to_ragged_batch dense_to_sparse_batch map_and_batch unbatch",
    },
    "python.data.experimental.ops.cardinality": {
        "tf.data.experimental": "assert_cardinality cardinality",
    },
    "python.data.experimental.ops.counter": {
        "tf.data.experimental": "Counter CounterV2=Counter",
    },
    "python.data.experimental.ops.enumerate_ops": {
        "tf.data.experimental": "enumerate_dataset",
    },
    "python.data.experimental.ops.error_ops": {
        "tf.data.experimental": "ignore_errors",
    },
    "python.data.experimental.ops.from_list": {
        "tf.data.experimental": "from_list",
    },
    "python.data.experimental.ops.get_single_element": {
        "tf.data.experimental": "get_single_element",
    },
    "python.data.experimental.ops.grouping": {
        "tf.data.experimental": "Reducer bucket_by_sequence_length group_by_reducer group_by_window",
    },
    "python.data.experimental.ops.interleave_ops": {
        "tf.data.experimental": (
            "choose_from_datasets choose_from_datasets_v2=choose_from_datasets parallel_interleave "
            "sample_from_datasets sample_from_datasets_v2=sample_from_datasets"
        ),
    },
    "python.data.experimental.ops.io": {
        "tf.data.experimental": "load save",
    },
    "python.data.experimental.ops.lookup_ops": {
        "tf.data.experimental": "DatasetInitializer index_table_from_dataset table_from_dataset",
    },
    "python.data.experimental.ops.pad_to_cardinality": {
        "tf.data.experimental": "pad_to_cardinality",
    },
    "python.data.experimental.ops.parsing_ops": {
        "tf.data.experimental": "parse_example_dataset",
    },
    "python.data.experimental.ops.prefetching_ops": {
        "tf.data.experimental": "copy_to_device prefetch_to_device",
    },
    "python.data.experimental.ops.random_access": {
        "tf.data.experimental": "at",
    },
    "python.data.experimental.ops.random_ops": {
        "tf.data.experimental": "RandomDataset RandomDatasetV2=RandomDataset",
    },
    "python.data.experimental.ops.readers": {
        "tf.data.experimental": (
            "CsvDataset CsvDatasetV2=CsvDataset make_batched_features_dataset "
            "make_batched_features_dataset_v2=make_batched_features_dataset make_csv_dataset "
            "make_csv_dataset_v2=make_csv_dataset"
        ),
    },
    "python.data.experimental.ops.resampling": {
        "tf.data.experimental": "rejection_resample",
    },
    "python.data.experimental.ops.scan_ops": {
        "tf.data.experimental": "scan",
    },
    "python.data.experimental.ops.shuffle_ops": {
        "tf.data.experimental": "shuffle_and_repeat",
    },
    "python.data.experimental.ops.snapshot": {
        "tf.data.experimental": "snapshot",
    },
    "python.data.experimental.ops.take_while_ops": {
        "tf.data.experimental": "take_while",
    },
    "python.data.experimental.ops.unique": {
        "tf.data.experimental": "unique",
    },
    "python.data.experimental.ops.writers": {
        "tf.data.experimental": "TFRecordWriter",
    },
    "python.data.ops.dataset_ops": {
        "tf.data": "NumpyIterator",
        "tf.data.experimental": "get_structure",
    },
    "python.data.ops.debug_mode": {
        "tf.data.experimental": "enable_debug_mode",
    },
    "python.data.ops.iterator_ops": {
        "tf.data": "IteratorSpec",
        "tf.data.experimental": "get_next_as_optional",
    },
    "python.data.ops.optional_ops": {
        "tf": "OptionalSpec",
        "tf.data.experimental": "Optional",
    },
    "python.data.ops.options": {
        "tf.data": "Options ThreadingOptions",
        "tf.data.experimental": (
            "AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions ExternalStatePolicy "
            "OptimizationOptions ServiceOptions"
        ),
    },
    "python.data.ops.readers": {
        "tf.data": (
            "FixedLengthRecordDataset FixedLengthRecordDatasetV2=FixedLengthRecordDataset TFRecordDataset "
            "TFRecordDatasetV2=TFRecordDataset TextLineDataset TextLineDatasetV2=TextLineDataset"
        ),
    },
    "python.debug.lib.check_numerics_callback": {
        "tf.debugging": "disable_check_numerics enable_check_numerics",
    },
    "python.distribute.central_storage_strategy": {
        "tf.distribute.experimental": "CentralStorageStrategy",
    },
    "python.distribute.cluster_resolver.cluster_resolver": {
        "tf.distribute.cluster_resolver": ("ClusterResolver SimpleClusterResolver UnionClusterResolver=UnionResolver"),
    },
    "python.distribute.cluster_resolver.gce_cluster_resolver": {
        "tf.distribute.cluster_resolver": "GCEClusterResolver",
    },
    "python.distribute.cluster_resolver.kubernetes_cluster_resolver": {
        "tf.distribute.cluster_resolver": "KubernetesClusterResolver",
    },
    "python.distribute.cluster_resolver.slurm_cluster_resolver": {
        "tf.distribute.cluster_resolver": "SlurmClusterResolver",
    },
    "python.distribute.cluster_resolver.tfconfig_cluster_resolver": {
        "tf.distribute.cluster_resolver": "TFConfigClusterResolver",
    },
    "python.distribute.cluster_resolver.tpu.tpu_cluster_resolver": {
        "tf.distribute.cluster_resolver": "TPUClusterResolver",
    },
    "python.distribute.collective_all_reduce_strategy": {
        "tf.distribute": "CollectiveAllReduceStrategy=MultiWorkerMirroredStrategy",
    },
    "python.distribute.collective_util": {
        "tf.distribute.experimental": (
            "CollectiveCommunication CommunicationImplementation=CollectiveCommunication Hints=CollectiveHints"
        ),
    },
    "python.distribute.coordinator.cluster_coordinator": {
        "tf.distribute.coordinator": "ClusterCoordinator",
    },
    "python.distribute.coordinator.remote_value": {
        "tf.distribute.coordinator": "RemoteValue",
    },
    "python.distribute.coordinator.values": {
        "tf.distribute.experimental.coordinator": "PerWorkerValues",
    },
    "python.distribute.cross_device_ops": {
        "tf.distribute": "CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReductionToOneDevice",
    },
    "python.distribute.distribute_lib": {
        "tf.distribute": (
            "InputOptions InputReplicationMode RunOptions StrategyExtendedV2=StrategyExtended "
            "experimental_set_strategy in_cross_replica_context"
        ),
        "tf.distribute.experimental": "ValueContext",
    },
    "python.distribute.mirrored_strategy": {
        "tf.distribute": "MirroredStrategy",
    },
    "python.distribute.one_device_strategy": {
        "tf.distribute": "OneDeviceStrategy",
    },
    "python.distribute.reduce_util": {
        "tf.distribute": "ReduceOp",
    },
    "python.distribute.tpu_strategy": {
        "tf.distribute": "TPUStrategy TPUStrategyV2=TPUStrategy",
    },
    "python.eager.context": {
        "tf.config": "LogicalDevice LogicalDeviceConfiguration PhysicalDevice",
        "tf.debugging": "get_log_device_placement set_log_device_placement",
    },
    "python.eager.forwardprop": {
        "tf.autodiff": "ForwardAccumulator",
    },
    "python.eager.polymorphic_function.eager_function_run": {
        "tf.config": (
            "experimental_functions_run_eagerly experimental_run_functions_eagerly functions_run_eagerly "
            "run_functions_eagerly"
        ),
    },
    "python.framework.config": {
        "tf.config": (
            "get_logical_device_configuration get_soft_device_placement get_visible_devices list_logical_devices "
            "list_physical_devices set_logical_device_configuration set_soft_device_placement set_visible_devices"
        ),
        "tf.config.experimental": (
            "enable_tensor_float_32_execution get_device_details get_device_policy get_memory_growth get_memory_info "
            "get_memory_usage get_synchronous_execution reset_memory_stats set_device_policy set_memory_growth "
            "set_synchronous_execution tensor_float_32_execution_enabled"
        ),
        "tf.config.optimizer": (
            "get_optimizer_experimental_options=get_experimental_options get_optimizer_jit=get_jit "
            "set_optimizer_experimental_options=set_experimental_options set_optimizer_jit=set_jit"
        ),
        "tf.config.threading": (
            "get_inter_op_parallelism_threads get_intra_op_parallelism_threads set_inter_op_parallelism_threads "
            "set_intra_op_parallelism_threads"
        ),
    },
    "python.framework.device_spec": {
        "tf": "DeviceSpecV2=DeviceSpec",
    },
    "python.framework.none_tensor": {
        "tf": "NoneTensorSpec",
    },
    "python.framework.ops": {
        "tf": "get_current_name_scope is_symbolic_tensor",
    },
    "python.framework.tensor_conversion": {
        "tf": "convert_to_tensor_v2_with_dispatch=convert_to_tensor",
    },
    "python.keras.layers.rnn_cell_wrapper_v2": {
        "tf.nn": (
            "DeviceWrapper=RNNCellDeviceWrapper DropoutWrapper=RNNCellDropoutWrapper "
            "ResidualWrapper=RNNCellResidualWrapper"
        ),
    },
    "python.lib.io.file_io": {
        "tf.io.gfile": (
            "copy_v2=copy create_dir_v2=mkdir delete_file_v2=remove delete_recursively_v2=rmtree "
            "get_matching_files_v2=glob get_registered_schemes is_directory_v2=isdir join list_directory_v2=listdir "
            "recursive_create_dir_v2=makedirs rename_v2=rename stat_v2=stat walk_v2=walk"
        ),
    },
    "python.ops.batch_ops": {
        "tf": "batch_function=nondifferentiable_batch_function",
    },
    "python.ops.bincount_ops": {
        "tf.math": "bincount",
    },
    "python.ops.candidate_sampling_ops": {
        "tf.nn": (
            "all_candidate_sampler compute_accidental_hits fixed_unigram_candidate_sampler "
            "learned_unigram_candidate_sampler"
        ),
        "tf.random": "log_uniform_candidate_sampler uniform_candidate_sampler",
    },
    "python.ops.check_ops": {
        "tf": "assert_greater_v2=assert_greater assert_less_v2=assert_less assert_rank_v2=assert_rank",
        "tf.debugging": (
            "assert_greater_equal_v2=assert_greater_equal assert_integer_v2=assert_integer "
            "assert_less_equal_v2=assert_less_equal assert_near_v2=assert_near assert_negative_v2=assert_negative "
            "assert_non_negative_v2=assert_non_negative assert_non_positive_v2=assert_non_positive "
            "assert_none_equal_v2=assert_none_equal assert_positive_v2=assert_positive assert_proper_iterable "
            "assert_rank_at_least_v2=assert_rank_at_least assert_rank_in_v2=assert_rank_in assert_same_float_dtype "
            "assert_scalar_v2=assert_scalar assert_shapes_v2=assert_shapes assert_type_v2=assert_type"
        ),
        "tf.math": "is_non_decreasing is_strictly_increasing",
    },
    "python.ops.cond": {
        "tf": "cond_for_tf_v2=cond",
    },
    "python.ops.control_flow_ops": {
        "tf": "tuple_v2=tuple",
    },
    "python.ops.control_flow_switch_case": {
        "tf": "switch_case",
    },
    "python.ops.critical_section_ops": {
        "tf": "CriticalSection",
    },
    "python.ops.ctc_ops": {
        "tf.nn": (
            "collapse_repeated ctc_beam_search_decoder_v2=ctc_beam_search_decoder ctc_greedy_decoder "
            "ctc_loss_v3=ctc_loss ctc_unique_labels"
        ),
    },
    "python.ops.data_flow_ops": {
        "tf.queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
    },
    "python.ops.embedding_ops": {
        "tf.nn": (
            "embedding_lookup_sparse_v2=embedding_lookup_sparse embedding_lookup_v2=embedding_lookup "
            "safe_embedding_lookup_sparse_v2=safe_embedding_lookup_sparse"
        ),
    },
    "python.ops.functional_ops": {
        "tf": "foldl_v2=foldl foldr_v2=foldr scan_v2=scan",
    },
    "python.ops.gen_audio_ops": {
        "tf.audio": "decode_wav encode_wav",
    },
    "python.ops.gen_bitwise_ops": {
        "tf.bitwise": "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
    },
    "python.ops.gen_control_flow_ops": {
        "tf": "no_op",
    },
    "python.ops.gen_data_flow_ops": {
        "tf": "dynamic_partition dynamic_stitch",
    },
    "python.ops.gen_image_ops": {
        "tf.image": "hsv_to_rgb rgb_to_hsv",
    },
    "python.ops.gen_io_ops": {
        "tf.io": "matching_files write_file",
    },
    "python.ops.gen_logging_ops": {
        "tf": "timestamp",
    },
    "python.ops.gen_parsing_ops": {
        "tf.io": "decode_compressed parse_tensor",
    },
    "python.ops.gen_random_index_shuffle_ops": {
        "tf": "random_index_shuffle",
    },
    "python.ops.gen_spectral_ops": {
        "tf": "fftnd ifftnd irfftnd rfftnd",
        "tf.signal": "fft fft2d fft3d ifft ifft2d ifft3d",
    },
    "python.ops.gradients_impl": {
        "tf": "HessiansV2=hessians",
    },
    "python.ops.gradients_util": {
        "tf": "AggregationMethod",
    },
    "python.ops.histogram_ops": {
        "tf": "histogram_fixed_width histogram_fixed_width_bins",
    },
    "python.ops.io_ops": {
        "tf.io": "serialize_tensor",
    },
    "python.ops.linalg.linear_operator_adjoint": {
        "tf.linalg": "LinearOperatorAdjoint",
    },
    "python.ops.linalg.linear_operator_block_diag": {
        "tf.linalg": "LinearOperatorBlockDiag",
    },
    "python.ops.linalg.linear_operator_block_lower_triangular": {
        "tf.linalg": "LinearOperatorBlockLowerTriangular",
    },
    "python.ops.linalg.linear_operator_circulant": {
        "tf.linalg": "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D",
    },
    "python.ops.linalg.linear_operator_composition": {
        "tf.linalg": "LinearOperatorComposition",
    },
    "python.ops.linalg.linear_operator_diag": {
        "tf.linalg": "LinearOperatorDiag",
    },
    "python.ops.linalg.linear_operator_full_matrix": {
        "tf.linalg": "LinearOperatorFullMatrix",
    },
    "python.ops.linalg.linear_operator_householder": {
        "tf.linalg": "LinearOperatorHouseholder",
    },
    "python.ops.linalg.linear_operator_identity": {
        "tf.linalg": "LinearOperatorIdentity LinearOperatorScaledIdentity",
    },
    "python.ops.linalg.linear_operator_inversion": {
        "tf.linalg": "LinearOperatorInversion",
    },
    "python.ops.linalg.linear_operator_kronecker": {
        "tf.linalg": "LinearOperatorKronecker",
    },
    "python.ops.linalg.linear_operator_low_rank_update": {
        "tf.linalg": "LinearOperatorLowRankUpdate",
    },
    "python.ops.linalg.linear_operator_lower_triangular": {
        "tf.linalg": "LinearOperatorLowerTriangular",
    },
    "python.ops.linalg.linear_operator_permutation": {
        "tf.linalg": "LinearOperatorPermutation",
    },
    "python.ops.linalg.linear_operator_toeplitz": {
        "tf.linalg": "LinearOperatorToeplitz",
    },
    "python.ops.linalg.linear_operator_tridiag": {
        "tf.linalg": "LinearOperatorTridiag",
    },
    "python.ops.linalg.linear_operator_zeros": {
        "tf.linalg": "LinearOperatorZeros",
    },
    "python.ops.linalg.sparse.conjugate_gradient": {
        "tf.linalg.experimental": "conjugate_gradient",
    },
    "python.ops.manip_ops": {
        "tf": "roll",
    },
    "python.ops.nn_impl_distribute": {
        "tf.nn": "compute_average_loss scale_regularization_loss",
    },
    "python.ops.numerics": {
        "tf.debugging": "verify_tensor_all_finite_v2=assert_all_finite",
    },
    "python.ops.parsing_config": {
        "tf.io": "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature",
    },
    "python.ops.parsing_ops": {
        "tf.io": (
            "decode_csv_v2=decode_csv decode_json_example decode_raw parse_example_v2=parse_example "
            "parse_sequence_example parse_single_example_v2=parse_single_example parse_single_sequence_example"
        ),
    },
    "python.ops.ragged.ragged_array_ops": {
        "tf.ragged": "boolean_mask cross cross_hashed stack_dynamic_partitions",
    },
    "python.ops.ragged.ragged_concat_ops": {
        "tf.ragged": "stack",
    },
    "python.ops.ragged.ragged_factory_ops": {
        "tf.ragged": "constant",
    },
    "python.ops.ragged.ragged_functional_ops": {
        "tf.ragged": "map_flat_values",
    },
    "python.ops.ragged.ragged_math_ops": {
        "tf.ragged": "range",
    },
    "python.ops.ragged.ragged_string_ops": {
        "tf.strings": (
            "ngrams string_bytes_split=bytes_split string_split_v2=split unicode_decode unicode_decode_with_offsets "
            "unicode_encode unicode_split unicode_split_with_offsets"
        ),
    },
    "python.ops.ragged.segment_id_ops": {
        "tf.ragged": "row_splits_to_segment_ids segment_ids_to_row_splits",
    },
    "python.ops.random_crop_ops": {
        "tf.image": "random_crop stateless_random_crop",
    },
    "python.ops.random_ops_util": {
        "tf.random": "Algorithm",
    },
    "python.ops.sets_impl": {
        "tf.sets": "set_difference=difference set_intersection=intersection set_size=size set_union=union",
    },
    "python.ops.signal.dct_ops": {
        "tf.signal": "dct idct",
    },
    "python.ops.signal.fft_ops": {
        "tf.signal": "fftnd fftshift ifftnd ifftshift irfft irfft2d irfft3d irfftnd rfft rfft2d rfft3d rfftnd",
    },
    "python.ops.signal.mel_ops": {
        "tf.signal": "linear_to_mel_weight_matrix",
    },
    "python.ops.signal.mfcc_ops": {
        "tf.signal": "mfccs_from_log_mel_spectrograms",
    },
    "python.ops.signal.reconstruction_ops": {
        "tf.signal": "overlap_and_add",
    },
    "python.ops.signal.shape_ops": {
        "tf.signal": "frame",
    },
    "python.ops.signal.spectral_ops": {
        "tf.signal": "inverse_mdct inverse_stft inverse_stft_window_fn mdct stft",
    },
    "python.ops.signal.window_ops": {
        "tf.signal": "hamming_window hann_window kaiser_bessel_derived_window kaiser_window vorbis_window",
    },
    "python.ops.special_math_ops": {
        "tf.math": "bessel_i0e bessel_i1e",
        "tf.math.special": (
            "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint "
            "fresnel_cos fresnel_sin spence"
        ),
    },
    "python.ops.stateful_random_ops": {
        "tf.random": "Generator create_rng_state get_global_generator set_global_generator",
    },
    "python.ops.variables": {
        "tf": "VariableAggregationV2=VariableAggregation",
    },
    "python.platform.benchmark": {
        "tf.test": "TensorFlowBenchmark=Benchmark",
    },
    "python.platform.sysconfig": {
        "tf.sysconfig": "get_build_info",
    },
    "python.profiler.profiler_v2": {
        "tf.profiler.experimental": "Profile ProfilerOptions start stop",
    },
    "python.saved_model.load_options": {
        "tf.saved_model": "LoadOptions",
    },
    "python.saved_model.loader_impl": {
        "tf.saved_model": "contains_saved_model",
    },
    "python.saved_model.save_options": {
        "tf.saved_model": "SaveOptions",
    },
    "python.summary.tb_summary": {
        "tf.summary": "audio histogram image scalar text",
    },
    "python.trackable.asset": {
        "tf.saved_model": "Asset",
    },
    "python.trackable.python_state": {
        "tf.train.experimental": "PythonState",
    },
    "python.training.checkpoint_utils": {
        "tf.train": "checkpoints_iterator list_variables load_checkpoint load_variable",
    },
    "python.training.coordinator": {
        "tf.train": "Coordinator",
    },
    "python.training.input": {
        "tf.io": "match_filenames_once",
    },
    "python.types.core": {
        "tf.types.experimental": "Callable ConcreteFunction FunctionType PolymorphicFunction=GenericFunction",
    },
    "python.types.distribute": {
        "tf.distribute": (
            "DistributedDatasetInterface=DistributedDataset DistributedIteratorInterface=DistributedIterator "
            "DistributedValues"
        ),
    },
    "python.util.traceback_utils": {
        "tf.debugging": "disable_traceback_filtering enable_traceback_filtering is_traceback_filtering_enabled",
    },
}
