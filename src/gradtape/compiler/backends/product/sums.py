"""Sums over the blocks of k so far, which lie in memory between the blocks."""

from __future__ import annotations

from typing import Any

from gradtape.compiler.backends.product.code import I64, Index, ProductCode


def resumed(code: ProductCode, sums: Any, zeros: list[Any], block: Index) -> list[Any]:
    """What a tile starts with: zeros in the first block of k, else what was kept after the one before."""
    vector = zeros[0].type
    align = vector.count * (4 if str(vector.element) == "float" else 8)
    fresh = code.builder.block
    with code.builder.if_then(code.builder.icmp_signed(">", code.value(block), I64(0))):
        kept = [
            code.builder.load(code.at(sums, i * vector.count, vector.element), align=align, typ=vector)
            for i in range(len(zeros))
        ]
        later = code.builder.block
    start = []
    for zero, value in zip(zeros, kept, strict=True):
        phi = code.builder.phi(vector)
        phi.add_incoming(zero, fresh)
        phi.add_incoming(value, later)
        start.append(phi)
    return start
