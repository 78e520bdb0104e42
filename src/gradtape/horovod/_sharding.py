"""Optimizers whose state is divided among the ranks.

The variables of a model are one long vector, of which each rank updates a part: gradients are reduced and divided (reduce-scatter), the
optimizer updates the rank's part with its part of the state, and the new parts are gathered. So a rank keeps one n-th of the state, and as
many bytes travel as in a reduction. Optimizers that treat each number by itself give what they give undivided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import gradtape_keras_hook
from gradtape.core import dtypes, errors
from gradtape.core.convert import convert_to_tensor
from gradtape.core.op import REGISTRY
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.weak import WeakKeys
from gradtape.horovod._tape import Reducer
from gradtape.ops.family import dims
from gradtape.ranks import _operations as operations
from gradtape.ranks._arithmetic import ReduceOp
from gradtape.tracing.init_scope import init_scope
from gradtape.transform.gradient_arguments import source_of

# They treat each number by itself. Others look at the shape or the norm of a variable.
_ELEMENTWISE = ("SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Nadam", "Ftrl", "Lion")


def check(optimizer: Any, reducer: Reducer, passes: int) -> None:
    """An error for optimizers whose state cannot be divided."""
    names = {kind.__name__ for kind in type(optimizer).__mro__}
    problem = None
    if names.isdisjoint(_ELEMENTWISE):
        problem = f"{type(optimizer).__name__} looks at whole variables"
    elif optimizer.clipnorm is not None:
        problem = "clipnorm looks at whole variables"
    elif optimizer.use_ema:
        problem = "use_ema keeps averages of whole variables"
    elif passes > 1:
        problem = "backward_passes_per_step keeps whole gradients"
    elif reducer.op not in (ReduceOp.AVERAGE, ReduceOp.SUM):
        problem = f"op is {reducer.op.name}, which cannot be divided"
    if problem:
        raise errors.build(
            errors.UnimplementedError,
            f"DistributedOptimizer: shard_optimizer=True cannot be used: {problem}.",
            f"use one of {', '.join(_ELEMENTWISE)}, with global_clipnorm or clipvalue; or shard_optimizer=False.",
        )


def _check_variables(reducer: Reducer, variables: Sequence[Any]) -> None:
    if any(reducer.is_local(v) for v in variables):
        raise errors.build(
            errors.UnimplementedError,
            "DistributedOptimizer: shard_optimizer=True cannot be used with variables that are local to a rank.",
            "leave out register_local_var and local_layers, or shard_optimizer.",
        )


class _Shard:
    """This rank's part of the variables of an optimizer.

    Attributes:
      variable: the part, which the optimizer updates.
      variables: those that it is a part of.
      start, length: where it is in the vector of all variables.
    """

    def __init__(self, variables: Sequence[Any], group: Any, clip: float | None, compression: Any) -> None:
        kinds = {dtypes.as_dtype(v.dtype) for v in variables}
        if len(kinds) > 1 or not next(iter(kinds)).is_floating:
            raise errors.build(
                errors.DTypeError,
                f"DistributedOptimizer: with shard_optimizer=True all variables must have one floating dtype, got {sorted(k.name for k in kinds)}.",
                "leave shard_optimizer out.",
            )
        self.group, self.clip, self.compression = group, clip, compression
        self.variables = list(variables)
        self.shapes = [tuple(v.shape) for v in variables]
        self.sizes = [int(np.prod(s, dtype=np.int64)) for s in self.shapes]
        self.total = sum(self.sizes)
        self.length = -(-self.total // group.size)
        self.start = self.length * group.rank
        keras = gradtape_keras_hook.keras()
        value = np.zeros(self.length, next(iter(kinds)).numpy)
        self.variable = keras.Variable(value, name=f"shard_{group.rank}_of_{group.size}")

    def own(self, values: Sequence[Any], kind: Any = None) -> Any:
        """This rank's part of the concatenation of some arrays."""
        parts, offset = [], 0
        stop = self.start + self.length
        for value, size in zip(values, self.sizes, strict=True):
            low, high = max(self.start - offset, 0), min(stop - offset, size)
            if low < high:
                parts.append(_flat(value)[low:high])
            offset += size
        missing = self.length - max(min(stop, self.total) - self.start, 0)
        if missing:
            parts.append(wrap(np.zeros(missing, (kind or dtypes.as_dtype(self.variable.dtype)).numpy)))
        return REGISTRY["concat"](*parts, axis=0) if len(parts) > 1 else parts[0]

    def divided(self, gradients: Sequence[Any], op: ReduceOp) -> Any:
        """This rank's part of the reduced gradients."""
        kind = dtypes.as_dtype(self.variable.dtype)
        rest = self.length * self.group.size - self.total
        parts = [
            self.compression.compress(wrap(np.zeros(size, kind.numpy)) if g is None else _flat(convert_to_tensor(g)))[0]
            for g, size in zip([*gradients, None], [*self.sizes, rest], strict=True)
        ]
        rows = REGISTRY["reshape"](REGISTRY["concat"](*parts, axis=0), shape=(self.group.size, self.length))
        sums = self.compression.decompress(operations.reducescatter(rows, self.group, op), kind)
        found = REGISTRY["reshape"](sums, shape=(self.length,))
        if self.clip is None:
            return found
        (square,) = operations.allreduce([_sum(found * found)], self.group, ReduceOp.SUM)
        norm = REGISTRY["sqrt"](square)
        limit = wrap(np.array(self.clip, kind.numpy))
        return found * (limit / REGISTRY["maximum"](norm, limit))

    def whole(self, part: Any) -> list[Any]:
        """The variables' values, of all ranks' parts."""
        vector = operations.allgather([part], self.group)[0]
        found, offset = [], 0
        for shape, size in zip(self.shapes, self.sizes, strict=True):
            found.append(REGISTRY["reshape"](vector[offset : offset + size], shape=shape))
            offset += size
        return found


