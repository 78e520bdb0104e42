"""Strategies for unsupported machines and devices: classes for isinstance checks that cannot be instantiated."""

from __future__ import annotations

from gradtape.distribute._absent_classes import LeftOut, TPUClusterResolver
from gradtape.distribute._strategy import Strategy


class TPUStrategy(LeftOut, Strategy):
    """A strategy over TPUs: there are none, so nothing is an instance of it.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)
    False
    """

    _left_out = TPUClusterResolver._left_out


class ParameterServerStrategy(LeftOut, Strategy):
    """A strategy over servers: there are no servers, so nothing is an instance of it.

    >>> isinstance(tf.distribute.get_strategy(), tf.distribute.ParameterServerStrategy)
    False
    """
