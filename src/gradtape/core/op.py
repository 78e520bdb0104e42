"""The op: one class with all its rules, declared once.

    infer    output specs from input specs; raises the message a user should see
    kernel   the eager result, NumPy on arrays, which are never converted
    vjp      cotangents of the inputs, written with ops and operators, never with NumPy
    batch    the op with one more leading axis on some inputs
    scalar   (elementwise ops) or `lower`: how the compiler emits it

`declare` turns the class into its only instance, which is called like a function. The parameters of `vjp` after `dy`
name what it reads, and that is all a tape keeps: an input (`x`), an output (`y`), or only their `x_shape`, `x_dtype`.
A vjp that asks for `needs` gets one truth value per input and may return None where it is false.

Ops are polymorphic: arrays in, arrays out, unrecorded; tensors in, tensors out, recorded. A rule's text serves both.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gradtape.core import dtypes, errors
from gradtape.core.dispatch import execute
from gradtape.core.registry import REGISTRY as REGISTRY
from gradtape.core.shape import Spec
from gradtape.core.tensor import Tensor


class NotDifferentiable:
    """Written as an op's `vjp`: why it has no derivative. A tape treats the result as a constant."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"NotDifferentiable({self.reason!r})"


class Unsupported:
    """Written in place of a rule: why it is absent."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unsupported({self.reason!r})"


class Op:
    """Base class of ops. See the module's text for the rules.

    Attributes:
      name: TensorFlow's name of the function, in snake case.
      inputs: names of the array arguments, from the kernel's signature.
      outputs: names of the results; one op may return several. Empty if their number depends on the parameters.
      kinds: NumPy dtype kinds that the inputs may have ("V" stands for bfloat16 and float8).
      homogeneous: True if all inputs must have one dtype.
      validate: True if `infer` must run before the kernel, because NumPy accepts more than TensorFlow does.
      numpy: the NumPy functions that mean this op when they are given a tensor.
      elementwise: True if each element of the result depends on one element of each input (after broadcasting), so that
        large arrays can be computed in chunks; by `ufunc`, the first NumPy ufunc in `numpy`, if there is one. An op
        whose kernel checks more than that ufunc says `ufunc = None`.
      checked_kinds: NumPy dtype kinds for which the kernel refuses some values. The `scalar` rule cannot refuse, so inputs of
        these kinds are left to the kernel.
      accepts_slices: True if the vjp can take IndexedSlices as `dy`.
      takes_none: True if the vjp of an op with several outputs takes None for those that nothing used, instead of zeros.
      wants_tensors: True if the vjp is the user's code, which must never see plain arrays.
      infers_unknown: True if `infer` takes specs with unknown dimensions; other rules never see one.
      any_size: True if the vjp takes tensors of a trace whose dimensions are unknown: it needs none, or can wait for them.
      constants: inputs whose cotangent is None by design, each with the reason.
      path: how the line of the user that called it was found last time: how far up the stack, and the code of the function of
        ours that stands there, if it is not the user's own.
    """

    name: ClassVar[str] = ""
    inputs: ClassVar[tuple[str, ...]] = ()
    outputs: ClassVar[tuple[str, ...]] = ("y",)
    variadic: ClassVar[bool] = False
    kinds: ClassVar[str] = "fcViub"
    homogeneous: ClassVar[bool] = True
    validate: ClassVar[bool] = False
    numpy: ClassVar[tuple[Any, ...]] = ()
    elementwise: ClassVar[bool] = False
    checked_kinds: ClassVar[str] = ""
    accepts_slices: ClassVar[bool] = False
    wants_tensors: ClassVar[bool] = False
    takes_none: ClassVar[bool] = False
    infers_unknown: ClassVar[bool] = False
    any_size: ClassVar[bool] = False
    constants: ClassVar[Mapping[str, str]] = MappingProxyType({})
    path: tuple[int, Any] = (2, None)

    def fits(self, *arrays: Any, **params: Any) -> bool:
        """True if a quick look at the arrays shows that an op with `validate` needs no `infer` before the kernel."""
        return False

    infer: Any
    kernel: Any
    vjp: Any
    batch: Any
    lower: Any

    # Filled in by `declare`.
    differentiable: bool
    ufunc: Any
    takes_needs: bool
    save: Callable[[Any, Any], tuple[Any, ...]]
    pull: Callable[[Any, Any, Any, dict[str, Any]], Any]
    residuals: tuple[tuple[str, str], ...]

    if TYPE_CHECKING:
        # A type checker takes the name of a declared op for its class; this lets it accept the call.
        def __new__(cls, *inputs: Any, **params: Any) -> Tensor: ...  # type: ignore[misc]

    def __call__(self, *inputs: Any, **params: Any) -> Tensor:
        result: Tensor = execute(self, inputs, params)
        return result

    def touches(self, given: Sequence[bool], params: dict[str, Any]) -> list[bool] | None:
        """For each output, whether it has a tangent, be it zero, if the `given` inputs have one; None if the derivative tells."""
        return None

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def __reduce__(self) -> Any:
        return by_name, (self.name, type(self).__module__)

    def error(self, kind: type[Exception], what: str, fix: str = "") -> Exception:
        """An exception with the three-line message, which starts with the op's name."""
        return errors.build(kind, f"{self.name}: {what}", fix)

    def check_dtypes(self, *specs: Spec) -> dtypes.DType:
        """The common dtype of the inputs; raises if a kind is not accepted or two dtypes differ."""
        names = self.inputs if not self.variadic else tuple(f"{self.inputs[0]}[{i}]" for i in range(len(specs)))
        for name, spec in zip(names, specs, strict=False):
            if spec.dtype.kind not in self.kinds:
                raise self.error(
                    errors.DTypeError,
                    f"{name} is {spec}, and must be {describe_kinds(self.kinds)}.",
                    _conversion(name, spec.dtype, self.kinds),
                )
        if self.homogeneous:
            for name, spec in zip(names[1:], specs[1:], strict=False):
                if spec.dtype is not specs[0].dtype:
                    raise self.error(
                        errors.DTypeError,
                        f"dtypes differ: {names[0]} is {specs[0]}, {name} is {spec}.",
                        f"tensors are never promoted silently; use {cast_hint(names[0], specs[0].dtype, name, spec.dtype)}.",
                    )
        return specs[0].dtype


