"""`tensorflow.core`, `tensorflow.compiler` and `tensorflow.tools`: messages, XLA's functions, and marks for documentation."""

_MESSAGES = "messages"

MODULES: dict[str, dict[str, str]] = {
    "core.framework.attr_value_pb2": {_MESSAGES: "AttrValue"},
    "core.framework.graph_pb2": {_MESSAGES: "GraphDef"},
    "core.framework.node_def_pb2": {_MESSAGES: "NodeDef"},
    "core.framework.summary_pb2": {_MESSAGES: "Summary SummaryMetadata HistogramProto"},
    "core.protobuf.cluster_pb2": {_MESSAGES: "ClusterDef"},
    "core.protobuf.config_pb2": {
        _MESSAGES: "CallableOptions ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions",
    },
    "core.protobuf.struct_pb2": {_MESSAGES: "StructuredValue"},
    "core.util.event_pb2": {_MESSAGES: "Event"},
    "compiler.tf2xla.python.xla": {"xla": "dynamic_slice dynamic_update_slice replica_id variadic_reduce"},
    "compiler.jit": {},
    "compiler.tf2tensorrt": {},
    "compiler.tf2xla": {},
    "compiler.xla": {},
    "xla.experimental": {"xla": "compile=compile_computation jit_scope"},
    "tools.docs.doc_controls": {
        "names": (
            "do_not_doc_inheritable do_not_generate_docs=unchanged doc_in_current_and_subclasses=unchanged "
            "do_not_doc_in_subclasses=unchanged doc_private=unchanged for_subclass_implementers=unchanged "
            "inheritable_header=nothing"
        ),
    },
}
