"""Small things of TensorFlow's inside that fit nowhere else."""

from __future__ import annotations

import contextlib
import functools
import importlib
import numbers
import time
from types import ModuleType
from typing import Any

import numpy as np

from gradtape import version
from gradtape.core.tensor import Tensor as CoreTensor
from gradtape.core.variable import Variable

VERSION = version.VERSION
GIT_VERSION = f"v{version.VERSION}"
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)


class _AnyTensor(type):
    """Tensors and variables are instances, and so are objects of classes that derive from it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls.__name__ in ("Tensor", "Value") and isinstance(instance, (CoreTensor, Variable))


class Tensor(metaclass=_AnyTensor):
    """A base for classes of tensor-like objects."""

    __slots__ = ()


Value = Tensor


def forward_compatible(year: int, month: int, day: int) -> bool:
    """True: new behaviour may be used."""
    return True


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Any:
    """A block that pretends to run at a date."""
    yield


def load_op_library(library_filename: Any) -> Any:
    """Always NotFoundError: kernels for TensorFlow's runtime cannot be loaded."""
    from gradtape.core import errors

    raise errors.build(
        errors.NotFoundError,
        f"{library_filename} cannot be loaded: it has kernels for TensorFlow's runtime.",
        "use tf.py_function, or tf.custom_gradient.",
    )


def sleep(sleep_microseconds: int) -> Any:
    """A function of datasets that waits at each element."""

    def wait(element: Any) -> Any:
        time.sleep(sleep_microseconds / 1e6)
        return element

    return lambda dataset: dataset.map(wait)


def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """The public names of a module."""
    return [name for name in dir(importlib.import_module(module_name)) if not name.startswith("_")]


def remove_undocumented(module_name: str, allowed_exception_list: Any = None, doc_string_modules: Any = None) -> None:
    """Nothing: names of a module stay, documented or not."""


def should_invoke_op_callbacks() -> bool:
    """False: there are no op callbacks."""
    return False


def keyword_args_only(func: Any) -> Any:
    """A function that takes arguments by name only."""

    @functools.wraps(func)
    def named(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise ValueError(f"The function {func.__name__} only accepts keyword arguments.")
        return func(**kwargs)

    return named


class LazyLoader(ModuleType):
    """A module that is imported on first use."""

    def __init__(self, local_name: str, parent_module_globals: Any, name: str) -> None:
        super().__init__(name)
        self._local, self._globals = local_name, parent_module_globals

    def __getattr__(self, item: str) -> Any:
        module = importlib.import_module(self.__name__)
        self._globals[self._local] = module
        return getattr(module, item)


def unchanged(value: Any = None, *_: Any, **__: Any) -> Any:
    """The value itself."""
    return value


do_not_doc_inheritable = unchanged


def nothing(*_: Any, **__: Any) -> None:
    """Nothing is done."""


def absent_class(name: str, reason: str, base: type = object) -> Any:
    """A class that programs may ask whether something is an instance of it: nothing is, and none can be made."""

    def refuse(self: Any, *_: Any, **__: Any) -> None:
        raise NotImplementedError(f"{name} is left out: {reason}.")

    return type(name, (base,), {"__init__": refuse, "__doc__": f"Left out: {reason}.", "__module__": __name__})


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """The class itself: operators are modules, whose tensors are found by their attributes."""
    return cls
