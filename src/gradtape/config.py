"""`tf.config`: devices under TensorFlow's names, and gradtape's own switches."""

from gradtape.core.generated import (
    generate_kernels,
)
from gradtape.names import (
    threads,
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
from gradtape.names.execution import (
    experimental_functions_run_eagerly,
    experimental_run_functions_eagerly,
    functions_run_eagerly,
    run_functions_eagerly,
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
    "record_numpy_functions",
    "run_functions_eagerly",
    "set_jacobian_memory",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
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


class threading:  # noqa: N801 - a namespace, as in TensorFlow
    """`tf.config.threading`: how many threads compute."""

    get_inter_op_parallelism_threads = staticmethod(threads.get_inter_op_parallelism_threads)
    get_intra_op_parallelism_threads = staticmethod(threads.get_intra_op_parallelism_threads)
    set_inter_op_parallelism_threads = staticmethod(threads.set_inter_op_parallelism_threads)
    set_intra_op_parallelism_threads = staticmethod(threads.set_intra_op_parallelism_threads)
