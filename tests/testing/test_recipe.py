"""The recipe for an op in CONTRIBUTING.md, done as written: the op keeps every clause of the contract."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import test_docs

_CHECK = """
import pickle, sys
sys.path[:] = {path}
import recipe_op, recipe_samples
from gradtape.core.op import REGISTRY
from gradtape.testing.contract import CLAUSES, Case, check_bad, run_clause
from gradtape.testing.sample import BAD_SAMPLES, SAMPLES

op = recipe_op.InverseQuadratic
samples, bad = [[s for s in all if s.op is op] for all in (SAMPLES, BAD_SAMPLES)]
assert samples and bad and REGISTRY["inverse_quadratic"] is op
for sample in samples:
    case = Case(sample)
    for clause in CLAUSES:
        if clause.applies(case):
            run_clause(clause, case)
            print(clause.name)
for sample in bad:
    check_bad(sample)
assert type(op).__doc__ and pickle.loads(pickle.dumps(op)) is op
"""


def test_recipe_for_an_op(tmp_path: Path) -> None:
    document = (test_docs.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    op, samples = [block.text for block in test_docs.blocks(document) if block.language == "python"]
    (tmp_path / "recipe_op.py").write_text(op, encoding="utf-8")
    (tmp_path / "recipe_samples.py").write_text(f"from recipe_op import *\n{samples}", encoding="utf-8")
    program = _CHECK.format(path=json.dumps([str(tmp_path), *sys.path]))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr
    checked = set(done.stdout.split())
    assert {"infer", "reference", "cotangents", "batch", "scalar", "dtype"} <= checked
    assert len(checked) >= 15
