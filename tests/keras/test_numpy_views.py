"""`keras.ops.view`: the bytes of a tensor as another dtype, also where sizes are known only when the function runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradtape as tf


@pytest.mark.parametrize(("own", "wanted"), [("int32", "int16"), ("int16", "int32"), ("float32", "int32")])
def test_view_in_functions_of_any_size(keras: Any, own: str, wanted: str) -> None:
    array = np.arange(1, 13).reshape(3, 4).astype(own)
    view = tf.function(lambda x: keras.ops.view(x, wanted), input_signature=[tf.TensorSpec([None, None], own)])
    np.testing.assert_array_equal(view(array).numpy(), array.view(wanted))
    np.testing.assert_array_equal(keras.ops.view(tf.constant(array), wanted).numpy(), array.view(wanted))


def test_view_of_a_length_that_does_not_divide(keras: Any) -> None:
    with pytest.raises(ValueError, match="divisible by 2"):
        keras.ops.view(tf.constant([1, 2, 3], tf.int16), "int32")
