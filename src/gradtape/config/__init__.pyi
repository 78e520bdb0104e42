# Written by tools/stubs.py.
# ruff: noqa
from gradtape.config import experimental
from gradtape.config import optimizer
from gradtape.config import threading
from gradtape.config._devices import LogicalDevice
from gradtape.config._devices import LogicalDeviceConfiguration
from gradtape.config._devices import PhysicalDevice
from gradtape.config._devices import get_logical_device_configuration
from gradtape.config._devices import get_soft_device_placement
from gradtape.config._devices import get_visible_devices
from gradtape.config._devices import list_logical_devices
from gradtape.config._devices import list_physical_devices
from gradtape.config._devices import set_logical_device_configuration
from gradtape.config._devices import set_soft_device_placement
from gradtape.config._devices import set_visible_devices
from gradtape.config._run_eagerly import experimental_functions_run_eagerly
from gradtape.config._run_eagerly import experimental_run_functions_eagerly
from gradtape.config._run_eagerly import functions_run_eagerly
from gradtape.config._run_eagerly import run_functions_eagerly
from gradtape.core.hints import hints
from gradtape.core.hot_kernels import generate_kernels
from gradtape.numpy_protocol.protocol import record_numpy_functions
from gradtape.transform.jacobian import get_jacobian_memory
from gradtape.transform.jacobian import set_jacobian_memory
from gradtape.transform.none_gradients import on_none

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
    "hints",
    "list_logical_devices",
    "list_physical_devices",
    "on_none",
    "optimizer",
    "record_numpy_functions",
    "run_functions_eagerly",
    "set_jacobian_memory",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
