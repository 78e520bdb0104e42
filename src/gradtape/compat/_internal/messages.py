"""The messages of `tensorflow.core`: those of `tf.compat.v1`."""

from gradtape.compat.v1.messages import (
    AttrValue,
    CallableOptions,
    ClusterDef,
    ConfigProto,
    Event,
    GPUOptions,
    GraphDef,
    GraphOptions,
    HistogramProto,
    NodeDef,
    OptimizerOptions,
    RunMetadata,
    RunOptions,
    StructuredValue,
    Summary,
    SummaryMetadata,
)

__all__ = [
    "AttrValue",
    "CallableOptions",
    "ClusterDef",
    "ConfigProto",
    "Event",
    "GPUOptions",
    "GraphDef",
    "GraphOptions",
    "HistogramProto",
    "NodeDef",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
    "StructuredValue",
    "Summary",
    "SummaryMetadata",
]
