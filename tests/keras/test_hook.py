"""How Keras finds gradtape: each case in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


def run(code: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("KERAS_")}
    settings = {**kept, "PYTHONPATH": str(SOURCE), "KERAS_HOME": str(tmp_path), **environment}
    return subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, timeout=120)


def output(code: str, tmp_path: Path, **environment: str) -> str:
    done = run(code, tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_of_gradtape_leaves_keras_alone(tmp_path: Path) -> None:
    code = "import sys, gradtape; print('keras' in sys.modules, 'keras' in dir(gradtape))"
    assert output(code, tmp_path) == "False True"


def test_lazy_attribute(tmp_path: Path) -> None:
    code = """
import gradtape as tf
from gradtape.keras.layers import Dense
import keras
print(tf.keras.Model is keras.Model, keras.config.backend(), tf.keras.layers.Dense is Dense, tf.optimizers is keras.optimizers)
print(type(keras.ops.ones(2)).__module__, keras.Variable.__mro__[1].__module__)
"""
    expected = "True gradtape True True\ngradtape.core.tensor gradtape.keras_backend.variable"
    assert output(code, tmp_path) == expected


def test_star_import_works_without_keras(tmp_path: Path) -> None:
    code = "import sys\nfrom gradtape import *\nsys.stdout.write(str('keras' in sys.modules))"
    assert output(code, tmp_path) == "False"


def test_packages_that_keras_rarely_needs_wait(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    (packages / "matplotlib").mkdir(parents=True)
    for name in ("jax", "requests", "matplotlib/__init__", "matplotlib/pyplot", "matplotlib/patches"):
        (packages / f"{name}.py").write_text("print(__name__, 'runs')\nvalue = 1\n")
    code = f"""
import sys
sys.path.insert(0, {str(packages)!r})
import gradtape
keras = gradtape.keras
keras.Sequential
print("keras is there")
import jax, matplotlib.pyplot
from keras.src.visualization import plot_image_gallery
print(plot_image_gallery.plt is matplotlib.pyplot, matplotlib.pyplot.value, jax.value)
"""
    lines = output(code, tmp_path).splitlines()
    assert lines[:2] == ["matplotlib runs", "keras is there"]
    assert sorted(lines[2:4]) == ["jax runs", "matplotlib.pyplot runs"]
    assert lines[4:] == ["True 1 1"]


def test_environment_variable_with_the_path_file(tmp_path: Path) -> None:
    # The line that the wheel puts into the site directory runs at the start of every interpreter.
    line = (SOURCE / "gradtape_keras.pth").read_text()
    code = f"{line}\nimport sys\nassert 'gradtape' not in sys.modules\nimport keras\nprint(keras.config.backend())"
    assert output(code, tmp_path, KERAS_BACKEND="gradtape") == "gradtape"


def test_program_that_sets_the_variable_itself(tmp_path: Path) -> None:
    line = (SOURCE / "gradtape_keras.pth").read_text()
    code = f"{line}\nimport os\nos.environ['KERAS_BACKEND'] = 'gradtape'\nimport keras\nprint(keras.config.backend())"
    assert output(code, tmp_path) == "gradtape"


def test_path_file_does_nothing_for_others(tmp_path: Path) -> None:
    line = (SOURCE / "gradtape_keras.pth").read_text()
    code = f"import sys\n{line}\nprint('gradtape_keras_hook' in sys.modules)"
    assert output(code, tmp_path, KERAS_BACKEND="torch") == "False"


def test_backend_package_by_itself(tmp_path: Path) -> None:
    code = "import gradtape.keras_backend as b, keras; print(keras.config.backend(), b is keras.src.backend.numpy or b.ops.core)"
    assert output(code, tmp_path).startswith("gradtape ")


def test_keras_imported_first_is_refused(tmp_path: Path) -> None:
    # A stand-in for a Keras that runs on another backend.
    code = """

import sys, types
for name in ("keras", "keras.src", "keras.src.backend", "keras.src.backend.config"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["keras.src.backend.config"]._BACKEND = "jax"
before = list(sys.meta_path)
import gradtape as tf
try:
    tf.keras
except ImportError as problem:
    print(problem, sys.meta_path == before)
"""
    text = output(code, tmp_path)
    assert "imported with the jax backend" in text
    assert "fix: import gradtape" in text
    assert text.endswith("True")


def test_untested_version_warns(tmp_path: Path) -> None:
    code = """
import warnings, gradtape_keras_hook as hook
hook.TESTED = ("1.0",)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    hook.keras()
print([str(w.message) for w in caught if "tested with Keras 1.0" in str(w.message)])
"""
    assert "some functions may be missing" in output(code, tmp_path)


def test_set_backend_again(tmp_path: Path) -> None:
    code = """
import warnings
warnings.simplefilter("ignore")
import gradtape as tf
keras = tf.keras
keras.config.set_backend("gradtape")
import keras as again
print(again is not keras, again.config.backend(), abs(float(again.ops.sum(again.layers.Dense(2)(again.ops.ones((1, 3))))) * 0))
"""
    assert output(code, tmp_path) == "True gradtape 0.0"


def test_the_seed_of_keras_is_that_of_gradtape_too(tmp_path: Path) -> None:
    code = """
import gradtape as tf
drawn = []
for seed in (3, 3, 4):
    tf.keras.utils.set_random_seed(seed)
    drawn.append(float(tf.random.normal([])))
print(drawn[0] == drawn[1] != drawn[2])
"""
    assert output(code, tmp_path) == "True"


def test_names_of_tf_keras(tmp_path: Path) -> None:
    code = """
import gradtape as tf
print(tf.keras.losses.Reduction.NONE, tf.keras.losses.MSE is tf.keras.losses.mean_squared_error, tf.keras.saving.load_model is tf.keras.models.load_model)
"""
    assert output(code, tmp_path) == "none True True"


def test_a_file_of_the_name_beside_a_program_is_not_keras(tmp_path: Path) -> None:
    (tmp_path / "keras.py").write_text("x = 3\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import keras; print(keras.x)"
    assert output(code, tmp_path, KERAS_BACKEND="gradtape") == "3"
