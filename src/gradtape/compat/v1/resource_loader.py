"""`tf.compat.v1.resource_loader`: files beside a module."""

import os
import sys


def get_path_to_datafile(path: str) -> str:
    """The path of a file beside the module that asks."""
    return os.path.join(os.path.dirname(sys._getframe(1).f_globals.get("__file__", "")), path)


def get_data_files_path() -> str:
    """The folder of the module that asks."""
    return os.path.dirname(str(sys._getframe(1).f_globals.get("__file__", "")))
