"""The ops by name. `core/op.py` fills the table; it stands here, below it, for modules on which ops are built."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradtape.core.op import Op

REGISTRY: dict[str, Op] = {}
