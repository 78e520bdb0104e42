"""The types of ops under TensorFlow's names, for programs that look at graphs."""

from __future__ import annotations

# Where TensorFlow's name is not ours in capitals.
_NAMES = {
    "add": "AddV2",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "as_string": "AsString",
    "assign": "AssignVariableOp",
    "avg_pool": "AvgPool",
    "band_part": "MatrixBandPart",
    "branch": "If",
    "concat": "ConcatV2",
    "convolution": "Conv2D",
    "convolution_filter_gradient": "Conv2DBackpropFilter",
    "convolution_input_gradient": "Conv2DBackpropInput",
    "divide": "RealDiv",
    "divide_no_nan": "DivNoNan",
    "eigh": "SelfAdjointEigV2",
    "floordiv": "FloorDiv",
    "floormod": "FloorMod",
    "gather": "GatherV2",
    "log_sigmoid": "LogSigmoid",
    "loop": "While",
    "matmul": "MatMul",
    "matrix_diag": "MatrixDiagV3",
    "matrix_diag_part": "MatrixDiagPartV3",
    "multiply": "Mul",
    "multiply_no_nan": "MulNoNan",
    "negative": "Neg",
    "pad": "PadV2",
    "random_normal": "RandomStandardNormal",
    "random_truncated_normal": "TruncatedNormal",
    "reduce_all": "All",
    "reduce_any": "Any",
    "reduce_euclidean_norm": "EuclideanNorm",
    "reduce_max": "Max",
    "reduce_mean": "Mean",
    "reduce_min": "Min",
    "reduce_prod": "Prod",
    "reduce_sum": "Sum",
    "resample": "ResizeBilinear",
    "reverse": "ReverseV2",
    "shape_of": "Shape",
    "sparse_matmul": "SparseTensorDenseMatMul",
    "split": "SplitV",
    "stack": "Pack",
    "subtract": "Sub",
    "tensor_scatter_nd_update": "TensorScatterUpdate",
    "top_k": "TopKV2",
    "unstack": "Unpack",
    "where": "SelectV2",
}


def operation_type(op: str) -> str:
    """TensorFlow's name of an op: `Relu` of `relu`, `AddV2` of `add`."""
    return _NAMES.get(op) or "".join([part.capitalize() for part in op.split("_")])
