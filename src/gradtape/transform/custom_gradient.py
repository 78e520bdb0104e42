"""custom_gradient: a function with a custom derivative."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from gradtape.core import convert, errors, nest, state
from gradtape.core.composite import Composite
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.transform.opaque_op import Pullback, Witness, recorded_by, show

P = ParamSpec("P")
R = TypeVar("R")

_current = state.current


@overload
def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]: ...
@overload
def custom_gradient(f: Callable[P, Any]) -> Callable[P, Any]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[P, tuple[R, Callable[..., Any]]]], Callable[P, R]]: ...
def custom_gradient(f: Any = None) -> Any:
    """A function that defines its own gradient.

    `f` returns its result and a function `grad_fn` of the cotangents of the result (one argument for each tensor in it)
    that returns one cotangent for each tensor among the positional arguments, or None. If `f` reads trainable variables
    that are no arguments, `grad_fn` gets them as `variables=[...]`, and returns a pair: the cotangents of the arguments,
    and a list of those of the variables. What `grad_fn` computes can be differentiated again.

    Args:
      f: the function; without it the result is a decorator.

    Returns:
      A function of the same arguments that returns the result alone.

    >>> @tf.custom_gradient
    ... def clip_gradient(x):
    ...     return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = 10.0 * clip_gradient(x)
    >>> float(tape.gradient(y, x))
    1.0
    """
    if f is None:
        return custom_gradient
    if not callable(f):
        raise TypeError(errors.compose(f"custom_gradient: f must be a function, got {f!r}.", "decorate a function."))
    return CustomGradient(f)


class CustomGradient:
    """A function decorated with `custom_gradient`. As a method it is bound, and `self` is not an input of the gradient."""

    __wrapped__: Callable[..., Any]
    # TensorFlow's decorators keep the function under this name too.
    __original_wrapped__ = property(lambda self: self.__wrapped__, doc="The function.")

    def __init__(self, f: Callable[..., Any]) -> None:
        functools.update_wrapper(self, f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self.__wrapped__, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else CustomGradient(self.__wrapped__.__get__(instance, owner))


def _call(f: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    witness = Witness()
    # Tapes see the ops of `f` too: `grad_fn` may use what they computed, and be differentiated.
    with recorded_by(*_current.recorders, witness):
        result, grad_fn = _pair(f(*args, **kwargs))
    given = nest.flatten(args)
    arguments = {id(x) for x in (*given, *nest.flatten(kwargs))}
    variables = [v for v in witness.variables if v.trainable and id(v) not in arguments]
    if variables and not _accepts_variables(grad_fn):
        raise TypeError(
            errors.compose(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{variables}",
                "write `def grad_fn(dy, variables=None)`, and return the pair (dx, gradients of the variables).",
            )
        )
    inputs = [_input(x) for x in (*given, *variables)]
    returned = nest.flatten(result)
    results = [convert.convert_to_tensor(_source(r)) for r in returned]
    pullback = _pullback(_over_composites(grad_fn, returned), inputs, variables)
    name = f"custom_gradient({getattr(f, '__name__', type(f).__name__)})"
    shown = show(name, pullback, inputs, results)
    return nest.pack_sequence_as(result, [_like(r, y) for r, y in zip(returned, shown, strict=True)])


def _source(x: Any) -> Any:
    """The tensor through which gradients of a value flow."""
    return x.__gradient_source__() if isinstance(x, Composite) else x


def _like(whole: Any, source: Any) -> Any:
    """A value as another one, with another source; a tensor is its own source."""
    return whole._with_gradient(source) if isinstance(whole, Composite) and source is not None else source


def _over_composites(grad_fn: Any, results: list[Any]) -> Any:
    """A gradient function that is called with cotangents in the form of the results: of a ragged one ragged."""
    if not any(isinstance(r, Composite) for r in results):
        return grad_fn

    def of_sources(*dys: Any, **kwargs: Any) -> Any:
        return grad_fn(*[_like(r, d) for r, d in zip(results, dys, strict=True)], **kwargs)

    return of_sources


def _pair(returned: Any) -> tuple[Any, Callable[..., Any]]:
    """The result and the gradient function, if that is what came back."""
    fix = "end the function with `return result, grad_fn`."
    if not isinstance(returned, (tuple, list)):
        what = f"custom_gradient: the function returned one value, of type {type(returned).__name__}."
        raise TypeError(errors.compose(what, fix, depth=3))
    if len(returned) != 2:
        raise ValueError(
            errors.compose(
                f"custom_gradient: the function must return a pair, (result, grad_fn), got {len(returned)} values.",
                fix,
                depth=3,
            )
        )
    if not callable(returned[1]):
        what = f"custom_gradient: unsupported callable: the second value returned is {returned[1]!r}."
        raise TypeError(errors.compose(what, fix, depth=3))
    return returned[0], returned[1]


def _accepts_variables(grad_fn: Any) -> bool:
    import inspect

    parameters = inspect.signature(grad_fn).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _input(x: Any) -> Any:
    """An argument as a tensor or variable; tapes learn that a variable is used."""
    if isinstance(x, Variable):
        x._read()
        return x
    return convert.convert_to_tensor(_source(x))


def _pullback(grad_fn: Any, inputs: list[Any], variables: list[Variable]) -> Pullback:
    count = len(inputs) - len(variables)
    dtypes, shapes = [x.dtype for x in inputs], [x.get_shape() for x in inputs]

    def pullback(dys: tuple[Any, ...], needs: Sequence[bool]) -> list[Any]:
        if variables:
            of_arguments, of_variables = _both(grad_fn(*dys, variables=variables))
            if len(of_variables) != len(variables):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        else:
            of_arguments, of_variables = _called(grad_fn, dys), []
        flat = nest.flatten(of_arguments)
        if len(flat) != count:
            raise ValueError(
                errors.compose(
                    f"custom_gradient function expected to return {count} gradients, but returned {len(flat)} instead.",
                    "the gradient function returns one gradient for each argument, None for arguments without a gradient.",
                )
            )
        return [_cotangent(d, *spec) for d, *spec in zip((*flat, *of_variables), dtypes, shapes, strict=True)]

    return pullback


def _called(grad_fn: Any, dys: tuple[Any, ...]) -> Any:
    """What the gradient function returns; an error that names its parameters if it does not take one for each result."""
    try:
        return grad_fn(*dys)
    except TypeError as problem:
        if problem.__traceback__ is None or problem.__traceback__.tb_next is not None:
            raise  # raised inside of it
        names = ", ".join(["dy"] if len(dys) == 1 else [f"dy{i}" for i in range(1, len(dys) + 1)])
        what = f"custom_gradient: grad_fn must take {len(dys)} {'argument' if len(dys) == 1 else 'arguments'}, one for each result: {problem}."
        raise TypeError(errors.compose(what, f"def grad_fn({names}): ...", depth=2)) from None


def _both(returned: Any) -> Any:
    if isinstance(returned, (tuple, list)) and len(returned) == 2 and isinstance(returned[1], (tuple, list)):
        return returned
    raise TypeError(
        errors.compose(
            "custom_gradient: the function uses variables, so grad_fn must return two things.",
            "return the pair (gradients of the arguments, list of gradients of the variables).",
        )
    )


def _cotangent(d: Any, dtype: Any, shape: TensorShape) -> Any:
    """What a gradient function returned for one input, as a tensor or rows. Shape and dtype of tensors are the user's."""
    d = _source(d)
    if d is None or isinstance(d, Tensor):
        return d
    if isinstance(d, IndexedSlices):
        return d if d.dense_shape is not None else IndexedSlices(d.values, d.indices, tuple(shape))
    return convert.like(d, dtype)
