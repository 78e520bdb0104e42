"""KernelOp: a fused kernel as the op of a node.

It is plain data. The **body** says what is computed, without names: elementwise steps (`Loop`), steps along rows (`RowLoop`), or a pattern
such as a matrix product with its epilogue (`PatternBody`). **Bindings** say which of the node's arrays each operand of the body is, and where in it
the operand begins. Reading through a view and storing into a part of a larger array are properties of a binding, whatever the body.
`lowering/nodes.py` makes launches of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from gradtape.compiler.bodies.epilogue import Epilogue
from gradtape.compiler.bodies.loop import Loop
from gradtape.compiler.bodies.rows import ColumnResult, RowLoop
from gradtape.compiler.graph import Node
from gradtape.core.shape import Spec


class Binding(NamedTuple):
    """The array that an operand of a body is.

    Attributes:
      slot: number of the node's input or output.
      offset: elements from the beginning of that array to the first one that the body addresses.
      is_part: whether the body sees the array through a view, or writes only a part of it.
    """

    slot: int
    offset: int = 0
    is_part: bool = False


class Pattern(Protocol):
    """What a kernel with an epilogue computes: a product, convolution, pooling or gather, or columns that a loop over rows sums up."""

    @property
    def inputs(self) -> int:
        """How many arrays are read."""

    @property
    def matrices(self) -> tuple[int, int, int]:
        """How many matrices the result consists of, and their rows and columns."""


class PatternBody(NamedTuple):
    """A pattern, and the epilogue that runs on the elements of its result while they are in registers.

    Its operands are those of the pattern, then what the epilogue loads. Its results are those of the epilogue, then the other ones of a loop
    over rows.

    Attributes:
      pattern: what is computed.
      epilogue: the epilogue.
      sums_columns: of the gradient of a convolution by its filter: whether the sums of the second factor over all places, the gradient by a
        bias, are a second result.
    """

    pattern: Pattern
    epilogue: Epilogue | None = None
    sums_columns: bool = False


Body = Loop | RowLoop | PatternBody


class KernelOp:
    """A fused kernel. Nothing is compiled before it is lowered.

    Attributes:
      body: what it computes.
      specs: of the node's outputs.
      parts: names of the ops in it, for people.
      loads: for each operand that the body reads, which input of the node it is.
      stores: for each result of the body, which output of the node it is.
      onto: the node's input over which its only output is written; what it does not write stays. None for memory of its own.
    """

    __slots__ = ("body", "loads", "name", "onto", "parts", "specs", "stores")
    elementwise = False
    effect = False

    def __init__(
        self,
        body: Body,
        specs: Sequence[Spec],
        parts: str,
        loads: Sequence[Binding] | None = None,
        stores: Sequence[Binding] | None = None,
        onto: int | None = None,
    ) -> None:
        reads, writes = _operands(body)
        self.body, self.specs, self.parts, self.onto = body, tuple(specs), parts, onto
        self.loads = tuple([Binding(i) for i in range(reads)] if loads is None else loads)
        self.stores = tuple([Binding(k) for k in range(writes)] if stores is None else stores)
        self.name = parts if isinstance(body, PatternBody) and body.epilogue is None else f"fused[{parts}]"


def _operands(body: Body) -> tuple[int, int]:
    """How many operands a body reads, and how many results it writes."""
    if isinstance(body, Loop):
        return len(body.inputs), len(body.outputs) + len(body.sums)
    if isinstance(body, RowLoop):
        return len(body.inputs), len(body.outputs)
    pattern, epilogue = body.pattern, body.epilogue
    if epilogue is None:
        return pattern.inputs, 1 + body.sums_columns
    others = len(pattern.others) if isinstance(pattern, ColumnResult) else 0
    return pattern.inputs + len(epilogue.loaded), len(epilogue.results) + others


def body_of(node: Node) -> Body | None:
    """The body of a node's kernel; None if its op is not a fused kernel."""
    return node.op.body if type(node.op) is KernelOp else None


def pattern_of(node: Node) -> tuple[PatternBody, tuple[Binding, ...]] | None:
    """The pattern without an epilogue that a node computes, and the bindings of its operands; None if it computes something else."""
    body = body_of(node)
    if isinstance(body, PatternBody):
        return None if body.epilogue is not None else (body, node.op.loads)
    if node.op.name not in EPILOGUE_OPS or not callable(getattr(node.op, "lower", None)):
        return None
    if not all(v.spec.is_known for v in node.inputs):  # a block of a loop, before a call supplies the sizes
        return None
    pattern = node.op.lower(*[v.spec for v in node.inputs], **node.params)
    if not hasattr(type(pattern), "matrices"):
        return None
    return PatternBody(pattern), tuple([Binding(i) for i in range(pattern.inputs)])


# Ops whose result may be handed to an epilogue, those first that gain most by it.
EPILOGUE_OPS = (
    "matmul", "convolution", "convolution_input_gradient", "max_pool", "avg_pool", "avg_pool_gradient", "pool_pick", "pool_place",
    "gather", "gather_nd", "segment_gather",
)  # fmt: skip
