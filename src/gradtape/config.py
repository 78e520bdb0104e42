"""`tf.config`: devices under TensorFlow's names, and gradtape's own switches."""

from gradtape.core.generated import (
    generate_kernels,
)
from gradtape.names.device import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    get_device_details,
    get_logical_device_configuration,
    get_memory_growth,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    set_logical_device_configuration,
    set_memory_growth,
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
    "experimental",
    "generate_kernels",
    "get_jacobian_memory",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "record_numpy_functions",
    "set_jacobian_memory",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
]


class experimental:  # noqa: N801 - a namespace, as in TensorFlow
    """`tf.config.experimental`: memory and details of devices."""

    get_device_details = staticmethod(get_device_details)
    get_memory_growth = staticmethod(get_memory_growth)
    get_visible_devices = staticmethod(get_visible_devices)
    list_logical_devices = staticmethod(list_logical_devices)
    list_physical_devices = staticmethod(list_physical_devices)
    set_memory_growth = staticmethod(set_memory_growth)
    set_visible_devices = staticmethod(set_visible_devices)
