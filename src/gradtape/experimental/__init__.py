"""`tf.experimental`."""

from gradtape.core import lazy
from gradtape.experimental import dlpack

_LATER = {
    "gradtape.experimental.dtensor": "*",
    "gradtape.experimental.numpy": "*",
    "gradtape.data._optional": "Optional",
    "gradtape.experimental._async_scope": "async_clear_error async_scope enable_strict_mode function_executor_type",
    "gradtape.toplevel.extension_types": "ExtensionType ExtensionTypeSpec",
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = ["dlpack", *_later]
