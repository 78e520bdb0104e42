"""Late nodes: functions that need sizes or values which only a run will tell.

In the graph such a function is one node. When the sizes of the function's arguments are known, the graph is written anew
for them (`specialized.py`): the function is then called on symbols of known sizes, and mostly becomes plain nodes. What
still depends on values is called on the arrays of the run. The derivative of a late node is a late node too, of a
function with a tape in it, so there are derivatives of any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradtape.core import nest, state
from gradtape.core.deferral import Unknown
from gradtape.core.indexed_slices import IndexedSlices, RowCotangent, dense_dims, densify
from gradtape.core.op import REGISTRY, Op
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.ops.family import NO_LOWERING
from gradtape.ops.movement import Identity
from gradtape.tracing.composites import fold, opened, unfold
from gradtape.tracing.symbol import check_size
from gradtape.transform.tape import GradientTape

_current = state.current


class Late(Op):
    """A function of tensors as an op.

    Attributes:
      call: the function of a list of tensors; it gives a list of tensors, None left out.
      variables: those whose values are the last inputs, since the function reads them without being given them.
      assigned: those whose new values are the last outputs.
      sites: the generators that the function draws from.
    """

    differentiable = True
    takes_needs = True
    takes_none = True
    any_size = True  # `pull` can wait for sizes
    is_logged = False  # it holds the trace that it came from, which shall not outlive the function
    homogeneous = False
    kinds = "fVciubO"
    vjp = None  # made by `pull`
    lower = NO_LOWERING

    def __init__(
        self,
        name: str,
        call: Callable[[Sequence[Any]], list[Any]],
        inputs: int,
        outputs: int,
        variables: Sequence[Variable] = (),
        assigned: Sequence[Variable] = (),
    ) -> None:
        self.name = name  # type: ignore[misc]
        self.call, self.variables, self.assigned = call, list(variables), list(assigned)
        self.sites = state.Sites()
        self.inputs = tuple([f"x{i}" for i in range(inputs)])  # type: ignore[misc]
        self.outputs = tuple([f"y{i}" for i in range(outputs)])  # type: ignore[misc]
        self.residuals = tuple([(name, "") for name in (*self.inputs, *self.outputs)])

    def kernel(self, *arrays: Any) -> tuple[Any, ...]:
        """The function, called on the arrays of a run."""
        with state.outside():
            return tuple([t._array for t in self.run([wrap(a) for a in arrays])])

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """The function, called on tensors, or on symbols of another trace, in which more is known."""
        around, self.sites.is_open = _current.sites, False
        _current.sites = self.sites
        try:
            return self._run(inputs)
        finally:
            _current.sites = around

    def _run(self, inputs: Sequence[Any]) -> list[Any]:
        count = len(inputs) - len(self.variables)
        if _current.trace is not None:
            with _current.trace.holding(self.variables, inputs[count:]) as held:
                return [*self.call(inputs[:count]), *[held(v) for v in self.assigned]]
        before = [v._value for v in self.variables]
        try:
            for variable, value in zip(self.variables, inputs[count:], strict=True):
                variable._value = wrap(value._array, variable._id)
            made = self.call(inputs[:count])
            return [*made, *[wrap(v._value._array) for v in self.assigned]]
        finally:
            for variable, value in zip(self.variables, before, strict=True):
                variable._value = value

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """The function, called on tensors of a transformation. Where these are of a trace that does not know enough either, it
        is a late node there."""
        try:
            return tuple(self.run(inputs))
        except Unknown as missing:
            if _current.trace is None:
                raise
            return tuple(_current.trace.later(self.run, (list(inputs),), {}, missing, self.name))

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """Inputs and outputs."""
        return (*values, *result)

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the inputs, from a tape over the function."""
        count = len(self.inputs)
        xs, ys = list(residuals[:count]), list(residuals[count:])
        given = [i for i, d in enumerate(dy) if d is not None and ys[i].dtype.is_trainable]
        wanted = [i for i, need in enumerate(needs) if need and xs[i].dtype.is_trainable]
        if not given or not wanted:
            return [None] * count

        gradient = LateGradient(self, given, wanted)
        found = state.tracing().later(
            gradient,
            (xs, [dy[i] for i in given]),
            {},
            None,
            f"gradient of {self.name}",
            [xs[i] for i in wanted],
        )
        gradient.present = [isinstance(d, Tensor) for d in found]
        grads: list[Any] = [None] * count
        for i, d in zip(wanted, found, strict=True):
            grads[i] = d
        return grads


