# Written by tools/stubs.py.
# ruff: noqa
from gradtape.core.dtypes import float8_e4m3b11fnuz
from gradtape.core.dtypes import float8_e4m3fn
from gradtape.core.dtypes import float8_e4m3fnuz
from gradtape.core.dtypes import float8_e5m2
from gradtape.core.dtypes import float8_e5m2fnuz
from gradtape.core.dtypes import int4
from gradtape.core.dtypes import uint4
from gradtape.data._optional import Optional
from gradtape.experimental import dlpack
from gradtape.experimental import dtensor
from gradtape.experimental import extension_type
from gradtape.experimental import numpy
from gradtape.experimental._async_scope import async_clear_error
from gradtape.experimental._async_scope import async_scope
from gradtape.experimental._async_scope import enable_strict_mode
from gradtape.experimental._async_scope import function_executor_type
from gradtape.experimental._dispatch import dispatch_for_api
from gradtape.experimental._dispatch import dispatch_for_binary_elementwise_apis
from gradtape.experimental._dispatch import dispatch_for_binary_elementwise_assert_apis
from gradtape.experimental._dispatch import dispatch_for_unary_elementwise_apis
from gradtape.experimental._dispatch import unregister_dispatch_for
from gradtape.ragged._dynamic_shape import DynamicRaggedShape
from gradtape.ragged._partition import RowPartition
from gradtape.ragged._structured_tensor import StructuredTensor
from gradtape.toplevel.extension_batches import BatchableExtensionType
from gradtape.toplevel.extension_batches import ExtensionTypeBatchEncoder
from gradtape.toplevel.extension_types import ExtensionType
from gradtape.toplevel.extension_types import ExtensionTypeSpec

__all__ = [
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "Optional",
    "RowPartition",
    "StructuredTensor",
    "async_clear_error",
    "async_scope",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "dtensor",
    "enable_strict_mode",
    "extension_type",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "function_executor_type",
    "int4",
    "numpy",
    "uint4",
    "unregister_dispatch_for",
]
