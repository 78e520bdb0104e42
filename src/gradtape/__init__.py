"""gradtape: `tf.GradientTape` programs without TensorFlow.

>>> import gradtape as tf
>>> x = tf.Variable(3.0)
>>> with tf.GradientTape() as tape:
...     y = x**2
>>> float(tape.gradient(y, x))
6.0
"""

import os as _os

# Ops register themselves when they are defined, and methods attach to tensors and variables: these are loaded at once.
from gradtape import core
from gradtape.arrays import creation as _creation  # noqa: F401
from gradtape.arrays import indexing as _indexing  # noqa: F401
from gradtape.arrays import movement as _movement  # noqa: F401
from gradtape.core import interpreter as _interpreter
from gradtape.core import lazy as _lazy
from gradtape.core import tracebacks as _tracebacks
from gradtape.linalg import _products  # noqa: F401
from gradtape.math import _clipping, _elementwise, _reductions  # noqa: F401
from gradtape.numpy_protocol import protocol as _protocol  # noqa: F401 - attaches np.sin(tensor) …
from gradtape.ops import getitem as _getitem  # noqa: F401 - attaches indexing
from gradtape.random import _functions  # noqa: F401
from gradtape.toplevel import variable_methods as _variable_methods  # noqa: F401 - attaches Variable.scatter_add …
from gradtape.transform import custom_gradient as _custom_gradient  # noqa: F401
from gradtape.transform import forward_mode as _forward_mode  # noqa: F401
from gradtape.transform import py_function as _py_function  # noqa: F401
from gradtape.transform import repeated as _repeated
from gradtape.transform import stop_gradient as _stop_gradient  # noqa: F401
from gradtape.transform import tape as _tape  # noqa: F401
from gradtape.transform import vectorized_map as _vectorized_map  # noqa: F401

_interpreter.install("gradtape.tracing.services")
core.hot_kernels.install("gradtape.compiler.eager")
_repeated.install("gradtape.eager_jit.backward_programs")
_tracebacks.install()

__version__ = "0.1.0"
newaxis = None

if _os.environ.get("KERAS_BACKEND") == "gradtape":
    __import__("gradtape_keras_hook").install()