class LateGradient:
    """The gradient of a late node, as a function of its inputs and of cotangents.

    Attributes:
      op: the node's op.
      given: the outputs whose cotangents are given.
      wanted: the inputs whose cotangents are wanted.
      present: which of these have one, as tensors, once that is known. For certain sizes others may vanish, as in the product of one
        element; they are zeros then.
    """

    def __init__(self, op: Late, given: list[int], wanted: list[int], present: Sequence[bool] = ()) -> None:
        self.op, self.given, self.wanted = op, given, wanted
        self.present = list(present) or [False] * len(wanted)

    def __call__(self, xs: list[Any], dys: list[Any]) -> list[Any]:
        twins = [Identity(x) for x in xs]  # tapes around this one see where they come from
        tape = GradientTape(watch_accessed_variables=False, on_none="none")
        with tape:
            tape.watch([twins[i] for i in self.wanted])
            ys = self.op.run(twins)
        sources = [twins[i] for i in self.wanted]
        grads = tape.gradient([ys[i] for i in self.given], sources, dys)
        return [
            REGISTRY["zeros_like"](x) if d is None and flag else d
            for d, x, flag in zip(grads, sources, self.present, strict=True)
        ]


class Deferred(Op):
    """What tapes are shown in place of an op on values of unknown sizes: its vjp becomes a late node."""

    differentiable = True
    takes_needs = True
    takes_none = True

    def __init__(self, op: Op, inputs: int, outputs: int, several: bool) -> None:
        self.op, self.several = op, several
        self.name, self.vjp, self.differentiable = op.name, op.vjp, op.differentiable  # type: ignore[misc]
        self.wants_tensors = op.wants_tensors  # type: ignore[misc]
        self.inputs = tuple([f"x{i}" for i in range(inputs)])  # type: ignore[misc]
        self.outputs = tuple([f"y{i}" for i in range(outputs)])  # type: ignore[misc]
        self.residuals = tuple([(name, "") for name in (*self.inputs, *self.outputs)])

    def save(self, values: Any, result: Any) -> tuple[Any, ...]:
        """Inputs and outputs: their sizes are what the vjp may need."""
        return (*values, *(result if self.several else (result,)))

    def pull(self, dy: Any, residuals: Any, needs: Any, params: Any) -> list[Any]:
        """The cotangents of the inputs, from the op's own vjp."""
        count = len(self.inputs)
        xs, ys = list(residuals[:count]), list(residuals[count:])
        dys = list(dy) if self.several else [dy]
        given = [i for i, d in enumerate(dys) if d is not None]
        wanted = [i for i, need in enumerate(needs) if need and xs[i].dtype.is_trainable]
        if not wanted:
            return [None] * count
        gradient = DeferredGradient(self.op, params, self.several, needs, given, wanted)
        found = state.tracing().later(
            gradient,
            (xs, ys, [dys[i] for i in given]),
            {},
            None,
            f"gradient of {self.op.name}",
            [xs[i] for i in wanted],
        )
        gradient.present = [isinstance(d, Tensor) for d in found]
        grads: list[Any] = [None] * count
        for i, d in zip(wanted, found, strict=True):
            grads[i] = d
        return grads


class DeferredGradient:
    """An op's own vjp, as a function of its inputs, its outputs and cotangents; it waits for the sizes.

    Attributes:
      op, params: the op and its parameters.
      several: True if it has several outputs.
      needs: which inputs want a cotangent.
      given: the outputs whose cotangents are given.
      wanted: the inputs whose cotangents are returned.
      present: which of these have one, once that is known; where one vanishes it is zeros.
    """

    def __init__(
        self,
        op: Op,
        params: dict[str, Any],
        several: bool,
        needs: Any,
        given: list[int],
        wanted: list[int],
        present: Sequence[bool] = (),
    ) -> None:
        self.op, self.params, self.several, self.needs = op, params, several, needs
        self.given, self.wanted = given, wanted
        self.present = list(present) or [False] * len(wanted)

    def __call__(self, xs: list[Any], ys: list[Any], dys: list[Any]) -> list[Any]:
        op = self.op
        for x in (*xs, *ys):
            check_size(x)
        all_dys: list[Any] = [None] * len(ys)
        for i, d in zip(self.given, dys, strict=True):
            all_dys[i] = d
        if self.several and not op.takes_none:
            all_dys = [zeros(y) if d is None else d for d, y in zip(all_dys, ys, strict=True)]
        saved = op.save(tuple(xs), tuple(ys) if self.several else ys[0])
        grads = op.pull(tuple(all_dys) if self.several else all_dys[0], saved, self.needs, self.params)
        return [
            zeros(xs[i]) if grads[i] is None and flag else grads[i]
            for i, flag in zip(self.wanted, self.present, strict=True)
        ]


def zeros(x: Any) -> Any:
    """Zeros in the likeness of a tensor."""
    from gradtape.transform.gradient_arguments import zeros_like

    return zeros_like(x)


