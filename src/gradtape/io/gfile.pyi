# Written by tools/stubs.py.
# ruff: noqa
from gradtape.io._gfile import copy
from gradtape.io._gfile import exists
from gradtape.io._gfile import get_registered_schemes
from gradtape.io._gfile import glob
from gradtape.io._gfile import isdir
from gradtape.io._gfile import join
from gradtape.io._gfile import listdir
from gradtape.io._gfile import makedirs
from gradtape.io._gfile import mkdir
from gradtape.io._gfile import remove
from gradtape.io._gfile import rename
from gradtape.io._gfile import rmtree
from gradtape.io._gfile import stat
from gradtape.io._gfile import walk
from gradtape.io._gfile_object import GFile

__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]
