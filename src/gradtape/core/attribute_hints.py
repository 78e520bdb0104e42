"""Attributes that people look for on tensors and variables from habit (NumPy, PyTorch, JAX), and the code to write instead.

`x` stands for the tensor in the hints. They are descriptors, not a `__getattr__`: a class that has one is read at a third of
the speed, in every attribute.
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Absent", "attach", "gives_advice", "hint", "sentence", "shown"]

_HINTS = {
    "assign_mul": "v.assign(v * factor), of a tf.Variable",
    "remove": "tf.boolean_mask(x, mask): tensors are immutable",
    "columns": "x.shape[-1]: tensors have no names for columns",
    "isinf": "tf.math.is_inf(x)",
    "isnan": "tf.math.is_nan(x)",
    "len": "len(x)",
    "length": "len(x), or tf.size(x) for all elements",
    "pop": "x[-1] and x[:-1]: tensors are immutable",
    "plot": "plt.plot(x.numpy()), of Matplotlib",
    "loc": "x[i], or tf.gather(x, indices)",
    "iloc": "x[i], or tf.gather(x, indices)",
    "gradient": "tape.gradient(x, sources), of the tf.GradientTape around the computation",
    "T": "tf.transpose(x)",
    "mT": "tf.linalg.matrix_transpose(x)",
    "H": "tf.linalg.adjoint(x)",
    "abs": "tf.abs(x)",
    "add": "x + y",
    "add_": "v.assign_add(y), of a tf.Variable",
    "all": "tf.reduce_all(x)",
    "any": "tf.reduce_any(x)",
    "append": "tf.concat([x, [value]], 0), or a Python list and tf.stack(rows)",
    "argmax": "tf.argmax(x, axis)",
    "argmin": "tf.argmin(x, axis)",
    "argsort": "tf.argsort(x)",
    "assign_add": "x + y, or a variable, v = tf.Variable(x); in apply_gradients the order is zip(grads, variables)",
    "assign_sub": "x - y, or a variable, v = tf.Variable(x); in apply_gradients the order is zip(grads, variables)",
    "astype": "tf.cast(x, dtype)",
    "at": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "backward": "tape.gradient(x, sources), of the tf.GradientTape around the computation",
    "block_until_ready": "leave it out: ops are done when they return",
    "bool": "tf.cast(x, tf.bool)",
    "cast": "tf.cast(x, dtype)",
    "chunk": "tf.split(x, n, axis)",
    "clamp": "tf.clip_by_value(x, low, high)",
    "clip": "tf.clip_by_value(x, low, high)",
    "clone": "tf.identity(x)",
    "contiguous": "leave it out: tensors are contiguous",
    "copy": "tf.identity(x)",
    "copy_": "v.assign(y), of a tf.Variable",
    "cos": "tf.cos(x)",
    "count": "tf.reduce_sum(tf.cast(x == value, tf.int32))",
    "cpu": "leave it out: everything is on the CPU",
    "cuda": "leave it out: everything is on the CPU",
    "cumprod": "tf.math.cumprod(x, axis)",
    "cumsum": "tf.cumsum(x, axis)",
    "data": "x.numpy()",
    "decode": "x.numpy().decode() for one string, tf.strings functions for tensors of them",
    "detach": "tf.stop_gradient(x)",
    "diagonal": "tf.linalg.diag_part(x)",
    "dim": "x.ndim",
    "dot": "tf.tensordot(x, y, 1)",
    "double": "tf.cast(x, tf.float64)",
    "encode": "leave it out: string tensors hold bytes; tf.strings.unicode_encode(x, 'UTF-8') takes code points",
    "endswith": "tf.strings.regex_full_match(x, '.*suffix')",
    "exp": "tf.exp(x)",
    "expand": "tf.broadcast_to(x, shape)",
    "extend": "tf.concat([x, y], 0)",
    "fill": "tf.fill(x.shape, value)",
    "fill_": "v.assign(tf.fill(v.shape, value)), of a tf.Variable",
    "flatten": "tf.reshape(x, [-1])",
    "float": "tf.cast(x, tf.float32)",
    "gather": "tf.gather(x, indices, axis=axis)",
    "gpu": "leave it out: everything is on the CPU",
    "grad": "tape.gradient(y, x), of the tf.GradientTape around the computation",
    "grad_fn": "tape.explain(y, x) says how y came from x",
    "half": "tf.cast(x, tf.float16)",
    "index": "tf.where(x == value)",
    "indices": "x itself: it is a dense tensor, not tf.IndexedSlices or tf.SparseTensor",
    "insert": "tf.concat([x[:i], [value], x[i:]], 0)",
    "int": "tf.cast(x, tf.int32)",
    "is_leaf": "leave it out: tapes record ops, tensors do not know where they come from",
    "item": "x.numpy().item() or float(x)",
    "join": "tf.strings.join([x, y])",
    "log": "tf.math.log(x)",
    "log_softmax": "tf.nn.log_softmax(x)",
    "long": "tf.cast(x, tf.int64)",
    "lower": "tf.strings.lower(x)",
    "masked_fill": "tf.where(mask, value, x)",
    "matmul": "x @ y",
    "max": "tf.reduce_max(x)",
    "mean": "tf.reduce_mean(x)",
    "min": "tf.reduce_min(x)",
    "mm": "x @ y",
    "mul": "x * y",
    "mul_": "v.assign(v * y), of a tf.Variable",
    "nbytes": "x.numpy().nbytes",
    "new_zeros": "tf.zeros(shape, x.dtype)",
    "nonzero": "tf.where(x)",
    "norm": "tf.norm(x)",
    "numel": "tf.size(x)",
    "permute": "tf.transpose(x, perm)",
    "pow": "x ** y",
    "prod": "tf.reduce_prod(x)",
    "ravel": "tf.reshape(x, [-1])",
    "relu": "tf.nn.relu(x)",
    "repeat": "tf.tile(x, multiples)",
    "replace": "tf.strings.regex_replace(x, pattern, rewrite)",
    "requires_grad": "tape.watch(x) for a tensor, trainable=True of a tf.Variable",
    "requires_grad_": "tape.watch(x)",
    "reshape": "tf.reshape(x, shape)",
    "retain_grad": "tape.gradient(y, x): name x among the sources",
    "round": "tf.round(x)",
    "run": "leave it out: ops run when they are called; x.numpy() has the value",
    "scatter_": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "set": "v.assign(value), of a tf.Variable",
    "shuffle": "tf.random.shuffle(x)",
    "sigmoid": "tf.sigmoid(x)",
    "sin": "tf.sin(x)",
    "size": "tf.size(x)",
    "softmax": "tf.nn.softmax(x)",
    "sort": "tf.sort(x)",
    "split": "tf.split(x, sizes, axis)",
    "sqrt": "tf.sqrt(x)",
    "squeeze": "tf.squeeze(x)",
    "startswith": "tf.strings.regex_full_match(x, 'prefix.*')",
    "std": "tf.math.reduce_std(x)",
    "stop_gradient": "tf.stop_gradient(x)",
    "stride": "x.numpy().strides",
    "strip": "tf.strings.strip(x)",
    "sub_": "v.assign_sub(y), of a tf.Variable",
    "sum": "tf.reduce_sum(x)",
    "swapaxes": "tf.transpose(x, perm)",
    "t": "tf.transpose(x)",
    "take": "tf.gather(x, indices)",
    "tanh": "tf.tanh(x)",
    "to": "tf.cast(x, dtype); devices need nothing",
    "tobytes": "x.numpy().tobytes()",
    "tolist": "x.numpy().tolist()",
    "topk": "tf.math.top_k(x, k)",
    "transpose": "tf.transpose(x)",
    "type": "tf.cast(x, dtype)",
    "unbind": "tf.unstack(x)",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "update": "v.assign(value), of a tf.Variable",
    "upper": "tf.strings.upper(x)",
    "values": "x itself: it is a dense tensor, not tf.IndexedSlices or tf.SparseTensor",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape)",
    "zero_": "v.assign(tf.zeros_like(v)), of a tf.Variable",
    "zero_grad": "leave it out: every tape starts with no gradients",
}


# The same names on a tensor of strings.
_HINTS_FOR_STRINGS = {
    "split": "tf.strings.split(x, sep)",
    "format": "tf.strings.format(template, x)",
    "int": "tf.strings.to_number(x, tf.int32)",
    "float": "tf.strings.to_number(x, tf.float32)",
    "sum": "tf.strings.reduce_join(x)",
    "astype": "tf.strings.to_number(x, dtype)",
    "count": "tf.strings.length(x), or tf.strings.regex_replace",
    "index": "tf.strings.regex_full_match(x, pattern)",
}


class Absent:
    """An absent attribute: reading it raises an error that names the replacement."""

    __slots__ = ("_name", "_text")

    def __init__(self, name: str, text: str = "") -> None:
        self._name, self._text = name, text

    def __get__(self, owner: Any, kind: type) -> NoReturn:
        is_text = getattr(getattr(owner, "dtype", None), "name", "") == "string"
        instead = (_HINTS_FOR_STRINGS.get(self._name) if is_text else None) or _HINTS.get(self._name)
        why = ""
        if kind.__name__ == "SymbolicTensor" and instead and ".numpy()" in instead:
            why = ": tensors have no values while the function is traced"
            instead = "its result: " + instead.replace("x.numpy()", "f(x).numpy()").replace("float(x)", "float(f(x))")
        text = self._text or f"{kind.__name__!r} object has no attribute {self._name!r}{why}. {sentence(instead)}"
        raise AttributeError(text, name=self._name, obj=kind if owner is None else owner)


def sentence(instead: str) -> str:
    """What to write instead, as a sentence."""
    return f"{instead[0].upper()}{instead[1:]}." if instead.startswith("leave it out") else f"Use {instead}."


def gives_advice(text: str) -> bool:
    """True if a message has such a sentence."""
    return "Use " in text or "Leave it out" in text


def attach(kind: Any) -> None:
    """Give a class the attributes that it does not have."""
    for name in _HINTS:
        if _found(kind, name) is None:
            setattr(kind, name, Absent(name))


def hint(kind: type, name: str) -> str:
    """What to write in place of an attribute that a class does not have; empty if it has it, or nothing is known."""
    return _HINTS[name] if isinstance(_found(kind, name), Absent) and name in _HINTS else ""


def shown(kind: type, names: Any) -> list[str]:
    """The names of attributes, excluding absent ones."""
    return [name for name in names if not isinstance(_found(kind, name), Absent)]


def _found(kind: type, name: str) -> Any:
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
