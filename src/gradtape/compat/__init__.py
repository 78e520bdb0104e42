"""`import tensorflow` answered by gradtape, in this process, when a program asks for it.

`gradtape run script.py` does it for a whole program; `gradtape.compat.install()` from code, before the first import of
TensorFlow. Also `tf.compat`: TensorFlow's conversions between bytes and text, and `tf.compat.v2`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import gradtape
from gradtape import version
from gradtape.api import absent
from gradtape.compat import _fronts, _tables, _tensor_attributes
from gradtape.compat._horovod import HorovodFinder
from gradtape.core import lazy

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "install", "is_installed", "path_to_str", "uninstall"]

TENSORFLOW_VERSION = version.VERSION  # programs compare it
_ROOT = _fronts.ROOT
_FROM_KERAS = ("initializers", "keras", "losses", "metrics", "optimizers")


def install() -> None:
    """Make `import tensorflow`, `from tensorflow import …` and `tensorflow.keras` give gradtape in this process.

    Keras, if it is imported later, uses gradtape as its backend; `tensorflow.keras` also has what Keras 2 had and programs
    still use: `backend.mean`, `metric.reset_states()`, `Adam(lr=…)`, `optimizers.legacy`. NumPy functions of tensors give
    arrays, as there: `np.mean(t).astype(int)` works, and no gradient flows through it. A TensorFlow that is installed is
    not touched, and cannot be imported until `uninstall`.

    Raises:
      ImportError: TensorFlow itself has been imported already, or Keras with another backend.

    >>> tf.compat.install()
    >>> import tensorflow
    >>> tensorflow.constant(1.0) + 1.0
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    >>> tf.compat.uninstall()
    """
    if is_installed():
        return
    if _ROOT in sys.modules:
        raise ImportError(
            "TensorFlow has been imported already, so gradtape cannot answer for it in this process.\n"
            "  fix: call gradtape.compat.install() before anything imports tensorflow, or use `gradtape run script.py`."
        )
    importlib.import_module("gradtape_keras_hook").install()
    sys.meta_path[:0] = [_Finder(), HorovodFinder()]
    gradtape.config.record_numpy_functions(False)
    _tensor_attributes.install()


def uninstall() -> None:
    """Undo `install`: `import tensorflow` means TensorFlow again. Modules that have been imported stay where they are."""
    if is_installed():
        gradtape.config.record_numpy_functions(True)
        _tensor_attributes.uninstall()
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, (_Finder, HorovodFinder))]
    for name in [n for n in sys.modules if n.partition(".")[0] in (_ROOT, "horovod")]:
        module = sys.modules.pop(name)
        parent, _, last = name.rpartition(".")
        if isinstance(module, _fronts.TableModule):  # the import has bound it in the parent module
            vars(sys.modules.get(parent, module)).pop(last, None)
            _tables.module.cache_clear()
    globals().pop("v2", None)  # importing `tensorflow.compat.v2` has put it here


def is_installed() -> bool:
    """True after `install`.

    >>> tf.compat.is_installed()
    False
    """
    return any(isinstance(finder, _Finder) for finder in sys.meta_path)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `tensorflow` and its submodules."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name == "keras" and os.environ.get("KERAS_BACKEND") == _ROOT:
            os.environ["KERAS_BACKEND"] = "gradtape"  # from here on, gradtape answers the program's requests
        if name == "tensorboard.compat.notf":  # so TensorBoard asks whether to do without TensorFlow
            return importlib.machinery.ModuleSpec(name, _Loader(ModuleType(name)))
        if name != _ROOT and not name.startswith(f"{_ROOT}."):
            return None
        found = _tables.module(name) or resolve(name.split(".")[1:])
        if found is None:
            raise ModuleNotFoundError(_absence(name), name=name)
        return importlib.machinery.ModuleSpec(name, _Loader(found), is_package=True)


class _Loader(importlib.abc.Loader):
    """Loads a found module: a module under a second name, or a front for another object's attributes."""

    def __init__(self, found: Any) -> None:
        self._found = found
        self._spec = getattr(found, "__spec__", None)

    def create_module(self, spec: Any) -> ModuleType:
        if self._found is gradtape:
            return sys.modules[_ROOT] if _ROOT in sys.modules else _root()
        if isinstance(self._found, ModuleType):
            return self._found
        shown = self._found
        return _fronts.Front(spec.name, shown, lambda name: getattr(shown, name))

    def exec_module(self, module: ModuleType) -> None:
        if module is self._found:
            module.__spec__ = self._spec
        elif module is sys.modules.get(_ROOT):
            module.__spec__ = importlib.machinery.ModuleSpec(_ROOT, self, is_package=True)


