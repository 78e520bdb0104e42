"""`tf.debugging`: checks of values, shapes and dtypes.

_finite_check.py         The recorder behind enable_check_numerics, and its messages
_numerics.py             Checks that numbers are finite, of one tensor or of everything that is computed
_shape_checks.py         Checks of ranks, shapes and dtypes
_traceback_filtering.py  Whether tracebacks end at the user's line
_value_checks.py         Checks of values
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.debugging._numerics": (
        "assert_all_finite check_numerics disable_check_numerics enable_check_numerics get_log_device_placement "
        "set_log_device_placement"
    ),
    "gradtape.debugging._shape_checks": (
        "assert_integer assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_shapes assert_type "
        "is_numeric_tensor"
    ),
    "gradtape.debugging._traceback_filtering": (
        "disable_traceback_filtering enable_traceback_filtering is_traceback_filtering_enabled"
    ),
    "gradtape.debugging._value_checks": (
        "Assert assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near assert_negative "
        "assert_non_negative assert_non_positive assert_none_equal assert_positive assert_proper_iterable "
        "assert_same_float_dtype"
    ),
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
