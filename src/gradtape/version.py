"""`tf.version`: the release of TensorFlow whose names gradtape follows. The version of gradtape is `gradtape.__version__`."""

import platform as _platform

VERSION = "2.21.0"
GIT_VERSION = f"v{VERSION}-gradtape"
COMPILER_VERSION = _platform.python_compiler()
# Versions of TensorFlow's graph format, which is neither read nor written.
GRAPH_DEF_VERSION = 0
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

__all__ = [
    "COMPILER_VERSION",
    "GIT_VERSION",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
]
