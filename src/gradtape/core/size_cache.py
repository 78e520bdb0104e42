"""A cache of results by sizes, which leaves symbols alone: an answer of one path is not that of another."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from gradtape.core.dims import Undecided

P = ParamSpec("P")
R = TypeVar("R")


def cache_by_sizes(maxsize: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator like `functools.lru_cache` for functions of sizes. Where one is a `Dim`, which has no hash, nothing is kept."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        cached = functools.lru_cache(maxsize)(function)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return cached(*args, **kwargs)  # type: ignore[arg-type]
            except Undecided:
                return function(*args, **kwargs)

        return call

    return decorate
