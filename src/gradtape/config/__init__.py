"""`tf.config`: devices under TensorFlow's names, and gradtape's own switches.

_device_spec.py  DeviceSpec: the parts of a device's name
_devices.py      Devices: `tf.device`, and what `tf.config` tells about them
_run_eagerly.py  Whether functions are traced
_switches.py     Switches of TensorFlow's runtime, as far as programs would run the same without them
_threads.py      How many threads compute
experimental.py  Memory and details of devices, and switches of TensorFlow's runtime
optimizer.py     Switches of TensorFlow's graph optimizer, accepted and without effect
threading.py     How many threads compute
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.config.experimental": "*",
    "gradtape.config.optimizer": "*",
    "gradtape.config.threading": "*",
    "gradtape.config._devices": (
        "LogicalDevice LogicalDeviceConfiguration PhysicalDevice get_logical_device_configuration "
        "get_soft_device_placement get_visible_devices list_logical_devices list_physical_devices "
        "set_logical_device_configuration set_soft_device_placement set_visible_devices"
    ),
    "gradtape.config._run_eagerly": (
        "experimental_functions_run_eagerly experimental_run_functions_eagerly functions_run_eagerly "
        "run_functions_eagerly"
    ),
    "gradtape.core.hot_kernels": "generate_kernels",
    "gradtape.numpy_protocol.protocol": "record_numpy_functions",
    "gradtape.transform.jacobian": "get_jacobian_memory set_jacobian_memory",
    "gradtape.core.hints": "hints",
    "gradtape.transform.none_gradients": "on_none",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