class Opened:
    """The arguments of a function, with their tensors taken out.

    Attributes:
      tensors: in order; variables are read.
    """

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        structure = unfold((args, kwargs))
        leaves = nest.flatten(structure)
        self._places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, (Tensor, Variable))]
        found = [leaves[i] for i in self._places]
        self.tensors: list[Tensor] = [x._read() if isinstance(x, Variable) else x for x in found]
        for i in self._places:
            leaves[i] = None
        self._leaves = leaves
        self._structure = nest.pack_sequence_as(structure, leaves)

    @property
    def parts(self) -> tuple[Any, list[Any], list[int]]:
        """The structure without its leaves, the leaves without the tensors, and the places of those."""
        return self._structure, self._leaves, self._places

    @classmethod
    def of_parts(cls, structure: Any, leaves: list[Any], places: list[int]) -> Opened:
        """Arguments from their parts, to be filled."""
        opened = cls((), {})
        opened._structure, opened._leaves, opened._places = structure, leaves, places
        return opened

    def filled(self, tensors: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other tensors."""
        leaves = list(self._leaves)
        for i, t in zip(self._places, tensors, strict=True):
            leaves[i] = t
        args, kwargs = fold(nest.pack_sequence_as(self._structure, leaves))
        return args, kwargs


class Form:
    """The structure of what a function returned: which leaves are tensors, rows of a larger tensor, or something else.

    Attributes:
      tensors: all that it holds, in order.
    """

    def __init__(self, returned: Any, dense: bool = False) -> None:
        self._kinds: list[Any] = []
        self.tensors: list[Tensor] = []
        returned = opened(returned)
        for leaf in nest.flatten(returned):
            if dense and isinstance(leaf, IndexedSlices):
                leaf = densify(leaf)
            if isinstance(leaf, RowCotangent):
                self._kinds.append(("rows", dense_dims(leaf)))
                self.tensors += [_tensor(leaf.values), _tensor(leaf.indices)]
            elif isinstance(leaf, IndexedSlices) and (whole := _known_shape(leaf)) is not None:
                self._kinds.append(("slices of", whole))
                self.tensors += [_tensor(leaf.values), _tensor(leaf.indices)]
            elif isinstance(leaf, IndexedSlices):
                self._kinds.append(("slices", leaf.dense_shape is not None))
                parts = (leaf.values, leaf.indices, leaf.dense_shape)
                self.tensors += [_tensor(p) for p in parts if p is not None]
            elif isinstance(leaf, (Tensor, Variable)):
                self._kinds.append(("tensor", None))
                self.tensors.append(leaf._read() if isinstance(leaf, Variable) else leaf)
            else:
                self._kinds.append(("other", leaf))
        self._structure = (
            nest.pack_sequence_as(returned, [None] * len(self._kinds)) if nest.is_nested(returned) else None
        )

    def agrees_with(self, other: Form) -> bool:
        """True if another return value has the same structure."""
        return self._kinds == other._kinds

    def tensors_of(self, leaves: Sequence[Any]) -> list[Any] | None:
        """Of values for all leaves, those whose places tensors take; None if there are rows, or another number of leaves."""
        if len(leaves) != len(self._kinds) or not {kind for kind, _ in self._kinds} <= {"tensor", "other"}:
            return None
        return [leaf for leaf, (kind, _) in zip(leaves, self._kinds, strict=True) if kind == "tensor"]

    def packed(self, tensors: Sequence[Any]) -> Any:
        """Other tensors in this structure."""
        remaining = iter(tensors)
        leaves: list[Any] = []
        for kind, detail in self._kinds:
            if kind == "rows":
                leaves.append(RowCotangent(next(remaining), next(remaining), detail))
            elif kind == "slices of":
                leaves.append(IndexedSlices(next(remaining), next(remaining), detail))
            elif kind == "slices":
                leaves.append(IndexedSlices(next(remaining), next(remaining), next(remaining) if detail else None))
            else:
                leaves.append(next(remaining) if kind == "tensor" else detail)
        return leaves[0] if self._structure is None else fold(nest.pack_sequence_as(self._structure, leaves))


def _known_shape(slices: IndexedSlices) -> tuple[int, ...] | None:
    """The shape of the whole tensor, if it is known while the function is traced."""
    shape = slices._dense_shape
    if shape is None or (isinstance(shape, Tensor) and type(shape) is not Tensor):
        return None
    sizes = dense_dims(slices)
    return sizes if all(type(d) is int for d in sizes) else None


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else wrap(x)


class Calling:
    """A function of a list of tensors that gives the list of tensors in what another function returns.

    Attributes:
      function: the other function.
      opened: its arguments.
      dense: True if rows of tensors are made whole.
    """

    def __init__(self, function: Callable[..., Any], opened: Opened, dense: bool = False) -> None:
        self.function, self.opened, self.dense = function, opened, dense

    def __call__(self, tensors: Sequence[Any]) -> list[Any]:
        args, kwargs = self.opened.filled(tensors)
        return Form(self.function(*args, **kwargs), self.dense).tensors
