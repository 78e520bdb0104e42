"""`tf.__internal__` and `tf.__operators__`: what TensorFlow shows to its own libraries, as far as they ask for it."""

MODULES: dict[str, dict[str, str]] = {
    "__internal__": {
        "composites": "CompositeTensor",
        "conversions": "EagerTensor SymbolicTensor get_name_scope",
        "func_graphs": "FuncGraph",
        "gradients": "record_gradient",
        "contexts": "get_enclosing_xla_context=no_xla_context",
        "names": (
            "register_call_context_function=nothing register_clear_session_function=nothing register_get_session_function=nothing "
            "register_load_model_function=nothing register_load_context_function=nothing"
        ),
        "saved_models": "create_c_op load_context",
        "internals": "execute_fn_for_device",
    },
    "__internal__.autograph": {"autograph": "control_status_ctx tf_convert"},
    "__internal__.decorator": {"decorators": "make_decorator unwrap"},
    "__internal__.dispatch": {"dispatching": "GlobalOpDispatcher OpDispatcher add_dispatch_support"},
    "__internal__.distribute": {
        "distributions": "ShardedVariable strategy_supports_no_merge_call variable_sync_on_read_context",
    },
    "__internal__.distribute.combinations": {
        "distributions": (
            "central_storage_strategy_with_gpu_and_cpu central_storage_strategy_with_two_gpus default_strategy "
            "mirrored_strategy_with_gpu_and_cpu mirrored_strategy_with_one_cpu mirrored_strategy_with_one_gpu "
            "mirrored_strategy_with_two_gpus mirrored_strategy_with_two_gpus_no_merge_call multi_worker_mirrored_2x1_cpu "
            "multi_worker_mirrored_2x1_gpu multi_worker_mirrored_2x2_gpu one_device_strategy one_device_strategy_gpu "
            "parameter_server_strategy_1worker_2ps_1gpu parameter_server_strategy_1worker_2ps_cpu "
            "parameter_server_strategy_3worker_2ps_1gpu parameter_server_strategy_3worker_2ps_cpu tpu_strategy "
            "tpu_strategy_packed_var"
        ),
        "internals": "combine generate times NamedObject",
    },
    "__internal__.distribute.interim": {"distributions": "maybe_merge_call"},
    "__internal__.eager_context": {"contexts": "eager_mode get_config get_device_name"},
    "__internal__.feature_column": {
        "internals": (
            "DenseColumn FeatureColumn FeatureTransformationCache SequenceDenseColumn StateManager deserialize_feature_column "
            "serialize_feature_column"
        ),
    },
    "__internal__.function": {"functions": "Function"},
    "__internal__.mixed_precision": {"names": "register_loss_scale_wrapper=nothing"},
    "__internal__.monitoring": {"contexts": "BoolGauge"},
    "__internal__.nest": {
        "nests": (
            "flatten_up_to get_traverse_shallow_structure is_attrs is_mapping list_to_tuple map_structure_up_to sequence_like "
            "yield_flat_paths"
        ),
    },
    "__internal__.ops": {"arrays": "broadcast_weights", "variables": "is_resource_variable"},
    "__internal__.saved_model": {"saved_models": "decode_proto encode_structure load_partial parse_saved_model"},
    "__internal__.saved_model.load": {
        "saved_models": "VersionedTypeRegistration get_setter register_revived_type registered_identifiers",
    },
    "__internal__.smart_cond": {"conversions": "smart_cond"},
    "__internal__.test.combinations": {
        "internals": "NamedObject OptionalParameter TestCombination combine generate times"
    },
    "__internal__.tf2": {"contexts": "enabled=tf2_enabled"},
    "__internal__.tracking": {
        "tracking": (
            "AutoTrackable CheckpointInitialValue CheckpointInitialValueCallable DelegatingTrackableMixin ObjectGraphView Trackable "
            "TrackableReference no_automatic_dependency_tracking register_session_provider "
            "saveable_objects_from_trackable sticky_attribute_assignment streaming_restore"
        ),
        "data_structures": "TrackableDataStructure wrap",
    },
    "__internal__.train": {
        "variables": "assign_moving_average",
        "internals": "is_mixed_precision_graph_rewrite_enabled update_checkpoint_state",
        "names": "set_using_mixed_precision_policy=nothing",
    },
    "__internal__.types": {"names": "Tensor"},
    "__operators__": {"tf": "add", "internals": "getitem ragged_getitem"},
}
