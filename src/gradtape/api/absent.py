"""Names of TensorFlow that are left out on purpose: why, and what to use instead.

A name stands for everything below it: `tf.feature_column` for `tf.feature_column.numeric_column` too. The modules that show
names ask here before they say that they have none of a name, and so does `gradtape check`.
"""

from __future__ import annotations

import importlib
import re
from typing import NamedTuple

from gradtape.api import habits
from gradtape.core import errors


class Absence(NamedTuple):
    """A name that is left out, with the reason and the replacement."""

    name: str
    reason: str
    instead: str


_GRAPHS = "there are no graphs and sessions of TensorFlow 1"
_PROTOCOL = "it is a message of TensorFlow's servers, which do not exist here"
_CLUSTER = "processes train together through MPI; there are no servers"
_ALONE = (
    "use tf.distribute.MultiWorkerMirroredStrategy, which trains on the processes of an MPI job, or MirroredStrategy."
)
_QUANTIZED = "there are no tensors of quantized dtypes"
_NATIVE = "there is no C++ to compile kernels against"
_RAW = "it is a kernel behind a public function"

_TABLE = [
    # Graphs of TensorFlow 1, and what reads and writes them.
    ("tf.graph_util", _GRAPHS, "save functions with tf.saved_model.save."),
    ("tf.import_graph_def", _GRAPHS, "load functions with tf.saved_model.load."),
    ("tf.io.write_graph", _GRAPHS, "save functions with tf.saved_model.save."),
    ("tf.test.assert_equal_graph_def", _GRAPHS, "compare what the functions return."),
    ("tf.mlir", "programs are not written as MLIR", "read what f.explain() or experimental_get_compiler_ir shows."),
    ("tf.xla", "XLA is not used", "every tf.function is compiled; `jit_compile=True` is accepted."),
    # Code for TensorFlow's own runtime.
    ("tf.load_library", "libraries for TensorFlow's runtime cannot be loaded", "use tf.numpy_function or tf.py_function."),
    ("tf.load_op_library", "kernels for TensorFlow's runtime cannot be loaded", "use tf.py_function, or tf.custom_gradient."),
    ("tf.sysconfig.get_compile_flags", _NATIVE, "use tf.py_function, or tf.custom_gradient."),
    ("tf.sysconfig.get_include", _NATIVE, "use tf.py_function, or tf.custom_gradient."),
    ("tf.sysconfig.get_lib", _NATIVE, "use tf.py_function, or tf.custom_gradient."),
    ("tf.sysconfig.get_link_flags", _NATIVE, "use tf.py_function, or tf.custom_gradient."),
    ("tf.types.experimental.AtomicFunction", _GRAPHS, "use tf.types.experimental.ConcreteFunction."),
    ("tf.profiler.experimental.client", _CLUSTER, "use tf.profiler.experimental.Profile in the process itself."),
    ("tf.profiler.experimental.server", _CLUSTER, "use tf.profiler.experimental.Profile in the process itself."),
    ("tf.test.benchmark_config", _GRAPHS, "measure with tf.test.Benchmark.run_op_benchmark."),
    ("tf.experimental.register_filesystem_plugin", "file systems are Python's", "open files with Python or tf.io.gfile."),
    ("tf.conv", _RAW, "use tf.nn.convolution."),
    ("tf.conv2d_backprop_filter_v2", _RAW, "use tf.nn.conv2d under a tf.GradientTape."),
    ("tf.conv2d_backprop_input_v2", _RAW, "use tf.nn.conv2d_transpose."),
    ("tf.check_pinned", _RAW, "leave it out: there is no pinned memory."),
    ("tf.ragged_fill_empty_rows", _RAW, "use methods of tf.RaggedTensor."),
    ("tf.ragged_fill_empty_rows_grad", _RAW, "use methods of tf.RaggedTensor."),
    ("tf.raw_ops", "public functions are not split into raw kernels", "use the public function: tf.add for tf.raw_ops.Add."),
    ("tf.quantization.quantize", _QUANTIZED, "use tf.quantization.quantize_and_dequantize_v2, or tf.cast of rounded values."),
    ("tf.quantization.dequantize", _QUANTIZED, "multiply tf.cast(x, tf.float32) by the scale."),
    ("tf.quantization.quantized_concat", _QUANTIZED, "use tf.concat."),
    # Other machines and devices.
    ("tf.tpu", "there are no TPUs", "run on the CPU, or on a GPU with CuPy."),
    ("tf.distribute.experimental.partitioners", _CLUSTER, _ALONE),
    ("tf.distribute.experimental.rpc", _CLUSTER, _ALONE),
    ("tf.distribute.experimental.PreemptionCheckpointHandler", _CLUSTER, "use tf.train.CheckpointManager."),
    ("tf.distribute.experimental.PreemptionWatcher", _CLUSTER, "use Python's module signal."),
    ("tf.distribute.experimental.TerminationConfig", _CLUSTER, "use tf.train.CheckpointManager."),
    ("tf.distribute.Server", _CLUSTER, _ALONE),
    ("tf.config.experimental_connect_to_cluster", _CLUSTER, _ALONE),
    ("tf.config.experimental_connect_to_host", _CLUSTER, _ALONE),
    ("tf.config.experimental.ClusterDeviceFilters", _CLUSTER, _ALONE),
    ("tf.config.experimental.disable_mlir_bridge", "programs are not written as MLIR", "leave the call out."),
    ("tf.config.experimental.enable_mlir_bridge", "programs are not written as MLIR", "leave the call out."),
    ("tf.test.create_local_cluster", _CLUSTER, _ALONE),
    ("tf.train.ClusterDef", _PROTOCOL, "use tf.train.ClusterSpec."),
    ("tf.train.JobDef", _PROTOCOL, "use tf.train.ClusterSpec."),
    ("tf.train.ServerDef", _PROTOCOL, "use tf.train.ClusterSpec."),
    ("tf.data.experimental.distributed_save", _CLUSTER, "use Dataset.save."),
    ("tf.data.experimental.SqlDataset", "databases are Python's", "use sqlite3 with Dataset.from_generator."),
    ("tf.data.experimental.service", _CLUSTER, "use Dataset.map with num_parallel_calls, and prefetch."),
    ("tf.data.experimental.get_model_proto", _PROTOCOL, "leave it out: pipelines have no model of their speed."),
    ("tf.data.experimental.from_variant", "datasets are Python objects, not tensors", "pass the dataset itself."),
    ("tf.data.experimental.to_variant", "datasets are Python objects, not tensors", "pass the dataset itself."),
    ("tf.data.experimental.make_saveable_from_iterator", _GRAPHS, "count the steps, and use dataset.skip after a restart."),
    # What Keras has taken over, and other formats.
    (
        "tf.feature_column",
        "Keras's preprocessing layers have replaced it",
        "use keras.layers.Normalization, StringLookup, IntegerLookup, Discretization, Hashing, CategoryEncoding, Embedding "
        "or keras.utils.FeatureSpace.",
    ),
    ("tf.debugging.experimental", "TensorBoard's debugger reads what TensorFlow's runtime writes", "use tf.debugging.enable_check_numerics, tape.explain and f.explain()."),
    ("tf.dtensor", _CLUSTER, _ALONE),
    ("tf.security", _RAW, "leave it out: it is for TensorFlow's own tests."),
    ("tf.saved_model.experimental", "saved models have no fingerprints or policies", "use tf.saved_model.save and load."),
    ("tf.image.decode_jxl", "Pillow does not read JPEG XL", "convert the files to PNG or JPEG."),
    ("tf.io.decode_jxl", "Pillow does not read JPEG XL", "convert the files to PNG or JPEG."),
    ("tf.io.decode_proto", "messages other than tf.train.Example are not known", "use protobuf in tf.py_function."),
    ("tf.io.encode_proto", "messages other than tf.train.Example are not known", "use protobuf in tf.py_function."),
    ("tf.estimator", "Keras has replaced it", "use keras.Model with compile and fit."),
    ("tf.lite", "models are not converted to TensorFlow Lite", "deploy them with tf.saved_model.save, or export with Keras."),
]  # fmt: skip

