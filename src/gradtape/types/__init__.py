"""`tf.types`: names for annotations.

TensorLike   what functions take for a tensor: tensors, variables, arrays, numbers, nested lists of them
Array        a NumPy array
Shape        what functions take for a shape
DType        what functions take for a dtype: `tf.float32`, "float32", `np.float32`, `float`
Axis         what functions take for an axis, or for several

>>> def mean_square(x: tf.types.TensorLike, axis: tf.types.Axis = None) -> tf.Tensor:
...     return tf.reduce_mean(tf.square(x), axis)
>>> mean_square([1.0, 3.0]).numpy()
np.float32(5.0)
"""

from gradtape.core.annotations import Array, Axis, DType, Shape, TensorLike
from gradtape.types import experimental

__all__ = ["Array", "Axis", "DType", "Shape", "TensorLike", "experimental"]
