# Written by tools/stubs.py.
# ruff: noqa
from gradtape.config._devices import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from gradtape.config._devices import get_device_details
from gradtape.config._devices import get_logical_device_configuration as get_virtual_device_configuration
from gradtape.config._devices import get_memory_growth
from gradtape.config._devices import get_visible_devices
from gradtape.config._devices import list_logical_devices
from gradtape.config._devices import list_physical_devices
from gradtape.config._devices import set_logical_device_configuration as set_virtual_device_configuration
from gradtape.config._devices import set_memory_growth
from gradtape.config._devices import set_visible_devices
from gradtape.config._switches import enable_op_determinism
from gradtape.config._switches import enable_tensor_float_32_execution
from gradtape.config._switches import get_device_policy
from gradtape.config._switches import get_memory_info
from gradtape.config._switches import get_memory_usage
from gradtape.config._switches import get_synchronous_execution
from gradtape.config._switches import reset_memory_stats
from gradtape.config._switches import set_device_policy
from gradtape.config._switches import set_synchronous_execution
from gradtape.config._switches import tensor_float_32_execution_enabled

__all__ = [
    "VirtualDeviceConfiguration",
    "enable_op_determinism",
    "enable_tensor_float_32_execution",
    "get_device_details",
    "get_device_policy",
    "get_memory_growth",
    "get_memory_info",
    "get_memory_usage",
    "get_synchronous_execution",
    "get_virtual_device_configuration",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "reset_memory_stats",
    "set_device_policy",
    "set_memory_growth",
    "set_synchronous_execution",
    "set_virtual_device_configuration",
    "set_visible_devices",
    "tensor_float_32_execution_enabled",
]
