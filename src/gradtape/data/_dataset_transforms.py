"""Methods of `Dataset` that take functions of elements.

Functions run eagerly, once for each element, on concrete tensors; tapes do not see them. What they raise reaches the
iteration as it is, with a note that names the line. A map of functions that only compute with functions of tf is compiled,
and runs on whole batches, if a batch follows and there are many elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from gradtape.autograph._calls import adapted
from gradtape.autograph._loops import for_loop
from gradtape.core import errors
from gradtape.core.state import current
from gradtape.data import _flat_map as flattening
from gradtape.data import _grouping as grouping
from gradtape.data import _map as mapping
from gradtape.data import _structure as structure
from gradtape.data._user_functions import Function


class Changing:
    """Functions of elements."""

    _stage: Any

    @classmethod
    def _of(cls, stage: Any) -> Self:
        raise NotImplementedError

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Self:
        """A dataset of the results of a function.

        Args:
          map_func: a function of an element; a tuple is spread over its arguments. It runs eagerly for each element, unless
            it only computes and is followed by `batch`: then it is soon compiled to run on whole batches.
          num_parallel_calls: how many elements are worked on at the same time, by threads; `tf.data.AUTOTUNE` for several
            if that is quicker.
          deterministic: False lets results come in the order in which they are ready; by default the options of the dataset decide.
          synchronous: True for one element after the other, without threads.
          use_unbounded_threadpool, name: ignored.

        >>> ds = tf.data.Dataset.range(3).map(lambda x: x * 10, num_parallel_calls=tf.data.AUTOTUNE)
        >>> [int(x) for x in ds]
        [0, 10, 20]
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError(
                errors.compose(
                    "map: `synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was set to "
                    f"{num_parallel_calls}.",
                    "leave one of them out.",
                )
            )
        return self._of(mapping.Map(self._stage, Function("map", map_func), num_parallel_calls, deterministic))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Self:
        """A dataset that skips elements whose computation raises an error in an earlier stage.

        Args:
          log_warning: whether the errors are logged.
          name: ignored.

        >>> ds = tf.data.Dataset.range(4).map(lambda x: 6 // (int(x) % 2))
        >>> [int(x) for x in ds.ignore_errors()]
        [6, 6]
        """
        return self._of(mapping.Tolerant(self._stage, log_warning))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """A dataset of the elements for which a function returns True.

        >>> [int(x) for x in tf.data.Dataset.range(6).filter(lambda x: x % 2 == 1)]
        [1, 3, 5]
        """
        return self._of(mapping.Filter(self._stage, Function("filter", predicate)))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Self:
        """A dataset of the elements before the first one for which a function returns False.

        >>> [int(x) for x in tf.data.Dataset.range(6).take_while(lambda x: x < 2)]
        [0, 1]
        """
        return self._of(mapping.TakeWhile(self._stage, Function("take_while", predicate)))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Self:
        """A dataset of the elements of the datasets that a function returns.

        >>> [int(x) for x in tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x))]
        [0, 0, 1]
        """
        return self._of(flattening.FlatMap(self._stage, Function("flat_map", map_func)))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Self:
        """A dataset that alternates between the elements of several datasets that a function returns.

        Args:
          map_func: a function of an element that gives a dataset.
          cycle_length: of how many datasets in turn.
          block_length: how many elements of one dataset follow each other; 1 by default.
          num_parallel_calls: if given, threads read the datasets ahead.
          deterministic: False lets the elements of datasets that threads read come in the order in which they are ready.
          name: ignored.

        >>> ds = tf.data.Dataset.range(2).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2)
        >>> [int(x) for x in ds]
        [0, 1, 0, 1]
        """
        function = Function("interleave", map_func)
        return self._of(
            flattening.Interleave(self._stage, function, cycle_length, block_length, num_parallel_calls, deterministic)
        )

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Self:
        """A dataset of the results of a function that also takes and returns a state.

        Args:
          initial_state: the first state.
          scan_func: a function of the state and an element that gives the next state and a result.
          name: ignored.

        >>> ds = tf.data.Dataset.range(5).scan(np.int64(0), lambda total, x: (total + x, total + x))
        >>> [int(x) for x in ds]
        [0, 1, 3, 6, 10]
        """
        return self._of(mapping.Scan(self._stage, initial_state, Function("scan", scan_func)))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The final state of a fold over all elements.

        Args:
          initial_state: the first state.
          reduce_func: a function of the state and an element that gives the next state.
          name: ignored.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x).numpy()
        np.int64(10)
        """
        if current.trace is not None:
            return _reduced_in_trace(self, initial_state, reduce_func)
        function = Function("reduce", reduce_func)
        function.check_arguments((structure.spec(structure.tensors(initial_state)), self._stage.spec()))
        state = first = structure.tensors(initial_state)
        for value in self._stage.values():
            state = function(state, value)
            mapping.check_state("reduce", first, state)
        return state

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """The result of a function that takes this dataset.

        >>> [int(x) for x in tf.data.Dataset.range(4).apply(lambda ds: ds.skip(2))]
        [2, 3]
        """
        made = transformation_func(self)
        if not hasattr(made, "_stage"):
            raise TypeError(
                errors.compose(
                    f"apply: the function must return a dataset, got {made!r}.",
                    "end the function with `return dataset`.",
                )
            )
        return made

    def group_by_window(
        self,
        key_func: Callable[..., Any],
        reduce_func: Callable[[Any, Any], Any],
        window_size: Any = None,
        window_size_func: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """A dataset of the results of a function on groups of elements with the same key.

        Args:
          key_func: a function of an element that gives an integer.
          reduce_func: a function of a key and a dataset of elements with that key that gives a dataset.
          window_size: how many elements a group has at most.
          window_size_func: the same as a function of the key.
          name: ignored.

        >>> ds = tf.data.Dataset.range(6).group_by_window(lambda x: x % 2, lambda key, group: group.batch(3), 3)
        >>> [x.numpy().tolist() for x in ds]
        [[0, 2, 4], [1, 3, 5]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(errors.compose("group_by_window: one of window_size and window_size_func is needed."))
        size = (
            (lambda key: int(window_size))
            if window_size_func is None
            else Function("group_by_window", window_size_func)
        )
        key, reduce = Function("group_by_window", key_func), Function("group_by_window", reduce_func)
        return self._of(
            grouping.GroupByWindow(self._stage, key, reduce, lambda k: grouping.window_size(size(k)), type(self)._of)
        )

    def bucket_by_sequence_length(
        self,
        element_length_func: Callable[..., Any],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Self:
        """A dataset of padded batches of elements of similar length.

        Args:
          element_length_func: a function of an element that gives its length.
          bucket_boundaries: lengths that divide the buckets; each belongs to the bucket above.
          bucket_batch_sizes: one size more than there are boundaries.
          padded_shapes, padding_values: as of `padded_batch`.
          pad_to_bucket_boundary: pad to one less than the boundary, instead of the longest of the batch.
          no_padding: batch without padding.
          drop_remainder: leave smaller batches at the end away.
          name: ignored.

        >>> ds = tf.data.Dataset.range(1, 5).map(lambda n: tf.ones([n], tf.int32))
        >>> [x.numpy().tolist() for x in ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])]
        [[[1, 0], [1, 1]], [[1, 1, 1, 0], [1, 1, 1, 1]]]
        """
        return self._of(
            grouping.Buckets(
                self._stage,
                Function("bucket_by_sequence_length", element_length_func),
                bucket_boundaries,
                bucket_batch_sizes,
                padded_shapes,
                padding_values,
                pad_to_bucket_boundary,
                no_padding,
                drop_remainder,
            )
        )

    def rejection_resample(
        self,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Self:
        """A dataset of pairs of class and element, resampled by dropping some of them.

        Args:
          class_func: a function of an element that gives its class, an int32.
          target_dist: how probable each class shall be.
          initial_dist: how probable each is in this dataset; it is estimated on the way by default.
          seed: of the choice.
          name: ignored.

        >>> ds = tf.data.Dataset.range(100).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.0, 1.0], [0.5, 0.5])
        >>> {int(label) for label, x in ds}
        {1}
        """
        function = Function("rejection_resample", class_func)
        return self._of(grouping.Resampled(self._stage, function, target_dist, initial_dist, seed))


def _reduced_in_trace(dataset: Any, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
    """The state after all elements, computed by a loop when the function runs."""
    held = [structure.tensors(initial_state)]
    function = adapted(reduce_func)

    def step(value: Any) -> None:
        held[0] = function(held[0], value)

    def set_state(values: tuple[Any, ...]) -> None:
        held[0] = values[0]

    for_loop(dataset, None, step, lambda: (held[0],), set_state, ("the state",), {})
    return held[0]
