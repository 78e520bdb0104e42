"""What TensorFlow recorded: every case of conformance/behaviours does the same here."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import gradtape as tf

FOLDER = Path(__file__).parents[2] / "conformance" / "behaviours"
sys.path.insert(0, str(FOLDER))
_SPEC = importlib.util.spec_from_file_location("behaviour", FOLDER / "behaviour.py")
behaviour = sys.modules.setdefault("behaviour", importlib.util.module_from_spec(_SPEC))
if not hasattr(behaviour, "case"):
    _SPEC.loader.exec_module(behaviour)

RECORDED = {area: json.loads((FOLDER / "recorded" / f"{area}.json").read_text()) for area in behaviour.areas()}
KNOWN = behaviour.known_differences()
CASES = [(area, c) for area in behaviour.areas() for c in behaviour.cases(area)]


@pytest.mark.parametrize(("area", "case"), CASES, ids=[f"{area}-{c.name}" for area, c in CASES])
@pytest.mark.filterwarnings("ignore")
def test_as_in_tensorflow(area, case):
    outcome = json.loads(json.dumps(case.run(tf)))
    found = list(behaviour.differences(RECORDED[area][case.name], outcome, case.tolerance))
    if f"{area}.{case.name}" in KNOWN:
        assert found, "agrees now: take it out of conformance/behaviours/different.tsv"
    else:
        assert found == []


def test_listed_cases_exist():
    assert KNOWN.keys() <= {f"{area}.{c.name}" for area, c in CASES}


def test_a_difference_is_found():
    recorded = {"value": {"array": ["float32", [2], ["1.0", "2.0"]]}}
    assert list(behaviour.differences(recorded, {"value": {"array": ["float32", [2], ["1.0", "2.1"]]}}, None))
    assert list(behaviour.differences(recorded, {"value": {"array": ["float64", [2], ["1.0", "2.0"]]}}, None))
    assert list(behaviour.differences(recorded, {"raises": ["ValueError"]}, None))
    assert list(behaviour.differences({"raises": ["tf.errors.InvalidArgumentError"]}, {"raises": ["ValueError"]}, None))
    assert not list(behaviour.differences(recorded, recorded, None))
