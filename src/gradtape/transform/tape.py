"""GradientTape."""

from __future__ import annotations

import contextlib
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np

from gradtape.core import errors, log, nest, provenance, state, tracebacks
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.tensor_operators import Operators
from gradtape.core.variable import Variable
from gradtape.transform import none_gradients, suspicions
from gradtape.transform.backward import as_result, backward, backward_in_stages, bare, nobody_records
from gradtape.transform.gradient_arguments import (
    UnconnectedGradients,
    check_symbolic,
    check_whole,
    entered_at,
    flat_sources,
    flat_targets,
    packed_like,
    seeds_of,
    wants_zeros,
    zeros_like,
)
from gradtape.transform.missing_rules import check_rules
from gradtape.transform.record import Recording

_current = state.current
_HELD = (np.ndarray, np.generic)
_new_id = state.new_id
_search = provenance.search
_getframe = sys._getframe
_NONE = UnconnectedGradients.NONE
_ONLY_VARIABLES = {Variable}
_default = none_gradients.default
_ONCE_ONLY = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"


_Source = TypeVar("_Source", bound=Operators)
_Key = TypeVar("_Key")
# None where no path leads from the source to the target, rows where rows were gathered. Any beside Tensor lets programs use a
# gradient without asking and lets them ask; a wrong attribute is an error for type checkers all the same.
Gradient: TypeAlias = Tensor | Any


