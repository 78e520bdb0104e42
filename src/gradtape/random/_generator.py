"""Generators of random numbers: a state in a variable, which every draw moves on."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from gradtape.core import convert, device, doors, dtypes, errors, locks
from gradtape.core import state as core_state
from gradtape.core.op import REGISTRY
from gradtape.core.tensor import Tensor, wrap
from gradtape.core.variable import Variable
from gradtape.core.variable_copies import VariableAggregation
from gradtape.ops import random
from gradtape.random import _sampling as sampling
from gradtape.transform.opaque_op import fresh
from gradtape.transform.vectorized_map import independent

# Blocks of the stream that a draw leaves behind for each number, so that every distribution advances by as much.
RESERVED = 256
_lock = locks.lock("random")


class Algorithm(enum.Enum):
    """Algorithms for random numbers. Only Philox is available."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def check_algorithm(alg: Any) -> int:
    """The number of an algorithm, given by name, number or as an Algorithm; None means the default."""
    if alg is None or alg in ("philox", "auto_select", 1, 3, Algorithm.PHILOX, Algorithm.AUTO_SELECT):
        return Algorithm.PHILOX.value
    raise errors.build(ValueError, f"Argument `alg` got unsupported value {alg}.", "use 'philox' or 'auto_select'.")


def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state of a generator: the low and high half of its counter, and its key.

    Args:
      seed: an integer, or a vector of up to three. The first becomes the key, so that different seeds give unrelated
        streams.
      alg: "philox", or "auto_select", which is the same.

    >>> tf.random.create_rng_state(1234, "philox").numpy()
    array([   0,    0, 1234])
    """
    check_algorithm(alg)
    if isinstance(seed, int):
        words = [seed >> shift & 0xFFFF_FFFF_FFFF_FFFF for shift in (0, 64, 128)]
        array = np.array(words, np.uint64).astype(np.int64)
    else:
        array = np.asarray(convert.convert_to_tensor(seed))
    if array.dtype.kind not in "iu" or array.ndim > 1 or array.size > 3:
        raise errors.build(
            errors.ShapeError,
            f"create_rng_state: seed must be an integer, or a vector of up to three, got {seed!r}.",
            "give an integer, or a vector of up to three.",
        )
    padded = np.zeros(3, np.int64)
    padded[: array.size] = array.reshape(-1).astype(np.int64)
    return wrap(padded[::-1].copy())


class Generator:
    """An independent stream of random numbers. Its state is a variable, which can be saved and restored.

    Args:
      copy_from: another generator, whose state is copied.
      state: a state, as `create_rng_state` makes it. A variable becomes the state itself.
      alg: the algorithm, "philox".

    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2]).shape
    TensorShape([2])
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if (copy_from is None) == (state is None):
            raise errors.build(
                ValueError,
                "Generator: either copy_from, or state and alg must be given.",
                "for instance tf.random.Generator.from_seed(1).",
            )
        if copy_from is not None and not isinstance(copy_from, Generator):
            raise errors.build(
                TypeError,
                f"Generator: copy_from must be a generator, got {errors.brief(copy_from)}.",
                "tf.random.Generator.from_seed(1) makes one from a seed.",
            )
        self._alg = check_algorithm(alg)
        self._state_var: Variable
        if isinstance(state, Variable):
            _check_state(state)
            self._state_var = state
            return
        # Replicas of a strategy draw from streams of their own, so all of them move the state on by the same.
        self._state_var = Variable(
            copy_from._state_var if copy_from is not None else _check_state(state),
            trainable=False,
            name="StateVar",
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )

    def __repr__(self) -> str:
        if core_state.current.trace is not None:  # the numbers are not known
            return "<tf.random.Generator philox>"
        low, high, key = self._state_var.numpy().tolist()
        return f"<tf.random.Generator philox, key {key}, counter {low if not high else [low, high]}>"

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with a state: a vector of three int64."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that belongs to a seed: an integer, or a vector of up to three."""
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator seeded by the operating system, different in every program."""
        import secrets

        return cls(state=create_rng_state(secrets.randbits(128), alg), alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with a key, and a counter of two int64, the low half first."""
        return cls(state=_key_counter(key, counter), alg=alg)

    @property
    def state(self) -> Variable:
        """The state, as a variable."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm: 1 for Philox."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The key, which draws do not change."""
        return wrap(self._state_var._read()._array[2])

    def reset(self, state: Any) -> None:
        """Set the state."""
        self._state_var.assign(_check_state(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Reset to the initial state of a seed."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Reset to a key and a counter."""
        self._state_var.assign(_key_counter(key, counter))

    def skip(self, delta: Any) -> Tensor:
        """Advance as if `delta` numbers had been drawn. Returns the state before."""
        return self._advance(int(delta))

    def _advance(self, count: int) -> Tensor:
        """The state, from which `count` numbers may be drawn; the generator moves on."""
        if type(self._state_var) is not Variable:  # of a strategy: replicas wait for each other while they assign it
            return self._advance_replica(count)
        with _lock:
            state: Tensor = fresh(self._state_var._read())
            self._state_var.assign(random.RandomSkip(state, count=count * RESERVED))
        return state

    def _advance_replica(self, count: int) -> Tensor:
        """As `_advance`, in a strategy: each replica has the stream of another key, derived from its number."""
        state: Tensor = fresh(self._state_var._read())
        self._state_var.assign(random.RandomSkip(state, count=count * RESERVED))
        number = replica_number()
        if number is None:
            return state
        seed = REGISTRY["stack"](state[2], wrap(np.int64(number)), axis=0)
        key = random.RandomState(seed)[2:]
        own: Tensor = REGISTRY["concat"](state[:2], key, axis=0)
        return own

    def take(self, shape: tuple[int, ...]) -> Tensor:
        """A state for a draw of that shape. Inside `vectorized_map` it is another one for each example."""

        def states(each: tuple[int, ...]) -> Any:
            lead = each[:-1]
            state = self._advance(math.prod(lead + shape))
            if type(state) is Tensor:  # in a traced function it has no place yet
                state = wrap(device.place(state._array))
            return random.RandomState(random.RandomBits(state, shape=(*lead, 2), dtype=dtypes.int64)) if lead else state

        return independent(states, (3,))

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Numbers of a normal distribution; see `tf.random.normal`."""
        return sampling.normal(self.take, shape, mean, stddev, dtype)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Numbers of a normal distribution cut off at two standard deviations; see `tf.random.truncated_normal`."""
        return sampling.truncated_normal(self.take, shape, mean, stddev, dtype)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Numbers of a uniform distribution; see `tf.random.uniform`. For integers None as both bounds means all."""
        return sampling.uniform(self.take, shape, minval, maxval, dtype, whole_range=True)

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Tensor:
        """Integers over the whole range of a dtype."""
        return sampling.bits(self.take, shape, dtype)

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: str | None = None
    ) -> Tensor:
        """Numbers of a binomial distribution; see `tf.random.stateless_binomial`."""
        return sampling.binomial(self.take, shape, counts, probs, dtype)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for the stateless functions: int64 of shape `[2, count]`."""
        return sampling.bits(self.take, [2, count], dtypes.int64)

    def split(self, count: int = 1) -> list[Generator]:
        """New generators, independent of this one and of each other; this one advances."""
        seeds = sampling.bits(self.take, [count, 2], dtypes.int64)
        states = random.RandomState(seeds)._array
        return [Generator(state=wrap(state), alg=self._alg) for state in states]


def _check_state(state: Any) -> Tensor:
    tensor = convert.convert_to_tensor(state._read() if isinstance(state, Variable) else state)
    if tuple(tensor.shape) != (3,) or tensor.dtype.kind != "i":
        raise errors.build(
            errors.ShapeError,
            f"Generator: the state must be a vector of three int64, got shape {tensor.shape} and dtype {tensor.dtype.name}.",
            "make one with tf.random.create_rng_state(seed, 'philox').",
        )
    return wrap(tensor._array.astype(np.int64))


for _name in ("normal", "truncated_normal", "uniform", "uniform_full_int", "binomial"):
    setattr(Generator, _name, doors.adapt(getattr(Generator, _name)))  # a shape may be known only when a function runs


def _key_counter(key: Any, counter: Any) -> Tensor:
    low, high = np.asarray(convert.convert_to_tensor(counter)).astype(np.int64)
    return wrap(np.array([low, high, np.asarray(convert.convert_to_tensor(key)).astype(np.int64)]))


_global: Generator | None = None


def replica_number() -> int | None:
    """The number of the replica that runs here; None outside of replicas. `tf.distribute` says it, once it is used."""
    return None


def get_global_generator() -> Generator:
    """The global generator; the operating system seeds it on first use.

    >>> tf.random.get_global_generator() is tf.random.get_global_generator()
    True
    """
    global _global
    if _global is None:
        made = Generator.from_non_deterministic_state()
        with _lock:  # threads that ask at once get one generator
            _global = _global or made
    return _global


def set_global_generator(generator: Generator) -> None:
    """Set the global generator.

    >>> g = tf.random.Generator.from_seed(1)
    >>> tf.random.set_global_generator(g)
    >>> tf.random.get_global_generator() is g
    True
    """
    global _global
    _global = generator
