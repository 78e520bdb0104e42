"""The command line of gradtape."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence

import gradtape

_WELCOME = """\
gradtape {version}: tf.GradientTape programs without TensorFlow.

  gradtape run script.py [args ...]         run a TensorFlow program; `import tensorflow` gives gradtape
  gradtape run notebook.ipynb               run the code cells of a notebook; lines that begin with % or ! are skipped
  gradtape run -m package.module [args ...] run a module
  gradtape launch -n 4 script.py [args ...] run a program on several processes, with MPI
  gradtape show script.py [args ...]        run a program, then list the kernels of its functions with work and time
  gradtape check script.py ...              list the TensorFlow names that programs use, and those that gradtape lacks
  gradtape doctor                           show versions, threads, the processor, and what could be better
  gradtape --version

In Python: import gradtape as tf
"""
_COMMANDS = ("run", "launch", "show", "check", "doctor")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["run"]:
        return _run(given[1:])  # what follows the program belongs to the program, options too
    if given[:1] == ["launch"]:
        from gradtape.cli import launch

        return launch.main(given[1:])
    if given[:1] == ["show"]:
        from gradtape.cli import show

        is_program = given[1:2] and given[1] not in ("-h", "--help")
        return show.report(lambda: _run(given[1:])) if is_program else _run(given[1:])
    if not given or given[0] in ("-h", "--help", "help"):
        print(_welcome(), end="")
        return 0
    if not given[0].startswith("-") and given[0] not in _COMMANDS:
        close = difflib.get_close_matches(given[0], _COMMANDS, 1)
        hint = (
            f"gradtape {close[0]}"
            if close
            else f"gradtape run {given[0]}"
            if given[0].endswith((".py", ".ipynb"))
            else ""
        )
        print(f"gradtape: unknown command {given[0]!r}.{f' Did you mean: {hint}?' if hint else ''}", file=sys.stderr)
        print(f"Commands: {', '.join(_COMMANDS)}; gradtape --help describes them.", file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(
        prog="gradtape", usage="gradtape run|launch|show|check|doctor ...; gradtape --help lists all"
    )
    parser.add_argument("--version", action="version", version=f"gradtape {gradtape.__version__}")
    commands = parser.add_subparsers(dest="command")
    check = commands.add_parser("check", usage="gradtape check [--missing] script.py ...")
    check.add_argument("--missing", action="store_true", help="list only the names that gradtape lacks")
    check.add_argument("programs", nargs="+")
    commands.add_parser("doctor", usage="gradtape doctor")
    chosen = parser.parse_args(given)
    if chosen.command == "check":
        from gradtape.cli import check as checking

        return checking.report(chosen.programs, only_missing=chosen.missing)
    from gradtape.cli import doctor

    return doctor.report()


def _welcome() -> str:
    return _WELCOME.format(version=gradtape.__version__)


def _run(given: list[str]) -> int:
    from gradtape.cli import run

    if given[:1] in (["-h"], ["--help"]):
        print(_welcome(), end="")
        return 0
    if given[:1] == ["-m"] and len(given) > 1:
        return run.run_module(given[1], given[2:])
    if not given or given[0].startswith("-"):
        print(_welcome(), end="", file=sys.stderr)
        return 2
    return run.run_file(given[0], given[1:])
