"""The runner of TensorFlow's own tests, on a file in their form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

RUNNER = Path(__file__).parents[2] / "conformance" / "tensorflow_tests" / "run_file.py"
NAMES = {
    "names": {
        "tensorflow.python.ops.math_ops.square": "tf.square",
        "tensorflow.python.ops.gen_math_ops.sub": "tf.raw_ops.Sub",
        "tensorflow.python.framework.dtypes.LIMIT": {"value": 9},
    },
    "modules": {
        "tensorflow.python.framework": True,
        "tensorflow.python.framework.dtypes": True,
        "tensorflow.python.ops.math_ops": True,
    },
}
FILE = """
import pathlib
import shutil
import tempfile

from tensorflow.python.framework import dtypes
from tensorflow.python.framework import test_util
from tensorflow.python.ops import gen_math_ops
from tensorflow.python.ops import math_ops
from tensorflow.python.platform import test


class SquareTest(test.TestCase):
    @test_util.run_deprecated_v1
    def testSquare(self):
        with self.cached_session() as session:
            self.assertAllEqual(session.run(math_ops.square(3)), dtypes.LIMIT)

    def testPositional(self):
        self.assertAllEqual(gen_math_ops.sub(5, 3), 2)

    def testOther(self):
        self.assertAllEqual(math_ops.square(3), 8)

    def testInside(self):
        math_ops.no_such_name(3)

    def testInsideThatIsCaught(self):
        try:
            math_ops.no_such_name(3)
        except Exception:
            self.fail("caught")

    @test_util.run_gpu_only
    def testGpu(self):
        self.fail("ran")

    def testDeletesItsFolder(self):
        for _ in range(2):
            folder = pathlib.Path(test.get_temp_dir())
            (folder / "file").write_text("")
            shutil.rmtree(folder)
        self.assertTrue(pathlib.Path(tempfile.gettempdir()).exists())

    def testDeletesAnotherFolder(self):
        shutil.rmtree(r"ANOTHER", ignore_errors=True)

    def testSlow(self):
        while True:
            pass
"""


def test_each_test_has_an_outcome(tmp_path) -> None:
    folder = tmp_path / "tensorflow" / "python"
    folder.mkdir(parents=True)
    another = tmp_path / "another"
    another.mkdir()
    file, names, result = folder / "square_test.py", tmp_path / "names.json", tmp_path / "result.json"
    file.write_text(FILE.replace("ANOTHER", str(another)))
    names.write_text(json.dumps(NAMES))
    command = [sys.executable, str(RUNNER), "gradtape", str(tmp_path), str(file), str(result), "2", str(names)]
    subprocess.run(command, check=True, env={**os.environ, "GRADTAPE_DEBUG": ""})
    assert {name: outcome for name, (outcome, _) in json.loads(result.read_text()).items()} == {
        "SquareTest.testSquare": "pass",
        "SquareTest.testPositional": "pass",
        "SquareTest.testOther": "failure",
        "SquareTest.testInside": "not public",
        "SquareTest.testInsideThatIsCaught": "not public",
        "SquareTest.testGpu": "skip",
        "SquareTest.testDeletesItsFolder": "pass",
        "SquareTest.testDeletesAnotherFolder": "error",
        "SquareTest.testSlow": "timeout",
    }
    assert another.exists()
