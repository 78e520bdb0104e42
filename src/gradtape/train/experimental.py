"""`tf.train.experimental`: a base class for objects that define their saved state."""

from __future__ import annotations

from gradtape.train._state_cells import PythonState

__all__ = ["PythonState"]
