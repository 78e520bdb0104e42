"""DistributedGradientTape: a tape whose gradients are reduced over all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import dtypes, errors, nest, state
from gradtape.core.indexed_slices import IndexedSlices
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.horovod._compression import Compression
from gradtape.horovod._functions import Average, Sum, grouped_allreduce
from gradtape.horovod._loss_scale import times
from gradtape.horovod._process_set import ProcessSet, global_process_set
from gradtape.ranks._arithmetic import ReduceOp
from gradtape.ranks._buckets import Reduction, wanted_of
from gradtape.ranks._engine import Errand
from gradtape.ranks._operations import allreduce
from gradtape.transform.gradient_arguments import UnconnectedGradients, source_of
from gradtape.transform.tape import GradientTape


class Reducer:
    """The reduction of gradients over all ranks.

    Args:
      compression, sparse_as_dense, op, gradient_predivide_factor, process_set: see DistributedGradientTape.
    """

    def __init__(
        self,
        compression: Any,
        sparse_as_dense: bool,
        op: Any,
        gradient_predivide_factor: float,
        process_set: ProcessSet,
        scale_local_gradients: bool,
    ) -> None:
        self.op = ReduceOp(op)
        if gradient_predivide_factor != 1.0 and self.op is not Average:
            raise errors.build(
                ValueError,
                "gradient_predivide_factor cannot be used unless op is Average.",
                "leave it out, or use op=hvd.Average.",
            )
        self.compression, self.sparse_as_dense, self.process_set = compression, sparse_as_dense, process_set
        self.predivide, self.scale_local = gradient_predivide_factor, scale_local_gradients
        self._local: set[int] = set()

    def register_local(self, variables: Any) -> None:
        """Leave the gradients of variables as they are on each rank."""
        self._local |= {_identity(v) for v in nest.flatten(variables)}

    def all_finite(self, is_finite: Any) -> Any:
        """True if the gradients of all ranks are finite: then all take the step, or none."""
        flag = REGISTRY["cast"](is_finite, dtype=dtypes.int32)
        (least,) = allreduce([flag], self.process_set.group("allreduce"), ReduceOp.MIN, names=["finite"])
        return least > 0

    def is_plain(self) -> bool:
        """True if arrays may be reduced as soon as they are computed."""
        is_known = self.compression in (Compression.none, Compression.fp16)
        return is_known and self.op in (Average, Sum) and self.predivide == 1.0

    def travels_as(self, dtype: Any) -> Any:
        """The dtype used to send gradients of a dtype."""
        is_narrowed = self.compression is Compression.fp16 and dtype.is_floating and dtype.size > 2
        return dtypes.float16 if is_narrowed else dtype

    def is_local(self, source: Any) -> bool:
        """True if a source's gradient stays local to this rank."""
        return _identity(source) in self._local

    def __call__(self, gradients: Sequence[Any], sources: Sequence[Any]) -> list[Any]:
        """The gradients of all ranks; None stays None."""
        group = self.process_set.group("allreduce")
        chosen = [
            i for i, (g, s) in enumerate(zip(gradients, sources, strict=True)) if g is not None and not self.is_local(s)
        ]
        results = list(gradients)
        if self.scale_local:
            for i, (g, s) in enumerate(zip(gradients, sources, strict=True)):
                if g is not None and self.is_local(s):
                    results[i] = times(g, 1.0 / group.size)
        given = [_dense(gradients[i]) if self.sparse_as_dense else gradients[i] for i in chosen]
        op, before, after = self.op, 1.0, 1.0
        if self.predivide != 1.0:
            op, before, after = Sum, 1.0 / self.predivide, self.predivide / group.size
        reduced = grouped_allreduce(
            given, op=op, compression=self.compression, prescale_factor=before, postscale_factor=after,
            process_set=self.process_set,
        )  # fmt: skip
        for i, value in zip(chosen, reduced, strict=True):
            results[i] = value
        return results


def _identity(source: Any) -> int:
    return id(source_of(source))


def _dense(gradient: Any) -> Any:
    if not isinstance(gradient, IndexedSlices):
        return gradient
    from gradtape.core.convert import convert_to_tensor

    return convert_to_tensor(gradient)


