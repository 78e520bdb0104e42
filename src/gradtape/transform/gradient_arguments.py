"""The arguments of `gradient`: checked, flattened, completed."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradtape.core import convert, errors, nest, provenance, state
from gradtape.core.composite import Composite
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_properties import Handle
from gradtape.transform.record import Recording


class UnconnectedGradients(enum.Enum):
    """The result of `gradient` for a source that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


def wants_zeros(value: Any) -> bool:
    """Whether `unconnected_gradients` asks for zeros."""
    if value is UnconnectedGradients.NONE:
        return False
    try:
        return UnconnectedGradients(value) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            errors.compose(
                f"Unknown value for unconnected_gradients: {value!r} (must be 'none' or 'zero').",
                "unconnected_gradients='zero' gives zeros in place of None.",
            )
        ) from None


def flat_targets(target: Any, recording: Recording) -> tuple[Any, ...]:
    """The tensors and variables of a target; the recording tells where one may have become a number."""
    if target is None:
        raise TypeError(
            errors.compose(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                "differentiated, but received None.",
                "a target that is a gradient may be None itself: ask tape.explain of the tape that computed it.",
            )
        )
    flat: list[Any] = []
    for t in nest.flatten(target, expand_composites=True):
        parts = getattr(type(t), "__tensor_parts__", None)
        flat.extend([t] if parts is None or isinstance(t, Tensor) else parts(t))
    return tuple([_check_target(t, recording) for t in flat])


def _check_target(t: Any, recording: Recording) -> Any:
    if isinstance(t, (Tensor, Variable)):
        return t
    check_symbolic(t, "targets")
    if isinstance(t, (bool, int, float, complex)):
        what = f"Targets must be tensors, got the number {t!r}."
        raise errors.AttributeTypeError(errors.compose(f"{what}{_left(recording)}", _KEEP_TENSORS))
    if isinstance(t, (np.ndarray, np.generic)):
        what = f"Targets must be tensors, not NumPy values ({type(t).__name__})."
        raise errors.AttributeTypeError(errors.compose(f"{what}{_left(recording)}", _KEEP_TENSORS))
    raise _not_ours(t, "Targets") or TypeError(
        errors.compose(f"Targets must be tensors, got {errors.brief(t)}.", _KEEP_TENSORS)
    )


_KEEP_TENSORS = "compute the target with functions of tf; leave `.numpy()` and float() out."


def _left(recording: Recording) -> str:
    """A sentence that tells where a value last left the tape, if one did."""
    left = [e for e in recording.events if e.kind == "left" and e.place is not None]
    return f" A value left the tape through {left[-1].detail} at {provenance.Site.of(left[-1].place)}" if left else ""


def flat_sources(sources: Any) -> tuple[Any, ...]:
    """The sources in a row; tensors that no tape knew get an identity."""
    if sources is None:
        raise _no_source(None)
    flat = tuple(nest.flatten(sources))
    if not all(isinstance(s, (Variable, Tensor, Handle)) for s in flat):
        flat = tuple([source_of(part) for s in flat for part in (_parts_of(s) or [s])])
    for s in flat:
        if isinstance(s, Tensor) and not s._id:
            s._id = state.new_id()
    return flat


def packed_like(sources: Any, results: list[Any]) -> Any:
    """Gradients in the structure of the sources; that of a sparse or ragged tensor is one too."""
    flat = nest.flatten(sources)
    if all(isinstance(s, (Tensor, Variable)) for s in flat):
        return nest.pack_sequence_as(sources, results)
    rest = iter(results)
    return nest.pack_sequence_as(sources, [_whole(s, rest) for s in flat])


def _whole(source: Any, results: Iterator[Any]) -> Any:
    """The next gradient; of an object of several tensors, an object of their gradients, with zeros for those of no influence."""
    parts = _parts_of(source)
    if not parts:
        d = next(results)
        return source._with_gradient(d) if isinstance(source, Composite) and d is not None else d
    found = [next(results) for _ in parts]
    if all(d is None for d in found):
        return None
    zeros = REGISTRY["zeros_like"]
    return source._with_parts([zeros(p) if d is None else d for p, d in zip(parts, found, strict=True)])


def _parts_of(source: Any) -> list[Any] | None:
    """The tensors of an object that has gradients with respect to several, such as a linear operator; None of others."""
    if not hasattr(type(source), "__tensor_parts__"):
        return None
    found: list[Any] = source.__tensor_parts__()
    return found


def source_of(s: Any) -> Any:
    """A tensor or variable; an object of another library names the one it stands for by `__gradient_source__`."""
    if isinstance(s, (Variable, Tensor, Handle)):
        return s
    if not hasattr(type(s), "__gradient_source__"):
        _bad_source(s)
    return s.__gradient_source__()


def check_symbolic(x: Any, what: str, kind: type[Exception] = errors.AttributeTypeError) -> None:
    """An exception for an object of another library that stands for values, as it says itself by `__stands_for_values__`."""
    known = getattr(type(x), "__stands_for_values__", None)
    if known is not None:
        message, fix = known
        raise kind(
            errors.compose(
                f"{what.capitalize()} must be tensors or variables, got {type(x).__name__}. {message}",
                fix,
            )
        )


