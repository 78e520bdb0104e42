"""The ops, one file per family; every rule of an op stands in its class.

`import gradtape` loads the families that nearly every program needs. The others are loaded by the first name that uses
them, or all at once by `load_all`.
"""

import importlib
import pkgutil


def load_all() -> None:
    """Load every family, so that the registry is complete."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
