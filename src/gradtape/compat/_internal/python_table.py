"""`tensorflow.python.*`: which modules libraries import, and where each name is found.

Under a module stand the names that it shows, by where they are: `tf` and public modules such as `tf.math` (`*` is all of their public
names), `gradtape`'s version 1 as `tf.compat.v1`, and files beside this one. `name=other` is `other` under the name `name`.
"""

MODULES: dict[str, dict[str, str]] = {
    "python.autograph.converters.break_statements": {"malt.converters.break_statements": "transform"},
    "python.autograph.converters.continue_statements": {"malt.converters.continue_statements": "transform"},
    "python.autograph.converters.return_statements": {"malt.converters.return_statements": "transform"},
    "python.autograph.core.ag_ctx": {"autograph": "Status control_status_ctx ControlStatusCtx"},
    "python.autograph.core.converter": {"malt.core.converter": "Base ConversionOptions Feature ProgramContext"},
    "python.autograph.core.config": {"autograph": "CONVERSION_RULES"},
    "python.autograph.impl.api": {"tf.autograph.experimental": "do_not_convert", "autograph": "tf_convert"},
    "python.autograph.pyct.anno": {"malt.pyct.anno": "*"},
    "python.autograph.pyct.ast_util": {"malt.pyct.ast_util": "*"},
    "python.autograph.pyct.cfg": {"malt.pyct.cfg": "*"},
    "python.autograph.pyct.common_transformers.anf": {"malt.pyct.common_transformers.anf": "*"},
    "python.autograph.pyct.inspect_utils": {"malt.pyct.inspect_utils": "*"},
    "python.autograph.pyct.loader": {"malt.pyct.loader": "*"},
    "python.autograph.pyct.naming": {"malt.pyct.naming": "*"},
    "python.autograph.pyct.origin_info": {"malt.pyct.origin_info": "*"},
    "python.autograph.pyct.parser": {"malt.pyct.parser": "*"},
    "python.autograph.pyct.pretty_printer": {"malt.pyct.pretty_printer": "*"},
    "python.autograph.pyct.qual_names": {"malt.pyct.qual_names": "*"},
    "python.autograph.pyct.static_analysis.activity": {"malt.pyct.static_analysis.activity": "*"},
    "python.autograph.pyct.templates": {"malt.pyct.templates": "*"},
    "python.autograph.pyct.transformer": {"malt.pyct.transformer": "*"},
    "python.client.session": {"tf.compat.v1": "InteractiveSession Session"},
    "python.client.device_lib": {"devices": "list_local_devices"},
    "python.compat.compat": {"names": "forward_compatible forward_compatibility_horizon"},
    "python.data.experimental.ops.testing": {"names": "sleep"},
    "python.data.ops.dataset_ops": {
        "tf.data": "Dataset DatasetV2=Dataset DatasetSpec",
        "datasets": "make_one_shot_iterator",
    },
    "python.data.ops.from_generator_op": {"datasets": "_GeneratorDataset=GeneratorDataset"},
    "python.data.ops.from_sparse_tensor_slices_op": {"datasets": "_SparseTensorSliceDataset=SparseTensorSliceDataset"},
    "python.data.ops.from_tensor_slices_op": {"datasets": "_TensorSliceDataset=TensorSliceDataset"},
    "python.data.ops.from_tensors_op": {"datasets": "_TensorDataset=TensorDataset"},
    "python.data.ops.iterator_ops": {"datasets": "OwnedIterator IteratorBase=OwnedIterator"},
    "python.data.ops.range_op": {"datasets": "_RangeDataset=RangeDataset"},
    "python.data.util.nest": {"tf.nest": "assert_same_structure flatten map_structure pack_sequence_as is_nested"},
    "python.data.util.structure": {
        "composites": "type_spec_from_value",
        "datasets": "NoneTensorSpec get_flat_tensor_shapes get_flat_tensor_types",
    },
    "python.distribute.cluster_resolver": {"distributions": "SimpleClusterResolver TFConfigClusterResolver"},
    "python.distribute.distribute_lib": {
        "tf.distribute": "InputContext ReplicaContext Strategy get_replica_context get_strategy has_strategy",
    },
    "python.distribute.distribution_strategy_context": {
        "tf.distribute": "get_replica_context get_strategy has_strategy in_cross_replica_context"
    },
    "python.distribute.distribute_utils": {"distributions": "cache_variable_reads"},
    "python.distribute.input_lib": {
        "distributions": "DistributedDataset DistributedDatasetsFromFunction _get_dataset_attributes=get_dataset_attributes",
    },
    "python.distribute.input_ops": {"distributions": "auto_shard_dataset"},
    "python.distribute.parameter_server_strategy_v2": {"distributions": "ParameterServerStrategyV2"},
    "python.distribute.ps_values": {"distributions": "AggregatingVariable"},
    "python.distribute.values": {"distributions": "DistributedVariable"},
    "python.eager.backprop": {
        "tf": "GradientTape",
        "gradients": "record_gradient",
        "implicit_gradients": "gradients_function implicit_grad implicit_val_and_grad make_vjp val_and_grad_function",
    },
    "python.eager.context": {
        "contexts": (
            "_reset_context=reset_context async_wait context eager_mode ensure_initialized executing_eagerly get_config "
            "get_device_name global_seed graph_mode in_eager_mode"
        ),
    },
    "python.eager.def_function": {"tf": "function", "functions": "Function"},
    "python.eager.execute": {"gradients": "record_gradient"},
    "python.eager.function": {"functions": "ConcreteFunction"},
    "python.eager.monitoring": {"contexts": "BoolGauge Counter IntGauge StringGauge"},
    "python.eager.polymorphic_function.concrete_function": {"functions": "ConcreteFunction"},
    "python.eager.polymorphic_function.polymorphic_function": {"tf": "function", "functions": "Function"},
    "python.eager.record": {"gradients": "should_record_backprop stop_recording"},
    "python.eager.tape": {"gradients": "should_record_backprop stop_recording"},
    "python.eager.test": {"tf.test": "*"},
    "python.framework.composite_tensor": {"composites": "CompositeTensor", "nests": "is_composite_tensor=is_composite"},
    "python.framework.config": {
        "tf.config.experimental": "enable_op_determinism",
        "devices": "disable_op_determinism is_op_determinism_enabled",
    },
    "python.framework.constant_op": {"tf": "constant", "conversions": "is_constant"},
    "python.framework.dtypes": {
        "tf": (
            "DType as_dtype bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 int64 int8 "
            "resource string uint16 uint32 uint64 uint8 variant qint8 qint16 qint32 quint8 quint16"
        ),
    },
    "python.framework.errors": {"tf.errors": "*"},
    "python.framework.errors_impl": {"tf.errors": "*"},
    "python.framework.extension_type": {
        "tf.experimental": "BatchableExtensionType ExtensionType ExtensionTypeBatchEncoder ExtensionTypeSpec",
        "tf.experimental.extension_type": "as_dict",
    },
    "python.framework.extension_type_field": {"extension_types": "ExtensionTypeField"},
    "python.framework.immutable_dict": {"extension_types": "ImmutableDict"},
    "python.framework.func_graph": {"func_graphs": "FuncGraph"},
    "python.framework.indexed_slices": {"tf": "IndexedSlices IndexedSlicesSpec"},
    "python.framework.load_library": {"names": "load_op_library"},
    "python.framework.op_callbacks": {"names": "should_invoke_op_callbacks"},
    "python.framework.ops": {
        "tf": (
            "Graph Operation RegisterGradient Tensor control_dependencies convert_to_tensor convert_to_tensor_v2=convert_to_tensor "
            "device device_v2=device init_scope executing_eagerly name_scope_v2=name_scope no_gradient NotDifferentiable=no_gradient "
            "register_tensor_conversion_function inside_function"
        ),
        "tf.compat.v1": (
            "GraphKeys Session add_to_collection add_to_collections colocate_with executing_eagerly_outside_functions get_collection "
            "get_collection_ref get_default_graph get_default_session name_scope name_scope_v1=name_scope "
            "reset_default_graph enable_eager_execution disable_eager_execution"
        ),
        "composites": "convert_to_tensor_or_composite",
        "conversions": "EagerTensor NullContextmanager convert_n_to_tensor is_dense_tensor_like name_from_scope_name uid",
        "gradients": "_gradient_registry=REGISTERED",
    },
    "python.framework.random_seed": {
        "tf.compat.v1": "get_seed set_random_seed",
        "tf.random": "set_seed",
    },
    "python.framework.smart_cond": {"conversions": "smart_cond smart_case smart_constant_value"},
    "python.framework.sparse_tensor": {"tf": "SparseTensor SparseTensorSpec", "tf.compat.v1": "SparseTensorValue"},
    "python.framework.tensor": {
        "tf": "Tensor TensorSpec",
        "specs": "BoundedTensorSpec sanitize_spec_name",
    },
    "python.framework.tensor_conversion": {"tf": "convert_to_tensor_v2=convert_to_tensor convert_to_tensor"},
    "python.framework.tensor_conversion_registry": {"tf": "register_tensor_conversion_function"},
    "python.framework.tensor_shape": {
        "tf": "TensorShape TensorShapeV1=TensorShape TensorShapeV2=TensorShape",
        "tf.compat.v1": "Dimension dimension_at_index dimension_value",
        "conversions": "as_dimension as_shape scalar unknown_shape vector matrix",
    },
    "python.framework.tensor_spec": {"tf": "TensorSpec", "specs": "BoundedTensorSpec", "composites": "DenseSpec"},
    "python.framework.tensor_util": {
        "tf": (
            "MakeNdarray=make_ndarray constant_value=get_static_value is_tensor is_tf_type=is_tensor make_tensor_proto"
        ),
        "conversions": "constant_value_as_shape shape_tensor try_evaluate_constant",
    },
    "python.framework.test_util": {"testing": "*"},
    "python.framework.type_spec": {
        "tf": "TypeSpec",
        "composites": "BatchableTypeSpec type_spec_from_value",
    },
    "python.framework.type_spec_registry": {
        "composites": (
            "_NAME_TO_TYPE_SPEC=NAME_TO_TYPE_SPEC _TYPE_SPEC_TO_NAME=TYPE_SPEC_TO_NAME get_name lookup register"
        ),
    },
    "python.framework.versions": {"names": "VERSION __version__=VERSION GIT_VERSION"},
    "python.keras": {"kerases": "*"},
    "python.keras.backend": {"tf.keras.backend": "*", "kerases": "get_graph is_sparse is_keras_tensor batch_get_value"},
    "python.keras.callbacks": {"tf.keras.callbacks": "*"},
    "python.keras.constraints": {"tf.keras.constraints": "*"},
    "python.keras.engine.data_adapter": {"kerases": "expand_1d unpack_x_y_sample_weight"},
    "python.keras.engine.keras_tensor": {"tf.keras": "KerasTensor"},
    "python.keras.engine.training": {"tf.keras": "Model"},
    "python.keras.engine.base_layer": {"tf.keras.layers": "Layer"},
    "python.keras.initializers": {"tf.keras.initializers": "*"},
    "python.keras.layers": {"tf.keras.layers": "*"},
    "python.keras.losses": {"tf.keras.losses": "*"},
    "python.keras.metrics": {"tf.keras.metrics": "*"},
    "python.keras.models": {"tf.keras.models": "*"},
    "python.keras.optimizers": {"tf.keras.optimizers": "*"},
    "python.keras.regularizers": {"tf.keras.regularizers": "*"},
    "python.keras.utils.conv_utils": {"kerases": "conv_output_length normalize_tuple"},
    "python.keras.utils.generic_utils": {"tf.keras.utils": "Progbar", "kerases": "slice_arrays"},
    "python.keras.utils.tf_utils": {"kerases": "is_tensor_or_tensor_list", "conversions": "smart_cond"},
    "python.layers.utils": {"conversions": "smart_cond constant_value=smart_constant_value"},
    "python.lib.io.file_io": {
        "tf.io.gfile": "FileIO=GFile copy file_exists=exists file_exists_v2=exists get_matching_files=glob is_directory=isdir "
        "list_directory=listdir recursive_create_dir=makedirs create_dir=mkdir delete_file=remove rename stat",
    },
    "python.lib.io.python_io": {"tf.compat.v1.python_io": "*"},
    "python.lib.io.tf_record": {
        "tf.io": "TFRecordOptions TFRecordWriter",
        "tf.compat.v1.python_io": "tf_record_iterator",
    },
    "python.module.module": {"tf": "Module"},
    "python.ops.array_ops": {
        "tf": "*",
        "tf.compat.v1": "batch_gather matrix_band_part matrix_diag matrix_diag_part placeholder placeholder_with_default where "
        "matrix_transpose",
        "arrays": "get_positive_axis prevent_gradient shape_internal size_internal rank_internal tensor_scatter_update",
        "tf.linalg": "matrix_set_diag=set_diag",
    },
    "python.ops.array_ops_stack": {"tf": "stack unstack parallel_stack"},
    "python.ops.bitwise_ops": {"tf.bitwise": "*"},
    "python.ops.check_ops": {
        "tf.compat.v1": (
            "assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near assert_negative "
            "assert_non_negative assert_non_positive assert_none_equal assert_positive assert_rank assert_rank_at_least "
            "assert_rank_in assert_scalar assert_type"
        ),
        "tf": "ensure_shape",
        "tf.debugging": "assert_shapes is_numeric_tensor assert_equal_v2=assert_equal",
    },
    "python.ops.clip_ops": {
        "tf": "clip_by_value clip_by_norm clip_by_global_norm",
        "tf.linalg": "global_norm",
    },
    "python.ops.cond": {"tf": "cond cond_v2=cond"},
    "python.ops.cond_v2": {"tf": "cond_v2=cond"},
    "python.ops.confusion_matrix": {"tf.math": "confusion_matrix", "arrays": "remove_squeezable_dimensions"},
    "python.ops.control_flow_assert": {"tf.debugging": "Assert"},
    "python.ops.control_flow_case": {"arrays": "_case_helper=case_helper", "tf": "case case_v2=case"},
    "python.ops.control_flow_ops": {
        "tf": "Assert case cond cond_v2=cond group no_op switch_case tuple while_loop while_loop_v2=while_loop",
        "contexts": "get_enclosing_xla_context=no_xla_context",
        "arrays": "with_dependencies",
    },
    "python.ops.control_flow_util": {
        "arrays": "GraphOrParentsInXlaContext ENABLE_CONTROL_FLOW_V2 IsInXLAContext EnableControlFlowV2"
    },
    "python.ops.control_flow_v2_toggles": {"tf.compat.v1": "control_flow_v2_enabled enable_control_flow_v2"},
    "python.ops.custom_gradient": {"tf": "custom_gradient recompute_grad grad_pass_through"},
    "python.ops.distributions.util": {"arrays": "gen_new_seed"},
    "python.ops.functional_ops": {"tf": "foldl foldr scan map_fn"},
    "python.ops.gen_array_ops": {
        "tf": "*",
        "arrays": "tensor_scatter_update=tensor_scatter_update_by_name",
    },
    "python.ops.gen_linalg_ops": {"tf.linalg": "*"},
    "python.ops.gen_math_ops": {
        "tf": "range select=where",
        "tf.math": "*",
        "tf.linalg": "mat_mul=matmul batch_mat_mul_v2=matmul",
    },
    "python.ops.gen_nn_ops": {"tf.nn": "*"},
    "python.ops.gen_random_ops": {"tf.random": "*"},
    "python.ops.gen_resource_variable_ops": {"variables": "assign_variable_op"},
    "python.ops.gen_sparse_ops": {"sparses": "sparse_reorder sparse_tensor_dense_mat_mul"},
    "python.ops.gen_string_ops": {"tf.strings": "*"},
    "python.ops.gradient_checker_v2": {"tf.test": "compute_gradient"},
    "python.ops.gradients": {"tf": "gradients hessians", "tf.compat.v1": "gradients_v1=gradients"},
    "python.ops.gradients_impl": {"tf": "gradients gradients_v2=gradients hessians"},
    "python.ops.gradients_util": {"gradients": "_IsBackpropagatable=is_backpropagatable _PendingCount=pending_count"},
    "python.ops.image_ops": {"tf.image": "*"},
    "python.ops.image_ops_impl": {"tf.image": "*"},
    "python.ops.init_ops": {
        "tf.compat.v1.initializers": (
            "Constant=constant GlorotNormal=glorot_normal GlorotUniform=glorot_uniform Identity=identity Initializer Ones=ones "
            "Orthogonal=orthogonal RandomNormal=random_normal RandomUniform=random_uniform TruncatedNormal=truncated_normal "
            "VarianceScaling=variance_scaling Zeros=zeros constant_initializer=constant glorot_normal_initializer=glorot_normal "
            "glorot_uniform_initializer=glorot_uniform ones_initializer=ones orthogonal_initializer=orthogonal "
            "random_normal_initializer=random_normal random_uniform_initializer=random_uniform "
            "truncated_normal_initializer=truncated_normal variance_scaling_initializer=variance_scaling zeros_initializer=zeros "
            "he_normal he_uniform lecun_normal lecun_uniform"
        ),
    },
    "python.ops.init_ops_v2": {"tf.initializers": "*"},
    "python.ops.io_ops": {"tf.io": "matching_files read_file write_file"},
    "python.ops.linalg.linear_operator": {"tf.linalg": "LinearOperator", "operators": "make_composite_tensor"},
    "python.ops.linalg.linear_operator_addition": {"operators": "add_operators"},
    "python.ops.linalg.linalg": {"tf.linalg": "*"},
    "python.ops.linalg.linalg_impl": {"tf.linalg": "*"},
    "python.ops.linalg.sparse.sparse": {"sparses": "CSRSparseMatrix matmul"},
    "python.ops.linalg_ops": {
        "tf.linalg": "* matrix_determinant=det matrix_inverse=inv matrix_solve=solve matrix_triangular_solve=triangular_solve "
        "self_adjoint_eig=eigh self_adjoint_eigvals=eigvalsh matrix_solve_ls=lstsq",
        "tf": "eye norm",
    },
    "python.ops.list_ops": {
        "lists": (
            "empty_tensor_list tensor_list_concat_lists tensor_list_from_tensor tensor_list_gather tensor_list_length "
            "tensor_list_push_back tensor_list_push_back_batch tensor_list_stack"
        ),
    },
    "python.ops.logging_ops": {"tf": "Print=print print_v2=print"},
    "python.ops.lookup_ops": {
        "tf.lookup": "KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileInitializer TextFileIndex",
        "tf.lookup.experimental": "MutableHashTable DenseHashTable",
        "tf.compat.v1": "tables_initializer",
        "tables": "LookupInterface",
    },
    "python.ops.map_fn": {"tf": "map_fn map_fn_v2=map_fn"},
    "python.ops.math_ops": {
        "tf.math": "*",
        "tf": (
            "cast range matmul tensordot linspace complex equal saturate_cast scalar_mul truediv pow round div=divide "
            "argmax_v2=argmax argmin_v2=argmin reduce_sum_v1=reduce_sum"
        ),
        "tf.compat.v1": "to_float to_int32 to_int64 to_double mod=floordiv",
        "arrays": "mod",
        "tf.linalg": "trace norm",
    },
    "python.ops.metrics": {"tf.keras.metrics": "*"},
    "python.ops.nn": {"tf.nn": "*", "tf.math": "sigmoid tanh"},
    "python.ops.nn_impl": {"tf.nn": "*"},
    "python.ops.nn_ops": {"tf.nn": "*", "convolutions": "Convolution"},
    "python.ops.numpy_ops.np_config": {
        "tf.experimental.numpy": "enable_numpy_behavior=experimental_enable_numpy_behavior"
    },
    "python.ops.parallel_for.control_flow_ops": {"arrays": "pfor", "tf": "vectorized_map"},
    "python.ops.parallel_for.gradients": {"arrays": "batch_jacobian_of jacobian_of"},
    "python.ops.partitioned_variables": {"tf.compat.v1": "fixed_size_partitioner"},
    "python.ops.ragged.dynamic_ragged_shape": {"tf.experimental": "DynamicRaggedShape"},
    "python.ops.ragged.ragged_map_ops": {"tf": "map_fn"},
    "python.ops.ragged.ragged_tensor": {
        "tf": "RaggedTensor RaggedTensorSpec",
        "tf.compat.v1.ragged": "RaggedTensorValue",
        "ragged_tensors": "convert_to_tensor_or_ragged_tensor is_ragged",
    },
    "python.ops.ragged.ragged_gather_ops": {"tf": "gather gather_nd"},
    "python.ops.ragged.ragged_squeeze_op": {"tf": "squeeze"},
    "python.ops.ragged.ragged_where_op": {"tf": "where where_v2=where"},
    "python.ops.ragged.ragged_tensor_value": {"tf.compat.v1.ragged": "RaggedTensorValue"},
    "python.ops.ragged.row_partition": {"tf.experimental": "RowPartition", "ragged_tensors": "RowPartitionSpec"},
    "python.ops.ragged.ragged_util": {"ragged_tensors": "assert_splits_match"},
    "python.ops.random_ops": {
        "tf.random": "* random_uniform=uniform random_normal=normal random_shuffle=shuffle random_gamma=gamma multinomial=categorical",
        "arrays": "parameterized_truncated_normal",
    },
    "python.ops.resource_variable_ops": {
        "variables": (
            "BaseResourceVariable ResourceVariable UninitializedVariable "
            "_variable_handle_from_shape_and_dtype=variable_handle_from_shape_and_dtype is_resource_variable "
            "read_variable_op resource_scatter_add var_is_initialized_op"
        ),
        "composites": "VariableSpec",
    },
    "python.ops.script_ops": {"tf": "numpy_function py_function eager_py_func=py_function", "tf.compat.v1": "py_func"},
    "python.ops.sort_ops": {"tf": "argsort sort"},
    "python.ops.sparse_ops": {
        "tf.sparse": (
            "* sparse_concat=concat sparse_minimum=minimum sparse_maximum=maximum sparse_reduce_sum=reduce_sum sparse_reshape=reshape "
            "sparse_tensor_dense_matmul=sparse_dense_matmul sparse_tensor_to_dense=to_dense sparse_reorder=reorder sparse_add=add "
            "sparse_transpose=transpose sparse_retain=retain sparse_slice=slice sparse_split=split"
        ),
    },
    "python.ops.special_math_ops": {"tf": "einsum", "tf.math": "bessel_i0 bessel_i1 lbeta"},
    "python.ops.standard_ops": {"tf": "* mul=multiply"},
    "python.ops.state_ops": {
        "tf.compat.v1": "assign assign_add assign_sub scatter_add scatter_sub scatter_update scatter_nd_update"
    },
    "python.ops.stateless_random_ops": {"tf.random": "*"},
    "python.ops.string_ops": {
        "tf.strings": "* reduce_join_v2=reduce_join string_length=length string_lower=lower string_split_v2=split string_join=join "
        "string_to_number=to_number",
    },
    "python.ops.summary_ops_v2": {"tf.summary": "*"},
    "python.ops.template": {"tf.compat.v1": "make_template"},
    "python.ops.tensor_array_ops": {"tf": "TensorArray TensorArraySpec"},
    "python.ops.tensor_getitem_override": {"variables": "_slice_helper=slice_helper _slice_helper_var=slice_helper"},
    "python.ops.unconnected_gradients": {"tf": "UnconnectedGradients"},
    "python.ops.variable_scope": {
        "tf.compat.v1": (
            "AUTO_REUSE VariableScope get_local_variable get_variable get_variable_scope no_regularizer variable_creator_scope "
            "variable_op_scope variable_scope disable_resource_variables enable_resource_variables"
        ),
        "variables": (
            "_VariableStore=VariableStore _get_default_variable_store=default_variable_store with_variable_store"
        ),
    },
    "python.ops.variable_v1": {"tf.compat.v1": "VariableV1=Variable"},
    "python.ops.variables": {
        "tf": "Variable VariableAggregation VariableSynchronization VariableV1=Variable",
        "tf.compat.v1": (
            "global_variables global_variables_initializer is_variable_initialized local_variables local_variables_initializer "
            "model_variables report_uninitialized_variables trainable_variables variables_initializer"
        ),
        "variables": "PartitionedVariable",
    },
    "python.ops.weights_broadcast_ops": {"arrays": "assert_broadcastable broadcast_weights"},
    "python.ops.while_loop": {"tf": "while_loop while_loop_v2=while_loop"},
    "python.ops.while_v2": {"tf": "while_loop"},
    "python.platform.app": {"tf.compat.v1.app": "run"},
    "python.platform.flags": {"tf.compat.v1.flags": "FLAGS DEFINE_bool DEFINE_float DEFINE_integer DEFINE_string"},
    "python.platform.gfile": {"tf.compat.v1.gfile": "*"},
    "python.platform.resource_loader": {"tf.compat.v1.resource_loader": "get_data_files_path get_path_to_datafile"},
    "python.platform.test": {"tf.test": "*", "tf.compat.v1.test": "mock"},
    "python.platform.googletest": {"testing": "main"},
    "python.platform.tf_logging": {"tf.compat.v1.logging": "*"},
    "python.profiler.trace": {"tf.profiler.experimental": "Trace"},
    "python.pywrap_tensorflow": {},
    "python.pywrap_tfe": {"contexts": "TF_ListPluggablePhysicalDevices=list_pluggable_devices"},
    "python.saved_model.constants": {
        "tf.saved_model": "ASSETS_DIRECTORY SAVED_MODEL_FILENAME_PB VARIABLES_DIRECTORY VARIABLES_FILENAME"
    },
    "python.saved_model.load": {"tf.saved_model": "load"},
    "python.saved_model.loader": {"tf.saved_model": "load contains_saved_model"},
    "python.saved_model.model_utils.mode_keys": {"saved_models": "KerasModeKeys"},
    "python.saved_model.nested_structure_coder": {"saved_models": "decode_proto encode_structure"},
    "python.saved_model.save": {"tf.saved_model": "save", "saved_models": "save_and_return_nodes"},
    "python.saved_model.tag_constants": {"tf.saved_model": "GPU SERVING TPU TRAINING"},
    "python.tf2": {"contexts": "enabled=tf2_enabled"},
    "python.trackable.autotrackable": {"tracking": "AutoTrackable"},
    "python.trackable.base": {
        "tracking": (
            "CheckpointInitialValue CheckpointInitialValueCallable Trackable TrackableReference no_automatic_dependency_tracking "
            "no_automatic_dependency_tracking_scope"
        ),
    },
    "python.trackable.data_structures": {
        "data_structures": "DictWrapper ListWrapper TrackableDataStructure _DictWrapper=DictWrapper _TupleWrapper=TupleWrapper wrap",
        "tracking": "NoDependency sticky_attribute_assignment wrap_or_unwrap",
    },
    "python.trackable.resource": {"tracking": "RestoredResource TrackableResource"},
    "python.training.adam": {"tf.compat.v1.train": "AdamOptimizer"},
    "python.training.checkpoint_management": {
        "tf.train": "CheckpointManager get_checkpoint_state latest_checkpoint",
    },
    "python.training.gradient_descent": {"tf.compat.v1.train": "GradientDescentOptimizer"},
    "python.training.momentum": {"tf.compat.v1.train": "MomentumOptimizer"},
    "python.training.moving_averages": {
        "variables": "assign_moving_average",
        "tf.train": "ExponentialMovingAverage",
    },
    "python.training.optimizer": {"tf.compat.v1.train": "Optimizer"},
    "python.training.py_checkpoint_reader": {"tf.compat.v1.train": "NewCheckpointReader"},
    "python.training.saver": {"tf.compat.v1.train": "Saver"},
    "python.training.server_lib": {"tf.train": "ClusterSpec"},
    "python.training.session_run_hook": {"tf.compat.v1.train": "SessionRunHook"},
    "python.training.tracking.base": {"tracking": "Trackable TrackableReference no_automatic_dependency_tracking"},
    "python.training.tracking.data_structures": {"tracking": "NoDependency sticky_attribute_assignment"},
    "python.training.tracking.tracking": {"tracking": "AutoTrackable"},
    "python.training.training": {"tf.compat.v1.train": "Optimizer get_global_step get_or_create_global_step"},
    "python.training.training_util": {
        "tf.compat.v1.train": "get_global_step get_or_create_global_step create_global_step"
    },
    "python.types.core": {"names": "Tensor TensorLike Value"},
    "python.types.trace": {"tf.types.experimental": "TraceType SupportsTracingProtocol"},
    "python.util.all_util": {"names": "make_all remove_undocumented"},
    "python.util.compat": {
        "tf.compat": "as_bytes as_str as_str_any as_text path_to_str",
        "names": "integral_types real_types",
    },
    "python.util.deprecation": {
        "deprecations": (
            "deprecated deprecated_alias deprecated_arg_values deprecated_args deprecated_argument_lookup deprecated_endpoints silence"
        ),
    },
    "python.util.dispatch": {
        "dispatching": "GlobalOpDispatcher OpDispatcher add_dispatch_support dispatch_for_types register_dispatchable_type"
    },
    "python.util.function_utils": {"inspecting": "fn_args"},
    "python.util.keyword_args": {"names": "keyword_args_only"},
    "python.util.lazy_loader": {"names": "LazyLoader"},
    "python.util.nest": {
        "tf.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as is_sequence=is_nested",
        "nests": (
            "_is_namedtuple=is_namedtuple _sequence_like=sequence_like _yield_sorted_items=yield_sorted_items "
            "_yield_value=yield_value assert_shallow_structure flatten_dict_items flatten_up_to flatten_with_joined_string_paths "
            "flatten_with_tuple_paths flatten_with_tuple_paths_up_to get_traverse_shallow_structure is_attrs is_mapping is_namedtuple "
            "is_nested_or_composite is_sequence_or_composite=is_nested_or_composite list_to_tuple map_structure_up_to "
            "map_structure_with_paths map_structure_with_tuple_paths map_structure_with_tuple_paths_up_to sequence_like "
            "yield_flat_paths"
        ),
    },
    "python.util.object_identity": {
        "identities": (
            "ObjectIdentityDictionary ObjectIdentitySet ObjectIdentityWeakKeyDictionary ObjectIdentityWeakSet Reference"
        ),
    },
    "python.util.serialization": {"saved_models": "get_json_type"},
    "python.util.tf_contextlib": {"names": "contextmanager"},
    "python.util.tf_decorator": {"decorators": "TFDecorator make_decorator rewrap unwrap"},
    "python.util.tf_export": {
        "decorators": (
            "estimator_export=tf_export get_canonical_name_for_symbol get_symbol_from_name keras_export=tf_export tf_export"
        ),
    },
    "python.util.tf_inspect": {"inspecting": "* _inspect=inspect"},
    "python.util.variable_utils": {"composites": "convert_variables_to_tensors"},
}
