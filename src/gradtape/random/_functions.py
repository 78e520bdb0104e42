"""`tf.random`: random numbers from seeds and generators.

The streams are gradtape's own: the same program gives the same numbers in every run, but not those of TensorFlow.
Inside `vectorized_map` the functions with hidden state draw other numbers for each example.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from gradtape.api.families import family
from gradtape.core import convert, dtypes, errors, locks, state
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_creation import unnoticed
from gradtape.ops import random
from gradtape.random import _sampling as sampling
from gradtape.random._generator import (
    Algorithm,
    Generator,
    check_algorithm,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)

__all__ = [
    "Algorithm", "Generator", "create_rng_state", "fold_in", "get_global_generator", "normal", "set_global_generator",
    "set_seed", "shuffle", "split", "stateless_fold_in", "stateless_normal", "stateless_shuffle", "stateless_split",
    "stateless_truncated_normal", "stateless_uniform", "truncated_normal", "uniform",
]  # fmt: skip

# What stands for the global seed where only an operation's seed is given.
_DEFAULT_SEED = 87654321


Key = tuple[str, dtypes.DType, int]


class _Streams:
    """The hidden generators: one for draws without a seed, and one for each function, dtype and seed.

    In a traced function every call with a seed draws from its own generator, which starts like the one for eager calls: so both
    give the same numbers, however much the other has drawn.

    Attributes:
      seed: the global seed.
      generators: those of eager calls.
      sites: the states of those of calls in traced functions, which live as long as the traces.
    """

    def __init__(self) -> None:
        self.seed: int | None = None
        self.generators: dict[Key | None, Generator] = {}
        self.sites: list[tuple[Key, weakref.ref[Variable]]] = []
        self._lock = locks.rlock("random")  # threads that draw for the first time must find one generator

    def reset(self, seed: int | None) -> None:
        """Restart all streams from a global seed, or None. This includes functions that have already been traced."""
        with self._lock, state.outside(), unnoticed():
            self.seed = seed
            for key, variable in self.states():
                variable.assign(self._start(key))

    def states(self) -> list[tuple[Key | None, Variable]]:
        """The states of all generators, with what they are for."""
        with self._lock:
            self.sites = [(key, site) for key, site in self.sites if site() is not None]
            living = [(key, found) for key, site in self.sites if (found := site()) is not None]
            return [*[(key, generator._state_var) for key, generator in self.generators.items()], *living]

    def find(self, what: str, dtype: Any, seed: Any) -> Generator:
        """The stream that a call draws from: in a function of a dataset, one that belongs to it."""
        key = None if seed is None else (what, dtypes.as_dtype(dtype), _index(seed, "seed"))
        scope = state.current.streams
        if scope is not None and scope.trace is state.current.trace:
            own: _Streams = scope.branch()
            return own.generators.get(key) or own._made(key)
        if key is not None and (state.current.trace is not None or state.current.sites is not None):
            return self._at_site(key)
        return self.generators.get(key) or self._made(key)

    def _at_site(self, key: Key) -> Generator:
        """The generator of one call in a traced function. A call that waits for sizes is run again once they are known, and finds
        its generator in `state.current.sites`."""
        sites = state.current.sites
        found: Generator | None = None if sites is None else sites.get(key)
        if found is not None:
            return found
        if sites is not None and not sites.is_open:
            return self.generators.get(key) or self._made(key)
        with self._lock, state.outside(), unnoticed():
            made = Generator(state=self._start(key), alg="philox")
            self.sites.append((key, weakref.ref(made._state_var)))
        if sites is not None:
            sites[key] = made
        return made

    def _made(self, key: Key | None) -> Generator:
        with (
            self._lock,
            state.outside(),
            unnoticed(),
        ):  # a function that draws for the first time has not made this variable
            if key not in self.generators:
                self.generators[key] = Generator(state=self._start(key), alg="philox")
            return self.generators[key]

    def _start(self, key: Key | None) -> Tensor:
        """The first state of a stream. The part of it that each function has is far from those of others."""
        if key is None and self.seed is None:
            return Generator.from_non_deterministic_state().state.read_value()
        pair = [_DEFAULT_SEED if self.seed is None else self.seed, 0 if key is None else key[2]]
        low, high, word = random.RandomState(np.array(pair, np.uint64).astype(np.int64))
        if key is not None:
            from zlib import crc32

            high ^= crc32(f"{key[0]} {key[1].name}".encode())
        return wrap(np.array([low, high, word]))


streams = _Streams()


class Branch(_Streams):
    """Streams of a function of a dataset, which begin again with each iteration."""

    seed = property(lambda self: streams.seed, lambda self, value: None)

    def renew(self) -> None:
        """Restart the streams that are the same in every run."""
        with self._lock, state.outside(), unnoticed():
            for key, generator in self.generators.items():
                if key is not None or streams.seed is not None:
                    generator._state_var.assign(self._start(key))


def set_seed(seed: Any) -> None:
    """Set the global seed. The same numbers follow each time it is set.

    Every function draws from a stream that belongs to the global seed, and, if it is given one, to its own `seed`; each
    call draws further on. Without a global seed, calls without `seed` differ from run to run, and calls with one are the
    same in every run. Generators are not concerned.

    Args:
      seed: an integer; None takes the global seed away.

    >>> tf.random.set_seed(5)
    >>> a = tf.random.normal([])
    >>> tf.random.set_seed(5)
    >>> bool(a == tf.random.normal([]))
    True
    """
    streams.reset(None if seed is None else _index(seed, "seed"))


def _index(value: Any, name: str) -> int:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    try:
        return operator.index(value) & 0xFFFF_FFFF_FFFF_FFFF
    except TypeError:
        raise errors.build(TypeError, f"random: {name} must be an integer, got {value!r}.", "pass an int.") from None


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of a normal distribution. Gradients flow to `mean` and `stddev`.

    Args:
      shape: the shape of the result.
      mean: a number or tensor of that dtype that broadcasts with the shape.
      stddev: the standard deviation, likewise.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.normal([2, 3], mean=10.0).shape
    TensorShape([2, 3])
    """
    return sampling.normal(streams.find("normal", dtype, seed).take, shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, at most two standard deviations from the mean.

    Args:
      shape: the shape of the result.
      mean: of the distribution before it is cut off.
      stddev: the standard deviation, likewise.
      dtype: float16, bfloat16, float32 or float64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> bool(tf.reduce_all(tf.abs(tf.random.truncated_normal([100])) <= 2.0))
    True
    """
    return sampling.truncated_normal(streams.find("truncated_normal", dtype, seed).take, shape, mean, stddev, dtype)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers of a uniform distribution over `[minval, maxval)`. Gradients flow to bounds of floats.

    Args:
      shape: the shape of the result.
      minval: the lower bound, which is included.
      maxval: the upper bound, which is excluded; 1 for floats, and required for integers.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> tf.random.uniform([3], maxval=10, dtype=tf.int32).dtype
    tf.int32
    """
    return sampling.uniform(streams.find("uniform", dtype, seed).take, shape, minval, maxval, dtype)


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """The slices of a tensor along its first axis, in random order. Gradients flow back to the original positions.

    Args:
      value: a tensor.
      seed: an integer that gives the call a stream of its own; see `set_seed`.

    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    value = convert.convert_to_tensor(value)
    return sampling.shuffle(streams.find("shuffle", value.dtype, seed).take, value)


def from_seed(seed: Any, alg: Any) -> sampling.Take:
    """A state for one draw, a function of the seed alone."""
    check_algorithm(alg)
    if isinstance(seed, np.ndarray) and seed.dtype.kind in "iu":
        seed = seed.astype(np.int64, copy=False) if seed.dtype != np.int32 else seed
    state = random.RandomState(convert.convert_to_tensor(seed))
    return lambda shape: state


@family(
    "",
    shape="the shape of the result.",
    seed="two integers.",
    mean="a number or tensor of that dtype that broadcasts with the shape.",
    stddev="the standard deviation, likewise.",
    dtype="float16, bfloat16, float32 or float64.",
    alg='"philox" or "auto_select".',
)
def _stateless_normal(who: str, op: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(
        shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None,
        alg: Any = "auto_select",
    ) -> Tensor:  # fmt: skip
        return op(from_seed(seed, alg), shape, mean, stddev, dtype)

    return function


stateless_normal = _stateless_normal(
    "stateless_normal",
    "Numbers of a normal distribution that depend on the seed alone.",
    "bool(tf.random.stateless_normal([], seed=[1, 2]) == tf.random.stateless_normal([], seed=[1, 2])) -> True",
    sampling.normal,
)
stateless_truncated_normal = _stateless_normal(
    "stateless_truncated_normal",
    "Numbers from a normal distribution cut off at two standard deviations, which depend only on the seed.",
    "tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape -> TensorShape([2])",
    sampling.truncated_normal,
    mean="of the distribution before it is cut off.",
)


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:  # fmt: skip
    """Numbers of a uniform distribution over `[minval, maxval)` that depend on the seed alone.

    Args:
      shape: the shape of the result.
      seed: two integers.
      minval: the lower bound, which is included.
      maxval: the upper bound, which is excluded; 1 for floats. None as both bounds means all integers of the dtype.
      dtype: a float, int32 or int64; with None as bounds also uint32 and uint64.
      alg: "philox" or "auto_select".

    >>> tf.random.stateless_uniform([2], seed=[1, 2], minval=None, dtype=tf.uint32).dtype
    tf.uint32
    """
    return sampling.uniform(from_seed(seed, alg), shape, minval, maxval, dtype, whole_range=True)


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None) -> Tensor:
    """The slices of a tensor along its first axis, in an order that depends on the seed alone.

    Args:
      value: a tensor.
      seed: two integers.
      alg: "philox" or "auto_select".

    >>> a = tf.random.experimental.stateless_shuffle([1, 2, 3], seed=[1, 2])
    >>> a.shape
    TensorShape([3])
    """
    return sampling.shuffle(from_seed(seed, alg), value)


def split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """New seeds from a seed: a tensor of shape `[num, 2]`, whose rows give unrelated numbers.

    Args:
      seed: two integers.
      num: how many.
      alg: "philox" or "auto_select".

    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    seed = convert.convert_to_tensor(seed)
    return sampling.bits(from_seed(seed, alg), [num, 2], seed.dtype)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed from a seed and an integer, for instance the number of a step.

    Args:
      seed: two integers.
      data: an integer.
      alg: "philox" or "auto_select".

    >>> tf.random.fold_in([1, 2], 3).shape
    TensorShape([2])
    """
    seed = convert.convert_to_tensor(seed)
    mixed = sampling.bits(from_seed(seed, alg), [], seed.dtype)
    data = convert.convert_to_tensor(data)
    if data.dtype is not seed.dtype:
        data = REGISTRY["cast_to_discrete"](data, dtype=seed.dtype)
    return REGISTRY["stack"](mixed, data, axis=0)


stateless_split, stateless_fold_in = split, fold_in
