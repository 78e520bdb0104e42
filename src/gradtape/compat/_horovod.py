"""`import horovod.tensorflow` answered by gradtape.horovod."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_MODULES = {
    "horovod": "gradtape.horovod",
    "horovod.tensorflow": "gradtape.horovod",
    "horovod.tensorflow.keras": "gradtape.horovod.keras",
    "horovod.tensorflow.keras.callbacks": "gradtape.horovod.callbacks",
    "horovod.tensorflow.elastic": "gradtape.horovod.elastic",
    "horovod.tensorflow.compression": "gradtape.horovod._compression",
    "horovod.tensorflow.functions": "gradtape.horovod._objects",
    "horovod.keras": "gradtape.horovod.keras",
    "horovod.keras.callbacks": "gradtape.horovod.callbacks",
    "horovod.keras.elastic": "gradtape.horovod.elastic",
    "horovod.tensorflow.keras.elastic": "gradtape.horovod.elastic",
    "horovod.tensorflow.mpi_ops": "gradtape.horovod",
    "horovod.tensorflow.sync_batch_norm": "gradtape.horovod._batch_normalization",
    "horovod.common": "gradtape.horovod",
    "horovod.common.elastic": "gradtape.horovod.elastic",
    "horovod.common.exceptions": "gradtape.horovod.exceptions",
    "horovod.common.process_sets": "gradtape.horovod._process_set",
    "horovod.common.util": "gradtape.horovod._process",
    "horovod.runner": "gradtape.horovod._run",
}


class HorovodFinder(importlib.abc.MetaPathFinder):
    """Finds `horovod` and its submodules."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name != "horovod" and not name.startswith("horovod."):
            return None
        if name not in _MODULES:
            raise ModuleNotFoundError(
                f"No module named {name!r}: gradtape answers for horovod here, and has {', '.join(sorted(_MODULES))}.\n"
                "  fix: import horovod.tensorflow as hvd",
                name=name,
            )
        return importlib.machinery.ModuleSpec(name, _HorovodLoader(_MODULES[name]), is_package=True)


class _HorovodLoader(importlib.abc.Loader):
    def __init__(self, shown: str) -> None:
        self._shown = shown

    def create_module(self, spec: Any) -> ModuleType:
        return _Shown(spec.name, importlib.import_module(self._shown))

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: the module shows another's names."""


class _Shown(ModuleType):
    """A module under Horovod's name."""

    def __init__(self, name: str, shown: ModuleType) -> None:
        super().__init__(name, shown.__doc__)
        self._shown = shown
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shown, name)

    def __dir__(self) -> list[str]:
        return dir(self._shown)