def _bad_source(s: Any) -> None:
    check_symbolic(s, "sources")
    if s is None or isinstance(s, str):
        raise _no_source(s)
    raise _not_ours(s, "Sources") or errors.AttributeTypeError(
        errors.compose(
            f"Sources must be tensors or variables, got {errors.brief(s)}.",
            "pass its variables: tape.gradient(loss, model.trainable_variables)."
            if hasattr(s, "trainable_variables")
            else "make it x = tf.Variable(value), or x = tf.constant(value) and tape.watch(x), before y is computed.",
        )
    )


def _no_source(s: Any) -> TypeError:
    return TypeError(
        errors.compose(
            f"Argument `sources` must hold tensors or variables, got {s!r}.",
            "pass the variables, for instance tape.gradient(loss, model.trainable_variables).",
        )
    )


def _not_ours(value: Any, what: str) -> Exception | None:
    """The error for a tensor or variable of another library; None if it is none."""
    library = errors.library_of(value)
    if library is None:
        return None
    return errors.AttributeTypeError(
        errors.compose(
            f"{what} must be gradtape's tensors or variables, got {library}'s {type(value).__name__}, which no tape of "
            "gradtape sees.",
            "import gradtape as tf in all modules of the program, or run it with `gradtape run program.py`.",
        )
    )


def seeds_of(targets: tuple[Any, ...], given: Any) -> list[Any]:
    """The cotangents of the targets: those given, and ones for the rest; None for strings."""
    if given is None:
        return [_ones(t) for t in targets]
    flat = nest.flatten(given)
    if len(targets) == 1 and len(flat) > 1 and all(type(v) in (int, float, complex) for v in flat):
        # The values of one cotangent, as a nested list. Otherwise what is more than the targets is ignored, as in TensorFlow.
        flat = [given] if np.shape(given) == tuple(targets[0].shape) else flat
    seeds = []
    for k, t in enumerate(targets):
        leaf = flat[k] if k < len(flat) else None
        # That of a ragged or sparse target is of the same kind.
        leaf = leaf.__gradient_source__() if isinstance(leaf, Composite) else leaf
        seed = convert.convert_to_tensor(leaf) if k < len(flat) else _ones(t)
        if isinstance(seed, Tensor):
            _check_seed(seed, t)
            if t.dtype.name != "string" and seed.shape != t.shape:
                seed = _stretched(seed, t)
        seeds.append(seed if t.dtype.name != "string" else None)
    return seeds


def _check_seed(seed: Tensor, target: Any) -> None:
    if seed.dtype is not target.dtype and target.dtype.is_trainable:
        raise errors.build(
            errors.DTypeError,
            f"gradient: dtypes differ: output_gradients is {seed.dtype.name}, its target is {target.dtype.name}.",
            f"use tf.cast(g, tf.{target.dtype.name}).",
        )
    if not _broadcasts_to(seed.shape, target.shape):
        raise errors.build(
            errors.ShapeError,
            f"gradient: shapes differ: output_gradients is {seed.shape}, its target is {target.shape}.",
            "give one cotangent per target, of the target's shape.",
        )


def _broadcasts_to(shape: Any, target: Any) -> bool:
    if shape.rank is None or target.rank is None:
        return True
    return len(shape) <= len(target) and all(
        m in (1, n, None) or n is None for m, n in zip(reversed(tuple(shape)), reversed(tuple(target)), strict=False)
    )


def _stretched(seed: Tensor, target: Any) -> Any:
    """A cotangent in the shape of its target."""
    if target.shape.is_fully_defined():
        return REGISTRY["broadcast_to"](seed, shape=tuple(target.shape))
    return seed + target.zeros_like()  # a size that is known only when the function runs


_scalar_ones: dict[Any, Any] = {}


def _ones(target: Any) -> Any:
    """Ones of the target's shape; scalars come from a table, since they are what a loss is."""
    if not target._id:
        target._id = state.new_id()
    value: Any = target._value if isinstance(target, Variable) else target
    if type(value) is not Tensor:
        return value.ones_like()
    array = value._array
    dtype = array.dtype
    if dtype.kind == "O":
        return None
    if not array.ndim and isinstance(array, (np.generic, np.ndarray)):
        found = _scalar_ones.get(dtype)
        if found is None:
            found = _scalar_ones[dtype] = dtype.type(1)
        return found
    return np.ones_like(array)


def zeros_like(source: Any) -> Any:
    """Zeros for a source without a gradient; empty strings for strings."""
    if isinstance(source, Handle):
        source = source._variable
    value: Any = source._value if isinstance(source, Variable) else source
    if value.dtype.name == "string":
        return wrap(np.full(tuple(value.shape), b"", object))
    if type(value) is not Tensor:
        return value.zeros_like()
    return wrap(np.zeros_like(value._array)[()])


def entered_at(recording: Recording | None) -> str:
    """A sentence that tells where a tape was entered; empty if it was not, or nobody knows."""
    site = None if recording is None else provenance.Site.of(recording.entered)
    return "" if site is None else f"It was entered at {site}"


def check_whole(recording: Recording) -> None:
    """InternalError if a backward pass has failed halfway, and taken with it what the records saved."""
    if recording.saved is None:
        raise errors.build(
            errors.InternalError,
            "The gradient tape is not whole: an earlier gradient() failed in its backward pass.",
            "record again; a tape made with persistent=True can be asked again.",
        )
