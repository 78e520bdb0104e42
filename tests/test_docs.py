"""The code in the documents is run, and prints what they say.

The Python blocks of a document run one after another in one namespace, each document in an interpreter of its own. A
block whose first line is a comment with a file name is run as that file, so that messages name it. A `text` block that
follows a Python block is what that block prints. Blocks with `>>>` are doctests. Links and `make` targets must exist.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / n for n in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
DOCUMENTS += sorted((ROOT / "docs").glob("**/*.md"))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"# (\w+\.py)\n")


class Block(NamedTuple):
    """A code block: its language, its text, the line where the text begins, the text of what it prints or None."""

    language: str
    text: str
    line: int
    prints: str | None


def blocks(document: str) -> list[Block]:
    """All code blocks of a document; a `text` block that follows Python at once belongs to it."""
    found = list(_BLOCK.finditer(document))
    result = []
    for match, after in itertools.pairwise([*found, None]):
        assert match is not None
        prints = None
        if after is not None and match[1] == "python" and after[1] == "text":
            between = document[match.end() : after.start()]
            prints = after[2] if not between.strip() or between.strip() == "prints" else None
        result.append(Block(match[1], match[2], document.count("\n", 0, match.start(2)) + 1, prints))
    return result


def run_document(path: Path, folder: Path) -> None:
    """Run the Python blocks of a document; AssertionError where one does not print what the document says."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.language != "python":
            continue
        where = f"{path.name}:{block.line}"
        if ">>>" in block.text:
            _run_doctest(block, namespace, where)
            continue
        name = _FILE.match(block.text)
        file = folder / (name[1] if name else f"{path.stem}_{block.line}.py")
        file.write_text(block.text, encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, str(file), "exec"), namespace)
        if block.prints is not None:
            assert printed.getvalue() == block.prints, f"{where} prints:\n{printed.getvalue()}"


def _run_doctest(block: Block, namespace: dict[str, Any], where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, namespace, where, where, block.line)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_code_runs(path: Path, tmp_path: Path) -> None:
    code = f"import sys; sys.path[:] = {json.dumps(sys.path)}\nfrom pathlib import Path\n"
    code += f"import test_docs; test_docs.run_document(Path({str(path)!r}), Path({str(tmp_path)!r}))"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def typed(code: str) -> str:
    """Code as one types it at a prompt: no empty lines inside of blocks, one after each."""
    lines: list[str] = []
    for line in filter(str.strip, code.splitlines()):
        if lines and lines[-1].startswith(" ") and re.match(r"[a-zA-Z@#]", line):
            lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n\n"


def test_readme_at_a_plain_prompt(tmp_path: Path) -> None:
    """Nothing but what the document says is printed, and nobody warns. Places are those of the prompt: `<stdin>:1`."""
    python = [b for b in blocks((ROOT / "README.md").read_text(encoding="utf-8")) if b.language == "python"]
    code = f"import sys; sys.path[:] = {json.dumps(sys.path)}; sys.ps1 = sys.ps2 = ''\n"
    done = subprocess.run(
        [sys.executable, "-i", "-q", "-W", "error"], input=code + "".join(typed(b.text) for b in python),
        capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert done.stderr.replace(">>> ", "").strip() == ""
    assert len(done.stdout.splitlines()) <= sum(len((b.prints or "").splitlines()) for b in python)
    for block in python:
        assert "train.py" in block.text or (block.prints or "") in done.stdout


def test_index_pages_have_no_dead_links() -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/" in readme
    for address in ("", "https://example.org/gradtape/blob/main"):
        page = module.index_page(readme, address)
        assert all(target.startswith("https://") for target in re.findall(r"\]\(([^)]+)\)", _BLOCK.sub("", page)))
        assert [b.text for b in blocks(page)] == [b.text for b in blocks(readme)]
    assert "(https://example.org/gradtape/blob/main/docs/ops.md)" in page


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links_exist(path: Path) -> None:
    text = _BLOCK.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_make_targets_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"`make ([a-z-]+)`|^make ([a-z-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert {a or b for a, b in named} <= targets


@pytest.mark.parametrize("script", ["ops.py", "coverage.py", "message_table.py"])
def test_tables_are_what_the_library_says(script: str) -> None:
    command = [sys.executable, str(ROOT / "docs" / script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr} Run `python docs/{script}`."


def test_blocks_are_found() -> None:
    text = "a\n```python\n# train.py\nprint(1)\n```\nprints\n```text\n1\n```\n\n```sh\nls\n```\n"
    first, second, third = blocks(text)
    assert (first.language, first.line, first.prints) == ("python", 3, "1\n")
    assert (second.language, third.language) == ("text", "sh")


def test_wrong_output_is_found(tmp_path: Path) -> None:
    document = tmp_path / "wrong.md"
    document.write_text("```python\nprint(1)\n```\n```text\n2\n```\n")
    with pytest.raises(AssertionError, match="prints"):
        run_document(document, tmp_path)
