"""Lets Keras 3.15 find gradtape as its backend; no file of Keras is touched.

Keras knows its backends by name. While it is being imported it is told "numpy", and the modules of its NumPy backend are
those of `gradtape.keras_backend`; when it is complete the name becomes "gradtape". The names in this file are the only ones
that depend on Keras's version: releases that load backends as plug-ins need none of it.

Standard library only: a `.pth` file imports it when Keras is first imported while KERAS_BACKEND says "gradtape", whether the
environment of the process said so or the program itself.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

NAME = "gradtape"
TESTED = ("3.15",)

_SLOT = "keras.src.backend.numpy"
_PACKAGE = "gradtape.keras_backend"
# Packages that Keras imports for a few functions, if they are there; they would take most of its own import's time.
_LATER = ("matplotlib.patches", "matplotlib.pyplot", "requests")
# Keras repairs old versions of it when it is imported, whatever the backend.
_UNWANTED = "jax"
_OPS = {"core", "image", "linalg", "math", "nn", "numpy"}
# What Keras looks for in the slot, and what the plug-in layout calls it.
_CLASSES = {
    "trainer": ("NumpyTrainer", "Trainer"),
    "layer": ("NumpyLayer", "BackendLayer"),
    "export": ("NumpyExportArchive", "SavedModelExportArchive"),
}


def install() -> None:
    """Make Keras use gradtape when it is imported. ImportError if it has been imported with another backend."""
    loaded = sys.modules.get("keras.src.backend.config") or sys.modules.get("keras")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        if loaded is not None:
            raise _imported_first()
        sys.meta_path.insert(0, _Finder())
    if loaded is None:
        os.environ["KERAS_BACKEND"] = NAME
    elif "keras.src.backend.config" in sys.modules and loaded._BACKEND not in (NAME, "numpy"):
        raise _imported_first()


def find_keras(path: Sequence[str] | None) -> Any:
    """The spec of Keras, which will use gradtape. The finder of the `.pth` file asks, once KERAS_BACKEND says "gradtape"."""
    install()
    return next(f for f in sys.meta_path if isinstance(f, _Finder)).find_spec("keras", path)


def keras() -> Any:
    """Keras on gradtape, imported."""
    install()
    try:
        return importlib.import_module("keras")
    except ModuleNotFoundError as problem:
        if problem.name != "keras":
            raise
        raise ModuleNotFoundError(
            "tf.keras needs Keras 3, which is not installed.\n  fix: pip install 'gradtape[keras]'", name="keras"
        ) from None


def _imported_first() -> ImportError:
    config = sys.modules.get("keras.src.backend.config")
    name = getattr(config, "_BACKEND", "another")
    return ImportError(
        f"Keras has been imported with the {name} backend, and cannot change it.\n"
        "  fix: import gradtape and use tf.keras before anything imports keras, or set KERAS_BACKEND=gradtape."
    )


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the slot in gradtape, and watches two imports of Keras itself."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name == "keras":
            return self._watched(name, path, _complete)
        if name == "keras.src.backend.config":
            return self._watched(name, path, _disguise)
        if (name == _SLOT or name.startswith(f"{_SLOT}.")) and _is_chosen():
            is_package = name == _SLOT
            return importlib.machinery.ModuleSpec(name, _Alias(_own_name(name)), is_package=is_package)
        if name == _UNWANTED and _is_importing():
            raise ModuleNotFoundError(f"Keras does without {name} on gradtape.", name=name)
        if name in _LATER and _is_importing():
            return self._postponed(name, path)
        return None

    def _postponed(self, name: str, path: Sequence[str] | None) -> Any:
        """The spec of a module that runs when it is first asked for something."""
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec

    def _watched(self, name: str, path: Sequence[str] | None, then: Any) -> Any:
        """Keras's own spec of a module, with something to do after it has run."""
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec") and not _is_of_start(finder):
                spec = finder.find_spec(name, path, None)
                if spec is not None:
                    # A file keras.py beside a program is not Keras, which is a package.
                    is_keras = name != "keras" or spec.submodule_search_locations is not None
                    if spec.loader is not None and is_keras:
                        spec.loader = _Watch(spec.loader, then)
                    return spec
        return None


