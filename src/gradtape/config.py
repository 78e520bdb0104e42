"""`tf.config`: devices under TensorFlow's names, and gradtape's own switches."""

from gradtape.names.device import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_logical_device_configuration,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_soft_device_placement,
    set_visible_devices,
)
from gradtape.names.numpy_protocol import (
    record_numpy_functions,
)
from gradtape.transform.jacobian import (
    get_jacobian_memory,
    set_jacobian_memory,
)

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "get_jacobian_memory",
    "list_logical_devices",
    "list_physical_devices",
    "record_numpy_functions",
    "set_jacobian_memory",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
]
