"""The passes over a graph, in their order. Each takes a graph and gives a new one; nodes are never changed in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradtape.compiler import debug
from gradtape.compiler.graph import Copy, Graph
from gradtape.compiler.passes import algebra, layout
from gradtape.compiler.passes.constants import bake, fold
from gradtape.compiler.passes.cse import share, unite
from gradtape.compiler.passes.dead_code import drop_dead, drop_overwritten
from gradtape.compiler.passes.rewriting import Rewriter
from gradtape.compiler.passes.sums import join

Pass = Callable[[Graph], Graph]


def simplify(graph: Graph) -> Graph:
    """By the rules of arithmetic and of moving elements."""
    both = {name: (*algebra.RULES.get(name, ()), *layout.RULES.get(name, ())) for name in algebra.RULES | layout.RULES}
    return Rewriter(graph, both).run()


def transpose(graph: Graph) -> Graph:
    """Transpositions moved, and what meets others then simplified."""
    if not any(node.op.name == "transpose" for node in graph.nodes):
        return graph
    from gradtape.compiler.passes.transpositions import move_transpositions  # loaded with the first transposition

    moved = move_transpositions(graph)
    return graph if moved is graph else simplify(share(moved))


def divide(graph: Graph) -> Graph:
    """Loop fission: what a loop can do for all steps at once comes out of it, and is simplified."""
    divided = _divide_loops(graph)
    return graph if divided is graph else drop_dead(share(fold(simplify(divided))))


def _divide_loops(graph: Graph) -> Graph:
    """With nodes in place of those whose ops say, by `divided`, how they are done otherwise."""
    if not any(hasattr(node.op, "divided") for node in graph.nodes):
        return graph
    copy, is_changed = Copy(graph), False
    for old in graph.nodes:
        node = copy.keep(old)
        found = node.op.divided(node) if hasattr(node.op, "divided") else None
        if found is None:
            continue
        nodes, values, constants = found
        copy.new.nodes[-1:] = nodes
        copy.new.constants |= constants
        copy.moved.update(zip(old.outputs, values, strict=True))
        is_changed = True
    return copy.done() if is_changed else graph


PASSES: tuple[Pass, ...] = (
    bake,  # first: it is what makes operands known
    fold,  # before rules, which ask for known numbers
    drop_overwritten,  # what such an assignment computes may be dead
    simplify,
    transpose,  # after rules, which cancel transpositions that meet each other
    fold,  # what rules left of constants, for ops that need whole arrays
    join,  # after rules, by which more terms are alike
    share,  # after folding, so that equal results of constants are found equal
    drop_dead,  # it removes what the others made useless
    unite,  # after removal: what nobody reads shall not be asked for
    divide,  # last: of loops that are one
)


def optimize(graph: Graph, check: bool = False) -> Graph:
    """The graph after all passes; with `check`, verified after each."""
    return run(PASSES, graph, check)


def run(
    several: Iterable[Pass], graph: Graph, check: bool = False, verify: Callable[[Graph], None] = Graph.verify
) -> Graph:
    """The graph after some passes, in order; with `check`, or if `GRADTAPE_DEBUG` asks for it, verified after each."""
    check = check or debug.wants("verify")
    for change in several:
        before, graph = graph, change(graph)
        if check:
            verify(graph)
        if debug.wants("passes") and str(graph) != str(before):
            debug.show(f"{graph.name} after {change.__name__}", graph)
    return graph
