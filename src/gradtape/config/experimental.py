"""`tf.config.experimental`: memory and details of devices, and switches of TensorFlow's runtime."""

from gradtape.config._devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from gradtape.config._devices import (
    get_device_details,
    get_memory_growth,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_memory_growth,
    set_visible_devices,
)
from gradtape.config._devices import get_logical_device_configuration as get_virtual_device_configuration
from gradtape.config._devices import set_logical_device_configuration as set_virtual_device_configuration
from gradtape.core import lazy

_LATER = {
    "gradtape.config._switches": (
        "enable_op_determinism enable_tensor_float_32_execution get_device_policy get_memory_info get_memory_usage "
        "get_synchronous_execution reset_memory_stats set_device_policy set_synchronous_execution "
        "tensor_float_32_execution_enabled"
    ),
}
__getattr__, __dir__, _later = lazy.attach(__name__, _LATER)

__all__ = [
    "VirtualDeviceConfiguration",
    "get_device_details",
    "get_memory_growth",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "set_memory_growth",
    "set_virtual_device_configuration",
    "set_visible_devices",
    *_later,
]
