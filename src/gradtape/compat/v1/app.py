"""`tf.compat.v1.app`: running a program's main function."""

import sys
from typing import Any

from gradtape.compat.v1 import flags

__all__ = ["flags", "run"]


def run(main: Any = None, argv: Any = None) -> None:
    """Run `main` of the program, with its arguments, and exit with its return value."""
    chosen = main if main is not None else sys.modules["__main__"].main
    given = flags.FLAGS(sys.argv if argv is None else argv, known_only=True)
    sys.exit(chosen(given))
