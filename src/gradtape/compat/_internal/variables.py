"""TensorFlow's internal names for variables."""

from __future__ import annotations

from typing import Any

import gradtape as tf
from gradtape.compat._internal.names import absent_class
from gradtape.core.variable import Variable

BaseResourceVariable = ResourceVariable = Variable
PartitionedVariable = absent_class("PartitionedVariable", "variables are not cut into parts")


def UninitializedVariable(  # noqa: N802
    trainable: Any = None, name: str | None = None, dtype: Any = None, shape: Any = None, **_: Any
) -> Any:
    """A variable whose value is given later: zeros until then."""
    return Variable(
        tf.zeros([d or 0 for d in tf.TensorShape(shape).as_list()], dtype), trainable, name=name, shape=shape
    )


def is_resource_variable(var: Any) -> bool:
    """True for variables."""
    return isinstance(var, Variable)


def resource_scatter_add(resource: Any, indices: Any, updates: Any, name: str | None = None) -> Any:
    """Add to rows of a variable."""
    variable = getattr(resource, "_variable", resource)
    return tf.compat.v1.scatter_add(variable, indices, updates)


def read_variable_op(resource: Any, dtype: Any, name: str | None = None) -> Any:
    """The value of a variable."""
    return getattr(resource, "_variable", resource).read_value()


def var_is_initialized_op(resource: Any, name: str | None = None) -> Any:
    """Always true: a variable is made with its value."""
    return tf.constant(True)


def assign_variable_op(resource: Any, value: Any, validate_shape: bool = False, name: str | None = None) -> Any:
    """Replace the value of a variable."""
    return getattr(resource, "_variable", resource).assign(value)


def variable_handle_from_shape_and_dtype(shape: Any, dtype: Any, *_: Any, **__: Any) -> Any:
    """Always NotImplementedError: a variable is made with its value."""
    raise NotImplementedError("Variables without a value cannot be made; use tf.Variable.")


def slice_helper(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """A part of a tensor or variable."""
    return tensor[slice_spec]


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Move a variable a little towards a value."""
    rate = tf.cast(1.0 - tf.cast(decay, variable.dtype), variable.dtype)
    return variable.assign_sub((tf.convert_to_tensor(variable) - tf.cast(value, variable.dtype)) * rate)
