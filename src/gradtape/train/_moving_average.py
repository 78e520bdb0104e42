"""ExponentialMovingAverage: variables that follow others slowly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradtape.core import convert, errors, state
from gradtape.core.variable import Variable
from gradtape.math._elementwise import cast, minimum


class ExponentialMovingAverage:
    """Moving averages of variables with exponentially decaying weights.

    Args:
      decay: how much of the average stays in each step, for instance 0.999.
      num_updates: how many steps there were, a number or a variable; the decay is then `min(decay, (1 + n) / (10 + n))`.
      zero_debias: start at 0 and divide by `1 - decay**n`, which is the same as to weigh all values that were seen.
      name: a part of the names of the averages.

    >>> v = tf.Variable(1.0)
    >>> ema = tf.train.ExponentialMovingAverage(decay=0.5)
    >>> ema.apply([v])
    >>> v.assign(3.0) is v
    True
    >>> ema.apply([v])
    >>> ema.average(v).numpy()
    np.float32(2.0)
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Any, _Average] = {}

    name = property(lambda self: self._name, doc="The name.")

    def apply(self, var_list: Iterable[Any] | None = None) -> None:
        """Move the averages of variables towards their current values; new averages start there.

        Args:
          var_list: variables of floats.
        """
        if var_list is None:
            raise errors.build(
                ValueError,
                "apply: var_list must be given: there is no list of all variables.",
                "pass the variables: ema.apply(model.variables).",
            )
        for variable in var_list:
            if not convert.convert_to_tensor(variable).dtype.is_floating:
                raise TypeError(f"The variables must be of floats: {getattr(variable, 'name', variable)}.")
            if _key(variable) not in self._averages:
                with state.outside():
                    self._averages[_key(variable)] = _Average(variable, self._zero_debias, self._name)
            self._averages[_key(variable)].move(convert.convert_to_tensor(variable), self._present_decay())

    def _present_decay(self) -> Any:
        if self._num_updates is None:
            return self._decay
        steps = cast(self._num_updates, "float32")
        return minimum(convert.convert_to_tensor(self._decay, "float32"), (1.0 + steps) / (10.0 + steps))

    def average(self, var: Any) -> Any:
        """The variable that holds the average of a variable; None if `apply` has not seen it."""
        found = self._averages.get(_key(var))
        return None if found is None else found.shown

    def average_name(self, var: Any) -> str:
        """The name of the average of a variable."""
        return f"{var.name.partition(':')[0]}/{self._name}"

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict[str, Any]:
        """Variables by the names under which their averages are saved."""
        return {self.average_name(v): v for v in moving_avg_variables or []}

    @property
    def variables(self) -> list[Variable]:
        """The averages, so that a checkpoint saves them."""
        return [average.shown for average in self._averages.values()]


class _Average:
    """The average of one variable."""

    def __init__(self, variable: Any, zero_debias: bool, name: str) -> None:
        start = convert.convert_to_tensor(variable)
        label = f"{getattr(variable, 'name', 'Variable').partition(':')[0]}/{name}"
        self.shown = Variable(start * 0.0 if zero_debias else start, trainable=False, name=label)
        self._biased = Variable(start * 0.0, trainable=False, name=f"{label}/biased") if zero_debias else None
        self._missing = Variable(1.0, trainable=False, name=f"{label}/missing") if zero_debias else None

    def move(self, value: Any, decay: Any) -> None:
        """Take in a value."""
        rate = 1.0 - cast(decay, value.dtype)
        if self._biased is None or self._missing is None:
            self.shown.assign_sub((self.shown - value) * rate)
            return
        self._biased.assign_sub((self._biased - value) * rate)
        self._missing.assign(self._missing * cast(decay, self._missing.dtype))
        self.shown.assign(self._biased / cast(1.0 - self._missing.read_value(), value.dtype))


def _key(variable: Any) -> Any:
    return variable.ref() if hasattr(variable, "ref") else id(variable)
