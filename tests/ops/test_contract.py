"""The contract of gradtape.testing over every op in the registry. There is no list of exceptions."""

import inspect
import pickle

import pytest

import gradtape.ops
import ops.samples
from gradtape.core.op import REGISTRY, NotDifferentiable, Unsupported
from gradtape.testing.contract import CLAUSES, Case, check_bad, run_clause
from gradtape.testing.sample import BAD_SAMPLES, SAMPLES, labelled

gradtape.ops.load_all()
OPS = sorted(REGISTRY)


def duties():
    """Every sample with every clause that says something about it."""
    for label, sample in labelled(SAMPLES):
        case = Case(sample)
        yield from (
            pytest.param(clause, case, id=f"{label}-{clause.name}") for clause in CLAUSES if clause.applies(case)
        )


@pytest.mark.parametrize(("clause", "case"), list(duties()))
def test_clause(clause, case):
    run_clause(clause, case)


@pytest.mark.parametrize("sample", [pytest.param(s, id=label) for label, s in labelled(BAD_SAMPLES)])
def test_bad_sample_is_refused(sample):
    check_bad(sample)


@pytest.mark.parametrize("name", OPS)
def test_op_has_a_sample_with_a_reference(name):
    own = [s for s in SAMPLES if s.op.name == name]
    assert own, f"{name} has no sample in tests/ops/samples."
    assert any(s.reference is not None for s in own), f"no sample of {name} has a reference."


@pytest.mark.parametrize("name", OPS)
def test_op_has_a_bad_sample(name):
    op = REGISTRY[name]
    takes_all = set(op.kinds) >= set("fVciubO") and len(op.inputs) == 1 and not parameters(op)
    assert takes_all or any(s.op.name == name for s in BAD_SAMPLES), f"{name} has no bad sample in tests/ops/samples."


@pytest.mark.parametrize("name", OPS)
def test_rules_are_there_or_absent_with_a_reason(name):
    op = REGISTRY[name]
    rules = [op.infer, op.kernel, op.vjp, op.batch, op.scalar if hasattr(op, "scalar") else op.lower]
    for rule in rules:
        assert callable(rule) or (isinstance(rule, (NotDifferentiable, Unsupported)) and rule.reason.strip())


@pytest.mark.parametrize("name", OPS)
def test_op_is_documented(name):
    assert inspect.getdoc(type(REGISTRY[name])), f"{name} has no docstring."


@pytest.mark.parametrize("name", OPS)
def test_op_is_itself_after_pickling(name):
    assert pickle.loads(pickle.dumps(REGISTRY[name])) is REGISTRY[name]


def parameters(op):
    """The names of the op's keyword parameters."""
    return [p.name for p in inspect.signature(op.infer).parameters.values() if p.kind is p.KEYWORD_ONLY]


def test_samples_belong_to_declared_ops():
    assert ops.samples.__path__
    assert {s.op.name for s in [*SAMPLES, *BAD_SAMPLES]} <= set(OPS)