class InstanceOp(Op):
    """Base of ops that are not declared: code that needs one creates it from its class. It may have any results."""

    if TYPE_CHECKING:

        def __new__(cls, *args: Any, **options: Any) -> Self: ...

        def __call__(self, *inputs: Any, **params: Any) -> Any: ...


def _conversion(name: str, own: dtypes.DType, kinds: str) -> str:
    """How to make what an op takes of an input of another kind."""
    if own is dtypes.string:
        return f"strings become numbers with tf.strings.to_number({name}, tf.{'float32' if 'f' in kinds else 'int32'})."
    if kinds == "O":
        return f"numbers become text with tf.strings.as_string({name})."
    if own.is_complex and "c" not in kinds:
        return f"use tf.abs({name}) or tf.math.real({name}): complex numbers have no order."
    if "f" in kinds or "i" in kinds:
        return f"convert it first: tf.cast({name}, tf.{'float32' if 'f' in kinds else 'int32'})."
    if kinds == "c":
        return f"convert it first: tf.cast({name}, tf.complex64)."
    return f"compare it, {name} != 0, or use tf.cast({name}, tf.bool)."


def cast_hint(a: str, of_a: dtypes.DType, b: str, of_b: dtypes.DType) -> str:
    """The cast that makes two inputs agree and loses least: of bools and integers to the other's dtype, of a smaller integer to the larger, else of the second."""
    if dtypes.string in (of_a, of_b):
        return f"tf.strings.as_string({b if of_a is dtypes.string else a})"
    order = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
    ranks = [(order.get(d.kind, 2), d.size if d.is_integer else 0) for d in (of_a, of_b)]
    first_is_less = ranks[0] < ranks[1]
    return f"tf.cast({a}, {of_b!r})" if first_is_less else f"tf.cast({b}, {of_a!r})"


def by_name(name: str, module: str) -> Op:
    """The op of a name, whose module may not be loaded yet; an op that was pickled is itself again."""
    if name not in REGISTRY:
        importlib.import_module(module)
    return REGISTRY[name]


_KIND_NAMES = {
    "f": "floating point", "V": "bfloat16", "c": "complex", "i": "signed integers", "u": "unsigned integers",
    "b": "bool", "O": "string",
}  # fmt: skip


def describe_kinds(kinds: str) -> str:
    """Kind letters in words, for messages: "floating point or complex"."""
    left_out = "V" if "f" in kinds else ""  # bfloat16 is floating point
    *others, last = [_KIND_NAMES[k] for k in "fVciubO" if k in kinds and k not in left_out]
    return f"{', '.join(others)} or {last}" if others else last


