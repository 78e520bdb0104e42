"""`tf.config`: devices under TensorFlow's names, and gradtape's own switches."""

from gradtape.config import experimental, optimizer, threading
from gradtape.core import lazy
from gradtape.core.hot_kernels import (
    generate_kernels,
)
from gradtape.config._devices import (
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
from gradtape.config._run_eagerly import (
    experimental_functions_run_eagerly,
    experimental_run_functions_eagerly,
    functions_run_eagerly,
    run_functions_eagerly,
)
from gradtape.numpy_protocol.protocol import (
    record_numpy_functions,
)
from gradtape.transform.jacobian import (
    get_jacobian_memory,
    set_jacobian_memory,
)

__getattr__, __dir__, _ = lazy.attach(__name__, {})

__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "generate_kernels",
    "get_jacobian_memory",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "record_numpy_functions",
    "run_functions_eagerly",
    "set_jacobian_memory",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
