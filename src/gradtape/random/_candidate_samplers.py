"""`tf.random` and `tf.nn`: samples of classes, for losses over a large number of classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradtape.api.arguments import integer, tensor
from gradtape.api.array_op import on_arrays
from gradtape.api.host_op import hosted
from gradtape.core import dtypes, errors
from gradtape.core.op import REGISTRY
from gradtape.core.shape import Spec, spec_of
from gradtape.core.tensor import Tensor
from gradtape.random import _functions as functions


class Candidates(NamedTuple):
    """A sample of classes.

    Attributes:
      sampled_candidates: the classes, int64 of shape `[num_sampled]`.
      true_expected_count: how often each true class is expected in such a sample, float32, `[batch, num_true]`.
      sampled_expected_count: how often each class of the sample is, float32, `[num_sampled]`.
    """

    sampled_candidates: Tensor
    true_expected_count: Tensor
    sampled_expected_count: Tensor


class Hits(NamedTuple):
    """Where samples are true classes: the row, the place in the sample, and -FLOAT_MAX to add to the logit there."""

    indices: Tensor
    ids: Tensor
    weights: Tensor


class Distribution(NamedTuple):
    """Classes with probabilities.

    Attributes:
      size: how many classes there are.
      support: how many can be drawn.
      draw: a function of uniform numbers of [0, 1) that gives classes.
      probability: a function of classes.
    """

    size: int
    support: int
    draw: Callable[[Any], Any]
    probability: Callable[[Any], Any]


def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: str | None = None,
) -> Candidates:  # fmt: skip
    """Classes drawn with equal probabilities.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw.
      unique: draw no class twice.
      range_max: the number of classes.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> tf.random.uniform_candidate_sampler([[3]], 1, 5, False, range_max=10).true_expected_count.numpy()
    array([[0.5]], dtype=float32)
    """
    size = _range("uniform_candidate_sampler", range_max)
    return _sample("uniform_candidate_sampler", true_classes, num_true, num_sampled, unique, "uniform", size, seed)


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: str | None = None,
) -> Candidates:  # fmt: skip
    """Classes drawn with probabilities that follow Zipf's law.

    Class c has the probability `(log(c + 2) - log(c + 1)) / log(range_max + 1)`.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw.
      unique: draw no class twice.
      range_max: the number of classes.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> tf.random.log_uniform_candidate_sampler([[0]], 1, 5, False, range_max=10).true_expected_count.numpy()
    array([[1.4453242]], dtype=float32)
    """
    size = _range("log_uniform_candidate_sampler", range_max)
    return _sample(
        "log_uniform_candidate_sampler", true_classes, num_true, num_sampled, unique, "log_uniform", size, seed
    )


def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: str = "",
    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0, unigrams: Sequence[float] = (),
    seed: Any = None, name: str | None = None,
) -> Candidates:  # fmt: skip
    """Classes drawn with probabilities in proportion to given weights.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw.
      unique: draw no class twice.
      range_max: the number of classes.
      vocab_file: a file with a line for each class, whose last entry, after a comma, is the weight.
      distortion: the power to which weights are raised: 0 makes them equal.
      num_reserved_ids: how many classes to put before the others, which are never drawn.
      num_shards: take each of this many classes only,
      shard: from this one on.
      unigrams: the weights, if there is no file.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> sample = tf.nn.fixed_unigram_candidate_sampler([[1]], 1, 4, False, range_max=2, unigrams=[1.0, 3.0])
    >>> sample.true_expected_count.numpy()
    array([[3.]], dtype=float32)
    """
    who = "fixed_unigram_candidate_sampler"
    if bool(vocab_file) == bool(len(unigrams)):
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: {'only one of vocab_file and unigrams may be given' if vocab_file else 'no weights are given'}.",
            "pass either vocab_file or unigrams.",
        )
    weights = np.asarray(_read(vocab_file) if vocab_file else unigrams, np.float64) ** distortion
    weights = np.concatenate([np.zeros(num_reserved_ids), weights])[shard::num_shards]
    if len(weights) != range_max:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: range_max is {range_max}, but there are {len(weights)} weights.",
            "give one weight for each class; reserved ones have none.",
        )
    return _sample(who, true_classes, num_true, num_sampled, unique, "weighted", range_max, seed, weights)


# What learned samplers have seen, by their arguments: weights of the classes.
_learned: dict[tuple[Any, ...], Any] = {}


def learned_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: Any = None,
    name: str | None = None,
) -> Candidates:  # fmt: skip
    """Classes drawn with probabilities that are learned from the true classes.

    A class has the weight 1, and 1 more for each time that it was a true class of a former call with the same arguments.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: how many classes to draw.
      unique: draw no class twice.
      range_max: the number of classes.
      seed: an integer that gives the call a stream of its own; see `tf.random.set_seed`.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> tf.nn.learned_unigram_candidate_sampler([[0]], 1, 3, False, range_max=6).true_expected_count.numpy()
    array([[0.5]], dtype=float32)
    """
    who = "learned_unigram_candidate_sampler"
    size, classes = _range(who, range_max), _true_classes(who, true_classes, num_true)
    state = functions.streams.find("candidates", dtypes.float64, seed).take((_RESERVED,))
    found: Any = learn_candidates(
        classes,
        state,
        who=who,
        size=size,
        num_sampled=integer(num_sampled, who, "num_sampled"),
        unique=bool(unique),
        seed=seed,
    )
    return Candidates(*found)


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: Any = None, name: str | None = None
) -> Candidates:
    """All classes from 0 to `num_sampled - 1`, once each.

    Args:
      true_classes: integers, `[batch, num_true]`.
      num_true: how many true classes an example has.
      num_sampled: the number of classes.
      unique: ignored.
      seed: ignored.
      name: ignored.

    Returns:
      A tuple (sampled_candidates, true_expected_count, sampled_expected_count).

    >>> tf.nn.all_candidate_sampler([[1]], 1, 3, True).sampled_candidates.numpy()
    array([0, 1, 2])
    """
    from gradtape.arrays.creation import ones_like

    classes = _true_classes("all_candidate_sampler", true_classes, num_true)
    counts = ones_like(classes, dtype=dtypes.float32)
    return Candidates(tensor(np.arange(num_sampled)), counts, tensor(np.ones(num_sampled, np.float32)))


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: Any = None, name: str | None = None
) -> Hits:
    """Where a sample holds a true class.

    Args:
      true_classes: integers, `[batch, num_true]`.
      sampled_candidates: integers, `[num_sampled]`.
      num_true: how many true classes an example has.
      seed: ignored.
      name: ignored.

    Returns:
      A tuple of vectors: indices (the row of the true class), ids (the place in the sample) and weights, which are
      -FLOAT_MAX: added to the logit of a hit, they take it out of a softmax.

    >>> hits = tf.nn.compute_accidental_hits([[0, 3], [9, 2]], [9, 3, 1], num_true=2)
    >>> hits.indices.numpy(), hits.ids.numpy()
    (array([0, 1], dtype=int32), array([1, 0]))
    """
    classes = _true_classes("compute_accidental_hits", true_classes, num_true)
    found: Any = find_accidental_hits(classes, tensor(sampled_candidates))
    return Hits(*found)


def _true_classes(who: str, true_classes: Any, num_true: int) -> Tensor:
    """The true classes; raises unless they are a matrix of that many columns."""
    found = tensor(true_classes)
    shape = tuple(found.shape) if found.shape.rank is not None else (None, None)
    if not found.dtype.is_integer or len(shape) != 2 or shape[1] not in (num_true, None):
        raise errors.build(
            errors.ShapeError if found.dtype.is_integer else errors.DTypeError,
            f"{who}: true_classes is {spec_of(found)}, but num_true is {num_true}.",
            "true_classes must be a matrix of integers with num_true columns.",
        )
    return found


def _range(who: str, range_max: Any) -> int:
    size = integer(range_max, who, "range_max")
    if size < 1:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: range_max must be positive, got {size}.",
            "give the number of classes.",
        )
    return size


def _read(vocab_file: str) -> list[float]:
    with open(vocab_file, encoding="utf-8") as lines:
        return [float(line.rpartition(",")[2]) for line in lines if line.strip()]


# Numbers that a call may draw: more than it will.
_RESERVED = 1 << 40


def _specs(classes: Spec, *_: Spec, num_sampled: int, **params: Any) -> tuple[Spec, ...]:
    return Spec((num_sampled,), dtypes.int64), Spec(classes.shape, dtypes.float32), Spec((num_sampled,), dtypes.float32)


@on_arrays(_specs)
def sample_candidates(
    classes: Any, state: Any, weights: Any, *, who: str, law: str, size: int, num_sampled: int, unique: bool
) -> Any:
    """Classes drawn from a state of random numbers, and the expected counts of the true ones and of these."""
    return _drawn(classes, state, who, _LAWS[law](size, weights), num_sampled, unique)


@hosted(_specs, effect=True)
def learn_candidates(
    classes: Any, state: Any, *, who: str, size: int, num_sampled: int, unique: bool, seed: Any
) -> Any:
    """The same with weights that grow with each call."""
    weights = _learned.setdefault((classes.shape[-1], num_sampled, unique, size, seed), np.ones(size))
    found = _drawn(classes, state, who, _weighted(size, weights), num_sampled, unique)
    np.add.at(weights, classes.ravel(), 1.0)
    return found


def _hits(classes: Spec, sampled: Spec) -> tuple[Spec, ...]:
    some: Any = (None,)
    return Spec(some, dtypes.int32), Spec(some, dtypes.int64), Spec(some, dtypes.float32)


@on_arrays(_hits)
def find_accidental_hits(classes: Any, sampled: Any) -> Any:
    """Rows and places in the sample where a sampled class is a true one, and what takes it out of a softmax."""
    rows, _, places = np.nonzero(classes[:, :, None] == sampled)
    weights = np.full(len(rows), np.finfo(np.float32).min)
    return rows.astype(np.int32), places.astype(np.int64), weights


def _uniform(size: int, _: Any) -> Distribution:
    return Distribution(size, size, lambda u: (u * size).astype(np.int64), lambda c: np.full(np.shape(c), 1 / size))


def _log_uniform(size: int, _: Any) -> Distribution:
    whole = math.log(size + 1)

    def draw(u: Any) -> Any:
        return np.minimum(np.exp(u * whole).astype(np.int64) - 1, size - 1)

    return Distribution(size, size, draw, lambda c: np.log1p(1 / (c + 1)) / whole)


def _weighted(size: int, weights: Any) -> Distribution:
    ends = np.cumsum(weights)
    whole = ends[-1]
    share = weights / whole

    def draw(u: Any) -> Any:
        return np.searchsorted(ends, u * whole, side="right").astype(np.int64)

    return Distribution(size, int(np.count_nonzero(weights)), draw, lambda c: share[c])


_LAWS: dict[str, Callable[[int, Any], Distribution]] = {
    "uniform": _uniform,
    "log_uniform": _log_uniform,
    "weighted": _weighted,
}


def _sample(
    who: str,
    true_classes: Any,
    num_true: int,
    num_sampled: int,
    unique: bool,
    law: str,
    size: int,
    seed: Any,
    weights: Any = (),
) -> Candidates:
    classes = _true_classes(who, true_classes, num_true)
    state = functions.streams.find("candidates", dtypes.float64, seed).take((_RESERVED,))
    found: Any = sample_candidates(
        classes,
        state,
        tensor(np.asarray(weights, np.float64)),
        who=who,
        law=law,
        size=size,
        num_sampled=integer(num_sampled, who, "num_sampled"),
        unique=bool(unique),
    )
    return Candidates(*found)


def _drawn(classes: Any, state: Any, who: str, law: Distribution, num_sampled: int, unique: bool) -> Any:
    if classes.size and (classes.min() < 0 or classes.max() >= law.size):
        wrong = classes[(classes < 0) | (classes >= law.size)][0]
        raise errors.build(
            errors.RangeError,
            f"{who}: `true_candidate` out of range [0, {law.size}), received {wrong}.",
            "check range_max.",
        )
    if unique and num_sampled > law.support:
        raise errors.build(
            errors.InvalidArgumentError,
            f"{who}: {num_sampled} different classes are wanted. Sampler's range is too small: {law.support}.",
            "sample fewer classes, or pass unique=False.",
        )
    sampled, tries = _classes(state, law, num_sampled, unique)

    def expected(c: Any) -> Any:
        p = law.probability(c)
        # Where no class comes twice, what is expected is that one of the draws was the class.
        count = -np.expm1(tries * np.log1p(-p)) if unique else p * num_sampled
        return count.astype(np.float32)

    return sampled, expected(classes), expected(sampled)


def _classes(state: Any, law: Distribution, num_sampled: int, unique: bool) -> tuple[Any, int]:
    """The classes, and how many draws it took to find them."""
    uniform: Any = REGISTRY["random_uniform"].kernel
    count = num_sampled
    while True:
        drawn = law.draw(uniform(state, shape=(count,), dtype=dtypes.float64))
        if not unique:
            return drawn, num_sampled
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if len(first) >= num_sampled:
            first = first[:num_sampled]
            return drawn[first], int(first[-1]) + 1 if num_sampled else 0
        count *= 2
