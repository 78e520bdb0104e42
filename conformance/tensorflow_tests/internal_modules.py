"""`tensorflow.python.*` for TensorFlow's test files on gradtape: each name is answered by the public one.

Names without a public one are looked for in `gradtape.compat`; those that are not there either raise `NotPublicError` when they are used, which
sets the test aside: it asks more than the public API.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import sys
import unittest
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

# What the tests share. These files are loaded from TensorFlow's source.
_SHARED = ("test_combinations.py", "combinations.py", "gradient_checker_v2.py", "checkpoint_testing.py", "test_util.py")
_SHARED_ENDS = ("test_base.py", "_test_util.py", "_test_utils.py", "_test_ops.py")
# Names of the tests' release that are gone in the one that wrote the table.
_MOVED = {"tensorflow.python.framework.ops.Tensor": "tf.Tensor"}
_INSIDE = tuple(f"tensorflow.{part}" for part in ("python", "core", "compiler", "tsl", "dtensor", "lite"))


class NotPublicError(Exception):
    """A test has used a name that the public API does not have."""


used_names: list[str] = []


def set_aside(name: str) -> NoReturn:
    """Raises, and notes the name, in case the test catches what is raised."""
    used_names.append(name)
    raise NotPublicError(name)


class Missing:
    """Stands for a name that is not public, until a test uses it. While a file is imported, it decorates what it is given."""

    is_importing = False

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def _use(self, *_: Any, **__: Any) -> NoReturn:
        set_aside(self._name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not Missing.is_importing:
            set_aside(self._name)
        is_decorator = len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0]))
        return args[0] if is_decorator else Missing(f"{self._name}()")

    # Without __iter__, which would make it a list of arguments of a parametrised test; iter() asks __getitem__.
    __enter__ = __bool__ = __int__ = __float__ = __index__ = _use
    __len__ = __getitem__ = __instancecheck__ = _use
    __add__ = __mul__ = __or__ = __call__

    def __exit__(self, *_: Any) -> None:
        pass

    def __mro_entries__(self, bases: Any) -> tuple[type]:
        """Classes of a test file that derive from it can be defined; tests of such a class are set aside."""
        if not self._name.endswith("TestCase"):
            return (_OfMissingBase,)
        name = self._name
        return (type("TestCase", (unittest.TestCase,), {"setUp": lambda _: set_aside(name)}),)

    def __getattr__(self, name: str) -> Missing:
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self._name}.{name}")


class _OfMissingBase:
    """The base of classes that derive from what is not public."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if super().__init__.__qualname__.startswith("object."):
            set_aside(f"the base of {type(self).__name__}")
        super().__init__(*args, **kwargs)


class InternalModule(ModuleType):
    """A module of TensorFlow's inside."""

    def __init__(self, name: str, finder: InternalFinder) -> None:
        super().__init__(name)
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__version__", "__git_version__"):
            raise AttributeError(name)
        value = self.__dict__[name] = self._finder.value(self.__name__, name)
        return value


class InternalFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules.

    Args:
      source: the folder that has TensorFlow's `tensorflow`.
      table: what public_names.py wrote.
      framework: the names of the test framework, by module.
    """

    def __init__(self, source: Path, table: Mapping[str, Any], framework: Mapping[str, Mapping[str, Any]]) -> None:
        self._source, self._framework = source, framework
        self._names, self._modules = table["names"], table["modules"]

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        if not name.startswith(_INSIDE):
            return None
        file = self._source / f"{name.replace('.', '/')}.py"
        if name not in self._framework and file.exists():
            is_shared = file.name in _SHARED or file.name.endswith(_SHARED_ENDS)
            is_test = "test" in file.name and self._modules.get(name) is False
            if is_shared or is_test or ".kernel_tests." in name:
                return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        return InternalModule(spec.name, self)

    def exec_module(self, module: ModuleType) -> None:
        pass

    def value(self, module: str, name: str) -> Any:
        """What a module has under a name."""
        own = self._framework.get(module, {})
        if name in own:
            return own[name]
        full = f"{module}.{name}"
        public = self._names.get(full) or _MOVED.get(full)
        if isinstance(public, dict):
            return public["value"]
        if public is not None:
            try:
                value = public_value(public)
                is_snake = ".gen_" in module and name.islower()
                return _positional(value) if is_snake and public.startswith("tf.raw_ops.") else value
            except Exception:  # gradtape leaves it out, or has it as an internal name only
                if not public.startswith("tf.raw_ops."):
                    return Missing(public)
        if self._modules.get(full):
            return importlib.import_module(full)
        from gradtape.compat import _tables

        known = _tables.module(module)
        if hasattr(known, name):
            return getattr(known, name)
        path = self._source / full.replace(".", "/")
        return importlib.import_module(full) if path.exists() or path.with_suffix(".py").exists() else Missing(full)


def public_value(path: str) -> Any:
    """What has a public name, such as `tf.math.add`."""
    import gradtape as tf

    _, *parts = path.split(".")
    if parts[0] == "raw_ops":
        return getattr(importlib.import_module("tensorflow").raw_ops, parts[1])
    return functools.reduce(getattr, parts, tf)


def _positional(op: Any) -> Any:
    """A function of raw_ops that also takes positional arguments, as the generated functions of the tests do."""
    names = [name for name in inspect.signature(op).parameters if name != "name"]

    @functools.wraps(op)
    def call(*args: Any, **kwargs: Any) -> Any:
        return op(**dict(zip(names, args, strict=False)), **kwargs)

    return call


def _name_what_tests_ask_of_iterators() -> None:
    """The tests of datasets take elements by a private method, which is `get_next`."""
    from gradtape.data import _iterator, _traced

    for kind in (_iterator.Iterator, _traced.TracedIterator):
        kind._next_internal = kind.get_next


def install(source: Path, table: Path) -> None:
    """From now on `tensorflow` is gradtape, with what TensorFlow's tests import."""
    import framework

    import gradtape.compat

    gradtape.compat.install()
    _name_what_tests_ask_of_iterators()
    with contextlib.suppress(ImportError):
        from google.protobuf import json_format

        json_format.MessageToJson = framework._json
    sys.meta_path.insert(0, InternalFinder(source, json.loads(table.read_text()), framework.modules()))
