"""DistributedOptimizer: a Keras optimizer that applies the gradients of all ranks together."""

from __future__ import annotations

from typing import Any

from gradtape.core import errors
from gradtape.horovod._compression import Compression
from gradtape.horovod._functions import Average
from gradtape.horovod._loss_scale import rescaled, unscaled
from gradtape.horovod._process_set import ProcessSet, global_process_set
from gradtape.horovod._tape import Reducer, check_groups, weights_of


def DistributedOptimizer(  # noqa: N802 - Horovod's name
    optimizer: Any,
    name: str | None = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    sparse_as_dense: bool = False,
    gradient_predivide_factor: float = 1.0,
    op: Any = Average,
    backward_passes_per_step: int = 1,
    average_aggregated_gradients: bool = False,
    num_groups: int = 0,
    groups: Any = None,
    process_set: ProcessSet = global_process_set,
    scale_local_gradients: bool = True,
    shard_optimizer: bool = False,
    use_locking: bool = False,
) -> Any:
    """An optimizer like a given one, which reduces the gradients of all ranks before it applies them.

    A loss scale is taken out before the reduction; whether all numbers are finite is asked after it, so that all ranks take the same steps;
    then gradients are clipped and applied.

    Args:
      optimizer: an optimizer of Keras or of TensorFlow 1 that has not been used yet; it is changed.
      name: of the optimizer; its own by default.
      backward_passes_per_step: add up the gradients of so many calls before they are reduced and applied.
      average_aggregated_gradients: divide the sum by that number.
      shard_optimizer: divide the optimizer's state among the ranks: each keeps one n-th. All ranks must save it together; it is
        restored on any number of ranks.
      use_locking: ignored.
      device_dense, device_sparse, compression, sparse_as_dense, gradient_predivide_factor, op, num_groups, groups, process_set,
        scale_local_gradients: see `hvd.DistributedGradientTape`.
    """
    reducer = Reducer(compression, sparse_as_dense, op, gradient_predivide_factor, process_set, scale_local_gradients)
    if hasattr(optimizer, "compute_gradients"):
        from gradtape.horovod import _graphs as graphs

        return graphs.distributed(optimizer, reducer, name, backward_passes_per_step)
    if not hasattr(optimizer, "apply") or not hasattr(optimizer, "build"):
        raise errors.build(
            TypeError,
            f"DistributedOptimizer: optimizer must be a Keras optimizer, got {optimizer!r}.",
            "hvd.DistributedOptimizer(keras.optimizers.SGD(0.01)).",
        )
    if backward_passes_per_step < 1:
        raise errors.build(
            ValueError,
            f"DistributedOptimizer: backward_passes_per_step must be 1 or more, got {backward_passes_per_step}.",
            "leave it out to reduce in every step.",
        )
    check_groups(num_groups, groups)
    base = type(optimizer)
    methods = {
        "apply": _apply(base, reducer, backward_passes_per_step, average_aggregated_gradients),
        "register_local_var": lambda self, var: reducer.register_local(var),
        "_gradtape_base": base,
        "_gradtape_all_finite": staticmethod(reducer.all_finite),
        "__module__": _public_module(base),  # a saved model names its optimizer by it
        "__reduce__": lambda self: (_restored, (base, self.get_config())),
    }
    if shard_optimizer:
        from gradtape.horovod import _sharding as sharding

        sharding.check(optimizer, reducer, backward_passes_per_step)
        methods |= sharding.methods(base, reducer)
    optimizer.__class__ = type(base.__name__, (base,), methods)
    if name is not None:
        optimizer.name = name
    return optimizer


def PartialDistributedOptimizer(  # noqa: N802 - Horovod's name
    optimizer: Any, *args: Any, local_layers: Any = None, **kwargs: Any
) -> Any:
    """A DistributedOptimizer that leaves the gradients of some layers as they are on each rank.

    Args:
      optimizer, *args, **kwargs: see DistributedOptimizer.
      local_layers: a Keras layer, or several; their weights must exist.
    """
    found = DistributedOptimizer(optimizer, *args, **kwargs)
    found.register_local_var(weights_of(local_layers, "PartialDistributedOptimizer"))
    return found


def _public_module(base: Any) -> str:
    """The module under which Keras finds an optimizer's class again."""
    from keras.src.api_export import get_name_from_symbol

    name = get_name_from_symbol(base)
    return str(name.rpartition(".")[0] if name else base.__module__)


def _restored(base: Any, config: Any) -> Any:
    return base.from_config(config)


def _apply(base: Any, reducer: Reducer, passes: int, average: bool) -> Any:
    """The method `apply` of an optimizer that reduces first."""
    if passes > 1:
        from gradtape.horovod._accumulation import accumulating

        return accumulating(base, reducer, passes, average)

    def apply(self: Any, grads: Any, trainable_variables: Any = None) -> Any:
        variables = self._trainable_variables if trainable_variables is None else list(trainable_variables)
        return base.apply(
            self, rescaled(self, reducer(unscaled(self, grads, variables), variables)), trainable_variables
        )

    return apply
