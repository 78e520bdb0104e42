"""`tf.lookup`: tables from keys to values.

Tables are Python dictionaries, which functions ask when they run.

    _dense_table.py     A table with reserved keys, and keys of any shape
    _initializers.py    What static tables are filled with
    _mutable_tables.py  Tables that can change, outside of functions and in them
    _static_tables.py   Tables that are filled once
    _table.py           What all tables have in common: keys are asked for, one by one, in a dictionary
    experimental.py     Tables that can change
"""

from gradtape.core import lazy

_LATER = {
    "gradtape.lookup.experimental": "*",
    "gradtape.lookup._initializers": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    "gradtape.lookup._static_tables": "StaticHashTable StaticVocabularyTable",
}
__getattr__, __dir__, __all__ = lazy.attach(__name__, _LATER)