def _flat(value: Any) -> Any:
    tensor = convert_to_tensor(value)
    return REGISTRY["reshape"](tensor, shape=(math.prod(dims(tensor)),))


def _sum(x: Any) -> Any:
    return REGISTRY["reduce_sum"](x, axis=(0,), keepdims=False)


class Gathered(Variable):
    """A variable sharded over the ranks: reading gathers the whole, assigning keeps this rank's part.

    All ranks must read it together.
    """

    __slots__ = ("_part", "_shard")

    _part: Variable
    _shard: _Shard

    @classmethod
    def of(cls, part: Variable, shard: _Shard) -> Gathered:
        """The whole variable that this rank holds a part of."""
        made = object.__new__(cls)
        made._part, made._shard = part, shard
        for slot in ("_id", "_order", "_name", "_trainable", "_constraint", "_synchronization", "_aggregation"):
            setattr(made, slot, getattr(part, slot))
        made._shape = TensorShape([shard.total])
        return made

    dtype = property(lambda self: self._part.dtype)
    ndim = property(lambda self: 1)
    device = property(lambda self: self._part.device)

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return TensorShape([self._shard.total])

    @property
    def _value(self) -> Any:  # type: ignore[override]
        return self._read()

    def _read(self) -> Tensor:
        whole: Tensor = operations.allgather([self._part._read()], self._shard.group)[0][: self._shard.total]
        return whole

    def read_value(self) -> Tensor:
        """The whole."""
        return self._read()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Take this rank's part."""
        shard = self._shard
        padded = np.zeros(shard.length * shard.group.size, self.dtype.numpy)
        padded[: shard.total] = np.asarray(convert_to_tensor(value, self.dtype))
        self._part.assign(padded[shard.start : shard.start + shard.length])
        return self if read_value else None