TABLE = {name: Absence(name, reason, instead) for name, reason, instead in _TABLE}


def lookup(name: str) -> Absence | None:
    """Why a dotted name that starts with `tf.` is left out; None if it is not.

    >>> from gradtape.api import absent
    >>> absent.lookup("tf.feature_column.numeric_column").name
    'tf.feature_column'
    """
    parts = name.split(".")
    for end in range(len(parts), 1, -1):
        found = TABLE.get(".".join(parts[:end]))
        if found is not None:
            return found
    return None


def problem(module: str, name: str) -> AttributeError | None:
    """The error for a name that a module of ours leaves out on purpose, or that is a habit; None if it is not known."""
    full = ".".join(["tf", *module.split(".")[1:], name])
    found = lookup(full)
    if found is not None:
        what = f"{full} is left out: {found.reason}."
        return errors.LeftOutError(errors.compose(what, _public(full) or found.instead, depth=3), name=name)
    habit = habits.lookup(full)
    if habit is not None:
        whose = f", which {habit.library} has" if habit.library else ""
        what = f"module {module!r} has no attribute {name!r}{whose}."
        return AttributeError(errors.compose(what, habit.instead, depth=3), name=name)
    return None


def _public(full: str) -> str:
    """The public function of a raw op, by its name: `tf.raw_ops.MatMul` is tf.matmul; empty for others."""
    if not full.startswith("tf.raw_ops."):
        return ""
    wanted = re.sub(r"V\d$", "", full.rpartition(".")[2]).lower()
    for module in ("", ".math", ".nn", ".linalg", ".strings", ".image", ".random", ".io", ".sparse", ".signal"):
        for name in dir(importlib.import_module(f"gradtape{module}")):
            if name.lower().replace("_", "") == wanted and name.islower():
                return f"tf{module}.{name}, the public function."
    return ""
