# Written by tools/stubs.py.
# ruff: noqa
from gradtape.profiler._profile import Profile
from gradtape.profiler._profile import ProfilerOptions
from gradtape.profiler._profile import Trace
from gradtape.profiler._profile import start
from gradtape.profiler._profile import stop

__all__ = [
    "Profile",
    "ProfilerOptions",
    "Trace",
    "start",
    "stop",
]
