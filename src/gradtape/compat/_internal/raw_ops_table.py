"""`tf.raw_ops`: the ops that libraries call by these names."""

MODULES: dict[str, dict[str, str]] = {
    "raw_ops": {
        "raw_ops": (
            "Add AddV2 BroadcastGradientArgs Bucketize Cast Concat ConcatV2 Conv2D FusedBatchNorm FusedBatchNormV2 "
            "FusedBatchNormV3 IgammaGradA ImageProjectiveTransformV2 ImageProjectiveTransformV3 MatMul "
            "MatrixDiagPartV2 MatrixDiagPartV3 Mul RandomGammaGrad Sub UniqueV2 UniqueWithCountsV2"
        ),
        "recurrent": "CudnnRNN CudnnRNNV2 CudnnRNNV3",
        "optimizer_ops": (
            "ResourceApplyAdaMax ResourceApplyAdadelta ResourceApplyAdagradV2 ResourceApplyAdam "
            "ResourceApplyAdamWithAmsgrad ResourceApplyCenteredRMSProp ResourceApplyFtrl ResourceApplyFtrlV2 "
            "ResourceApplyGradientDescent ResourceApplyKerasMomentum ResourceApplyRMSProp ResourceScatterAdd "
            "ResourceScatterSub ResourceScatterUpdate ResourceSparseApplyAdadelta ResourceSparseApplyAdagradV2 "
            "ResourceSparseApplyCenteredRMSProp ResourceSparseApplyFtrl ResourceSparseApplyFtrlV2 "
            "ResourceSparseApplyKerasMomentum ResourceSparseApplyRMSProp"
        ),
    },
}
