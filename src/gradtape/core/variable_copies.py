"""How copies of one variable on several devices are kept alike: TensorFlow's enumerations."""

import enum


class VariableSynchronization(enum.Enum):
    """When to synchronise copies of a variable on several devices."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How to aggregate copies of a variable on several devices."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
