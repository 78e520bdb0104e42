"""`tf.io`: files of records."""

from gradtape.core import lazy

_LATER = {"gradtape.data.records": "TFRecordOptions TFRecordWriter"}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
