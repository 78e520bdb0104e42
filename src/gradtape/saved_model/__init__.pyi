# Written by tools/stubs.py.
# ruff: noqa
from gradtape.saved_model._assets import Asset
from gradtape.saved_model._load import contains_saved_model
from gradtape.saved_model._load import load
from gradtape.saved_model._options import LoadOptions
from gradtape.saved_model._options import SaveOptions
from gradtape.saved_model._save import save

__all__ = [
    "Asset",
    "LoadOptions",
    "SaveOptions",
    "contains_saved_model",
    "load",
    "save",
]