class DistributedGradientTape:
    """A tape whose `gradient` combines the gradients of all ranks; by default, it averages them.

    Outside of functions, gradients travel in buckets while the backward pass still computes the others.

    Args:
      gradtape: the tape that has recorded this rank's loss.
      device_dense, device_sparse: ignored.
      compression: `hvd.Compression.fp16` sends floating numbers in 16 bits.
      sparse_as_dense: make IndexedSlices dense instead of gathering their rows.
      op: `hvd.Average`, `Sum` or `Adasum`.
      gradient_predivide_factor: divide by it before the sum, and by the rest of the number of ranks after it.
      num_groups, groups: checked and ignored: gradients are always packed into buckets.
      process_set: the ranks that take part.
      scale_local_gradients: divide gradients of registered local variables by the number of ranks.
    """

    def __init__(
        self,
        gradtape: Any,
        device_dense: str = "",
        device_sparse: str = "",
        compression: Any = Compression.none,
        sparse_as_dense: bool = False,
        op: Any = Average,
        gradient_predivide_factor: float = 1.0,
        num_groups: int = 0,
        groups: Any = None,
        process_set: ProcessSet = global_process_set,
        scale_local_gradients: bool = True,
    ) -> None:
        if not isinstance(gradtape, GradientTape):
            raise errors.build(
                TypeError,
                f"DistributedGradientTape: the first argument must be a tf.GradientTape, got {gradtape!r}.",
                "with tf.GradientTape() as tape: ...; tape = hvd.DistributedGradientTape(tape).",
            )
        check_groups(num_groups, groups)
        self._tape = gradtape
        self._reducer = Reducer(
            compression, sparse_as_dense, op, gradient_predivide_factor, process_set, scale_local_gradients
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tape, name)

    def __enter__(self) -> DistributedGradientTape:
        self._tape.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._tape.__exit__(*details)

    def register_local_source(self, source: Any) -> None:
        """Leave the gradient of a source as it is on each rank, divided by the number of ranks if `scale_local_gradients`."""
        self._reducer.register_local(source)

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        use_generic_names: bool = False,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradients of all ranks together; see `tf.GradientTape.gradient`."""
        flat = [source_of(s) for s in nest.flatten(sources)]
        early = self._early(flat)
        if early is None:
            found = self._tape.gradient(target, sources, output_gradients, unconnected_gradients)
            return nest.pack_sequence_as(sources, self._reducer(nest.flatten(found), flat))
        self._tape._finished = early.put
        try:
            found = self._tape.gradient(target, sources, output_gradients, unconnected_gradients)
        finally:
            del self._tape._finished
        return nest.pack_sequence_as(sources, early.finish(nest.flatten(found)))

    def _early(self, sources: list[Any]) -> _EarlyReduction | None:
        """A reduction that begins during the backward pass, where that is possible."""
        if state.current.trace is not None or state.current.recorders or not self._reducer.is_plain():
            return None
        kinds = [isinstance(s, (Variable, Tensor)) and s.dtype.is_floating and s._id for s in sources]
        if not sources or not all(kinds) or len({s._id for s in sources}) < len(sources):
            return None
        return _EarlyReduction(self._reducer, sources)


def PartialDistributedGradientTape(  # noqa: N802 - Horovod's name
    gradtape: Any, *args: Any, local_layers: Any = None, **kwargs: Any
) -> DistributedGradientTape:
    """A DistributedGradientTape that leaves the gradients of some layers as they are on each rank.

    Args:
      gradtape, *args, **kwargs: see DistributedGradientTape.
      local_layers: a Keras layer, or several.
    """
    tape = DistributedGradientTape(gradtape, *args, **kwargs)
    tape.register_local_source(weights_of(local_layers, "PartialDistributedGradientTape"))
    return tape


def weights_of(layers: Any, who: str) -> list[Any]:
    """The trainable weights of a layer or of several."""
    chosen = [] if layers is None else list(layers) if isinstance(layers, (list, tuple, set)) else [layers]
    for layer in chosen:
        if not hasattr(layer, "trainable_weights"):
            raise ValueError(
                errors.compose(
                    f"{who}: local_layers must hold Keras layers, got {layer!r}.", "local_layers=[model.layers[0]]."
                )
            )
    return [w for layer in chosen for w in layer.trainable_weights]


def check_groups(num_groups: Any, groups: Any) -> None:
    """An error for groups that are neither a number nor lists of variables."""
    if groups is None:
        groups = num_groups
    if not isinstance(groups, list) and not (isinstance(groups, int) and groups >= 0):
        raise ValueError(
            errors.compose(
                f"groups must be a non-negative integer or a list of lists of variables, got {groups!r}.",
                "leave it out.",
            )
        )


class _EarlyReduction:
    """Reduces gradients in buckets while the backward pass is still running.

    Which gradients are None or rows is known only after the pass: the buckets hold zeros in their place. The ranks compare these too,
    since variables that only some of them update would drift apart in silence.
    """

    def __init__(self, reducer: Reducer, sources: list[Any]) -> None:
        self._reducer, self._group = reducer, reducer.process_set.group("allreduce")
        self._sources = sources
        self._chosen = [i for i, s in enumerate(sources) if not reducer.is_local(s)]
        self._places = {sources[i]._id: k for k, i in enumerate(self._chosen)}
        self._what = what = Errand("gradient")
        specs = [(sources[i].shape.as_list(), reducer.travels_as(sources[i].dtype)) for i in self._chosen]
        wanted = wanted_of(specs, reducer.op, 1.0, ("gradient",))
        self._reduction = Reduction(self._group, wanted, what, self._group.agree(wanted, what))
        self._put: set[int] = set()

    def put(self, identity: int, cotangent: Any) -> None:
        """Add a finished gradient to its bucket."""
        place = self._places.get(identity)
        array = getattr(cotangent, "_array", cotangent)
        if place is not None and isinstance(array, (np.ndarray, np.generic)):
            self._reduction.put(place, array)
            self._put.add(place)

    def finish(self, gradients: list[Any]) -> list[Any]:
        """The gradients of all ranks."""
        rows: list[int] = []
        for place, i in enumerate(self._chosen):
            g = gradients[i]
            if isinstance(g, IndexedSlices) and not self._reducer.sparse_as_dense:
                rows.append(i)
            elif g is not None and place not in self._put:
                self._reduction.put(place, _dense(g)._array)
        pattern = "".join(["-" if g is None else "r" if i in rows else "d" for i, g in enumerate(gradients)])
        agreed = self._group.agree(("gradients that are dense (d), rows (r) or None (-):", pattern), self._what)
        reduced = self._reduction.finish()
        agreed()
        results = list(gradients)
        for place, i in enumerate(self._chosen):
            if gradients[i] is not None and i not in rows:
                results[i] = Compression.fp16.decompress(wrap(reduced[place]), self._sources[i].dtype)
        rest = [i for i in range(len(gradients)) if i in rows or i not in self._chosen]
        for i, value in zip(
            rest, self._reducer([gradients[i] for i in rest], [self._sources[i] for i in rest]), strict=True
        ):
            results[i] = value
        return results