def declare(name: str) -> Callable[[type[Op]], Any]:
    """Register an op class under a name and return its only instance.

    Fails at once if a rule is neither there nor written down as absent.
    """

    def register(cls: type[Op]) -> Any:
        for rule in ("infer", "kernel", "vjp", "batch"):
            if not hasattr(cls, rule):
                raise TypeError(f"op {name}: rule {rule!r} is missing; write it, or its absence with the reason.")
        if not (hasattr(cls, "scalar") or hasattr(cls, "lower")):
            raise TypeError(f"op {name}: neither `scalar` nor `lower` is there; write Unsupported(reason) if so.")
        if name in REGISTRY:
            raise TypeError(f"op {name}: declared twice.")
        cls.name = name
        op: Any = cls()
        if not cls.inputs:
            op.inputs = cls.inputs = _signature(cls.kernel)[0]
        if unknown := set(cls.constants) - set(op.inputs):
            raise TypeError(f"op {name}: constants names {sorted(unknown)}, which are not inputs.")
        prepare(op)
        REGISTRY[name] = op
        return op

    return register


def prepare(op: Op) -> None:
    """Derive from the signature of `vjp` what a tape must keep."""
    op.differentiable = not isinstance(op.vjp, (NotDifferentiable, Unsupported))
    if not hasattr(op, "ufunc"):
        op.ufunc = next((f for f in op.numpy if isinstance(f, np.ufunc)), None)
    op.takes_needs, op.residuals = False, ()
    if op.differentiable:
        names, keywords, _ = _signature(op.vjp)
        op.takes_needs = "needs" in keywords
        op.residuals = tuple(_residual(op, n) for n in names if n != "dy")
    op.save, op.pull = _saver(op), _puller(op)


def _signature(function: Any) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Positional names without `self`, keyword-only names, and whether `**` is there.

    Read from the code object: `inspect.signature` for every op would show in the time of `import gradtape`.
    """
    code = getattr(function, "__func__", function).__code__
    names, count = code.co_varnames, code.co_argcount
    positional = tuple(n for n in names[:count] if n != "self")
    return positional, names[count : count + code.co_kwonlyargcount], bool(code.co_flags & _VARKEYWORDS)


_VARKEYWORDS = 0x08


def _residual(op: Op, name: str) -> tuple[str, str]:
    if name in op.inputs or name in op.outputs:
        return name, ""
    for suffix in ("shape", "dtype"):
        base = name.removesuffix("_" + suffix)
        if base != name and (base in op.inputs or base in op.outputs):
            return base, suffix
    raise TypeError(
        f"op {op.name}: vjp asks for {name!r}, which is not an input or output, nor a shape or dtype of one."
    )


def _saver(op: Op) -> Callable[[Any, Any], tuple[Any, ...]]:
    """A function of (input arrays, result) that picks what `vjp` reads. Compiled once: it runs for every record."""
    if op.residuals == tuple((name, "") for name in op.inputs) and not op.variadic:
        return _all_inputs
    terms = []
    for base, suffix in op.residuals:
        if op.variadic and base in op.inputs:
            if suffix:
                item = "tuple(v.shape)" if suffix == "shape" else "v.dtype"
                terms.append(f"tuple([{item} for v in inputs])")
            else:
                terms.append("tuple(inputs)")
            continue
        if base in op.outputs:
            term = "result" if len(op.outputs) == 1 else f"result[{op.outputs.index(base)}]"
        else:
            term = f"inputs[{op.inputs.index(base)}]"
        terms.append({"": term, "shape": f"tuple({term}.shape)", "dtype": f"{term}.dtype"}[suffix])
    body = "".join(t + "," for t in terms)
    return _compiled(f"lambda inputs, result: ({body})", tuple=tuple)


def _all_inputs(inputs: Any, result: Any) -> Any:
    return inputs


def _puller(op: Op) -> Callable[[Any, Any, Any, dict[str, Any]], Any]:
    """A function of (dy, residuals, needs, params) that calls `vjp`. Compiled once: star arguments would cost as much
    as the rest of the backward loop."""
    if not op.differentiable:
        return _no_derivative
    arguments = ["dy", *[f"r[{i}]" for i in range(len(op.residuals))]]
    if op.takes_needs:
        arguments.append("needs=needs")
    _, keywords, more = _signature(op.vjp)
    if more or set(keywords) - {"needs"}:
        arguments.append("**params")
    return _compiled(f"lambda dy, r, needs, params: vjp({', '.join(arguments)})", vjp=op.vjp)


def _compiled(text: str, **names: Any) -> Callable[..., Any]:
    """A function from its text. Many ops share a text."""
    result: Callable[..., Any] = eval(_code(text), names)
    return result


@functools.cache
def _code(text: str) -> CodeType:
    # With this file's name its frames count as the library's own.
    return compile(text, __file__, "eval")


def _no_derivative(*arguments: Any) -> Any:
    raise TypeError("an op without a derivative was recorded.")
