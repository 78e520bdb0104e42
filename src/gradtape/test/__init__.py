"""`tf.test`: a class for tests, numerical gradients, and questions about the machine.

_benchmark.py         Benchmark: a class whose methods measure something, and report it
_compute_gradient.py  Gradients by differences, to compare with those of the tape
_test_case.py         TestCase: unittest's, with comparisons of tensors and arrays
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.sysconfig._build_info": (
        "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm is_built_with_xla "
        "is_cpu_target_available is_gpu_available"
    ),
    "gradtape.test._compute_gradient": "compute_gradient",
    "gradtape.test._test_case": "TestCase disable_with_predicate main with_eager_op_as_function",
    "gradtape.test._benchmark": "Benchmark",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