_LATER = {
    "gradtape.audio": "*",
    "gradtape.autodiff": "*",
    "gradtape.autograph": "*",
    "gradtape.bitwise": "*",
    "gradtape.compat": "*",
    "gradtape.compat._graphs": "Graph",
    "gradtape.compat._internal.gradients": "RegisterGradient no_gradient",
    "gradtape.tracing.operation": "Operation",
    "gradtape.compat._internal.datasets": "NoneTensorSpec",
    "gradtape.config": "*",
    "gradtape.data": "*",
    "gradtape.debugging": "*",
    "gradtape.distribute": "*",
    "gradtape.dtypes": "*",
    "gradtape.errors": "*",
    "gradtape.experimental": "*",
    "gradtape.image": "*",
    "gradtape.io": "*",
    "gradtape.linalg": "*",
    "gradtape.lookup": "*",
    "gradtape.math": "*",
    "gradtape.nest": "*",
    "gradtape.nn": "*",
    "gradtape.profiler": "*",
    "gradtape.quantization": "*",
    "gradtape.queue": "*",
    "gradtape.ragged": "*",
    "gradtape.random": "*",
    "gradtape.saved_model": "*",
    "gradtape.sets": "*",
    "gradtape.signal": "*",
    "gradtape.sparse": "*",
    "gradtape.strings": "*",
    "gradtape.summary": "*",
    "gradtape.sysconfig": "*",
    "gradtape.test": "*",
    "gradtape.train": "*",
    "gradtape.types": "*",
    "gradtape.version": "*",
    "gradtape.arrays.creation": "eye fill linspace meshgrid one_hot ones ones_like range zeros zeros_like",
    "gradtape.arrays.indexing": (
        "argmax argmin boolean_mask gather gather_nd scatter_nd searchsorted tensor_scatter_nd_add "
        "tensor_scatter_nd_max tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update"
    ),
    "gradtape.arrays.movement": (
        "broadcast_to expand_dims identity identity_n pad repeat reshape reverse roll squeeze tile transpose"
    ),
    "gradtape.arrays.partitioning": "dynamic_partition dynamic_stitch",
    "gradtape.arrays.representation": "as_string bitcast fingerprint unravel_index",
    "gradtape.arrays.sorting": "approx_top_k argsort sort unique unique_with_counts",
    "gradtape.arrays.space_batch": "extract_volume_patches reverse_sequence sequence_mask",
    "gradtape.config._device_spec": "DeviceSpec",
    "gradtape.config._devices": "device",
    "gradtape.control_flow.dependencies": "control_dependencies",
    "gradtape.control_flow.functions": "case cond group no_op switch_case tuple while_loop",
    "gradtape.control_flow.tensor_array": "TensorArray",
    "gradtape.core.convert": "constant convert_to_tensor",
    "gradtape.core.dtypes": (
        "as_dtype bfloat16 bool=bool_ complex128 complex64 double DType float16 float32 float64 float8_e4m3b11fnuz "
        "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz half int16 int32 int4 int64 int8 qint16 qint32 qint8 "
        "quint16 quint8 resource string uint16 uint32 uint4 uint64 uint8 variant"
    ),
    "gradtape.core.indexed_slices": "IndexedSlices",
    "gradtape.core.shape": "TensorShape TensorSpec",
    "gradtape.core.tensor": "Tensor",
    "gradtape.core.variable": "Variable",
    "gradtape.core.variable_copies": "VariableAggregation VariableSynchronization",
    "gradtape.debugging._shape_checks": "assert_rank",
    "gradtape.debugging._value_checks": "Assert assert_equal assert_greater assert_less",
    "gradtape.keras": "* initializers losses metrics optimizers",
    "gradtape.linalg._decompositions": "eig eigvals",
    "gradtape.linalg._einsum": "einsum",
    "gradtape.linalg._matrix_functions": "matrix_square_root=sqrtm",
    "gradtape.linalg._products": "matmul norm tensordot",
    "gradtape.math._clipping": "clip_by_global_norm clip_by_norm",
    "gradtape.math._cumulative": "cumsum",
    "gradtape.math._elementwise": (
        "abs acos acosh add add_n asin asinh atan atan2 atanh clip_by_value cos cosh divide equal exp floor "
        "greater greater_equal less less_equal logical_and logical_not logical_or maximum minimum multiply "
        "negative not_equal pow realdiv round scalar_mul sign sin sinh sqrt square subtract tan tanh truediv "
        "truncatediv truncatemod where"
    ),
    "gradtape.math._histograms": "histogram_fixed_width histogram_fixed_width_bins",
    "gradtape.math._reductions": (
        "reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum"
    ),
    "gradtape.polymorphic_function.function": "function",
    "gradtape.protos.tensor_proto": "make_ndarray make_tensor_proto",
    "gradtape.ragged._spec": "RaggedTensorSpec",
    "gradtape.ragged._tensor": "RaggedTensor",
    "gradtape.random._index_shuffle": "random_index_shuffle",
    "gradtape.signal._fftnd": "fftnd ifftnd irfftnd rfftnd",
    "gradtape.sparse._edit_distance": "edit_distance",
    "gradtape.core.sparse_tensor": "SparseTensor SparseTensorSpec",
    "gradtape.toplevel.critical_section": "CriticalSection guarantee_const nondifferentiable_batch_function timestamp",
    "gradtape.toplevel.gradients": "gradients hessians",
    "gradtape.toplevel.initializers": (
        "constant_initializer ones_initializer random_normal_initializer random_uniform_initializer zeros_initializer"
    ),
    "gradtape.toplevel.inspection": (
        "AggregationMethod get_current_name_scope get_logger get_static_value is_symbolic_tensor"
    ),
    "gradtape.toplevel.module": "Module name_scope",
    "gradtape.toplevel.printing": "print",
    "gradtape.data._specs": "OptionalSpec",
    "gradtape.toplevel.specs": "IndexedSlicesSpec TensorArraySpec TypeSpec type_spec_from_value",
    "gradtape.toplevel.status": "executing_eagerly is_tensor",
    "gradtape.toplevel.variable_creators": "register_tensor_conversion_function variable_creator_scope",
    "gradtape.tracing.init_scope": "init_scope inside_function",
    "gradtape.transform.custom_gradient": "custom_gradient",
    "gradtape.transform.gradient_arguments": "UnconnectedGradients",
    "gradtape.transform.py_function": "numpy_function py_function",
    "gradtape.transform.recompute_grad": "recompute_grad",
    "gradtape.transform.stop_gradient": "grad_pass_through stop_gradient",
    "gradtape.transform.tape": "GradientTape",
    "gradtape.transform.vectorized_map": "vectorized_map",
    "gradtape.arrays.blocks": (
        "batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd=space_to_batch"
    ),
    "gradtape.arrays.joining": "concat parallel_stack split stack unstack",
    "gradtape.arrays.shapes": "broadcast_dynamic_shape broadcast_static_shape ensure_shape rank shape shape_n size",
    "gradtape.arrays.slicing": "slice strided_slice",
    "gradtape.control_flow.mapping": "foldl foldr map_fn scan",
    "gradtape.math._activations": "sigmoid",
    "gradtape.math._conversion": "cast complex saturate_cast",
}
__getattr__, __dir__, _later = _lazy.attach(__name__, _LATER)

# Keras's names are loaded by name only: `from gradtape import *` works without Keras.
__all__ = sorted({"newaxis", *_later} - {"keras", "initializers", "losses", "metrics", "optimizers"})
