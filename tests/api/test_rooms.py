"""The rooms of the package: what they say of themselves, and what they show."""

import ast
import collections
import functools
import importlib
import pickle
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import gradtape as tf

# Packages whose docstring lists their files; others consist of one file, or are described in ARCHITECTURE.md.
ROOMS = [
    f"gradtape.{name}"
    for name in [
        "api",
        "arrays",
        "audio",
        "autograph",
        "config",
        "control_flow",
        "data",
        "debugging",
        "distribute",
        "experimental.numpy",
        "horovod",
        "image",
        "io",
        "io._parsing",
        "linalg",
        "linalg._operators",
        "lookup",
        "math",
        "nn",
        "numpy_functions",
        "numpy_protocol",
        "polymorphic_function",
        "protos",
        "ragged",
        "random",
        "saved_model",
        "signal",
        "sparse",
        "strings",
        "summary",
        "test",
        "toplevel",
        "tracing",
        "tracing.control",
        "tracing.dynamic_shapes",
        "tracing.probes",
        "train",
    ]
]


@pytest.mark.parametrize("name", ROOMS)
def test_docstring_lists_every_file(name):
    room = importlib.import_module(name)
    listed = set(re.findall(r"^ *(\w+(?:\.py|/)) +\S", room.__doc__, re.MULTILINE))
    files = {module.name + ("/" if module.ispkg else ".py") for module in pkgutil.iter_modules(room.__path__)}
    assert listed == files, "the docstring says what is in each file"


# Public modules whose names come from a table.
TABLES = [
    "",
    *[
        "audio",
        "autodiff",
        "autograph",
        "bitwise",
        "config",
        "config.threading",
        "data.experimental",
        "debugging",
        "distribute",
        "experimental",
    ],
    *[
        "experimental.numpy",
        "image",
        "io",
        "io.gfile",
        "linalg",
        "linalg.experimental",
        "lookup",
        "math",
        "math.special",
        "nest",
        "nn",
        "nn.experimental",
    ],
    *[
        "quantization",
        "ragged",
        "random",
        "random.experimental",
        "saved_model",
        "sets",
        "signal",
        "sparse",
        "strings",
        "summary",
        "train",
    ],
]


@pytest.mark.parametrize("name", TABLES)
def test_tables_name_the_module_that_defines_a_name(name: str) -> None:
    """From a public name to its definition there are two steps: the table, and the file."""
    table = importlib.import_module(f"gradtape.{name}".rstrip("."))._LATER
    for source, entries in table.items():
        own = [entry.partition("=")[2] or entry for entry in entries.split()]
        if source != "gradtape.keras":
            missing = {n for n in own if n != "*"} - defined_names(importlib.import_module(source).__file__)
            assert not missing, f"{source} imports these from another module"


LAYERS = tomllib.loads((Path(tf.__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
LAYERS = LAYERS["tool"]["importlinter"]["contracts"][0]["layers"]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_class_name_stands_once_in_a_layer(layer: str) -> None:
    homes = collections.defaultdict(list)
    for room in layer.split(" | "):
        place = Path(tf.__file__).parent.joinpath(*room.split(".")[1:])
        for file in place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    homes[node.name].append(file.name)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


@functools.cache
def defined_names(file: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


@pytest.mark.parametrize("name", ["", "math", "strings", "nn", "linalg", "autodiff", "experimental.numpy"])
def test_dir_shows_public_names_only(name):
    module = importlib.import_module(f"gradtape.{name}".rstrip("."))
    shown = dir(module)
    assert (
        {*module.__all__} <= {*shown} <= {*module.__all__, "keras", "initializers", "losses", "metrics", "optimizers"}
    )
    assert not [n for n in shown if n.startswith("_") and not n.startswith("__")]


@pytest.mark.parametrize(
    "name", ["einsum", "cumsum", "sort", "linalg.svd", "nn.max_pool", "strings.join", "image.resize"]
)
def test_public_functions_can_be_pickled(name: str) -> None:
    """Also those that are loaded when they are first used."""
    function = functools.reduce(getattr, name.split("."), tf)
    assert pickle.loads(pickle.dumps(function)) is function
