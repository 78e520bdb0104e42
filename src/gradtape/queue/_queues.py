"""Queues of elements between threads. In a function, queue ops run at every call."""

from __future__ import annotations

import functools
import heapq
import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradtape.core import convert, dtypes, errors, locks, state
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor, host, wrap
from gradtape.ops.family import boxed
from gradtape.transform.py_function import numpy_function


class QueueBase:
    """Base of the queues. An element is a tensor, or a list of its parts, or a dict of them if the parts have names.

    Args:
      dtypes: the dtype of each part.
      shapes: the shape of each part, or None.
      names: a name for each part, or None.
      queue_ref: accepted and ignored.
    """

    _takes_partial_shapes = False

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Any = None) -> None:
        self._dtypes = _listed(dtypes)
        self._shapes = None if shapes is None else _shapes(shapes, len(self._dtypes), self._takes_partial_shapes)
        self._names = None if not names else ([names] if isinstance(names, str) else list(names))
        if self._names and len(self._names) != len(self._dtypes):
            raise ValueError(f"{type(self).__name__}: {len(self._names)} names for {len(self._dtypes)} parts.")
        self._changed = locks.condition("queue")
        self._closed = False
        self._capacity, self._reserve = -1, 0
        self._name = "queue"

    dtypes = property(lambda self: self._dtypes, doc="The dtypes of the parts.")
    shapes = property(
        lambda self: self._shapes or [TensorShape(None)] * len(self._dtypes), doc="The shapes of the parts."
    )
    names = property(lambda self: self._names, doc="The names of the parts, or None.")
    name = property(lambda self: self._name, doc="The name of the queue.")
    queue_ref = property(lambda self: self, doc="The queue itself.")

    def enqueue(self, vals: Any, name: str | None = None) -> None:
        """Add an element; waits while the queue is full."""
        parts = self._parts(vals)
        self._run(lambda *arrays: self._put([arrays]), parts, [])

    def enqueue_many(self, vals: Any, name: str | None = None) -> None:
        """Add several elements: the rows of tensors."""
        parts = self._parts(vals)
        if any(not p.ndim for p in parts):
            raise errors.build(
                errors.ShapeError, "enqueue_many: a part must not be a scalar.", "give all parts a leading axis."
            )
        self._run(lambda *arrays: self._put(list(zip(*arrays, strict=True))), parts, [])

    def dequeue(self, name: str | None = None) -> Any:
        """Remove an element; waits while there is none, `tf.errors.OutOfRangeError` if the queue is closed."""
        return self._packed(self._run(lambda: self._take(1, 1)[0], [], self._dtypes, self.shapes))

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Remove n elements and stack them; waits until there are n."""
        return self._taken(n, lambda count: count)

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Remove n elements, or the remaining ones when the queue is closed."""
        return self._taken(n, lambda count: 1)

    def _taken(self, n: Any, least: Any) -> Any:
        if self._shapes is None:
            what = (
                f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )
            raise errors.build(errors.InvalidArgumentError, what, "give the queue shapes: shapes=[[]] for scalars.")

        def take(count: Any) -> Any:
            if count < 0:
                raise errors.build(
                    errors.InvalidArgumentError,
                    f"{self._name}: the number of elements must not be negative, got {count}.",
                    "give 0 or more.",
                )
            if count == 0:
                return tuple([_nothing(d, s) for d, s in zip(self._dtypes, self.shapes, strict=True)])
            rows = self._take(int(count), least(int(count)))
            return tuple([self._stacked(column) for column in zip(*rows, strict=True)])

        shapes = [TensorShape([None]).concatenate(s) for s in self.shapes]
        return self._packed(self._run(take, [convert.convert_to_tensor(n)], self._dtypes, shapes))

    def size(self, name: str | None = None) -> Tensor:
        """How many elements there are."""
        found: Tensor = self._run(lambda: (np.int32(len(self)),), [], [dtypes.int32], [TensorShape([])])[0]
        return found

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """Close the queue: nothing more can be added."""

        def close() -> tuple[()]:
            with self._changed:
                if self._closed:
                    raise errors.build(
                        errors.CancelledError, f"{self._name} is already closed.", "close it once; see is_closed()."
                    )
                self._closed = True
                self._changed.notify_all()
            return ()

        self._run(close, [], [])

    def is_closed(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether the queue is closed."""
        found: Tensor = self._run(lambda: (np.bool_(self._closed),), [], [dtypes.bool_], [TensorShape([])])[0]
        return found

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """One of several queues of equal kind."""
        if not queues or not all(isinstance(q, QueueBase) for q in queues):
            raise errors.build(TypeError, "from_list: a list of queues is expected.", "give queues of tf.queue.")
        for what in ("dtypes", "names"):
            if any(getattr(q, what) != getattr(queues[0], what) for q in queues):
                raise errors.build(
                    TypeError, f"from_list: Queues do not have matching component {what}.", "make them of one kind."
                )
        if not 0 <= int(index) < len(queues):
            raise errors.build(
                errors.InvalidArgumentError,
                f"from_list: index {int(index)} is not in [0, {len(queues)}).",
                "give the number of a queue.",
            )
        chosen = queues[int(index)]
        shapes = [
            functools.reduce(TensorShape.most_specific_compatible_shape, column)
            for column in zip(*[q.shapes for q in queues], strict=True)
        ]
        return chosen if str(shapes) == str(chosen.shapes) else _OneOf(chosen, shapes)

    def __len__(self) -> int:
        raise NotImplementedError

    def _add(self, element: Any) -> None:
        raise NotImplementedError

    def _remove(self) -> Any:
        raise NotImplementedError

    def _check(self, element: Any) -> None:
        """Refuse an element of other shapes."""
        for part, shape in zip(element, self.shapes, strict=True):
            if not shape.is_compatible_with(np.shape(part)):
                raise errors.build(
                    errors.ShapeError,
                    f"{self._name}: an element must have shape {shape}, got {list(np.shape(part))}.",
                    "reshape it to that, or make the queue without `shapes` for elements of any shape.",
                )

    def _stacked(self, column: Sequence[Any]) -> Any:
        return np.stack([np.asarray(boxed(x)) for x in column])

    def _put(self, elements: list[Any]) -> tuple[()]:
        for element in elements:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._capacity < 0 or len(self) < self._capacity)
                if self._closed:
                    raise errors.build(
                        errors.CancelledError,
                        f"{self._name} is closed.",
                        "put elements in before close().",
                    )
                self._add(element)
                self._changed.notify_all()
        return ()

    def _take(self, count: int, least: int) -> list[Any]:
        """`count` elements; at least `least` of them if the queue is closed before there are so many."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self) >= count + self._reserve)
            available = min(count, len(self))
            if available < max(least, 1 if count else 0):
                raise errors.build(
                    errors.OutOfRangeError,
                    f"{self._name} is closed and has insufficient elements (requested {count}, current size {len(self)}).",
                    "catch tf.errors.OutOfRangeError as the end, or use dequeue_up_to.",
                )
            taken = [self._remove() for _ in range(available)]
            self._changed.notify_all()
            return taken

    def _parts(self, vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            if not self._names:
                what = f"{self._name}: Queue must have names to enqueue a dictionary, got {sorted(vals)}."
                raise ValueError(errors.compose(what, "give the queue names, or enqueue a list."))
            if set(vals) != set(self._names):
                what = f"{self._name}: Keys in dictionary to enqueue do not match names of Queue: {sorted(vals)}, {self._names}."
                raise ValueError(errors.compose(what, "give a value for each name."))
            vals = [vals[n] for n in self._names]
        elif self._names:
            what = f"{self._name}: You must enqueue a dictionary in a Queue with names, got {errors.brief(vals)}."
            raise ValueError(errors.compose(what, f"give a dict with the keys {self._names}."))
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise errors.build(
                errors.ArgumentError,
                f"{self._name}: the numbers of values and dtypes differ: {len(vals)} vs {len(self._dtypes)}.",
                "give a value for each dtype.",
            )
        return [convert.convert_to_tensor(v, d) for v, d in zip(vals, self._dtypes, strict=True)]

    def _packed(self, parts: Any) -> Any:
        if self._names:
            return dict(zip(self._names, parts, strict=True))
        return parts[0] if len(parts) == 1 else list(parts)

    @staticmethod
    def _run(function: Any, inputs: list[Any], results: Any, shapes: Any = ()) -> Any:
        """What a function of arrays gives, now or when the function runs that is being traced."""
        if state.current.trace is None:
            return [wrap(boxed(y)) for y in function(*[host(x._array) for x in inputs])]
        made = numpy_function(lambda *arrays: [boxed(y) for y in function(*arrays)], inputs, list(results))
        for y, shape in zip(made, shapes, strict=True):
            y.set_shape(shape)
        return made


class _OneOf(QueueBase):
    """A queue that was chosen from several, whose shapes are those that all of them have in common."""

    def __init__(self, queue: QueueBase, shapes: list[TensorShape]) -> None:
        super().__init__(queue.dtypes, None, queue.names)
        self._queue, self._name, self._common = queue, queue.name, shapes

    shapes = property(lambda self: self._common, doc="The shapes of the parts, as far as the queues agree.")
    queue_ref = property(lambda self: self._queue, doc="The queue itself.")

    def __getattribute__(self, name: str) -> Any:
        return getattr(self._queue, name) if name in _PASSED else super().__getattribute__(name)


_PASSED = frozenset(
    {"enqueue", "enqueue_many", "dequeue", "dequeue_many", "dequeue_up_to", "size", "close", "is_closed"}
)


def _listed(kinds: Any) -> list[Any]:
    return [dtypes.as_dtype(d) for d in (kinds if isinstance(kinds, (list, tuple)) else [kinds])]


def _shapes(shapes: Any, count: int, partial: bool) -> list[TensorShape]:
    """The shapes of all parts; a list of ints is the shape of the only one."""
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise errors.build(TypeError, f"queue: shapes must be a list of shapes, got {shapes!r}.", "give a list.")
    is_alone = all(d is None or isinstance(d, int) for d in shapes)
    if partial and is_alone:
        raise errors.build(
            ValueError, "queue: when providing partial shapes, a list of shapes must be provided.", "write [shape]."
        )
    found = [TensorShape(s) for s in ([shapes] if is_alone else shapes)]
    if any(s.rank is None or not (partial or s.is_fully_defined()) for s in found):
        raise errors.build(
            ValueError,
            f"queue: all shapes must be fully defined, got {found}.",
            "give numbers, or use PaddingFIFOQueue, in which sizes may be None.",
        )
    if len(found) != count:
        raise errors.build(
            errors.ArgumentError,
            f"queue: the numbers of shapes and dtypes differ: {len(found)} vs {count}.",
            "give a shape for each dtype.",
        )
    return found


def _nothing(dtype: Any, shape: TensorShape) -> Any:
    """No element, stacked."""
    inner = [] if shape.rank is None else [d or 0 for d in shape]
    return np.zeros((0, *inner), dtype.numpy)


def _size(capacity: Any) -> int:
    if isinstance(capacity, (str, bytes)):
        raise errors.build(errors.ArgumentError, f"queue: capacity must be an int, got {capacity!r}.", "give an int.")
    return int(capacity)


class FIFOQueue(QueueBase):
    """A first-in, first-out queue.

    Args:
      capacity: how many elements there may be; a negative number sets no limit.
      dtypes: the dtype of each part of an element.
      shapes: the shape of each part, or None.
      names: a name for each part, or None.
      shared_name: accepted and ignored.
      name: shown in messages.

    >>> queue = tf.queue.FIFOQueue(3, tf.int32)
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> queue.dequeue().numpy(), queue.size().numpy()
    (np.int32(1), np.int32(2))
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: Any = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names)
        self._elements: deque[Any] = deque()
        self._capacity, self._name = _size(capacity), name

    def __len__(self) -> int:
        return len(self._elements)

    def _add(self, element: Any) -> None:
        self._check(element)
        self._elements.append(element)

    def _remove(self) -> Any:
        return self._elements.popleft()


class PaddingFIFOQueue(FIFOQueue):
    """A FIFOQueue whose elements may differ in size; `dequeue_many` pads them with zeros.

    >>> queue = tf.queue.PaddingFIFOQueue(3, tf.int32, [[None]])
    >>> queue.enqueue([[1]]), queue.enqueue([[2, 3]])
    (None, None)
    >>> queue.dequeue_many(2).numpy()
    array([[1, 0],
           [2, 3]], dtype=int32)
    """

    _takes_partial_shapes = True

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: Any = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        if shapes is None:
            raise errors.build(ValueError, "PaddingFIFOQueue: shapes must not be None.", "give a list of shapes.")
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)

    def _stacked(self, column: Sequence[Any]) -> Any:
        arrays = [np.asarray(x) for x in column]
        shape = np.max([a.shape for a in arrays], axis=0, initial=0) if arrays[0].ndim else ()
        blank = b"" if arrays[0].dtype.kind == "O" else 0
        whole = np.full((len(arrays), *map(int, shape)), blank, arrays[0].dtype)
        for row, array in zip(whole, arrays, strict=True):
            row[tuple(slice(n) for n in array.shape)] = array
        return whole


class RandomShuffleQueue(FIFOQueue):
    """A queue that returns elements in random order.

    Args:
      capacity: how many elements there may be.
      min_after_dequeue: how many must stay in the queue, for a good mixture, until it is closed.
      seed: an int for the same order in every run.

    >>> queue = tf.queue.RandomShuffleQueue(4, 0, tf.int32, shapes=[[]], seed=1)
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> sorted(queue.dequeue_many(3).numpy())
    [np.int32(1), np.int32(2), np.int32(3)]
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: Any = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, shared_name, name)
        self._reserve, self._random = int(min_after_dequeue), random.Random(seed)

    def _remove(self) -> Any:
        chosen = self._random.randrange(len(self._elements))
        self._elements[chosen], self._elements[-1] = self._elements[-1], self._elements[chosen]
        return self._elements.pop()


class PriorityQueue(QueueBase):
    """A queue that returns the element of the smallest priority first; the priority, an int64, is its first part.

    Args:
      capacity: how many elements there may be.
      types: the dtype of each part behind the priority.

    >>> queue = tf.queue.PriorityQueue(3, tf.string, [[]])
    >>> queue.enqueue([5, "late"]), queue.enqueue([1, "soon"])
    (None, None)
    >>> queue.dequeue()[1].numpy()
    b'soon'
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: Any = None,
        name: str = "priority_queue",
    ) -> None:
        rest = [] if types is None else _listed(types)
        inner = None if shapes is None else [TensorShape([]), *_shapes(shapes, len(rest), partial=False)]
        super().__init__([dtypes.int64, *rest], inner, names)
        self._heap: list[tuple[int, int, Any]] = []
        self._capacity, self._name, self._count = _size(capacity), name, 0

    def __len__(self) -> int:
        return len(self._heap)

    def _add(self, element: Any) -> None:
        self._check(element)
        self._count += 1
        heapq.heappush(self._heap, (int(element[0]), self._count, element))

    def _remove(self) -> Any:
        return heapq.heappop(self._heap)[2]