def methods(base: Any, reducer: Reducer) -> dict[str, Any]:
    """The methods of an optimizer whose state is divided."""
    known: WeakKeys[Any, _Shard] = WeakKeys()

    masks: WeakKeys[Any, Any] = WeakKeys()

    def shard_of(self: Any, variables: Sequence[Any]) -> _Shard:
        if self not in known:
            _check_variables(reducer, variables)
            with init_scope():
                group = reducer.process_set.group("shard_optimizer")
                known[self] = _Shard(variables, group, self.global_clipnorm, reducer.compression)
                decays = [np.full(tuple(v.shape), base._use_weight_decay(self, v), np.float32) for v in variables]
                if not all(d.all() for d in decays):
                    masks[self] = known[self].own([wrap(d) for d in decays], dtypes.float32)
                self.global_clipnorm = None  # the norm is that of all parts
                base.build(self, [known[self].variable])
                self.built = True
        found: _Shard = known[self]
        return found

    def build(self: Any, variables: Any) -> None:
        shard_of(self, list(variables))

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        if trainable_variables is None:
            raise errors.build(
                ValueError,
                "DistributedOptimizer: with shard_optimizer=True, apply must be given the variables.",
                "optimizer.apply(gradients, variables).",
            )
        variables = list(trainable_variables)
        shard = shard_of(self, variables)
        shard.variable.assign(shard.own([source_of(v) for v in variables]))
        base.apply(self, [shard.divided(list(grads), reducer.op)], [shard.variable])
        for variable, value in zip(variables, shard.whole(shard.variable.value), strict=True):
            variable.assign(value)
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))
        return self.iterations

    def decay(self: Any, variables: Any) -> None:
        """Weight decay of the numbers of this part whose variables are not excluded from it."""
        if self not in masks:
            base._apply_weight_decay(self, variables)
        elif self.weight_decay is not None:
            part, cast = known[self].variable, REGISTRY["cast"]
            kind = dtypes.as_dtype(part.dtype)
            rate = cast(convert_to_tensor(self.learning_rate), dtype=kind) * float(self.weight_decay)
            part.assign(part.value - part.value * rate * cast(masks[self], dtype=kind))

    def gathered(self: Any) -> dict[str, Any]:
        """The state as variables that read as the whole, by name; unsharded ones unchanged."""
        shard, found = known.get(self), {}
        for i, variable in enumerate(self.variables):
            held = variable._value
            if shard is not None and tuple(variable.shape) == (shard.length,):
                held = Gathered.of(held, shard)
            found[f"{i}"] = held
        return found

    def save_own_variables(self: Any, store: Any) -> None:
        shard = known.get(self)
        if shard is None:
            base.save_own_variables(self, store)
            return
        wholes = {
            _slot(v, shard): held.numpy() for v, held in zip(self.variables, gathered(self).values(), strict=True)
        }
        for name, (slot, i) in _undivided(base, self, shard, wholes).items():
            whole = wholes[slot]
            store[name] = (
                whole if i is None else np.split(whole, np.cumsum(shard.sizes)[:-1])[i].reshape(shard.shapes[i])
            )

    def load_own_variables(self: Any, store: Any) -> None:
        shard = known.get(self)
        if shard is None:
            base.load_own_variables(self, store)
            return
        slots = {_slot(v, shard): held for v, held in zip(self.variables, gathered(self).values(), strict=True)}
        places = _undivided(base, self, shard, slots)
        if len(store.keys()) < len(places):  # written as whole vectors
            for name, variable in gathered(self).items():
                variable.assign(store[name])
            return
        parts: dict[str, list[Any]] = {}
        for name, (slot, _) in places.items():
            parts.setdefault(slot, []).append(np.asarray(store[name]))
        for slot, variable in slots.items():
            is_divided = isinstance(variable, Gathered)
            variable.assign(np.concatenate([p.ravel() for p in parts[slot]]) if is_divided else parts[slot][0])

    return {
        "apply": apply,
        "build": build,
        "_apply_weight_decay": decay,
        "save_own_variables": save_own_variables,
        "load_own_variables": load_own_variables,
        "_checkpoint_parts": gathered,
        "gathered_state": gathered,
    }


def _slot(variable: Any, shard: _Shard) -> str:
    """What a variable of the optimizer is: `momentum`, for instance."""
    return str(variable.name.removeprefix(f"{shard.variable.name}_"))


def _undivided(base: Any, optimizer: Any, shard: _Shard, slots: Any) -> dict[str, tuple[str, int | None]]:
    """Where the optimizer would write its state if it were not divided: the names in a file, each with what it is and of which variable."""
    twin = base.from_config({**optimizer.get_config(), "name": optimizer.name})
    twin.build(shard.variables)
    counts: dict[str, int] = {}
    found: dict[str, tuple[str, int | None]] = {}
    for place, variable in enumerate(twin.variables):
        if variable.name in slots:  # iterations and the like
            found[f"{place}"] = variable.name, None
            continue
        slot = max([s for s in slots if variable.name.endswith(f"_{s}")], key=len)
        found[f"{place}"] = slot, counts.setdefault(slot, 0)
        counts[slot] += 1
    return found