def _is_of_start(finder: Any) -> bool:
    """Whether this is the finder of the `.pth` file, which asks this one."""
    return getattr(finder, "__name__", "") == "GradtapeForKeras"


class _Watch(importlib.abc.Loader):
    """A loader that does something after another one."""

    def __init__(self, loader: Any, then: Any) -> None:
        self._loader, self._then = loader, then

    def create_module(self, spec: Any) -> Any:
        if spec.name == "keras":
            _before(spec)
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = module.__spec__.loader = self._loader  # type: ignore[union-attr]
        self._loader.exec_module(module)
        self._then(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _Alias(importlib.abc.Loader):
    """A module of gradtape under a second name: there is one copy of every class."""

    def __init__(self, own: str) -> None:
        self._own = own

    def create_module(self, spec: Any) -> ModuleType:
        module = importlib.import_module(self._own)
        self._spec = module.__spec__
        slot, own = _CLASSES.get(self._own.rpartition(".")[2], ("", ""))
        if slot:
            setattr(module, slot, getattr(module, own))
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def _own_name(name: str) -> str:
    rest = name.removeprefix(_SLOT).lstrip(".")
    if not rest:
        return _PACKAGE
    return f"{_PACKAGE}.ops.{rest}" if rest.partition(".")[0] in _OPS else f"{_PACKAGE}.{rest}"


def _is_chosen() -> bool:
    config = sys.modules.get("keras.src.backend.config")
    return config is not None and getattr(config, "_gradtape", False)


def _is_importing() -> bool:
    """Whether Keras is being imported, with this backend."""
    config = sys.modules.get("keras.src.backend.config")
    return config is not None and getattr(config, "_importing", False)


def _before(spec: Any) -> None:
    """Check the version of Keras that is about to be imported, and forget the backend of an earlier import."""
    for name in [n for n in sys.modules if n == _PACKAGE or n.startswith(f"{_PACKAGE}.")]:
        del sys.modules[name]
    if os.environ.get("KERAS_BACKEND") != NAME:
        return
    from importlib.metadata import version

    found = version("keras")
    slot = os.path.join(next(iter(spec.submodule_search_locations)), "src", "backend", "numpy")
    tested = ", ".join(TESTED)
    if not os.path.exists(os.path.join(slot, "core.py")):
        raise ImportError(
            f"gradtape cannot be the backend of Keras {found}: it is built differently from those it was tested with "
            f"({tested}).\n  fix: pip install 'gradtape[keras]'."
        )
    if not any(found == t or found.startswith(f"{t}.") for t in TESTED):
        warnings.warn(
            f"gradtape was tested with Keras {tested}, and this is {found}: some functions may be missing.",
            stacklevel=2,
        )


def _disguise(config: Any) -> None:
    """The backend's name while Keras is being imported."""
    if config._BACKEND == NAME:
        config._BACKEND, config._gradtape, config._importing = "numpy", True, True


def _complete(keras: ModuleType) -> None:
    """Keras is there: give the backend its own name."""
    config: Any = sys.modules["keras.src.backend.config"]
    if not getattr(config, "_gradtape", False):
        return
    config._BACKEND, config._importing = NAME, False
    for module in ("files", "optimizer", "random", "stand_in", "tensorboard", "workers"):
        importlib.import_module(f"{_PACKAGE}.{module}").install()
    dynamic: Any = sys.modules["keras.src.utils.backend_utils"].DynamicBackend
    backend = sys.modules["keras.src.backend"]
    known, choose = dynamic.__getattr__, dynamic.set_backend

    def attribute(self: Any, name: str) -> Any:
        return getattr(backend, name) if self._backend == NAME else known(self, name)

    def set_backend(self: Any, name: str) -> None:
        if name == NAME:
            self._backend = name
        else:
            choose(self, name)

    dynamic.__getattr__, dynamic.set_backend = attribute, set_backend