def _root() -> ModuleType:
    """gradtape under TensorFlow's name, with names that only TensorFlow programs use."""
    root = _fronts.Front(_ROOT, gradtape, _in_root)
    root.__version__ = TENSORFLOW_VERSION  # type: ignore[attr-defined]
    root.__git_version__ = f"v{TENSORFLOW_VERSION}"  # type: ignore[attr-defined]
    root.__all__ = list(gradtape.__all__)  # type: ignore[attr-defined]
    return root


def _in_root(name: str) -> Any:
    if name in _FROM_KERAS:
        return resolve([name])
    if _tables.module(f"{_ROOT}.{name}") is not None:
        return importlib.import_module(f"{_ROOT}.{name}")
    return getattr(gradtape, name)


def resolve(parts: Sequence[str]) -> Any:
    """The object that gradtape has under a dotted name of TensorFlow, given as parts; None if there is none."""
    found: Any = gradtape
    parts = list(parts)
    while parts[:2] == ["compat", "v2"]:
        parts = parts[2:]
    for i, part in enumerate(parts):
        if i == 0 and part in _FROM_KERAS:
            found = _keras() if part == "keras" else getattr(_keras(), part)
            continue
        try:
            found = getattr(found, part)
        except AttributeError:
            if not isinstance(found, ModuleType):
                return None
            try:
                found = importlib.import_module(f"{found.__name__}.{part}")
            except ModuleNotFoundError as problem:
                if problem.name and problem.name.startswith(found.__name__):
                    return None
                raise
    return found


def _keras() -> Any:
    """Keras as TensorFlow shows it, and some habits of Keras 2; Keras 2 itself where the environment asks for it."""
    if os.environ.get("TF_USE_LEGACY_KERAS", "") in ("1", "true", "True"):
        try:
            importlib.import_module("tf_keras")
        except ModuleNotFoundError as problem:
            if problem.name != "tf_keras":
                raise
            raise ImportError(
                "tensorflow.keras: TF_USE_LEGACY_KERAS asks for Keras 2, which is not installed.\n"
                "  fix: install tf_keras without its dependencies (they contain TensorFlow), or unset the variable."
            ) from None
        return importlib.import_module("tf_keras.api._v2.keras")
    importlib.import_module("gradtape_keras_hook").keras()  # which says how to install Keras
    importlib.import_module("gradtape.keras_backend.keras2_idioms").install()
    return gradtape.keras


def _absence(name: str) -> str:
    known = absent.lookup(f"tf{name.removeprefix(_ROOT)}")
    if known is not None:
        fix = f"it is left out, since {known.reason}; {known.instead}"
    elif _tables.is_inside(name):
        asker = _fronts.asker(sys._getframe(1))
        fix = "it is a part of TensorFlow's inside; use the public name, for instance tf.keras for tensorflow.python.keras."
        return f"No module named {name!r}: gradtape has no such module of TensorFlow's inside.\n  at:  {asker}\n  fix: {fix}"
    else:
        fix = "`gradtape check script.py` lists the names that a program uses and gradtape lacks."
    return f"No module named {name!r}: gradtape answers for tensorflow here, and has no such module.\n  fix: {fix}"


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """The encoded bytes of a string; bytes are returned unchanged.

    >>> tf.compat.as_bytes("é")
    b'\\xc3\\xa9'
    """
    if isinstance(bytes_or_text, (bytearray, bytes)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """The text of bytes; text stays as it is.

    >>> tf.compat.as_text(b"abc")
    'abc'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """The text of bytes, and `str` of anything else.

    >>> tf.compat.as_str_any(3)
    '3'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """The text of a path object; anything else stays as it is.

    >>> tf.compat.path_to_str("a/b")
    'a/b'
    """
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


def __getattr__(name: str) -> Any:
    if name == "v2":
        return sys.modules[_ROOT] if is_installed() and _ROOT in sys.modules else gradtape
    return _missing(name)


_LATER = {
    "gradtape.compat.v1": "*",
    "gradtape.compat.v1._names": "dimension_at_index dimension_value",
    "gradtape.compat._internal.names": "forward_compatible forward_compatibility_horizon",
}
_missing, __dir__, _later = lazy.attach(__name__, _LATER)
__all__ += _later
