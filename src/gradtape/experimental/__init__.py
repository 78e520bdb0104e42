"""`tf.experimental`."""

from gradtape.core import lazy
from gradtape.experimental import dlpack

_LATER = {
    "gradtape.experimental.dtensor": "*",
    "gradtape.experimental.numpy": "*",
    "gradtape.core.dtypes": "float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int4 uint4",
    "gradtape.data._optional": "Optional",
    "gradtape.experimental._async_scope": "async_clear_error async_scope enable_strict_mode function_executor_type",
    "gradtape.experimental._dispatch": (
        "dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis "
        "dispatch_for_unary_elementwise_apis unregister_dispatch_for"
    ),
    "gradtape.experimental.extension_type": "*",
    "gradtape.ragged._dynamic_shape": "DynamicRaggedShape",
    "gradtape.ragged._partition": "RowPartition",
    "gradtape.ragged._structured_tensor": "StructuredTensor",
    "gradtape.toplevel.extension_batches": "BatchableExtensionType ExtensionTypeBatchEncoder",
    "gradtape.toplevel.extension_types": "ExtensionType ExtensionTypeSpec",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = ["dlpack", *_later]
