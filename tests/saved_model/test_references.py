"""What the file of a saved model may name: functions, classes and ops of a table, under their present or former modules."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradtape as tf
from gradtape.saved_model import _references as references
from gradtape.saved_model._names import NAMES
from gradtape.saved_model._renamed import RENAMED

DATA = Path(__file__).parent / "data"
# Reached by walking attributes, by importing, or because they are gradtape's own.
PLANTED = [
    "os:system",
    "subprocess:run",
    "builtins:exec",
    "gradtape.core.disk_cache:os.system",
    "gradtape.core.cache:os.system",
    "gradtape.core.disk_cache:os",
    "gradtape.core.disk_cache:write",
    "gradtape.io._gfile:rmtree",
    "gradtape.io._read_write:write_file",
    "gradtape.saved_model._load:load",
    "gradtape.cli.main:main",
    "gradtape.arrays.movement:reshape.__globals__",
    "gradtape.arrays.movement:reshape.__code__",
    "gradtape.random._generator:Generator.__init__",
    "gradtape.random._generator:Generator.normal.__globals__",
    "gradtape.ops.getitem:np.load",
    "gradtape.arrays.movement:",
    "gradtape.arrays.movement",
    ":reshape",
    "numpy:load",
    "numpy:fromfile",
    "numpy:savetxt",
    "numpy:lib.npyio",
    "numpy:add.reduce",
    "numpy:vectorize",
]


def spoiled(folder: Path, change: Any) -> None:
    """A model in a folder whose description was changed."""
    module = tf.Module()
    module.f = tf.function(lambda x: tf.reshape(x, [-1]) + 1.0, input_signature=[tf.TensorSpec([None, None])])
    tf.saved_model.save(module, folder)
    file = folder / "saved_model.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("name", PLANTED)
def test_functions_that_are_not_listed_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="which saved models may not refer to"):
        references.function_of(name)

    def plant(content: Any) -> None:
        (late,) = [n for t in content["traces"] for n in t["nodes"] if isinstance(n[0], dict) and "late" in n[0]]
        late[0]["late"]["function"] = {"function": name}

    spoiled(tmp_path, plant)
    with pytest.raises(tf.errors.NotFoundError, match="which saved models may not refer to"):
        tf.saved_model.load(tmp_path)


@pytest.mark.parametrize("tag", ["enum", "record", "data class"])
@pytest.mark.parametrize(
    "name", ["os:PathLike", "gradtape.core.disk_cache:functools.partial", "gradtape.train._manager:Path"]
)
def test_classes_that_are_not_listed_are_refused(tag: str, name: str, tmp_path: Path) -> None:
    def plant(content: Any) -> None:
        content["traces"][0]["nodes"][-1][2] = {"x": {tag: [name, []]}}

    spoiled(tmp_path, plant)
    with pytest.raises(tf.errors.NotFoundError, match="which saved models may not refer to"):
        tf.saved_model.load(tmp_path)


@pytest.mark.parametrize(
    "op",
    [
        ["write_file", "gradtape.io._read_write", "_write_file"],
        ["system", "gradtape.core.disk_cache", "os", "system"],
        ["system", "gradtape.core.disk_cache", "os.system"],
        ["reshape", "gradtape.arrays.movement", "reshape"],  # listed, but no op
        ["no_such_op", "gradtape.ops.movement"],
    ],
)
def test_ops_that_are_not_listed_are_refused(op: list[str], tmp_path: Path) -> None:
    def plant(content: Any) -> None:
        content["traces"][0]["nodes"][-1][0] = op

    spoiled(tmp_path, plant)
    with pytest.raises(tf.errors.NotFoundError, match="which saved models may not refer to"):
        tf.saved_model.load(tmp_path)


def test_a_named_module_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    model = tmp_path / "model"

    def plant(content: Any) -> None:
        content["traces"][0]["nodes"][-1][0] = ["planted_op", "planted"]

    spoiled(model, plant)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import gradtape as tf; tf.saved_model.load({str(model)!r})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "import planted before loading" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_functions_that_write_are_not_saved(tmp_path: Path) -> None:
    module = tf.Module()
    module.f = tf.function(lambda x: tf.io.write_file("file", x), input_signature=[tf.TensorSpec([], tf.string)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be saved, since its graph holds write_file"):
        tf.saved_model.save(module, tmp_path / "model")


def test_the_table_holds_what_it_names() -> None:
    for module, names in NAMES.items():
        for name in names:
            found = references._resolved("function", f"{module}:{name}")
            assert references._is_op(found) or getattr(found, "__module__", "") == module, (module, name)


def test_the_table_is_up_to_date() -> None:
    script = Path(__file__).parents[2] / "docs" / "saveable.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_former_names_lead_to_present_ones() -> None:
    assert {module.partition(":")[0] for modules in RENAMED.values() for module in modules.split()} <= set(NAMES)
    # A module that is still there has given up a part, and lists itself.
    assert all(former in RENAMED[former].split() for former in set(RENAMED) & set(NAMES))
    assert references._resolved("op", "gradtape.experimental.numpy._elementwise:_gcd").name == "gcd"
    assert references._resolved("class", "gradtape.ops.windows:Plan").__name__ == "TaskPlan"
    assert references.function_of("gradtape.names.moving:reshape") is references.function_of(
        "gradtape.arrays.movement:reshape"
    )


def test_a_model_that_was_saved_under_former_names() -> None:
    """`former` was written by data/write_former.py before gradtape's modules had their present names."""
    loaded = tf.saved_model.load(DATA / "former")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = tf.linalg.einsum("ij,kj->ik", x, x)
    y = tf.reshape(y, [-1])
    for i in range(3):
        y = tf.sin(y) * 0.5 + float(i) if tf.reduce_sum(y) > 1.0 else y * y + 1.0
    np.testing.assert_allclose(loaded.numbers(x), tf.concat([y, [3.0, 4.0]], 0), rtol=1e-5)
    ids, lengths, counts = loaded.texts(tf.constant(["Yes no maybe", "NO"]))
    assert ids.numpy().tolist() == [3, 2]
    assert lengths.numpy().tolist() == [12, 2]
    assert counts.numpy().tolist() == [3, 1]
    drawn = loaded.drawn(tf.constant(5)).numpy()
    assert drawn.shape == (5,)
    assert np.all(np.diff(drawn) >= 0)
    matrix = tf.sparse.from_dense([[1.0, 0.0], [0.0, 3.0]])
    assert loaded.sparse(matrix).numpy().tolist() == [[1.0], [6.0]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(loaded.numbers(x))
    assert tape.gradient(total, x).shape == x.shape
