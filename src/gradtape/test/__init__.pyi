# Written by tools/stubs.py.
# ruff: noqa
from gradtape.sysconfig._build_info import gpu_device_name
from gradtape.sysconfig._build_info import is_built_with_cuda
from gradtape.sysconfig._build_info import is_built_with_gpu_support
from gradtape.sysconfig._build_info import is_built_with_rocm
from gradtape.sysconfig._build_info import is_built_with_xla
from gradtape.sysconfig._build_info import is_cpu_target_available
from gradtape.sysconfig._build_info import is_gpu_available
from gradtape.test._benchmark import Benchmark
from gradtape.test._compute_gradient import compute_gradient
from gradtape.test._test_case import TestCase
from gradtape.test._test_case import disable_with_predicate
from gradtape.test._test_case import main
from gradtape.test._test_case import with_eager_op_as_function

__all__ = [
    "Benchmark",
    "TestCase",
    "compute_gradient",
    "disable_with_predicate",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
    "with_eager_op_as_function",
]
