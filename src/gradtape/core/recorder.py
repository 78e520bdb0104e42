"""Recorders: the objects on a thread's list that observe the ops as they run."""

from __future__ import annotations

from typing import Any

NO_PARAMS: dict[str, Any] = {}


class Recorder:
    """Sees ops, uses of variables, and what else a tape wants to know. The methods here do nothing.

    Attributes:
      depth: the level of the vectorising transformation around it, 0 if none.
      closed: True once it must not see anything any more; whoever finds it on a list drops it.
    """

    __slots__ = ("closed", "depth")

    depth: float
    closed: bool

    def see(
        self, op: Any, ids: tuple[int, ...], values: Any, params: dict[str, Any], outputs: Any, result: Any
    ) -> None:
        """An op has run.

        Args:
          op: the op.
          ids: the identities of its inputs, 0 for what no tape knows.
          values: the inputs as arrays, or as the tensors of a transformation.
          params: the op's parameters.
          outputs: the tensor that came out, or a tuple of them.
          result: the same as an array or a tuple of arrays.
        """

    def see_pair(self, op: Any, i: int, j: int, p: Any, q: Any, y: Any, result: Any) -> None:
        """An op of two inputs has run: as `see`, for the operators, where every argument that is made counts."""
        self.see(op, (i, j), (p, q), NO_PARAMS, y, result)

    def concerns(self, ids: tuple[int, ...]) -> bool:
        """False if an op on these inputs would leave nothing here but a note, so that what derivatives read is not needed."""
        return True

    def access(self, variable: Any) -> None:
        """A variable is being read or assigned."""

    def left(self, tensor: Any, how: str, place: Any) -> None:
        """A tensor became a value of Python or NumPy."""

    def assigned(self, variable: Any, source: int, place: Any) -> None:
        """A variable got a new value, from the tensor with the identity `source`."""

    def created(self, tensor: Any) -> None:
        """A constant was made."""
