"""Bad input is refused when the dataset is made, with the classes that TensorFlow raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradtape as tf

Dataset = tf.data.Dataset
slices = Dataset.from_tensor_slices
InvalidArgument = tf.errors.InvalidArgumentError


def rows() -> Any:
    return Dataset.range(1, 4).map(lambda n: tf.range(n))


REFUSED: dict[str, tuple[Any, Callable[[], Any]]] = {
    "range of text": (TypeError, lambda: Dataset.range("a")),
    "range of a float": (TypeError, lambda: Dataset.range(1.5)),
    "range of None": (ValueError, lambda: Dataset.range(None)),
    "range of a vector": (InvalidArgument, lambda: Dataset.range([1, 2])),
    "range with step 0": (InvalidArgument, lambda: Dataset.range(0, 5, 0)),
    "range of strings": (InvalidArgument, lambda: Dataset.range(3, output_type=tf.string)),
    "take of text": (TypeError, lambda: Dataset.range(3).take("x")),
    "batch of 0": (InvalidArgument, lambda: Dataset.range(3).batch(0)),
    "batch of None": (ValueError, lambda: Dataset.range(3).batch(None)),
    "rebatch of 0": (InvalidArgument, lambda: Dataset.range(4).batch(2).rebatch(0)),
    "window of 0": (InvalidArgument, lambda: Dataset.range(3).window(0)),
    "arity of a map": (TypeError, lambda: Dataset.range(3).map(lambda a, b: a)),
    "arity of a filter": (TypeError, lambda: slices(([1], [2])).filter(lambda a: True)),
    "calls of 0": (InvalidArgument, lambda: Dataset.range(3).map(lambda x: x, num_parallel_calls=0)),
    "cycle of 0": (InvalidArgument, lambda: Dataset.range(3).interleave(Dataset.from_tensors, 0)),
    "calls over the cycle": (
        InvalidArgument,
        lambda: Dataset.range(3).interleave(Dataset.from_tensors, 2, num_parallel_calls=3),
    ),
    "rank of a padded shape": (ValueError, lambda: rows().padded_batch(2, [3, 3])),
    "smaller padded shape": (ValueError, lambda: slices([[1, 2, 3]]).padded_batch(2, [2])),
    "structure of padded shapes": (ValueError, lambda: slices(([1], [2])).padded_batch(2, ([],))),
    "dtype of padding": ((TypeError, ValueError), lambda: rows().padded_batch(2, padding_values="a")),
    "padding of sparse tensors": (
        TypeError,
        lambda: Dataset.from_tensors(tf.SparseTensor([[0]], [1], [2])).padded_batch(2),
    ),
    "unbatch of scalars": (ValueError, lambda: Dataset.range(3).unbatch()),
    "concatenated dtypes": (TypeError, lambda: slices([1]).concatenate(slices([1.0]))),
    "concatenated keys": (TypeError, lambda: slices({"a": [1]}).concatenate(slices({"b": [1]}))),
    "zip of nothing": (TypeError, lambda: Dataset.zip()),
    "zip of a list": (TypeError, lambda: Dataset.zip([slices([1]), slices([2])])),
    "zip of both": (TypeError, lambda: Dataset.zip(slices([1]), datasets=slices([1]))),
    "choice of int32": (TypeError, lambda: Dataset.choose_from_datasets([slices([1])], slices([0]))),
    "sampled dtypes": (TypeError, lambda: Dataset.sample_from_datasets([slices([1]), slices(["a"])])),
    "length of weights": (ValueError, lambda: Dataset.sample_from_datasets([slices([1])], [0.5, 0.5])),
    "dtype of weights": (TypeError, lambda: Dataset.sample_from_datasets([slices([1])], [1])),
    "unique of floats": (TypeError, lambda: slices([1.0]).unique()),
    "generator without a signature": (TypeError, lambda: Dataset.from_generator(lambda: [1])),
    "signature of dtypes": (TypeError, lambda: Dataset.from_generator(lambda: [1], output_signature=tf.int32)),
    "slices of None": (ValueError, lambda: slices(None)),
    "access at the end": (tf.errors.OutOfRangeError, lambda: tf.data.experimental.at(Dataset.range(3), 3)),
    "access without end": (tf.errors.FailedPreconditionError, lambda: tf.data.experimental.at(Dataset.counter(), 3)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    kind, make = REFUSED[what]
    with pytest.raises(kind) as raised:
        make()
    assert "fix:" in str(raised.value) or "must" in str(raised.value)


@pytest.mark.parametrize("what", ["number", "one", "three", "shape"])
def test_refused_in_the_iteration(what: str) -> None:
    given = {"number": lambda: 1, "one": lambda: [(1,)], "three": lambda: [(1, 2, 3)], "shape": lambda: [([1], 2)]}
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    with pytest.raises(InvalidArgument):
        list(Dataset.from_generator(given[what], output_signature=spec))


def test_states_keep_their_dtype() -> None:
    for run in (
        lambda: list(Dataset.range(2).scan(0, lambda s, x: (1.0, x))),
        lambda: Dataset.range(2).reduce(0, lambda s, x: 1.0),
    ):
        with pytest.raises(TypeError, match="must match the initial state"):
            run()


def test_functions_that_cannot_be_traced_do_not_run_when_a_dataset_is_made() -> None:
    calls = []

    def eager(x: Any) -> Any:
        calls.append(x.numpy() if hasattr(x, "numpy") else None)
        return [int(x)]

    dataset = Dataset.range(2).map(eager).padded_batch(2).unbatch()
    assert not [c for c in calls if isinstance(c, int)]
    assert len(list(dataset)) == 2


_WORDS = {
    "rank": (lambda: Dataset.range(2).padded_batch(2, (1, 1)), ValueError, r"shape \(1, 1\) is not compatible .* \(\)"),
    "small": (lambda: Dataset.from_tensors([1, 2]).padded_batch(2, [1]), ValueError, r"\(1,\) is not compatible"),
    "floats": (lambda: Dataset.from_tensors([1]).padded_batch(2, tf.constant([1.0])), TypeError, "element type was float32"),
    "matrix": (
        lambda: Dataset.from_tensors([1]).padded_batch(2, tf.constant([[1]])),
        ValueError,
        r"vector tensor, but its shape was \(1, 1\)",
    ),
    "fill": (
        lambda: Dataset.range(2).padded_batch(2, padding_values=tf.constant(1.5)),
        TypeError,
        "type float32, which does not match type int64",
    ),
    "sparse": (
        lambda: Dataset.from_tensors(tf.sparse.eye(2)).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [1, 1]),
        TypeError,
        "only supported for datasets that produce tensor elements",
    ),
    "datasets": (lambda: Dataset.from_tensor_slices(Dataset.range(2)), ValueError, "Slicing dataset elements"),
    "none": (lambda: Dataset.sample_from_datasets([]), ValueError, "`datasets` should not be empty"),
    "choice": (
        lambda: Dataset.choose_from_datasets([Dataset.range(2)], Dataset.from_tensors(1.0)),
        TypeError,
        "`choice_dataset` must be scalar `tf.int64`",
    ),
    "mixed": (
        lambda: Dataset.sample_from_datasets([Dataset.from_tensors(0), Dataset.from_tensors(0.0)]),
        TypeError,
        "must have compatible element specs",
    ),
    "arrays": (lambda: Dataset.from_tensors(Dataset.range(2)).as_numpy_iterator(), TypeError, "is not supported"),
    "window": (
        lambda: list(Dataset.range(2).group_by_window(lambda x: x, lambda key, window: 1, 1)),
        TypeError,
        "`reduce_func` must return a `tf.data.Dataset`",
    ),
    "length": (
        lambda: list(
            Dataset.from_tensors([1, 2, 3]).bucket_by_sequence_length(tf.size, [2], [1, 1], pad_to_bucket_boundary=True)
        ),
        InvalidArgument,
        r"must have length < max\(bucket_boundaries\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", _WORDS)
def test_refusals_name_the_argument(what: str) -> None:
    run, kind, words = _WORDS[what]
    with pytest.raises(kind, match=words):
        run()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Dataset.range(2).map(lambda x: object), TypeError, r"function passed to Dataset\.map\(\)"),
        (lambda: Dataset.range(2).map(abs, num_parallel_calls=2, synchronous=True), ValueError, "`synchronous`"),
        (lambda: Dataset.range(2).filter(lambda x: [x > 0, x > 1]), ValueError, "`predicate` must return"),
        (lambda: Dataset.range(2).take_while(lambda x: Dataset.range(2)), ValueError, "`predicate` must return"),
        (
            lambda: Dataset.range(2).scan(1, lambda s, x: (tf.SparseTensor([[0]], [1], [1]), s)),
            TypeError,
            "element classes for the new state",
        ),
        (
            lambda: Dataset.range(2).group_by_window(lambda x: x, lambda k, d: d, window_size_func=lambda k: [k, k]),
            ValueError,
            "`window_size_func` must return",
        ),
        (lambda: Dataset.from_tensor_slices([[1]]).padded_batch(1, ["a"]), TypeError, "padded shape"),
        (lambda: Dataset.from_tensors(([1], [2])).sparse_batch(4, [2]), TypeError, "single component"),
        (lambda: Dataset.from_tensors([1]).sparse_batch(4, [2, 3]), tf.errors.InvalidArgumentError, "incompatible"),
        (lambda: Dataset.range(2).rejection_resample(lambda x: 1.5, [0.5, 0.5]), TypeError, "`class_func`"),
        (lambda: Dataset.range(3).rejection_resample(lambda x: x, [0.5, 0.5]), IndexError, "`class_func`"),
        (
            lambda: Dataset.from_generator(lambda: iter([[1], [1, 2]]), tf.int32).ragged_batch(2),
            tf.errors.InvalidArgumentError,
            "Cannot batch tensors with different shapes",
        ),
        (lambda: Dataset.range(2).apply(tf.data.experimental.assert_cardinality(-1)), Exception, "infinite number of"),
    ],
)
def test_elements_of_the_wrong_kind(make: Any, kind: Any, message: str) -> None:
    with pytest.raises(kind, match=message):
        list(make())


def test_elements_with_one_part_can_be_unique() -> None:
    ds = Dataset.from_tensor_slices({"a": [1, 2, 1]}).unique()
    assert [int(x["a"]) for x in ds] == [1, 2]


def test_counters_may_be_floats() -> None:
    assert list(Dataset.counter(1.5, 2, tf.float32).take(2).as_numpy_iterator()) == [1.5, 3.5]
