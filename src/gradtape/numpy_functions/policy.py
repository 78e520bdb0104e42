"""How a client of NumPy's functions converts arguments: what a `Policy` answers is one list of tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import gradtape as tf
from gradtape.core import dtypes
from gradtape.core.tensor import Tensor


class Policy(ABC):
    """The conversions of a client. A row of `elementwise.ROWS` names one of them.

    Attributes:
      small: the dtype in which bools are counted and compared.
      index: the dtype of positions and counts.
    """

    small: dtypes.DType
    index: dtypes.DType

    @abstractmethod
    def arrays(self, *values: Any) -> Sequence[Tensor]:
        """The values as tensors, each in its own dtype."""

    @abstractmethod
    def promoted(self, *values: Any) -> Sequence[Tensor]:
        """The values as tensors of one dtype."""

    @abstractmethod
    def inexact(self, *values: Any) -> Sequence[Tensor]:
        """The values as tensors of one floating point or complex dtype."""

    @abstractmethod
    def quotients(self, *values: Any) -> Sequence[Tensor]:
        """The values as tensors that can be divided by one another."""

    @abstractmethod
    def summed(self, x: Any, dtype: Any = None) -> Tensor:
        """What is summed or multiplied: in the given dtype, or narrow integers in a wider one."""

    @abstractmethod
    def accumulated(self, x: Any, dtype: Any = None) -> Tensor:
        """As `summed`, for running sums and products."""

    def averaged(self, x: Any, dtype: Any = None) -> Tensor:
        """What is averaged: as `inexact`."""
        return self.inexact(x)[0]

    def precise(self, x: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
        """The numbers in the dtype in which they are averaged, and the way back from there."""
        return x, lambda y: y

    def exact(self, *values: Any) -> Sequence[Tensor]:
        """As `inexact`, but integers of 64 bits become floats of 64 bits."""
        return self.inexact(*values)

    def numbers(self, *values: Any) -> Sequence[Tensor]:
        """As `promoted`; bools become integers."""
        found = self.promoted(*values)
        return [tf.cast(x, self.small) for x in found] if found[0].dtype.is_bool else found

    def truths(self, *values: Any) -> Sequence[Tensor]:
        """The values as bools: what is not zero is true."""
        return [tf.cast(x, dtypes.bool_) for x in self.arrays(*values)]
