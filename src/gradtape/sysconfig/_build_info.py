"""What programs ask about TensorFlow's build: which devices and compilers it knows."""

from __future__ import annotations

from typing import Any

from gradtape.core import device


def get_build_info() -> dict[str, Any]:
    """Facts about the build, under TensorFlow's names.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return {
        "cpu_compiler": "llvmlite",
        "is_cuda_build": is_built_with_cuda(),
        "is_rocm_build": is_built_with_rocm(),
        "is_tensorrt_build": False,
    }


def is_built_with_cuda() -> bool:
    """True if CuPy is installed: GPUs are used through it.

    >>> tf.test.is_built_with_cuda()
    False
    """
    return device.has_cupy()


def is_built_with_gpu_support() -> bool:
    """True if CuPy is installed.

    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return device.has_cupy()


def is_built_with_rocm() -> bool:
    """False: AMD's GPUs are not used.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


def is_built_with_xla() -> bool:
    """False: functions are compiled, but not by XLA.

    >>> tf.test.is_built_with_xla()
    False
    """
    return False


def is_cpu_target_available(target: str) -> bool:
    """True for the machine on which this runs, by LLVM's name, such as "x86" or "arm".

    >>> tf.test.is_cpu_target_available("6502")
    False
    """
    import platform

    names = {"x86_64": "x86", "amd64": "x86", "i686": "x86", "aarch64": "aarch64", "arm64": "aarch64", "ppc64le": "ppc"}
    own = names.get(platform.machine().lower(), platform.machine().lower())
    return target in {own, "arm" if own == "aarch64" else own}


def gpu_device_name() -> str:
    """The name of the first GPU; empty if there is none.

    >>> tf.test.gpu_device_name()
    ''
    """
    return "/device:GPU:0" if device.gpu_count() else ""


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    """True if CuPy can use a GPU, of at least a compute capability if that is given.

    >>> tf.test.is_gpu_available()
    False
    """
    if min_cuda_compute_capability is None:
        return device.gpu_count() > 0
    from gradtape.config._devices import get_device_details, list_physical_devices

    found = [get_device_details(gpu)["compute_capability"] for gpu in list_physical_devices("GPU")]
    return any(capability >= tuple(min_cuda_compute_capability) for capability in found)
