"""Keras has no types: all of it is Any, classes that programs derive from or annotate with included."""

from typing import Any

def __getattr__(name: str) -> Any: ...