class GradientTape:
    """Records the ops that run in its block, and differentiates them.

    Args:
      persistent: keep the recording, so that `gradient` can be called more than once.
      watch_accessed_variables: watch every trainable variable that is used in the block.
      on_none: what to do where a gradient does not exist: "none" (return None), "zero" (return zeros), "warn" or
        "raise" with the explanation of `explain`; by default what `tf.config.on_none` was given, and at first "log": return
        None, and say so once in the log where all gradients of a call are None.

    >>> import gradtape as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x**2
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    # Told each source's gradient as the backward pass completes it; see backward_in_stages.
    _finished: Callable[[int, Any], None] | None = None

    def __init__(
        self, persistent: Any = False, watch_accessed_variables: Any = True, *, on_none: str | None = None
    ) -> None:
        if persistent is not False and persistent is not True:
            suspicions.of_switch(persistent)
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._on_none = _default.mode if on_none is None else none_gradients.checked(on_none, "GradientTape")
        self._recording: Recording | None = None
        self._consumed: Recording | None = None
        self._active = False

    def __repr__(self) -> str:
        recording = self._recording or self._consumed
        if recording is None:
            return "<tf.GradientTape, not entered>"
        state = "recording" if self._active else "used" if self._recording is None else "stopped"
        ops, variables = len(recording.records), len(recording.variables)
        counts = f"{ops} op{'' if ops == 1 else 's'}, {variables} variable{'' if variables == 1 else 's'}"
        site = provenance.Site.of(recording.entered)
        return f"<tf.GradientTape, {state}, {counts}{f', {site.short}' if site else ''}>"

    def __enter__(self) -> GradientTape:
        if self._recording is None:
            frame = _getframe(1)
            code = frame.f_code
            offset = frame.f_lasti
            self._begin(code, offset)
        else:
            self._resume()
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if self._active:
            self._pop()

    def _begin(self, code: Any, offset: int) -> None:
        """Record on an empty recording; the place in the user's code is where that begins."""
        recorders = _current.recorders
        self._recording = recording = Recording(bool(self._watch_accessed), code, offset)
        recording.of_interest = self._persistent or bool(recorders)
        _current.recorders = (*recorders, recording)
        recording.spans.append(_new_id())
        self._active = True

    def _resume(self) -> None:
        if self._active:
            raise ValueError(
                errors.compose(
                    "Tape is still recording, This can happen if you try to re-enter an already-active tape. "
                    f"{entered_at(self._recording)}",
                    "make another tape for the inner block.",
                )
            )
        recording = self._recording
        if recording is None:  # gradient() was asked while the tape did not record
            code, offset = _search(_getframe(1))
            self._begin(code, offset)
            return
        recording.depth = _current.depth  # a tape that a map enters again sees its ops on examples
        _current.recorders = (*_current.recorders, recording)
        recording.spans.append(_new_id())
        self._active = True

    def _pop(self) -> None:
        recording, recorders = self._recording, _current.recorders
        if recorders and recorders[-1] is recording:
            _current.recorders = recorders[:-1]
        elif recording in recorders:
            _current.recorders = tuple(r for r in recorders if r is not recording)
        else:
            self._abandon()
            raise RuntimeError(
                errors.compose(
                    "GradientTape: cannot be left in another thread than the one that entered it.",
                    "enter and leave a tape in one thread; gradient() may be called from any.",
                )
            )
        recording.spans.append(_new_id())  # type: ignore[union-attr]
        self._active = False

    def _abandon(self) -> None:
        """Take the recording out of reach of the thread that still lists it."""
        old = self._recording
        assert old is not None
        self._recording = new = Recording(old.watch_accessed)
        for slot in (*Recording.__slots__, "depth"):
            setattr(new, slot, getattr(old, slot))
        old.tracked, old.broken, old.watch_accessed, old.closed = set(), set(), False, True
        self._active = False

    def watch(self, tensor: Any) -> None:
        """Make tensors or variables (or nested structures of them) sources of this tape.

        Ops that ran before are not recorded. Integers and strings cannot be watched: a warning is logged.
        """
        for item in nest.flatten(tensor, expand_composites=True):
            if hasattr(type(item), "__tensor_parts__"):
                self.watch(item.__tensor_parts__())
                continue
            if hasattr(type(item), "__gradient_source__"):
                item = item.__gradient_source__()
            if not isinstance(item, (Tensor, Variable)):
                check_symbolic(item, "what is watched", ValueError)
                raise ValueError(
                    errors.compose(
                        f"Passed in object {item!r} of type {type(item).__name__!r}, not tf.Tensor or tf.Variable or "
                        "ExtensionType.",
                        "convert it first: x = tf.constant(value); tape.watch(x).",
                    )
                )
            recording = self._recording
            if recording is None:
                raise AttributeError(
                    errors.compose(
                        "GradientTape.watch: the tape is not recording.",
                        "call watch inside the `with` block, before gradient().",
                    )
                )
            if not item._id:
                item._id = state.new_id()
            recording.note("watched" if _current.recorders else "ignored", item._id, 0, "", provenance.user_place(2))
            if not _current.recorders:
                return
            if not item.dtype.is_trainable:
                _warn_dtype(item.dtype.name)
            if isinstance(item, Variable):
                recording.watch_variable(item)
            else:
                recording.watch_tensor(item)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Run a block that this tape does not see; other tapes do."""
        if self._recording is None:
            raise RuntimeError(
                errors.compose(
                    "Trying to stop recording a tape which is not recording.", "call it inside the `with` block."
                )
            )
        self._check_active()
        self._pop()
        self._recording.note("paused", 0, 0, "", provenance.user_place(1))
        try:
            yield
        finally:
            if not self._active:
                self._resume()

    def reset(self) -> None:
        """Drop everything recorded and watched, and go on with an empty tape."""
        self._check_active()
        self._pop()
        code, offset = _search(_getframe(1))
        self._begin(code, offset)
        self._recording.note("reset", 0, 0, "", provenance.user_place(2))  # type: ignore[union-attr]

    def _check_active(self) -> None:
        if not self._active:
            raise ValueError(
                errors.compose(
                    f"Tape is not recording. {entered_at(self._recording or self._consumed)}".rstrip(),
                    "call it inside the `with` block, and not inside stop_recording().",
                    depth=2,
                )
            )

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables that were used or watched, in order of creation."""
        recording = self._recording or self._consumed
        if recording is None:
            return ()
        return tuple(sorted(recording.variables.values(), key=lambda v: v._order))

    @overload
    def gradient(
        self, target: Any, sources: Operators, output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> Gradient: ...
    @overload
    def gradient(
        self, target: Any, sources: list[_Source], output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> list[Gradient]: ...
    @overload
    def gradient(
        self, target: Any, sources: tuple[_Source, ...], output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> tuple[Gradient, ...]: ...
    @overload
    def gradient(
        self, target: Any, sources: dict[_Key, _Source], output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> dict[_Key, Gradient]: ...
    @overload
    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = ..., unconnected_gradients: Any = ...
    ) -> Any: ...
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The derivative of the sum of `target` with respect to each source.

        Args:
          target: a tensor, or a nested structure of tensors, which are summed.
          sources: tensors or variables, in any nested structure; the result has the same.
          output_gradients: cotangents of the targets, in their order; ones by default.
          unconnected_gradients: `"none"` or `"zero"` for sources that the target does not depend on.

        Returns:
          For each source a Tensor (IndexedSlices for gathered rows), or None.
        """
        try:
            return self._gradient(target, sources, output_gradients, unconnected_gradients)
        except Exception as problem:
            raise tracebacks.cut(problem)  # noqa: B904 - it is the error itself

    def _gradient(self, target: Any, sources: Any, output_gradients: Any, unconnected_gradients: Any) -> Any:
        recording = self._recording
        if recording is None:
            raise self._used_up()
        zero = unconnected_gradients is not _NONE and wants_zeros(unconnected_gradients)
        targets = (target,) if type(target) is Tensor else flat_targets(target, recording)
        is_list = type(sources) is list and set(map(type, sources)) == _ONLY_VARIABLES
        if type(sources) is Variable:
            flat: tuple[Any, ...] = (sources,)
        else:
            flat = tuple(sources) if is_list else flat_sources(sources)
        if not flat:
            suspicions.of_no_sources()
        seeds = seeds_of(targets, output_gradients)
        if recording.breaks:
            check_rules(recording, [t._id for t in targets], [s._id for s in flat])
        self._leave_for("gradient")
        suspicions.examine(recording)
        cotangents: dict[int, Any] = {}
        arrays = not recording.depth and (not _current.recorders or nobody_records())
        for t, seed in zip(targets, seeds, strict=True):
            if seed is not None and t._id:  # targets that no tape knows have no identity
                identity = t._id
                if not arrays and not isinstance(seed, Tensor):
                    seed = wrap(seed)
                elif arrays and isinstance(seed, Tensor):
                    seed = bare(seed)
                before = cotangents.get(identity)
                cotangents[identity] = seed if before is None else before + seed
        ids = [s._id for s in flat]
        self._run(recording, cotangents, set(ids), arrays)
        results: list[Any] = []
        whole = True
        for source, i in zip(flat, ids, strict=True):
            d = cotangents.get(i)
            if d is None:
                whole = False
                results.append(self._missing(target, source, zero))
            else:
                results.append(_finish(d, source))
        if not whole and self._on_none == "log" and flat and all(r is None for r in results):
            suspicions.of_no_gradient(recording, targets, flat)
        if recording.of_interest:
            _note_results(recording, [t._id for t in targets], ids, results)
        if whole and not self._persistent:
            recording.records, recording.asked = [], ids
        if len(flat) == 1 and flat[0] is sources:
            return results[0]
        return results if is_list else packed_like(sources, results)

    def _used_up(self) -> RuntimeError:
        """The error for a tape that has nothing to differentiate any more."""
        return RuntimeError(
            errors.compose(
                f"{_ONCE_ONLY}{'.' if self._consumed else ', and this one has recorded nothing: it was never entered.'} "
                f"{entered_at(self._consumed)}".rstrip(),
                "ask for all sources in one call, gradient(y, [a, b]), or make the tape with persistent=True; "
                "tape.explain(target, source) works on a used tape too."
                if self._consumed
                else "with tf.GradientTape() as tape: ... around the computation of the target.",
                depth=2,
            )
        )

    def _leave_for(self, what: str) -> None:
        """Before differentiating inside the block: a non-persistent tape stops for good, a persistent one warns."""
        if not self._active:
            return
        if not self._persistent:
            self._pop()
        else:
            _warn_in_context(what)

    def _run(self, recording: Recording, cotangents: dict[int, Any], sources: set[int], arrays: bool) -> None:
        check_whole(recording)
        consume = not self._persistent
        try:
            if self._finished is None:
                backward(recording, cotangents, sources, consume=consume, arrays=arrays)
            else:
                backward_in_stages(recording, cotangents, sources, self._finished, consume=consume, arrays=arrays)
        except BaseException as problem:
            if consume:
                recording.saved = None  # type: ignore[assignment]
            if isinstance(problem, MemoryError):
                raise errors.no_room(problem, "gradient") from None
            raise
        if consume:
            self._consumed, self._recording = recording, None

    def _missing(self, target: Any, source: Any, zero: bool) -> Any:
        if zero or self._on_none == "zero":
            return zeros_like(source)
        if self._on_none in ("log", "none"):
            global _unexplained
            _unexplained, self._unexplained = weakref.ref(self), target
            return None
        report = self.explain(target, source)
        if self._on_none == "raise":
            raise errors.GradientError(str(report), report)
        warnings.warn(str(report), errors.GradientWarning, stacklevel=provenance.stacklevel())
        return None

    @overload
    def jacobian(
        self,
        target: Any,
        sources: Operators,
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> Gradient: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[_Source],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> list[Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[_Source, ...],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: dict[_Key, _Source],
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> dict[_Key, Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = ...,
        parallel_iterations: int | None = ...,
        experimental_use_pfor: bool = ...,
    ) -> Any: ...
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target`: shape `target.shape + source.shape` for each source.

        One vectorised backward pass computes it, in chunks that respect `gradtape.config`'s memory budget;
        `experimental_use_pfor=False` loops over the elements instead, and needs a persistent tape.
        """
        from gradtape.transform import jacobian

        try:
            return jacobian.jacobian(
                self, target, sources, unconnected_gradients, parallel_iterations, experimental_use_pfor
            )
        except MemoryError as problem:
            raise errors.no_room(problem, "jacobian") from None
        except Exception as problem:
            raise tracebacks.cut(problem)  # noqa: B904 - it is the error itself

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Gradient:
        """The Jacobian of each example: `target` is `[b, ...]`, `source` `[b, ...]`, the result `[b, ..., ...]`."""
        from gradtape.transform import jacobian

        try:
            return jacobian.batch_jacobian(
                self, target, source, unconnected_gradients, parallel_iterations, experimental_use_pfor
            )
        except MemoryError as problem:
            raise errors.no_room(problem, "batch_jacobian") from None
        except Exception as problem:
            raise tracebacks.cut(problem)  # noqa: B904 - it is the error itself

    def explain(self, target: Any, source: Any) -> Any:
        """Why the gradient of `target` with respect to `source` is None: the cause, the lines, the fix.

        Works before and after `gradient`. Prints as text, and has the parts as attributes.
        """
        from gradtape.transform import explain

        return explain.explain(self, target, source)


# The tape that was last asked for a gradient that does not exist.
_unexplained: weakref.ref[GradientTape] | None = None


def explain_missing(source: Any) -> Any:
    """The report on a gradient that was asked for and does not exist; None if no tape that is still there knows of it."""
    tape = None if _unexplained is None else _unexplained()
    return None if tape is None else tape.explain(tape._unexplained, source)


def _note_results(recording: Recording, targets: list[int], sources: list[int], results: list[Any]) -> None:
    """Name gradients, so that `explain` can tell where a gradient of a gradient was lost."""
    tensors = [r for r in results if type(r) is Tensor]
    for r in tensors:
        r._id = r._id or _new_id()
    code, offset = _search(_getframe(2))
    state.passes.append((recording.spans[0], targets, sources, [r._id for r in tensors], code, offset, _new_id()))


def _finish(d: Any, source: Any) -> Any:
    """A cotangent for the user, in the dtype of its source."""
    if type(source) is Variable:
        array = source._value._array
        if type(d) is type(array) and d.dtype is array.dtype and isinstance(d, _HELD):
            return wrap(d)
    result = as_result(d)
    own = source._value if isinstance(source, Variable) else source
    if isinstance(result, IndexedSlices):
        values = result.values
        if type(values) is Tensor and type(own) is Tensor and values.dtype is not own.dtype and not _current.recorders:
            values = wrap(values._array.astype(own.dtype.numpy))
            return IndexedSlices(values, result.indices, result.dense_shape)
        return result
    if type(result) is not Tensor:
        return result
    if isinstance(own, Tensor) and result.dtype is not own.dtype and result.dtype.kind in "fcV":
        from gradtape.core.op import REGISTRY

        return (
            REGISTRY["cast"](result, dtype=own.dtype)
            if _current.recorders
            else wrap(result._array.astype(own.dtype.numpy))
        )
    return result


_warned: dict[Any, int] = {}


def _warn_dtype(name: str) -> None:
    site = provenance.user_site(2)
    count = _warned[site] = _warned.get(site, 0) + 1
    if count <= 5:
        log.warning(
            "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.%s\n  at:  %s\n  fix: %s",
            name,
            site,
            "watch tf.cast(x, tf.float32), or make it with floats: tf.constant(1.0).",
        )


def _warn_in_context(what: str) -> None:
    key = (what, provenance.user_site(2))
    if key not in _warned:
        _warned[key] = 1
        log.warning(
            "Calling GradientTape.%s on a persistent tape inside its context is significantly less efficient than "
            "calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to "
            "increased CPU and memory usage). Only call it inside the context if you actually want to trace the "
            "gradient in order to compute higher order derivatives.",
            what,
        )
